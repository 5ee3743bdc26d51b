package core

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	_ "image/gif"  // so that what is uploaded can be measured
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "golang.org/x/image/webp" // likewise

	"vestnik/internal/sandbox/picture"
)

const (
	// keptUploads bounds the bytes of uploads that are kept in memory; beyond it all are forgotten.
	keptUploads = 64 << 20
	// mostPixels bounds the pictures that are drawn; a larger one is refused.
	mostPixels = 5_000_000
	// mostServed bounds the size of a file that the sandbox serves, in bytes.
	mostServed = 4 << 30
)

// pictures keeps uploaded bytes under addresses that a browser can open, and makes up what the sandbox serves itself.
type pictures struct {
	core *Core

	// generation is what the signatures of VK's photo links end in: those of an earlier generation have expired.
	generation atomic.Int64

	mu      sync.Mutex
	uploads map[string][]byte
	bytes   int // of uploads
	faults  map[string]PictureFault
}

// KeepUpload stores uploaded bytes and returns their address.
func (c *Core) KeepUpload(content []byte) string {
	p, sum := c.pictures, sha256.Sum256(content)
	id := hex.EncodeToString(sum[:12])
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.uploads[id]; !known {
		if p.bytes += len(content); p.bytes > keptUploads {
			clear(p.uploads)
			p.bytes = len(content)
		}
		p.uploads[id] = content
		if c.Options.StateFile != "" {
			if err := cmp.Or(os.MkdirAll(p.folder(), 0o700), os.WriteFile(filepath.Join(p.folder(), id), content, 0o600)); err != nil {
				c.Log.Warn("sandbox could not keep an uploaded picture", "error", err)
			}
		}
	}
	return c.BaseURL + "/sandbox/uploads/" + id
}

// folder keeps uploads beside the state file.
func (p *pictures) folder() string { return p.core.Options.StateFile + ".uploads" }

func (p *pictures) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	p.mu.Lock()
	content := p.uploads[id]
	p.mu.Unlock()
	if content == nil && p.core.Options.StateFile != "" && filepath.IsLocal(id) {
		content, _ = os.ReadFile(filepath.Join(p.folder(), id)) // what is not there is not found
	}
	if content == nil {
		http.NotFound(w, r)
		return
	}
	serve(w, http.DetectContentType(content), int64(len(content)), bytes.NewReader(content))
}

// PictureFault spoils the picture or file of a name, wherever it is asked for.
type PictureFault struct {
	Status   int    `json:"status,omitempty"`   // answer this instead
	As       string `json:"as,omitempty"`       // what the bytes are: html, text; a picture or the file if empty
	Bytes    int    `json:"bytes,omitempty"`    // pad the picture to this size
	Truncate bool   `json:"truncate,omitempty"` // only the first half of the file
	DelayMS  int    `json:"delay_ms,omitempty"`
}

// SetPictureFault spoils the picture of a name, or mends it with the zero fault.
func (c *Core) SetPictureFault(name string, fault PictureFault) {
	c.pictures.mu.Lock()
	defer c.pictures.mu.Unlock()
	c.pictures.faults[name] = fault
}

// ExpirePhotoLinks makes every photo link that VK has given so far answer 403, as its signed links do after a while.
// Reading a post again gives new ones.
func (c *Core) ExpirePhotoLinks() { c.pictures.generation.Add(1) }

// PictureURL is the address of a drawn picture, as wide as Options.PictureWidth unless the query says size=WxH.
func (c *Core) PictureURL(name string) string { return c.BaseURL + "/sandbox/photos/" + name + ".jpg" }

// SignedPictureURL is the address of a drawn picture in a size, good until ExpirePhotoLinks.
func (c *Core) SignedPictureURL(name string, width, height int, key string) string {
	return fmt.Sprintf("%s?size=%dx%d&quality=95&sign=%s.%d", c.PictureURL(name), width, height, key, c.pictures.generation.Load())
}

// FileURL is the address of a file that the sandbox serves, made up as it is read. name has an extension.
func (c *Core) FileURL(name string, bytes int64) string {
	return c.BaseURL + "/sandbox/files/" + name + "?bytes=" + strconv.FormatInt(bytes, 10)
}

