package sandbox

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // Telegram takes GIF,
	_ "image/jpeg" // JPEG
	_ "image/png"  // and PNG as photos,
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "golang.org/x/image/webp" // and WebP
)

// Limits of a photo (Bot API, "Sending files"; sendPhoto).
const (
	maxPhotoByURL   = 5 << 20
	maxPhotoUpload  = 10 << 20
	maxDocument     = 50 << 20
	maxPhotoSides   = 10_000 // width and height together
	maxPhotoStretch = 20     // the longer side over the shorter
)

// urlMemory is how long Telegram remembers what a URL gave, failures
// included ("a few days", tdlib/telegram-bot-api #782).
const urlMemory = 72 * time.Hour

// fetch is what a URL gave.
type fetch struct {
	at      time.Time
	photo   *Photo
	refused *refusal
	done    chan struct{} // closed when photo or refused is set
}

// photo finds the photo that a parameter means: an uploaded file, attach://,
// a URL or a file id.
func (q *botRequest) photo(fieldName, value string) (*Photo, *refusal) {
	if file, uploaded := q.form.files[fieldName]; uploaded {
		return q.uploadedPhoto(file)
	}
	if name, attached := strings.CutPrefix(value, "attach://"); attached {
		file, found := q.form.files[name]
		if !found {
			return nil, badRequest("wrong file identifier/HTTP URL specified")
		}
		return q.uploadedPhoto(file)
	}
	if strings.TrimSpace(value) == "" {
		return nil, badRequest("there is no photo in the request")
	}
	t := q.telegram
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
	return t.fetchedPhoto(q, value)
}

// photoURL checks the form of a URL (Client::get_input_file in
// telegram-bot-api and HttpUrl in TDLib).
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

// fetchedPhoto fetches a URL once and remembers the result for days, as
// Telegram does, so that a caller who tries the same URL again learns nothing.
func (t *telegram) fetchedPhoto(q *botRequest, address string) (*Photo, *refusal) {
	t.mu.Lock()
	known := t.fetched[address]
	if known != nil && known.finished() && t.server.now().Sub(known.at) > urlMemory {
		known = nil
	}
	if known != nil {
		t.mu.Unlock()
		select {
		case <-known.done:
			if known.refused != nil {
				copied := *known.refused
				return nil, &copied
			}
			return known.photo, nil
		case <-q.ctx.Done():
			return nil, badRequest("failed to get HTTP URL content")
		}
	}
	mine := &fetch{at: t.server.now(), done: make(chan struct{})}
	if len(t.fetched) >= 20_000 { // bounded memory
		clear(t.fetched)
	}
	t.fetched[address] = mine
	t.mu.Unlock()

	width, height, size, refused := t.download(q, address)
	if refused == nil {
		mine.photo = t.keepPhoto(&Photo{URL: address, Width: width, Height: height, Bytes: size})
	}
	mine.refused = refused
	close(mine.done)
	if refused != nil {
		copied := *refused
		return nil, &copied
	}
	return mine.photo, nil
}

func (f *fetch) finished() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

var (
	errNotFetched = refusal{code: 400, description: "Bad Request: failed to get HTTP URL content", raw: "WEBPAGE_CURL_FAILED"}
	errNotPhoto   = refusal{code: 400, description: "Bad Request: wrong type of the web page content", raw: "WEBPAGE_MEDIA_EMPTY"}
)

func (t *telegram) download(q *botRequest, address string) (width, height, size int, refused *refusal) {
	client := &http.Client{Timeout: t.server.options.PhotoTimeout}
	request, err := http.NewRequestWithContext(q.ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, 0, 0, badRequest("wrong HTTP URL specified")
	}
	request.Header.Set("User-Agent", "TelegramBot (like TwitterBot)")
	response, err := client.Do(request)
	if err != nil {
		failed := errNotFetched
		return 0, 0, 0, &failed
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		failed := errNotFetched
		return 0, 0, 0, &failed
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxPhotoByURL+1))
	if err != nil {
		failed := errNotFetched
		return 0, 0, 0, &failed
	}
	if len(content) > maxPhotoByURL {
		failed := errNotFetched // the page is cut off: the server says no more than this
		return 0, 0, 0, &failed
	}
	sniffed := http.DetectContentType(content)
	if !slices.Contains([]string{"image/jpeg", "image/png", "image/gif", "image/webp"}, sniffed) {
		failed := errNotPhoto
		return 0, 0, 0, &failed
	}
	width, height, refused = measure(content)
	return width, height, len(content), refused
}

