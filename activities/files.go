package activities

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/photo"
	"vestnik/internal/protocol"
	"vestnik/internal/telegram"
)

const (
	// filesAtOnce is how many files a worker uploads at a time.
	filesAtOnce = 4
	// fileTime is what the smallest file may take to be uploaded, fileRate the
	// bytes a second from which a larger one has longer, maxFileTime the most.
	fileTime    = time.Minute
	fileRate    = 256 << 10
	maxFileTime = 25 * time.Minute
	// openTime bounds the asking for a file, redirects included.
	openTime = 20 * time.Second
)

// errFollows means that a file is uploaded later: words do not wait for that.
var errFollows = errors.New("an upload follows later")

// byURL reports whether Telegram takes a file by its URL (Bot API, "Sending
// files"); one of unknown size is tried.
func byURL(file db.Photo) bool {
	kind := strings.ToLower(path.Ext(file.Title))
	return file.Bytes <= telegram.MaxByURL && (kind == ".gif" || kind == ".pdf" || kind == ".zip")
}

// startFiles puts the files among the media on the rungs where they begin: by
// URL what may go so, by upload what is not too large; an animation that is
// shows its still.
func (l *photoLadder) startFiles() {
	for index, file := range l.j.post.Photos {
		if file.File == "" {
			continue
		}
		if l.rungs[index] == db.RungURL && !byURL(file) {
			l.rungs[index] = db.RungUpload
		}
		if l.rungs[index] == db.RungUpload && file.Bytes > l.j.target.Settings.MaxFile {
			l.rungs[index] = db.RungSmaller
		}
	}
}

// uploadsFile reports whether the step is a file that is uploaded as it is read.
func (l *photoLadder) uploadsFile(step notice.Step) bool {
	return (step.Kind == notice.Animation || step.Kind == notice.Document) && l.rungs[step.Photos[0]] == db.RungUpload
}

// upload is a file on its way from its host to Telegram.
type upload struct {
	*photo.File

	timeout time.Duration
	done    func()
}

// beginUpload opens the file of a step. Its turn goes back to the lane before
// that, and the ledger keeps the delivery from the lane for as long as the upload
// may take: nobody waits for it. An error means that the host does not give it.
func (t *telegramSender) beginUpload(ctx context.Context, j *sendJob, step notice.Step) (*upload, error) {
	file := j.post.Photos[step.Photos[0]]
	most := j.target.Settings.MaxFile
	if file.Bytes > 0 {
		most = min(most, file.Bytes)
	}
	if t.uploads.Add(1) > filesAtOnce {
		t.uploads.Add(-1)
		return nil, errFollows
	}
	u := &upload{timeout: min(fileTime+time.Duration(most/fileRate)*time.Second, maxFileTime), done: func() { t.uploads.Add(-1) }}
	err := t.Ledger.PutOff(ctx, j.ID, openTime+u.timeout+2*deadlineSlack)
	if err == nil && j.request.GiveBack {
		err = t.Starter.GiveBack(ctx, j.Destination, protocol.TurnDone{WorkflowID: j.WorkflowID(), Lease: j.request.Lease, Look: true, SentAt: time.Now()})
	}
	if err == nil {
		u.File, err = t.Pictures.Open(ctx, file.File, file.Title, most)
	}
	if err != nil {
		u.done()
		return nil, err
	}
	t.uploading.Store(u)
	return u, nil
}

// end closes the file.
func (u *upload) end() {
	_ = u.Close()
	u.done()
}

// failed is why a file could not be read to its end; nil if it could, or there is none.
func (u *upload) failed() error {
	if u == nil || u.Failed() == nil {
		return nil
	}
	return u.Failed()
}

// progress is how many bytes of a file are on their way, for the heartbeats.
func (t *telegramSender) progress() []any {
	if u := t.uploading.Load(); u != nil {
		return []any{u.Progress()}
	}
	return nil
}