// fault is how the file of a request is spoilt.
func (p *pictures) fault(r *http.Request) (name string, fault PictureFault) {
	file := r.PathValue("file")
	name = strings.TrimSuffix(file, path.Ext(file))
	p.mu.Lock()
	defer p.mu.Unlock()
	return name, p.faults[name]
}

// struck waits, or answers with another status, as the fault says. It reports whether the request is over.
func (p *pictures) struck(w http.ResponseWriter, r *http.Request, fault PictureFault) bool {
	if fault.DelayMS > 0 && !p.core.Sleep(r.Context(), time.Duration(fault.DelayMS)*time.Millisecond) {
		return true
	}
	if fault.Status != 0 {
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return true
	}
	return false
}

// serve gives a file of a size in bytes.
func serve(w http.ResponseWriter, kind string, size int64, content io.Reader) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Length", strconv.FormatInt(size, 10))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox")
	_, _ = io.Copy(w, io.LimitReader(content, size))
}

// servePicture draws /sandbox/photos/<name>.jpg?size=WxH; status and delay_ms in the query are as in PictureFault.
func (p *pictures) servePicture(w http.ResponseWriter, r *http.Request) {
	name, fault := p.fault(r)
	query := r.URL.Query()
	wide, high, _ := strings.Cut(query.Get("size"), "x")
	width, height := cmp.Or(max(number(wide), 0), p.core.Options.PictureWidth), cmp.Or(max(number(high), 0), p.core.Options.PictureWidth*3/4)
	fault.Status, fault.DelayMS = cmp.Or(number(query.Get("status")), fault.Status), cmp.Or(number(query.Get("delay_ms")), fault.DelayMS)
	if sign := query.Get("sign"); sign != "" && !strings.HasSuffix(sign, "."+strconv.FormatInt(p.generation.Load(), 10)) {
		fault.Status = http.StatusForbidden
	}
	if max(width, height) > mostPixels || width*height > mostPixels {
		fault.Status = http.StatusBadRequest
	}
	if p.struck(w, r, fault) {
		return
	}
	content, kind := []byte("no picture here"), "image/jpeg"
	switch fault.As {
	case "":
		content = picture.JPEG(name, width, height)
	case "html":
		content, kind = []byte("<!doctype html><title>Фото</title><p>Здесь была фотография.</p>"), "text/html; charset=utf-8"
	}
	if fault.Bytes > len(content) {
		content = append(content[:len(content):len(content)], make([]byte, fault.Bytes-len(content))...)
	}
	if fault.Truncate {
		content = content[:len(content)/2]
	}
	w.Header().Set("Cache-Control", "max-age=3600")
	serve(w, kind, int64(len(content)), bytes.NewReader(content))
}

// served are the content types and the first bytes of files by their extensions; zeros follow.
var served = map[string]struct{ kind, begins string }{
	".gif": {"image/gif", "GIF89a\x40\x01\xf0\x00\x00\x00\x00"},
	".pdf": {"application/pdf", "%PDF-1.4\n"},
	".zip": {"application/zip", "PK\x03\x04"},
}

// serveFile serves /sandbox/files/<name>.<extension>?bytes=N.
func (p *pictures) serveFile(w http.ResponseWriter, r *http.Request) {
	_, fault := p.fault(r)
	content := served[strings.ToLower(path.Ext(r.PathValue("file")))]
	size := int64(number(r.URL.Query().Get("bytes")))
	if size < 0 || size > mostServed {
		fault.Status = http.StatusBadRequest
	}
	if fault.As == "html" {
		content.kind = "text/html; charset=utf-8"
	}
	if p.struck(w, r, fault) {
		return
	}
	body := io.MultiReader(strings.NewReader(content.begins), zeros{})
	if fault.Truncate { // and net/http cuts the connection
		body = io.LimitReader(body, size/2)
	}
	serve(w, cmp.Or(content.kind, "application/octet-stream"), size, body)
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
