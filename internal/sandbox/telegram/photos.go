package telegram

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
)

// limits of the size of a photo or a file, in bytes.
type limits struct{ byURL, upload int64 }

// Limits of a photo and of files by URL (Bot API, "Sending files"; sendPhoto).
var photoLimits = limits{5 << 20, 10 << 20}

const (
	maxFileByURL    = 20 << 20
	maxPhotoSides   = 10_000 // width and height together
	maxPhotoStretch = 20     // the longer side over the shorter
)

// urlMemory is how long Telegram remembers what a URL gave, failures included ("a few days", tdlib/telegram-bot-api
// #782).
const urlMemory = 72 * time.Hour

// fetch is what a URL gave.
type fetch struct {
	at      time.Time
	photo   *Photo
	refused *refusal
	done    chan struct{} // closed when photo or refused is set
}

// photo finds the photo that a parameter means: an uploaded file, attach://, a URL or a file id.
func (q *request) photo(fieldName, value string, most limits) (*Photo, *refusal) {
	if file, uploaded := q.form.Files[fieldName]; uploaded {
		return q.uploadedPhoto(file, most)
	}
	if name, attached := strings.CutPrefix(value, "attach://"); attached {
		file, found := q.form.Files[name]
		if !found {
			return nil, badRequest("wrong file identifier/HTTP URL specified")
		}
		return q.uploadedPhoto(file, most)
	}
	if strings.TrimSpace(value) == "" {
		return nil, badRequest("there is no photo in the request")
	}
	t := q.platform
	if !strings.Contains(value, "://") {
		t.mu.Lock()
		defer t.mu.Unlock()
		if known := t.files[value]; known != nil {
			return known, nil
		}
		if strings.ContainsAny(value, "./ ") {
			return nil, badRequest("wrong file identifier/HTTP URL specified")
		}
		return nil, badRequest("wrong remote file identifier specified: can't unserialize it. Wrong last symbol")
	}
	if refused := photoURL(value); refused != nil {
		return nil, refused
	}
	return t.fetchedPhoto(q.ctx, value, most.byURL)
}

// document is a file of any kind: an upload, or a GIF, PDF or ZIP by its URL.
func (q *request) document(fieldName, value string) (*Document, *refusal) {
	t := q.platform
	if file, uploaded := q.form.Files[fieldName]; uploaded {
		return &Document{Name: file.Name, Bytes: file.Size, Uploaded: true}, t.uploadable(file, t.maxUpload())
	}
	if refused := photoURL(value); refused != nil {
		return nil, refused
	}
	content, kind, refused := t.download(q.ctx, value, maxFileByURL)
	if refused == nil && !slices.Contains([]string{"image/gif", "application/pdf", "application/zip"}, kind) {
		refused = errNotPhoto
	}
	address, _ := url.Parse(value) // photoURL has read it
	return &Document{Name: path.Base(address.Path), URL: value, Bytes: int64(len(content))}, refused
}

func (t *Platform) uploadable(file core.Upload, most int64) *refusal {
	switch {
	case file.Size == 0:
		return badRequest("file must be non-empty")
	case file.Size > t.maxUpload():
		return refuse(413, "Request Entity Too Large")
	case file.Size > most:
		return badRequest("file is too big")
	}
	return nil
}

// photoURL checks the form of a URL (Client::get_input_file in telegram-bot-api and HttpUrl in TDLib).
func photoURL(address string) *refusal {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return badRequest("wrong HTTP URL specified")
	case u.Scheme != "http" && u.Scheme != "https":
		return badRequest("invalid file HTTP URL specified: Unsupported URL protocol")
	case u.Hostname() == "":
		return badRequest("invalid file HTTP URL specified: URL host is empty")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return badRequest("invalid file HTTP URL specified: Wrong port number specified in the URL")
		}
	}
	return nil
}

