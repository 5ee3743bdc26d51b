package vk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/SevereCloud/vksdk/v2/api"

	"vestnik/internal/post"
)

// MaxPage is the most posts wall.get returns, MaxByID the most wall.getById takes.
const (
	MaxPage = 100
	MaxByID = 100
)

// Page is one answer of wall.get. The items are left raw: each is decoded by itself, with DecodePost, so that one odd
// post does not cost the others.
type Page struct {
	Total int // VK's count of the wall's posts; it says nothing about changes
	Items []json.RawMessage
}

// WallGet reads a page of a wall, newest first; a pinned post comes before all others, whatever its age. count is
// 1 to MaxPage. All authors' posts are read: in lost-pet communities the visitors' are often the point.
func (c *Client) WallGet(ctx context.Context, ownerID int64, count, offset int) (Page, error) {
	var page Page
	err := c.call(ctx, Reading, "wall.get", api.Params{
		"owner_id": ownerID, "count": min(max(count, 1), MaxPage), "offset": max(offset, 0), "filter": "all",
	}, func(response json.RawMessage) error {
		var object flexObject[struct {
			Count flexInt         `json:"count"`
			Items json.RawMessage `json:"items"`
		}]
		_ = object.UnmarshalJSON(response)
		if len(object.value.Items) == 0 {
			return errors.New("no items") // an empty wall has an empty list
		}
		page.Total = int(object.value.Count)
		page.Items = listOf(object.value.Items)
		return nil
	})
	return page, err
}

// WallGetByID reads posts by their ids, at most MaxByID. Posts that are gone are missing from the answer.
func (c *Client) WallGetByID(ctx context.Context, posts ...post.ID) ([]json.RawMessage, error) {
	if len(posts) == 0 {
		return nil, nil
	}
	if len(posts) > MaxByID {
		return nil, bug(Reading, "wall.getById", fmt.Sprintf("%d posts asked for, %d are allowed", len(posts), MaxByID))
	}
	ids := make([]string, len(posts))
	for i, id := range posts {
		ids[i] = fmt.Sprintf("%d_%d", id.OwnerID, id.PostID)
	}
	var found []json.RawMessage
	err := c.call(ctx, Reading, "wall.getById", api.Params{"posts": strings.Join(ids, ","), "copy_history_depth": maxReposts},
		func(response json.RawMessage) error {
			// Versions of the API differ: the list comes bare or inside an object.
			var object flexObject[struct {
				Items json.RawMessage `json:"items"`
			}]
			if _ = object.UnmarshalJSON(response); object.found {
				response = object.value.Items
			}
			found = listOf(response)
			return nil
		})
	return found, err
}

// ResolveScreenName asks VK whose screen name it is and returns the wall's owner id, negative for a community. A name
// that nobody has is an error with the reason "screen_name_not_found".
func (c *Client) ResolveScreenName(ctx context.Context, name string) (int64, error) {
	const method = "utils.resolveScreenName"
	var owner flexObject[struct {
		Type flexString `json:"type"`
		ID   flexInt    `json:"object_id"`
	}]
	// VK answers [] for a name that nobody has, which leaves the object empty.
	err := c.call(ctx, Reading, method, api.Params{"screen_name": name}, func(response json.RawMessage) error {
		return owner.UnmarshalJSON(response)
	})
	if err != nil {
		return 0, err
	}
	if id := int64(owner.value.ID); id > 0 {
		switch owner.value.Type {
		case "user":
			return id, nil
		case "group", "page", "event":
			return -id, nil
		}
	}
	return 0, &Error{Class: WallGone, Method: method, Purpose: Reading, Policy: parkWall("screen_name_not_found"),
		HTTPStatus: 200, Message: "nobody has the screen name " + name + ", or its owner has no wall"}
}

// ResolveWall turns what an operator wrote (see ParseWallRef) into an owner id, asking VK only for screen names.
func (c *Client) ResolveWall(ctx context.Context, text string) (int64, error) {
	ref, err := ParseWallRef(text)
	if err != nil || ref.OwnerID != 0 {
		return ref.OwnerID, err
	}
	return c.ResolveScreenName(ctx, ref.ScreenName)
}

// WallRef names a wall as people write it. Either OwnerID is set, or ScreenName is and has to be resolved.
type WallRef struct {
	OwnerID    int64  // negative for communities
	ScreenName string // without @, lower-cased
}

var (
	vkHost     = regexp.MustCompile(`(?i)^(?:https?://)?(?:[a-z0-9-]+\.)?(?:vk\.com|vk\.ru|vkontakte\.ru)/`)
	wallPath   = regexp.MustCompile(`^wall(-?\d+)(?:_\d+)?$`)
	ownerPath  = regexp.MustCompile(`^(id|club|public|event)(\d+)$`)
	screenName = regexp.MustCompile(`^[a-z][a-z0-9_.]{1,63}$`)
)

// ParseWallRef reads an owner id ("-123"), "club123", "public123", "event123", "id123", "wall-123", a screen name
// with or without @, or a link to any of them on vk.com or vk.ru. It asks nobody.
func ParseWallRef(text string) (WallRef, error) {
	name := vkHost.ReplaceAllString(strings.TrimSpace(text), "")
	name, _, _ = strings.Cut(name, "?")
	name, _, _ = strings.Cut(name, "#")
	name = strings.ToLower(strings.TrimPrefix(strings.TrimRight(name, "/"), "@"))

	if match := wallPath.FindStringSubmatch(name); match != nil {
		name = match[1]
	}
	if match := ownerPath.FindStringSubmatch(name); match != nil {
		name = match[2]
		if match[1] != "id" {
			name = "-" + name
		}
	}
	if id, err := strconv.ParseInt(name, 10, 64); err == nil && id != 0 {
		return WallRef{OwnerID: id}, nil
	}
	if screenName.MatchString(name) {
		return WallRef{ScreenName: name}, nil
	}
	return WallRef{}, fmt.Errorf("vk: %q names no wall; write a screen name, a link to the community, club123, id123, "+
		"or its owner id (negative for a community)", text)
}
