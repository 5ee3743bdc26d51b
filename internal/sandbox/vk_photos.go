package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"net/http"
	"strconv"
	"strings"
	"time"
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

func (q *vkRequest) getWallUploadServer() (any, *vkError) {
	group, failed := q.integer("group_id", 0)
	if failed != nil {
		return nil, failed
	}
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	if group < 0 {
		return nil, vkFail(125, "Invalid group id")
	}
	if group > 0 {
		w := v.walls[-group]
		if w == nil {
			return nil, vkFail(125, "Invalid group id")
		}
		if !w.administers(q.token) {
			return nil, vkFail(15, "Access denied")
		}
	}
	now := v.server.now()
	for id, t := range v.tickets {
		if now.Sub(t.at) > ticketLife {
			delete(v.tickets, id)
		}
	}
	v.nextTick++
	sum := sha256.Sum256(fmt.Appendf(nil, "ticket %d %s", v.nextTick, q.token.Name))
	id := hex.EncodeToString(sum[:16])
	v.tickets[id] = &ticket{group: group, by: q.token.Name, at: now}
	return map[string]any{"upload_url": v.server.baseURL + "/upload/" + id, "album_id": -14, "user_id": q.token.Owner}, nil
}

// serveUpload is VK's upload host: a multipart field "photo", an address that
// is good once. Errors come as {"error": "…"} without VK's envelope.
func (v *vk) serveUpload(w http.ResponseWriter, r *http.Request) {
	var t *ticket
	v.server.exchange(w, r, VK, "upload", platformRules{
		identify: func(*form) (string, string) {
			v.mu.Lock()
			defer v.mu.Unlock()
			if t = v.tickets[r.PathValue("ticket")]; t == nil {
				return "", ""
			}
			return t.by, strconv.FormatInt(-t.group, 10)
		},
		unreadable: func(err error) answer { return uploadError("ERR_UPLOAD_BAD_REQUEST: " + err.Error()) },
		handle: func(_ context.Context, f *form, _ *Call) answer {
			v.mu.Lock()
			defer v.mu.Unlock()
			if t == nil || t.used || v.server.now().Sub(t.at) > ticketLife {
				return uploadError("ERR_UPLOAD_TOKEN_EXPIRED: upload address was used or is too old")
			}
			t.used = true
			file, sent := f.files["photo"]
			if !sent {
				return uploadError("ERR_UPLOAD_NO_FILE: multipart field photo is missing")
			}
			return v.accept(t, file)
		},
		fault: func(fault *Fault, f *form) answer {
			if fault.Status == 0 && (fault.Description != "" || fault.Code != 0) {
				return uploadError(orElse(fault.Description, "ERR_UPLOAD_FAULT"))
			}
			return vkFault(&Fault{Status: orElse(fault.Status, 502)}, f)
		},
	})
}

func uploadError(text string) answer {
	return answer{status: 200, body: encode(map[string]any{"error": text}), refused: true}
}

// accept stores a file until it is saved. What is no picture gives an empty
// photo, as at VK, and fails when it is saved. v.mu is held.
func (v *vk) accept(t *ticket, file upload) answer {
	config, kind, err := image.DecodeConfig(bytes.NewReader(file.content))
	long, short := max(config.Width, config.Height), min(config.Width, config.Height)
	switch {
	case len(file.content) > maxWallPhoto:
		return uploadError("ERR_UPLOAD_FILE_TOO_BIG: 50 MB at most")
	case err != nil || kind == "webp":
		return answer{status: 200, body: encode(map[string]any{"server": 0, "photo": "[]", "hash": ""}), refused: true}
	case config.Width+config.Height > maxWallSides || short == 0 || long > short*maxWallStretch:
		return uploadError("ERR_UPLOAD_BAD_IMAGE_SIZE: width and height together 14000 at most, 1:20 at most")
	}
	v.nextPhoto++
	sum := sha256.Sum256(fmt.Appendf(file.content[:min(len(file.content), 64):64], "%d", v.nextPhoto))
	hash := hex.EncodeToString(sum[:16])
	server := 800_000 + v.nextPhoto%1_000
	photo := fmt.Sprintf(`[{"markers_restarted":true,"photo":"%s:w","sizes":[],"kid":"%s"}]`, hash[:10], hash[10:20])
	if len(v.uploaded) > 2_000 { // bounded memory
		clear(v.uploaded)
	}
	v.uploaded[hash] = &uploadedPhoto{group: t.group, by: t.by, server: server, photo: photo, wall: WallPhoto{
		ID: v.nextPhoto, Width: config.Width, Height: config.Height, URL: v.server.pictures.keep(file.content),
		AccessKey: hash[:18],
	}}
	return answer{status: 200, body: encode(map[string]any{"server": server, "photo": photo, "hash": hash})}
}

func (q *vkRequest) saveWallPhoto() (any, *vkError) {
	group, failed := q.integer("group_id", 0)
	if failed != nil {
		return nil, failed
	}
	server, failed := q.integer("server", 0)
	if failed != nil {
		return nil, failed
	}
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	if photo := q.form.text("photo"); photo == "[]" || photo == "" {
		return nil, vkParameter("photo is undefined")
	}
	u := v.uploaded[q.form.text("hash")]
	switch {
	case u == nil || u.by != q.token.Name || u.saved:
		return nil, vkFail(121, "Invalid hash")
	case u.server != server:
		return nil, vkFail(118, "Invalid server")
	case u.photo != q.form.text("photo"):
		return nil, vkFail(129, "Invalid photo")
	case u.group != group:
		return nil, vkFail(121, "Invalid hash")
	}
	if len([]rune(q.form.text("caption"))) > 2048 {
		return nil, vkParameter("caption is too long")
	}
	u.saved = true
	photo := u.wall
	photo.OwnerID = q.token.Owner
	if group > 0 {
		photo.OwnerID = -group
	}
	photo.Date = v.server.now()
	v.photos[photoName(photo)] = &photo
	return []any{v.wirePhoto(&photo)}, nil
}

func (q *vkRequest) photosGetByID() (any, *vkError) {
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	items := []any{}
	for name := range strings.SplitSeq(q.form.text("photos"), ",") {
		parts := strings.Split(strings.TrimSpace(name), "_")
		if len(parts) < 2 {
			return nil, vkParameter("photos is invalid")
		}
		photo := v.photos[parts[0]+"_"+parts[1]]
		if photo != nil && (len(parts) < 3 || parts[2] == photo.AccessKey) {
			items = append(items, v.wirePhoto(photo))
		}
	}
	return items, nil
}
