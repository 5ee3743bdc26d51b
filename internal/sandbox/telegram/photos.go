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
	"strings"
	"sync"

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

var (
	errNotFetched = &refusal{code: 400, description: "Bad Request: failed to get HTTP URL content", raw: "WEBPAGE_CURL_FAILED"}
	errNotPhoto   = &refusal{code: 400, description: "Bad Request: wrong type of the web page content", raw: "WEBPAGE_MEDIA_EMPTY"}
	errProcessing = &refusal{code: 400, description: "Bad Request: IMAGE_PROCESS_FAILED", raw: "IMAGE_PROCESS_FAILED"}
	errDimensions = &refusal{code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS", raw: "PHOTO_INVALID_DIMENSIONS"}
)

// photo finds the photo that a parameter means: an uploaded file, attach://, a URL or a file id.
func (q *request) photo(name, value string, most limits) (*Photo, *refusal) {
	t := q.platform
	if attached, found := strings.CutPrefix(value, "attach://"); found {
		name = attached
	}
	if file, uploaded := q.form.Files[name]; uploaded {
		if refused := t.uploadable(file, most.upload); refused != nil {
			return nil, refused
		}
		return t.keepPhoto(Photo{Uploaded: true}, file.Content)
	}
	if strings.Contains(value, "://") {
		return t.fetchedPhoto(q.ctx, value, most.byURL)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.files[value]; known != nil {
		return known, nil
	}
	return nil, badRequest("wrong file identifier/HTTP URL specified")
}

// document is a file of any kind: an upload, or a GIF, PDF or ZIP by its URL.
func (q *request) document(address string) (*Document, *refusal) {
	t := q.platform
	if file, uploaded := q.form.Files["document"]; uploaded {
		return &Document{Name: file.Name, Bytes: file.Size, Uploaded: true}, t.uploadable(file, t.maxUpload())
	}
	content, kind, refused := t.download(q.ctx, address, maxFileByURL)
	if refused == nil && !slices.Contains([]string{"image/gif", "application/pdf", "application/zip"}, kind) {
		refused = errNotPhoto
	}
	name, _, _ := strings.Cut(path.Base(address), "?")
	return &Document{Name: name, URL: address, Bytes: int64(len(content))}, refused
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

// fetchedPhoto fetches a URL once and remembers the result, failures included, so that a caller who tries the same URL
// again learns nothing: Telegram does so for days (tdlib/telegram-bot-api #782).
func (t *Platform) fetchedPhoto(ctx context.Context, address string, most int64) (*Photo, *refusal) {
	t.mu.Lock()
	fetch := t.fetched[address]
	if fetch == nil {
		fetch = sync.OnceValues(func() (*Photo, *refusal) {
			content, _, refused := t.download(ctx, address, most)
			if refused == nil && !slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/webp"}, http.DetectContentType(content)) {
				refused = errNotPhoto
			}
			if refused != nil {
				return nil, refused
			}
			return t.keepPhoto(Photo{URL: address}, content)
		})
		t.fetched[address] = fetch
	}
	t.mu.Unlock()
	return fetch()
}

// download gets a URL, if its form is right (Client::get_input_file in telegram-bot-api and HttpUrl in TDLib); kind is
// its content type as its host tells it.
func (t *Platform) download(ctx context.Context, address string, most int64) (content []byte, kind string, refused *refusal) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, "", badRequest("wrong HTTP URL specified")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "", badRequest("invalid file HTTP URL specified: Unsupported URL protocol")
	case u.Hostname() == "":
		return nil, "", badRequest("invalid file HTTP URL specified: URL host is empty")
	}
	ctx, cancel := context.WithTimeout(ctx, t.core.Options.PhotoTimeout)
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
	p.FileID = fmt.Sprintf("AgACAgIAAxkDAAI%08dsandboxAAMCAANzAAM2BA", t.number())
	t.files[p.FileID] = &p
	return &p, nil
}

// wirePhoto is a photo in its size and, as Telegram makes several, in a small one.
func (t *Platform) wirePhoto(p *Photo) (sizes []map[string]any) {
	long := max(p.Width, p.Height)
	for _, side := range []int{max(long/4, 1), long} {
		id := p.FileID
		if side < long {
			id += "s"
		}
		sizes = append(sizes, map[string]any{"file_id": id, "file_unique_id": "AQAD" + id[15:], "file_size": max(p.Bytes*side/long*side/long, 1),
			"width": max(p.Width*side/long, 1), "height": max(p.Height*side/long, 1)})
		t.files[id] = p
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
