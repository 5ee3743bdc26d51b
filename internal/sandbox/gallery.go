package sandbox

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vestnik/internal/sandbox/picture"
)

// galleryBytes bounds the uploaded pictures kept in memory; the oldest go
// first.
const galleryBytes = 64 << 20

// gallery keeps uploaded bytes under addresses that a browser can open, and
// draws the pictures that the sandbox serves itself.
type gallery struct {
	server *Server
	folder string // also kept here, if named

	// season is what the signatures of VK's photo links end in: those of an
	// earlier season have expired.
	season atomic.Int64

	mu         sync.Mutex
	uploads    map[string][]byte
	order      *list.List // of ids, oldest first
	bytes      int
	drawn      map[string][]byte
	drawnBytes int
	faults     map[string]PictureFault
}

func newGallery(s *Server) *gallery {
	g := &gallery{server: s, uploads: map[string][]byte{}, order: list.New(), drawn: map[string][]byte{}, faults: map[string]PictureFault{}}
	if s.options.StateFile != "" {
		g.folder = s.options.StateFile + ".uploads"
	}
	return g
}

// keep stores uploaded bytes and returns their address.
func (g *gallery) keep(content []byte) string {
	sum := sha256.Sum256(content)
	id := hex.EncodeToString(sum[:12])
	address := g.server.baseURL + "/sandbox/uploads/" + id
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.uploads[id]; known {
		return address
	}
	g.uploads[id] = content
	g.order.PushBack(id)
	for g.bytes += len(content); g.bytes > galleryBytes && g.order.Len() > 1; {
		oldest := g.order.Remove(g.order.Front()).(string)
		g.bytes -= len(g.uploads[oldest])
		delete(g.uploads, oldest)
	}
	if g.folder != "" {
		if err := os.MkdirAll(g.folder, 0o700); err == nil {
			err = os.WriteFile(filepath.Join(g.folder, id), content, 0o600)
			if err != nil {
				g.server.log.Warn("sandbox could not keep an uploaded picture", "error", err)
			}
		}
	}
	return address
}

func (g *gallery) serveUpload(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	g.mu.Lock()
	content, known := g.uploads[id]
	g.mu.Unlock()
	if !known && g.folder != "" && id == filepath.Base(id) && len(id) == 24 {
		if stored, err := os.ReadFile(filepath.Join(g.folder, id)); err == nil {
			content, known = stored, true
		}
	}
	if !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(content))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "sandbox")
	_, _ = w.Write(content)
}

// PictureFault spoils the picture of a name, wherever it is asked for.
type PictureFault struct {
	Status   int    `json:"status,omitempty"`   // answer this instead
	As       string `json:"as,omitempty"`       // what the bytes are: html, text, png, gif; JPEG if empty
	Bytes    int    `json:"bytes,omitempty"`    // pad the file to this size
	Width    int    `json:"width,omitempty"`    // another size than was asked for
	Height   int    `json:"height,omitempty"`   //
	Truncate bool   `json:"truncate,omitempty"` // only the first half of the file
	DelayMS  int    `json:"delay_ms,omitempty"`
}

// SetPictureFault spoils the picture of a name, or mends it with the zero
// fault. The same can be asked for in the query of its address.
func (s *Server) SetPictureFault(name string, fault PictureFault) {
	s.pictures.mu.Lock()
	defer s.pictures.mu.Unlock()
	if fault == (PictureFault{}) {
		delete(s.pictures.faults, name)
		return
	}
	s.pictures.faults[name] = fault
}

// ExpirePhotoLinks makes every photo link that VK has given so far answer 403,
// as its signed links do after a while. Reading a post again gives new ones.
func (s *Server) ExpirePhotoLinks() { s.pictures.season.Add(1) }

// PictureURL is the address of a drawn picture, as wide as
// Options.PictureWidth unless the query says otherwise.
func (s *Server) PictureURL(name string) string {
	return s.baseURL + "/sandbox/photos/" + name + ".jpg"
}

// The largest picture that is drawn; a larger one is a blank PNG.
const drawnPixels = 5_000_000

// servePicture draws /sandbox/photos/<name>.jpg?size=WxH. The query can spoil
// it: status, as, bytes, truncate, delay_ms, as in PictureFault.
func (g *gallery) servePicture(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	name := strings.TrimSuffix(file, filepath.Ext(file))
	g.mu.Lock()
	fault := g.faults[name]
	g.mu.Unlock()
	query := r.URL.Query()
	width := g.server.options.PictureWidth
	height := width * 3 / 4
	if size := query.Get("size"); size != "" {
		wide, high, _ := strings.Cut(size, "x")
		width, height = clamp(wide, width), clamp(high, height)
	}
	width, height = orElse(fault.Width, width), orElse(fault.Height, height)
	number := func(name string, set int) int {
		n, err := strconv.Atoi(query.Get(name))
		if err != nil || n < 0 {
			return set
		}
		return n
	}
	fault.Status, fault.Bytes, fault.DelayMS = number("status", fault.Status), number("bytes", fault.Bytes), number("delay_ms", fault.DelayMS)
	fault.As, fault.Truncate = orElse(query.Get("as"), fault.As), fault.Truncate || query.Has("truncate")

	if fault.DelayMS > 0 {
		timer := time.NewTimer(time.Duration(fault.DelayMS) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if sign := query.Get("sign"); sign != "" && !strings.HasSuffix(sign, "."+strconv.FormatInt(g.season.Load(), 10)) {
		fault.Status = http.StatusForbidden
	}
	if fault.Status >= 300 && fault.Status < 600 {
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return
	}
	content, kind := g.draw(name, width, height, fault.As)
	if fault.Bytes > len(content) && fault.Bytes <= 64<<20 {
		content = append(content[:len(content):len(content)], make([]byte, fault.Bytes-len(content))...)
	}
	if fault.Truncate {
		content = content[:len(content)/2]
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(content)
}

func clamp(text string, otherwise int) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 20_000 {
		return otherwise
	}
	return n
}

func (g *gallery) draw(name string, width, height int, as string) (content []byte, kind string) {
	switch as {
	case "html":
		return []byte("<!doctype html><title>Фото</title><p>Здесь была фотография.</p>"), "text/html; charset=utf-8"
	case "text":
		return []byte("no picture here"), "image/jpeg"
	}
	key := fmt.Sprintf("%s %dx%d %s", name, width, height, as)
	g.mu.Lock()
	content, known := g.drawn[key]
	g.mu.Unlock()
	kind = "image/jpeg"
	if as == "png" || as == "gif" {
		kind = "image/" + as
	}
	if known {
		return content, http.DetectContentType(content)
	}
	var out bytes.Buffer
	var err error
	switch {
	case width*height > drawnPixels:
		kind = "image/png"
		picture.Blank(&out, width, height)
	case as == "png":
		err = png.Encode(&out, picture.Draw(name, width, height))
	case as == "gif":
		err = gif.Encode(&out, picture.Draw(name, width, height), nil)
	default:
		err = jpeg.Encode(&out, picture.Draw(name, width, height), &jpeg.Options{Quality: 85})
	}
	if err != nil { // encoding into memory
		g.server.log.Warn("sandbox could not draw a picture", "name", name, "error", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.drawnBytes += out.Len(); g.drawnBytes > drawnKept {
		clear(g.drawn)
		g.drawnBytes = out.Len()
	}
	g.drawn[key] = out.Bytes()
	return out.Bytes(), kind
}

// drawnKept bounds the drawn pictures that are remembered, in bytes.
const drawnKept = 48 << 20
