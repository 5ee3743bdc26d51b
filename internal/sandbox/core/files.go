package core

import (
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// mostServed bounds the size of a file that the sandbox serves, in bytes.
const mostServed = 4 << 30

// beginnings are the first bytes of files by their extensions; zeros follow.
var beginnings = map[string]string{
	".gif": "GIF89a\x40\x01\xf0\x00\x00\x00\x00", ".pdf": "%PDF-1.4\n", ".zip": "PK\x03\x04", ".docx": "PK\x03\x04", ".mp4": "\x00\x00\x00\x18ftypmp42",
}

// FileURL is the address of a file that the sandbox serves, made up as it is read. name has an extension.
func (c *Core) FileURL(name string, bytes int64) string {
	return c.BaseURL + "/sandbox/files/" + name + "?bytes=" + strconv.FormatInt(bytes, 10)
}

// serveFile serves /sandbox/files/<name>.<extension>?bytes=N. A PictureFault of its name spoils it: Status, As html,
// Truncate, DelayMS.
func (p *pictures) serveFile(w http.ResponseWriter, r *http.Request) {
	file := r.PathValue("file")
	extension := strings.ToLower(path.Ext(file))
	p.mu.Lock()
	fault := p.faults[strings.TrimSuffix(file, path.Ext(file))]
	p.mu.Unlock()
	size, err := strconv.ParseInt(r.URL.Query().Get("bytes"), 10, 64)
	if err != nil || size < 0 || size > mostServed {
		fault.Status = http.StatusBadRequest
	}
	if fault.DelayMS > 0 && !p.core.Sleep(r.Context(), time.Duration(fault.DelayMS)*time.Millisecond) {
		return
	}
	kind := mime.TypeByExtension(extension)
	if fault.As == "html" {
		kind = "text/html; charset=utf-8"
	}
	if fault.Status != 0 {
		http.Error(w, http.StatusText(fault.Status), fault.Status)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "sandbox")
	if fault.Truncate { // and net/http cuts the connection
		size /= 2
	}
	_, _ = io.Copy(w, io.LimitReader(io.MultiReader(strings.NewReader(beginnings[extension]), zeros{}), size))
}

// zeros never end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
