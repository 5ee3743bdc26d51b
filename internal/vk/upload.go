package vk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/SevereCloud/vksdk/v2/api"

	"vestnik/internal/post"
	"vestnik/internal/wire"
)

// MaxPhotoBytes is the size of a photo that VK takes.
const MaxPhotoBytes = 50 << 20

// A photo gets onto a wall in three steps, each with errors of its own, so that a retry can go on where the last
// attempt stopped: GetWallUploadServer, UploadPhoto, SaveWallPhoto. The library's helper does all three at once, without
// a context, and does not notice when the upload host refuses.

// Uploaded is what the upload host says about a photo it has taken; SaveWallPhoto hands it to VK.
type Uploaded struct {
	Server string
	Photo  string
	Hash   string
}

// GetWallUploadServer asks for an address to upload one photo to, for the wall of a community (a positive group id), or
// for the key's own wall with 0. It is good for one use. Community keys are refused with code 27.
func (c *Client) GetWallUploadServer(ctx context.Context, groupID int64) (address string, err error) {
	err = c.call(ctx, Media, "photos.getWallUploadServer", groupParams(groupID), func(response json.RawMessage) error {
		var object flexObject[struct {
			URL flexString `json:"upload_url"`
		}]
		_ = object.UnmarshalJSON(response)
		address = string(object.value.URL)
		return c.checkUploadURL(address)
	})
	return address, err
}

func groupParams(groupID int64) api.Params {
	if groupID == 0 {
		return api.Params{}
	}
	return api.Params{"group_id": max(groupID, -groupID)}
}

// checkUploadURL accepts an absolute address, https if the API itself is called so. Its errors do not repeat it: the
// query authorizes the upload.
func (c *Client) checkUploadURL(address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && (c.secure || parsed.Scheme != "http") {
		return errors.New("no upload address")
	}
	return nil
}

// UploadPhoto sends a photo's bytes to an upload address. The content type is read from the bytes; VK takes JPEG, PNG
// and GIF, and has been seen to drop PNG without a word. Every failure can be mended by a new upload address only.
func (c *Client) UploadPhoto(ctx context.Context, uploadURL string, photo []byte) (Uploaded, error) {
	uploaded, status, fault := c.upload(ctx, uploadURL, photo)
	if fault != nil {
		fault.Method, fault.Purpose, fault.HTTPStatus = "upload", Media, status
		return Uploaded{}, fault
	}
	return uploaded, nil
}

func (c *Client) upload(ctx context.Context, uploadURL string, photo []byte) (uploaded Uploaded, status int, fault *Error) {
	if len(photo) == 0 || len(photo) > MaxPhotoBytes {
		return uploaded, 0, &Error{Class: MediaRefused, Policy: noMedia("photo_size"),
			Message: fmt.Sprintf("a photo of %d bytes; 1 to %d are allowed", len(photo), MaxPhotoBytes)}
	}
	ctx, cancel := context.WithTimeout(ctx, c.uploadTimeout)
	defer cancel()
	req, err := photoForm(ctx, uploadURL, photo)
	if err != nil || c.checkUploadURL(uploadURL) != nil {
		return uploaded, 0, uploadFailed(&Error{Message: "not an upload address"})
	}
	answer, failure := c.wire.Do(req, 1<<20)
	if failure != nil {
		return uploaded, failure.Status, uploadFailed(noAnswer(failure, UploadFailed))
	}
	if uploaded, err = readUploaded(answer); err != nil {
		return uploaded, answer.Status, uploadFailed(&Error{Message: c.wire.Redact(err.Error()), Written: answer.Written})
	}
	return uploaded, answer.Status, nil
}

func uploadFailed(fault *Error) *Error {
	fault.Class, fault.Policy = UploadFailed, transportPolicy("upload", UploadFailed)
	return fault
}

// photoForm is the multipart request with the photo in its one field, under a name whose extension fits the bytes.
func photoForm(ctx context.Context, uploadURL string, photo []byte) (*http.Request, error) {
	kind := http.DetectContentType(photo)
	extension := map[string]string{"image/png": "png", "image/gif": "gif", "image/webp": "webp"}[kind]
	if extension == "" {
		kind, extension = "image/jpeg", "jpg"
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreatePart(textproto.MIMEHeader{ // into memory, which never fails
		"Content-Disposition": {`form-data; name="photo"; filename="photo.` + extension + `"`},
		"Content-Type":        {kind},
	})
	_, _ = part.Write(photo)
	_ = form.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, uploadURL, bytes.NewReader(body.Bytes()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req, nil
}

// readUploaded reads the upload host's answer. It says errors with a 200, as a text in "error", as an empty "photo",
// or in a body that is no JSON at all.
func readUploaded(answer wire.Answer) (Uploaded, error) {
	var object flexObject[struct {
		Server flexString      `json:"server"`
		Photo  flexString      `json:"photo"`
		Hash   flexString      `json:"hash"`
		Error  json.RawMessage `json:"error"`
		Descr  flexString      `json:"error_descr"`
	}]
	decodeErr := json.Unmarshal(answer.Body, &object)
	v := object.value
	switch {
	case len(v.Error) > 0 && !isNull(v.Error):
		refusal := decodeRefusal(v.Error)
		return Uploaded{}, fmt.Errorf("the upload host refused: %s", wire.Safe(refusal.message+" "+string(v.Descr)))
	case !wire.Success(answer.Status):
		return Uploaded{}, errors.New("the upload host answered " + http.StatusText(answer.Status))
	case decodeErr != nil || !object.found:
		return Uploaded{}, errors.New("the upload host's answer is no JSON object")
	case v.Photo == "" || strings.Trim(string(v.Photo), "[] ") == "":
		return Uploaded{}, errors.New("the upload host took no photo")
	case v.Server == "" || v.Hash == "":
		return Uploaded{}, errors.New("the upload host left out the server or the hash")
	}
	return Uploaded{Server: string(v.Server), Photo: string(v.Photo), Hash: string(v.Hash)}, nil
}

// SaveWallPhoto makes an uploaded photo one that can be attached. groupID is the one given to GetWallUploadServer.
func (c *Client) SaveWallPhoto(ctx context.Context, groupID int64, uploaded Uploaded) (post.Photo, error) {
	params := groupParams(groupID)
	params["server"], params["photo"], params["hash"] = uploaded.Server, uploaded.Photo, uploaded.Hash
	var saved post.Photo
	err := c.call(ctx, Media, "photos.saveWallPhoto", params, func(response json.RawMessage) error {
		items := listOf(response)
		if len(items) == 0 {
			return errors.New("no photo")
		}
		var object flexObject[struct {
			OwnerID   flexInt    `json:"owner_id"`
			ID        flexInt    `json:"id"`
			AccessKey flexString `json:"access_key"`
		}]
		_ = object.UnmarshalJSON(items[0])
		saved = post.Photo{OwnerID: int64(object.value.OwnerID), ID: int64(object.value.ID),
			AccessKey: string(object.value.AccessKey)}
		if saved.OwnerID == 0 || saved.ID == 0 {
			return errors.New("a photo without an id")
		}
		return nil
	})
	return saved, err
}
