package vk

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/SevereCloud/vksdk/v2/api"
)

// CaptchaAnswer is what a person has answered to a captcha: the text of the picture named by SID, or the token that
// VK's page (RedirectURI) gave.
type CaptchaAnswer struct {
	SID          string
	Key          string
	SuccessToken string
}

func (a CaptchaAnswer) params() api.Params {
	params := api.Params{}
	for name, value := range map[string]string{"captcha_sid": a.SID, "captcha_key": a.Key, "success_token": a.SuccessToken} {
		if value != "" {
			params[name] = value
		}
	}
	return params
}

type captchaKey struct{}

// WithCaptcha makes the calls of a context carry a person's answer to a captcha.
func WithCaptcha(ctx context.Context, answer CaptchaAnswer) context.Context {
	if answer == (CaptchaAnswer{}) {
		return ctx
	}
	return context.WithValue(ctx, captchaKey{}, answer)
}

// WallPost is a post to publish. It needs a message or an attachment.
type WallPost struct {
	OwnerID   int64 // the wall; negative for a community
	FromGroup bool  // publish in the community's name; only for communities
	Silent    bool  // do not notify the wall's subscribers
	Message   string
	// Attachments are as the Refs of post.Attachment and post.Photo give them, at most ten, and at most one link among them.
	Attachments []string
	// GUID lets the same post be sent again without doubling it, for one hour.
	GUID string
	// Copyright is the source link shown under the post; VK checks it and may refuse it with code 3102.
	Copyright string
	// Captcha is a person's answer to the captcha of the attempt before; the zero value for none.
	Captcha CaptchaAnswer
}

func (p WallPost) params() api.Params {
	params := p.Captcha.params()
	params["owner_id"] = p.OwnerID
	if p.FromGroup && p.OwnerID < 0 {
		params["from_group"] = 1
	}
	if p.Silent {
		params["mute_notifications"] = 1
	}
	for name, value := range map[string]string{
		"message": p.Message, "attachments": strings.Join(p.Attachments, ","), "guid": p.GUID, "copyright": p.Copyright,
	} {
		if value != "" {
			params[name] = value
		}
	}
	return params
}

// WallPost publishes a post and returns its id on the wall. That VK has taken the post does not prove that it shows
// the attachments: it drops some without a word.
func (c *Client) WallPost(ctx context.Context, post WallPost) (postID int64, err error) {
	const method = "wall.post"
	if post.OwnerID == 0 {
		return 0, bug(Writing, method, "no wall to post to")
	}
	if post.Message == "" && len(post.Attachments) == 0 {
		return 0, bug(Writing, method, "a post needs a message or an attachment")
	}
	err = c.call(ctx, Writing, method, post.params(), func(response json.RawMessage) error {
		postID, err = decodePostID(response)
		return err
	})
	return postID, err
}

// WallEdit replaces the text and attachments of a post. Community keys may not edit (code 27).
func (c *Client) WallEdit(ctx context.Context, postID int64, post WallPost) error {
	const method = "wall.edit"
	if post.OwnerID == 0 || postID == 0 {
		return bug(Writing, method, "no post to edit")
	}
	params := post.params()
	delete(params, "guid")
	delete(params, "from_group")
	delete(params, "mute_notifications")
	params["post_id"] = postID
	return c.call(ctx, Writing, method, params, func(response json.RawMessage) error {
		if strings.TrimSpace(string(response)) == "1" {
			return nil // older versions answer so
		}
		_, err := decodePostID(response)
		return err
	})
}

// WallDelete removes a post. Community keys may not (code 27).
func (c *Client) WallDelete(ctx context.Context, ownerID, postID int64) error {
	const method = "wall.delete"
	if ownerID == 0 || postID == 0 {
		return bug(Writing, method, "no post to delete")
	}
	return c.call(ctx, Writing, method, api.Params{"owner_id": ownerID, "post_id": postID}, func(response json.RawMessage) error {
		if strings.TrimSpace(string(response)) != "1" {
			return errors.New("not 1")
		}
		return nil
	})
}

func decodePostID(response json.RawMessage) (int64, error) {
	var object flexObject[struct {
		PostID flexInt `json:"post_id"`
	}]
	_ = object.UnmarshalJSON(response)
	if object.value.PostID <= 0 {
		return 0, errors.New("no post_id")
	}
	return int64(object.value.PostID), nil
}
