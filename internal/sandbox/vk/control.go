package vk

import (
	"encoding/json"
	"errors"
	"net/http"

	"vestnik/internal/sandbox/core"
)

// Control adds VK's part of the control API.
func (v *Platform) Control(api *http.ServeMux) {
	core.Handle(api, "POST /sandbox/vk/tokens", func(_ core.Request, k Token) (any, error) { return nil, v.AddVKToken(k) })
	core.Handle(api, "POST /sandbox/vk/photos/expire", func(core.Request, core.None) (any, error) { v.core.ExpirePhotoLinks(); return nil, nil })
	core.Handle(api, "GET /sandbox/vk/walls", func(core.Request, core.None) (any, error) { return v.Walls(), nil })
	core.Handle(api, "POST /sandbox/vk/walls", func(_ core.Request, w Wall) (any, error) { return nil, v.AddWall(w) })
	core.Handle(api, "GET /sandbox/vk/walls/{owner}/posts", func(r core.Request, _ core.None) (any, error) { return v.Posts(r.Number("owner")), nil })
	core.Handle(api, "POST /sandbox/vk/walls/{owner}/posts", func(r core.Request, p Post) (any, error) { return v.AddPost(r.Number("owner"), p) })
	core.Handle(api, "PATCH /sandbox/vk/walls/{owner}/posts/{post}", func(r core.Request, fields json.RawMessage) (any, error) {
		var decodeErr error
		err := v.EditPost(r.Number("owner"), r.Number("post"), func(p *Post) { decodeErr = json.Unmarshal(fields, p) })
		return nil, errors.Join(err, decodeErr)
	})
	core.Handle(api, "DELETE /sandbox/vk/walls/{owner}/posts/{post}", func(r core.Request, _ core.None) (any, error) {
		return nil, v.DeletePost(r.Number("owner"), r.Number("post"))
	})
}
