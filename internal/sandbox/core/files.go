package core

import (
	"cmp"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// mostServed bounds the size of a file that the sandbox serves, in bytes.
const mostServed = 4 << 30

// served are the content types and the first bytes of files by their extensions; zeros follow.
var served = map[string]struct{ kind, begins string }{
	".gif": {"image/gif", "GIF89a\x40\x01\xf0\x00\x00\x00\x00"},
	".pdf": {"application/pdf", "%PDF-1.4\n"},
	".zip": {"application/zip", "PK\x03\x04"},
}

// FileURL is the address of a file that the sandbox serves, made up as it is read. name has an extension.
func (c *Core) FileURL(name string, bytes int64) string {
	return c.BaseURL + "/sandbox/files/" + name + "?bytes=" + strconv.FormatInt(bytes, 10)
}

// serveFile serves /sandbox/files/<name>.<extension>?bytes=N. A PictureFault of its name spoils it: Status, As html,
// Truncate, DelayMS.
func (p *pictures) serveFile(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	content := served[strings.ToLower(path.Ext(file))]
	p.mu.Lock()
	fault := p.faults[strings.TrimSuffix(file, path.Ext(file))]
	p.mu.Unlock()
	size, err := strconv.ParseInt(r.URL.Query().Get("bytes"), 10, 64)
	if err != nil || size < 0 || size > mostServed {
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

// struck waits, or answers with another status, as the fault says. It reports whether the request is over.
func (p *pictures) struck(w http.ResponseWriter, r *http.Request, fault PictureFault) bool {
	if fault.DelayMS > 0 && !p.core.Sleep(r.Context(), time.Duration(fault.DelayMS)*time.Millisecond) {
		return true
	}
	if fault.Status >= 300 && fault.Status < 600 {
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

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