// fetchedPhoto fetches a URL once and remembers the result for days, as Telegram does, so that a caller who tries the
// same URL again learns nothing.
func (t *Platform) fetchedPhoto(ctx context.Context, address string, most int64) (*Photo, *refusal) {
	t.mu.Lock()
	known := t.fetched[address]
	if known != nil && t.core.Now().Sub(known.at) <= urlMemory {
		t.mu.Unlock()
		select {
		case <-known.done:
			return known.photo, known.refused
		case <-ctx.Done():
			return nil, errNotFetched
		}
	}
	mine := &fetch{at: t.core.Now(), done: make(chan struct{})}
	if len(t.fetched) >= 20_000 { // bounded memory
		clear(t.fetched)
	}
	t.fetched[address] = mine
	t.mu.Unlock()
	defer close(mine.done)
	content, _, refused := t.download(ctx, address, most)
	if refused == nil && !slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/webp"}, http.DetectContentType(content)) {
		refused = errNotPhoto
	}
	if refused == nil {
		mine.photo, refused = t.keepPhoto(Photo{URL: address}, content)
	}
	mine.refused = refused
	return mine.photo, mine.refused
}

var (
	errNotFetched = &refusal{code: 400, description: "Bad Request: failed to get HTTP URL content", raw: "WEBPAGE_CURL_FAILED"}
	errNotPhoto   = &refusal{code: 400, description: "Bad Request: wrong type of the web page content", raw: "WEBPAGE_MEDIA_EMPTY"}
	errProcessing = &refusal{code: 400, description: "Bad Request: IMAGE_PROCESS_FAILED", raw: "IMAGE_PROCESS_FAILED"}
	errDimensions = &refusal{code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS", raw: "PHOTO_INVALID_DIMENSIONS"}
)

// download gets a URL; kind is its content type as its host tells it.
func (t *Platform) download(ctx context.Context, address string, most int64) (content []byte, kind string, refused *refusal) {
	ctx, cancel := context.WithTimeout(ctx, t.options.PhotoTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", badRequest("wrong HTTP URL specified")
	}
	request.Header.Set("User-Agent", "TelegramBot (like TwitterBot)")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", errNotFetched
	}
	defer func() { _ = response.Body.Close() }()
	content, err = io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil || response.StatusCode != http.StatusOK || int64(len(content)) > most {
		return nil, "", errNotFetched // of a page that is cut off the server says no more than this
	}
	return content, response.Header.Get("Content-Type"), nil
}

func (q *request) uploadedPhoto(file core.Upload, most limits) (*Photo, *refusal) {
	t := q.platform
	if refused := t.uploadable(file, most.upload); refused != nil {
		return nil, refused
	}
	return t.keepPhoto(Photo{Uploaded: true}, file.Content)
}

// keepPhoto measures a photo and gives it its file id, and an upload its address.
func (t *Platform) keepPhoto(p Photo, content []byte) (*Photo, *refusal) {
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	long, short := max(config.Width, config.Height), min(config.Width, config.Height)
	switch {
	case err != nil:
		return nil, errProcessing
	case long+short > maxPhotoSides || short == 0 || long > short*maxPhotoStretch:
		return nil, errDimensions
	}
	if p.Uploaded {
		p.URL = t.core.KeepUpload(content)
	}
	p.Width, p.Height, p.Bytes = config.Width, config.Height, len(content)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.files) >= 50_000 { // bounded memory
		clear(t.files)
	}
	t.nextFile++
	p.FileID = fmt.Sprintf("AgACAgIAAxkDAAI%08dsandboxAAMCAANzAAM2BA", t.nextFile)
	t.files[p.FileID] = &p
	return &p, nil
}

// wirePhoto lists the sizes Telegram makes of a photo: 90, 320, 800, 1280 on the longer side, and not more than the
// photo has.
func (t *Platform) wirePhoto(p *Photo) []map[string]any {
	var sizes []map[string]any
	long := max(p.Width, p.Height)
	for i, side := range []int{90, 320, 800, 1280, 2560} {
		if side > long {
			side = long
		}
		id := p.FileID
		if side < long {
			id += strconv.Itoa(i)
		}
		sizes = append(sizes, map[string]any{
			"file_id": id, "file_unique_id": "AQAD" + id[15:23] + strconv.Itoa(i),
			"width": max(p.Width*side/long, 1), "height": max(p.Height*side/long, 1),
			"file_size": max(p.Bytes*side/long*side/long, 1),
		})
		if side < long {
			t.files[id] = p
			continue
		}
		break
	}
	return sizes
}

// SetMaxUpload changes the size in bytes of the largest file that is taken: a Bot API server of one's own takes 2,000 MB.
func (t *Platform) SetMaxUpload(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.largest = bytes
}

func (t *Platform) maxUpload() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.largest
}
