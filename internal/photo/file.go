package photo

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"
)

// stallTime is how long the host of a file may give nothing.
const stallTime = 15 * time.Second

// File is a file on the internet that is read as it comes. Close it.
type File struct {
	// Bytes is its size as its host gives it, -1 if it does not.
	Bytes int64

	host    string
	body    io.ReadCloser
	most    int64
	read    atomic.Int64
	fault   atomic.Pointer[Error]
	caller  context.Context // the one it was opened with
	ctx     context.Context // ends when its host stalls, too
	end     context.CancelFunc
	stalled *time.Timer
	late    func() // counts against the host
}

// Open gets a file of any kind, of at most most bytes, behind the same guards as
// [Fetcher.Fetch]. It may be read for as long as ctx lasts and its host gives
// something every 15 s. The error is always an [*Error]; [Gone] too where a page
// stands in the file's place, as name shows.
func (f *Fetcher) Open(ctx context.Context, link, name string, most int64) (*File, error) {
	address, err := f.parse(link)
	if err != nil {
		return nil, err
	}
	host := address.Hostname()
	file := &File{host: host, most: most, caller: ctx, late: func() { f.TookTooLong(link) }}
	file.ctx, file.end = context.WithCancel(ctx)
	file.stalled = time.AfterFunc(stallTime, file.end)
	_, err = f.breaker(address.Host).Execute(func() ([]byte, error) { return nil, f.begin(file, address, name) })
	file.stalled.Stop()
	if err == nil {
		return file, nil
	}
	file.end()
	var failure *Error
	if !errors.As(err, &failure) {
		failure = &Error{Kind: Avoided, Host: host, Reason: "the host does not answer these minutes"}
	}
	return nil, failure
}

// begin asks for the file and looks at what its host says of it.
func (f *Fetcher) begin(file *File, address *url.URL, name string) error {
	request, err := http.NewRequestWithContext(file.ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return &Error{Kind: InvalidURL, Host: file.host, Reason: "the link is not a URL"}
	}
	request.Header.Set("User-Agent", "Vestnik")
	response, err := f.client.Do(request)
	if err != nil {
		return file.failure(err)
	}
	page, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	err = refusedStatus(file.host, response.StatusCode)
	switch {
	case err != nil:
	case response.ContentLength > file.most:
		err = tooLarge(file.host, file.most)
	case page == "text/html" && !strings.HasPrefix(strings.ToLower(path.Ext(name)), ".htm"):
		err = &Error{Kind: Gone, Host: file.host, Reason: "a page stands in its place"}
	}
	if err != nil {
		_ = response.Body.Close()
		return err
	}
	file.body, file.Bytes = response.Body, response.ContentLength
	return nil
}

// Read implements io.Reader. What goes wrong is an [*Error], which Failed keeps.
func (f *File) Read(p []byte) (int, error) {
	f.stalled.Reset(stallTime)
	n, err := f.body.Read(p)
	f.stalled.Stop()
	var fault *Error
	switch read := f.read.Add(int64(n)); {
	case read > f.most:
		fault = tooLarge(f.host, f.most)
	case err != nil && !errors.Is(err, io.EOF):
		if fault = f.failure(err); f.caller.Err() == nil {
			f.late()
		}
	default:
		return n, err
	}
	f.fault.Store(fault)
	return 0, fault
}

// Progress is how many bytes were read so far.
func (f *File) Progress() int64 { return f.read.Load() }

// Failed is what went wrong while it was read; nil if nothing did.
func (f *File) Failed() *Error { return f.fault.Load() }

// failure is that of a host that stalls, or of the context that it was opened with.
func (f *File) failure(err error) *Error {
	if f.ctx.Err() != nil && f.caller.Err() == nil {
		return &Error{Kind: Timeout, Host: f.host, Reason: "it gave nothing for " + stallTime.String()}
	}
	return failure(f.caller, f.host, err)
}

// Close ends the reading.
func (f *File) Close() error {
	f.stalled.Stop()
	f.end()
	return f.body.Close()
}
