package vk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"maps"
	"net/http"
	"strconv"
	"time"

	"vestnik/internal/sandbox/core"
)

// Limits of a wall photo (VK documentation, "Uploading files").
const (
	maxWallPhoto   = 50 << 20
	maxWallSides   = 14_000 // width and height together
	maxWallStretch = 20
)

// ticketLife is how long an upload address can be used.
const ticketLife = time.Hour

// ticket is an upload address: good for one file.
type ticket struct {
	group int64
	by    string
	at    time.Time
	used  bool
}

// uploadedPhoto waits for photos.saveWallPhoto.
type uploadedPhoto struct {
	group  int64
	by     string
	server int64
	photo  string
	wall   WallPhoto
	saved  bool
}

func (q *request) getWallUploadServer() any {
	v, group := q.platform, q.integer("group_id", 0)
	w := v.walls[-group]
	switch {
	case group < 0 || group > 0 && w == nil:
		q.refuse(standard(125))
	case group > 0 && !w.administers(q.token):
		q.refuse(standard(15))
	}
	now := v.core.Now()
	maps.DeleteFunc(v.tickets, func(_ string, t *ticket) bool { return now.Sub(t.at) > ticketLife })
	v.nextTick++
	sum := sha256.Sum256(fmt.Appendf(nil, "ticket %d %s", v.nextTick, q.token.Name))
	id := hex.EncodeToString(sum[:16])
	v.tickets[id] = &ticket{group: group, by: q.token.Name, at: now}
	return map[string]any{"upload_url": v.core.BaseURL + "/upload/" + id, "album_id": -14, "user_id": q.token.Owner}
}

// ServeUpload is VK's upload host: a multipart field "photo", an address that is good once. Errors come as {"error":
// "…"} without VK's envelope.
func (v *Platform) ServeUpload(w http.ResponseWriter, r *http.Request) {
	var t *ticket
	v.core.Exchange(w, r, core.VK, "upload", core.Rules{
		Identify: func(*core.Form) (string, string) {
			v.mu.Lock()
			defer v.mu.Unlock()
			if t = v.tickets[r.PathValue("ticket")]; t == nil {
				return "", ""
			}
			return t.by, strconv.FormatInt(-t.group, 10)
		},
		Unreadable: func(err error) core.Answer { return uploadError("ERR_UPLOAD_BAD_REQUEST: " + err.Error()) },
		Handle: func(_ context.Context, f *core.Form, _ *core.Call) core.Answer {
			v.mu.Lock()
			defer v.mu.Unlock()
			if t == nil || t.used || v.core.Now().Sub(t.at) > ticketLife {
				return uploadError("ERR_UPLOAD_TOKEN_EXPIRED: upload address was used or is too old")
			}
			t.used = true
			file, sent := f.Files["photo"]
			if !sent {
				return uploadError("ERR_UPLOAD_NO_FILE: multipart field photo is missing")
			}
			return v.accept(t, file)
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
func (v *Platform) accept(t *ticket, file core.Upload) core.Answer {
	config, kind, err := image.DecodeConfig(bytes.NewReader(file.Content))
	long, short := max(config.Width, config.Height), min(config.Width, config.Height)
	switch {
	case len(file.Content) > maxWallPhoto:
		return uploadError("ERR_UPLOAD_FILE_TOO_BIG: 50 MB at most")
	case err != nil || kind == "webp":
		return core.Answer{Status: 200, Body: core.Encode(map[string]any{"server": 0, "photo": "[]", "hash": ""}), Refused: true}
	case config.Width+config.Height > maxWallSides || short == 0 || long > short*maxWallStretch:
		return uploadError("ERR_UPLOAD_BAD_IMAGE_SIZE: width and height together 14000 at most, 1:20 at most")
	}
	v.nextPhoto++
	sum := sha256.Sum256(fmt.Appendf(file.Content[:min(len(file.Content), 64):64], "%d", v.nextPhoto))
	hash := hex.EncodeToString(sum[:16])
	server := 800_000 + v.nextPhoto%1_000
	photo := fmt.Sprintf(`[{"markers_restarted":true,"photo":"%s:w","sizes":[],"kid":"%s"}]`, hash[:10], hash[10:20])
	if len(v.uploaded) > 2_000 { // bounded memory
		clear(v.uploaded)
	}
	v.uploaded[hash] = &uploadedPhoto{group: t.group, by: t.by, server: server, photo: photo, wall: WallPhoto{
		ID: v.nextPhoto, Width: config.Width, Height: config.Height, URL: v.core.KeepUpload(file.Content),
		AccessKey: hash[:18],
	}}
	return core.Answer{Status: 200, Body: core.Encode(map[string]any{"server": server, "photo": photo, "hash": hash})}
}

func (q *request) saveWallPhoto() any {
	v := q.platform
	group, server, sent := q.integer("group_id", 0), q.integer("server", 0), q.form.Text("photo")
	u := v.uploaded[q.form.Text("hash")]
	switch {
	case sent == "[]":
		q.bad("photo is undefined")
	case u == nil || u.by != q.token.Name || u.saved:
		q.refuse(standard(121))
	case u.server != server:
		q.refuse(standard(118))
	case u.photo != sent:
		q.refuse(standard(129))
	case u.group != group:
		q.refuse(standard(121))
	}
	if q.refused != nil {
		return nil
	}
	u.saved = true
	photo := u.wall
	photo.OwnerID = q.token.Owner
	if group > 0 {
		photo.OwnerID = -group
	}
	photo.Date = v.core.Now()
	v.photos[photoName(photo)] = &photo
	return []any{v.wirePhoto(&photo)}
}
