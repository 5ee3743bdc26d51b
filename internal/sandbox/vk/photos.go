package vk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"image"
	"net/http"
	"strconv"

	"vestnik/internal/sandbox/core"
)

// Limits of a wall photo (VK documentation, "Uploading files").
const (
	maxWallPhoto   = 50 << 20
	maxWallSides   = 14_000 // width and height together
	maxWallStretch = 20
)

// upload is on its way to a wall: an address that is good for one file, then a file that waits for photos.saveWallPhoto.
type upload struct {
	group  int64
	by     string // name of the token
	server int64
	photo  string
	wall   WallPhoto
}

func (q *request) getWallUploadServer() any {
	w := q.platform.walls[-q.params.Group]
	switch {
	case q.params.Group != 0 && w == nil:
		q.refuse(standard(125))
		return nil
	case w != nil && !w.administers(q.token): // without a group the wall is the token's own
		q.refuse(standard(15))
		return nil
	}
	id := rand.Text()
	q.platform.uploads[id] = &upload{group: q.params.Group, by: q.token.Name}
	return map[string]any{"upload_url": q.platform.core.BaseURL + "/upload/" + id, "album_id": -14, "user_id": q.token.Owner}
}

// ServeUpload is VK's upload host: a multipart field "photo", an address that is good once. Errors come as {"error":
// "…"} without VK's envelope.
func (v *Platform) ServeUpload(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("ticket")
	v.core.Exchange(w, r, core.VK, "upload", core.Rules{
		Identify: func(*core.Form) (string, string) {
			v.mu.Lock()
			defer v.mu.Unlock()
			if u := v.uploads[id]; u != nil {
				return u.by, strconv.FormatInt(-u.group, 10)
			}
			return "", ""
		},
		Unreadable: func(err error) core.Answer { return uploadError("ERR_UPLOAD_BAD_REQUEST: " + err.Error()) },
		Handle: func(_ context.Context, f *core.Form) core.Answer {
			v.mu.Lock()
			defer v.mu.Unlock()
			u, known := v.uploads[id]
			file, sent := f.Files["photo"]
			switch delete(v.uploads, id); {
			case !known:
				return uploadError("ERR_UPLOAD_TOKEN_EXPIRED: upload address was used or is too old")
			case !sent:
				return uploadError("ERR_UPLOAD_NO_FILE: multipart field photo is missing")
			}
			return v.accept(u, file)
		},
		Fault: func(fault *core.Fault, f *core.Form) core.Answer {
			if fault.Status == 0 && (fault.Description != "" || fault.Code != 0) {
				return uploadError(cmp.Or(fault.Description, "ERR_UPLOAD_FAULT"))
			}
			return faultAnswer(&core.Fault{Status: cmp.Or(fault.Status, 502)}, f)
		},
	})
}

func uploadError(text string) core.Answer {
	return core.Answer{Status: 200, Body: core.Encode(map[string]any{"error": text}), Refused: true}
}

// accept stores a file until it is saved. What is no picture gives an empty photo, as at VK, and fails when it is
// saved. v.mu is held.
func (v *Platform) accept(u *upload, file core.Upload) core.Answer {
	config, kind, err := image.DecodeConfig(bytes.NewReader(file.Content))
	long, short := max(config.Width, config.Height), min(config.Width, config.Height)
	switch {
	case len(file.Content) > maxWallPhoto:
		return uploadError("ERR_UPLOAD_FILE_TOO_BIG: 50 MB at most")
	case err != nil || kind == "webp":
		return core.Answer{Status: 200, Body: core.Encode(map[string]any{"server": 0, "photo": "[]", "hash": ""}), Refused: true}
	case long+short > maxWallSides || short == 0 || long > short*maxWallStretch:
		return uploadError("ERR_UPLOAD_BAD_IMAGE_SIZE: width and height together 14000 at most, 1:20 at most")
	}
	v.nextPhoto++
	hash := rand.Text()
	u.server, u.photo = 800_000+v.nextPhoto%1_000, fmt.Sprintf(`[{"markers_restarted":true,"photo":"%s:w","sizes":[]}]`, hash[:10])
	u.wall = WallPhoto{ID: v.nextPhoto, Width: config.Width, Height: config.Height, URL: v.core.KeepUpload(file.Content), AccessKey: hash[:18]}
	v.uploads[hash] = u
	return core.Answer{Status: 200, Body: core.Encode(map[string]any{"server": u.server, "photo": u.photo, "hash": hash})}
}

func (q *request) saveWallPhoto() any {
	v, p := q.platform, q.params
	u := v.uploads[p.Hash]
	switch {
	case p.Photo == "[]":
		q.bad("photo is undefined")
		return nil
	case u == nil || u.by != q.token.Name || u.group != p.Group || u.server != p.Server || u.photo != p.Photo:
		q.refuse(standard(121))
		return nil
	}
	delete(v.uploads, p.Hash)
	photo := u.wall
	photo.OwnerID, photo.Date = cmp.Or(-p.Group, q.token.Owner), v.core.Now()
	v.photos[photoName(photo)] = &photo
	return []any{v.wirePhoto(&photo)}
}