func measure(content []byte) (width, height int, refused *refusal) {
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return 0, 0, &refusal{code: 400, description: "Bad Request: IMAGE_PROCESS_FAILED", raw: "IMAGE_PROCESS_FAILED"}
	}
	width, height = config.Width, config.Height
	long, short := max(width, height), min(width, height)
	if width+height > maxPhotoSides || short == 0 || long > short*maxPhotoStretch {
		return 0, 0, &refusal{code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS", raw: "PHOTO_INVALID_DIMENSIONS"}
	}
	return width, height, nil
}

func (q *botRequest) uploadedPhoto(file upload) (*Photo, *refusal) {
	if len(file.content) == 0 {
		return nil, badRequest("file must be non-empty")
	}
	if len(file.content) > maxPhotoUpload {
		return nil, badRequest("file is too big")
	}
	width, height, refused := measure(file.content)
	if refused != nil {
		return nil, refused
	}
	return q.telegram.keepPhoto(&Photo{
		URL:   q.telegram.server.pictures.keep(file.content),
		Width: width, Height: height, Bytes: len(file.content), Uploaded: true,
	}), nil
}

// keepPhoto gives a photo its file id.
func (t *telegram) keepPhoto(p *Photo) *Photo {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.files) >= 50_000 { // bounded memory
		clear(t.files)
	}
	t.nextFile++
	p.FileID = fmt.Sprintf("AgACAgIAAxkDAAI%08dsandboxAAMCAANzAAM2BA", t.nextFile)
	t.files[p.FileID] = p
	return p
}

func (q *botRequest) document() (*Document, *refusal) {
	t := q.telegram
	value := q.form.text("document")
	file, uploaded := q.form.files["document"]
	if name, attached := strings.CutPrefix(value, "attach://"); attached {
		file, uploaded = q.form.files[name], true
	}
	t.mu.Lock()
	known := t.documents[value]
	t.mu.Unlock()
	var document Document
	switch {
	case uploaded && len(file.content) == 0:
		return nil, badRequest("file must be non-empty")
	case uploaded && len(file.content) > maxDocument:
		return nil, telegramError(413, "Request Entity Too Large")
	case uploaded:
		document = Document{URL: t.server.pictures.keep(file.content), Name: file.name, Bytes: len(file.content)}
	case known != nil:
		return known, nil
	case strings.Contains(value, "://"):
		if refused := photoURL(value); refused != nil {
			return nil, refused
		}
		document = Document{URL: value, Name: value[strings.LastIndex(value, "/")+1:]}
	default:
		return nil, badRequest("wrong file identifier/HTTP URL specified")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.documents) >= 10_000 { // bounded memory
		clear(t.documents)
	}
	t.nextFile++
	document.FileID = fmt.Sprintf("BQACAgIAAxkDAAI%08dsandboxAAIDAANzAAM2BA", t.nextFile)
	t.documents[document.FileID] = &document
	return &document, nil
}

// wirePhoto lists the sizes Telegram makes of a photo: 90, 320, 800, 1280 on
// the longer side, and not more than the photo has.
func (t *telegram) wirePhoto(p *Photo) []map[string]any {
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

func (q *botRequest) getFile() (any, *refusal) {
	t := q.telegram
	t.mu.Lock()
	defer t.mu.Unlock()
	id := q.form.text("file_id")
	if p := t.files[id]; p != nil {
		return map[string]any{"file_id": id, "file_unique_id": "AQAD" + id[15:23], "file_size": p.Bytes, "file_path": "photos/" + id + ".jpg"}, nil
	}
	if d := t.documents[id]; d != nil {
		return map[string]any{"file_id": id, "file_unique_id": "AQAD" + id[15:23], "file_size": d.Bytes, "file_path": "documents/" + d.Name}, nil
	}
	return nil, badRequest("invalid file_id")
}
