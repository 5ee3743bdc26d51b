package core

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	_ "image/gif" // so that what is uploaded can be measured
	"image/jpeg"
	_ "image/png" // likewise
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	_ "golang.org/x/image/webp" // likewise

	"vestnik/internal/sandbox/picture"
)

// Bounds in bytes of the pictures kept in memory. The oldest uploads go first, drawn pictures all at once.
const (
	keptUploads = 64 << 20
	keptDrawn   = 48 << 20
)

// mostPixels bounds the pictures that are drawn; a larger one is refused.
const mostPixels = 5_000_000

// pictures keeps uploaded bytes under addresses that a browser can open, and draws what the sandbox serves itself.
type pictures struct {
	core   *Core
	width  int    // of what is asked for without a size
	folder string // uploads are also kept here, if named

	// generation is what the signatures of VK's photo links end in: those of an earlier generation have expired.
	generation atomic.Int64

	mu         sync.Mutex
	uploads    map[string][]byte
	order      []string // of uploads, oldest first
	bytes      int
	drawn      map[string][]byte
	drawnBytes int
	faults     map[string]PictureFault
}

func newPictures(c *Core, width int, folder string) *pictures {
	return &pictures{core: c, width: width, folder: folder, uploads: map[string][]byte{}, drawn: map[string][]byte{}, faults: map[string]PictureFault{}}
}

// KeepUpload stores uploaded bytes and returns their address.
func (c *Core) KeepUpload(content []byte) string {
	p := c.pictures
	sum := sha256.Sum256(content)
	id := hex.EncodeToString(sum[:12])
	address := c.BaseURL + "/sandbox/uploads/" + id
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.uploads[id]; known {
		return address
	}
	p.uploads[id] = content
	p.order = append(p.order, id)
	for p.bytes += len(content); p.bytes > keptUploads && len(p.order) > 1; p.order = p.order[1:] {
		p.bytes -= len(p.uploads[p.order[0]])
		delete(p.uploads, p.order[0])
	}
	if p.folder != "" {
		if err := cmp.Or(os.MkdirAll(p.folder, 0o700), os.WriteFile(filepath.Join(p.folder, id), content, 0o600)); err != nil {
			c.Log.Warn("sandbox could not keep an uploaded picture", "error", err)
		}
	}
	return address
}

func (p *pictures) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	p.mu.Lock()
	content, known := p.uploads[id]
	p.mu.Unlock()
	if !known && p.folder != "" && id == filepath.Base(id) && len(id) == 24 {
		if stored, err := os.ReadFile(filepath.Join(p.folder, id)); err == nil {
			content, known = stored, true
		}
	}
	if !known {
		http.NotFound(w, r)
		return
	}
	serve(w, http.DetectContentType(content), int64(len(content)), bytes.NewReader(content))
}

// PictureFault spoils the picture of a name, wherever it is asked for.
type PictureFault struct {
	Status   int    `json:"status,omitempty"`   // answer this instead
	As       string `json:"as,omitempty"`       // what the bytes are: html, text; JPEG if empty
	Bytes    int    `json:"bytes,omitempty"`    // pad the file to this size
	Truncate bool   `json:"truncate,omitempty"` // only the first half of the file
	DelayMS  int    `json:"delay_ms,omitempty"`
}

// SetPictureFault spoils the picture of a name, or mends it with the zero fault. The same can be asked for in the query
// of its address.
func (c *Core) SetPictureFault(name string, fault PictureFault) {
	c.pictures.mu.Lock()
	defer c.pictures.mu.Unlock()
	c.pictures.faults[name] = fault
}

// ExpirePhotoLinks makes every photo link that VK has given so far answer 403, as its signed links do after a while.
// Reading a post again gives new ones.
func (c *Core) ExpirePhotoLinks() { c.pictures.generation.Add(1) }

// PictureURL is the address of a drawn picture, as wide as Options.PictureWidth unless the query says otherwise.
func (c *Core) PictureURL(name string) string { return c.BaseURL + "/sandbox/photos/" + name + ".jpg" }

// SignedPictureURL is the address of a drawn picture in a size, good until ExpirePhotoLinks.
func (c *Core) SignedPictureURL(name string, width, height int, key string) string {
	return fmt.Sprintf("%s?size=%dx%d&quality=95&sign=%s.%d", c.PictureURL(name), width, height, key, c.pictures.generation.Load())
}

// servePicture draws /sandbox/photos/<name>.jpg?size=WxH. The query can spoil it: status, as, bytes, truncate,
// delay_ms, as in PictureFault.
func (p *pictures) servePicture(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	name := strings.TrimSuffix(file, filepath.Ext(file))
	p.mu.Lock()
	fault := p.faults[name]
	p.mu.Unlock()
	query := r.URL.Query()
	number := func(text string, otherwise int) int {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	wide, high, _ := strings.Cut(query.Get("size"), "x")
	width, height := number(wide, p.width), number(high, p.width*3/4)
	fault.Status, fault.DelayMS = number(query.Get("status"), fault.Status), number(query.Get("delay_ms"), fault.DelayMS)
	if sign := query.Get("sign"); sign != "" && !strings.HasSuffix(sign, "."+strconv.FormatInt(p.generation.Load(), 10)) {
		fault.Status = http.StatusForbidden
	}
	if max(width, height) > mostPixels || width*height > mostPixels {
		fault.Status = http.StatusBadRequest
	}
	if p.struck(w, r, fault) {
		return
	}
	content, kind := p.draw(name, width, height, cmp.Or(query.Get("as"), fault.As))
	if size := number(query.Get("bytes"), fault.Bytes); size > len(content) && size <= keptUploads {
		content = append(content[:len(content):len(content)], make([]byte, size-len(content))...)
	}
	if fault.Truncate || query.Has("truncate") {
		content = content[:len(content)/2]
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	serve(w, kind, int64(len(content)), bytes.NewReader(content))
}

func (p *pictures) draw(name string, width, height int, as string) (content []byte, kind string) {
	switch as {
	case "html":
		return []byte("<!doctype html><title>Фото</title><p>Здесь была фотография.</p>"), "text/html; charset=utf-8"
	case "text":
		return []byte("no picture here"), "image/jpeg"
	}
	key := fmt.Sprintf("%s %dx%d", name, width, height)
	p.mu.Lock()
	content, known := p.drawn[key]
	p.mu.Unlock()
	if !known {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, picture.Draw(name, width, height), &jpeg.Options{Quality: 85}); err != nil { // encoding into memory
			p.core.Log.Warn("sandbox could not draw a picture", "name", name, "error", err)
		}
		content = out.Bytes()
		p.mu.Lock()
		if p.drawnBytes += len(content); p.drawnBytes > keptDrawn {
			clear(p.drawn)
			p.drawnBytes = len(content)
		}
		p.drawn[key] = content
		p.mu.Unlock()
	}
	return content, "image/jpeg"
}
