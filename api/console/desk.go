package console

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"vestnik/db/guidedb"
	"vestnik/internal/content"
	"vestnik/internal/operators"
)

// The desk is where a city without a CMS keeps its content. What is
// in it, and what is said about that (why something was refused), is in Russian.
const (
	deskPath   = "/console/desk"
	uploadPath = deskPath + "/upload"
	// uploadTime is how long a file may take to arrive.
	uploadTime = 10 * time.Minute
	// importsListed is how many imports the history lists.
	importsListed = 50
)

type deskView struct {
	Lists   []content.List
	History []content.Status
}

func (c *console) desk(r *http.Request) (any, error) {
	history, err := c.Guide.History(r.Context(), importsListed)
	return deskView{Lists: content.Shown, History: history}, err
}

func (c *console) giveTemplate(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	w.Header().Set("Content-Disposition", `attachment; filename="vestnik.xlsx"`)
	if err := content.WriteTemplate(w); err != nil {
		c.Log.ErrorContext(r.Context(), "template not written", "error", err)
	}
}

// parseUpload reads a form with a file, which may be as large as a batch.
func parseUpload(w http.ResponseWriter, r *http.Request) error {
	arriving := http.NewResponseController(w)
	_ = arriving.SetReadDeadline(time.Now().Add(uploadTime)) // a writer that knows no deadlines has none to lift
	_ = arriving.SetWriteDeadline(time.Now().Add(2 * uploadTime))
	r.Body = http.MaxBytesReader(w, r.Body, content.MaxBatchBytes+maxOpsBody)
	return r.ParseMultipartForm(1 << 20)
}

// upload takes a file in, to be looked at before anything is done.
func (c *console) upload(w http.ResponseWriter, r *http.Request) {
	file, header, err := r.FormFile("file")
	if err != nil {
		c.showMessage(w, r, http.StatusBadRequest, "desk.no_file")
		return
	}
	defer file.Close()
	options := content.TableOptions{List: content.List(r.PostForm.Get("list"))}
	if options.List.Rank() < 0 {
		options.List = ""
	}
	if r.PostForm.Get("whole") != "" {
		options.Mode = content.Snapshot
	}
	name := path.Base(strings.ReplaceAll(header.Filename, `\`, "/"))
	accepted, columns, err := c.hold(r, name, file, options)
	var refused *content.BatchError
	if columns || errors.As(err, &refused) && refused.Unclear {
		id := accepted.ID
		if refused != nil {
			id = rand.Text()
		}
		if failed := c.keepFile(r, id, name, file, options); failed != nil {
			c.showFault(w, r, failed)
			return
		}
		if refused != nil {
			c.leaveNotice(w, r, pageNotice{Bad: true, Text: languageOf(r).why(refused.Why)})
			http.Redirect(w, r, columnsPath(id), http.StatusSeeOther)
			return
		}
	}
	switch {
	case refused != nil:
		c.showMessage(w, r, http.StatusBadRequest, "desk.file", languageOf(r).why(refused.Why))
	case err != nil:
		c.showFault(w, r, err)
	default:
		c.Log.InfoContext(r.Context(), "editor uploaded a batch", "import", accepted.ID, "state", accepted.State)
		if accepted.Repeated && accepted.State != content.Held {
			c.leaveNotice(w, r, pageNotice{Text: languageOf(r).say("desk.repeated")})
		}
		http.Redirect(w, r, importPath(accepted.ID), http.StatusSeeOther)
	}
}

// hold makes a held import of a file; columns reports whether it is of tables.
func (c *console) hold(r *http.Request, name string, file io.Reader, options content.TableOptions) (accepted guidedb.Acceptance, columns bool, err error) {
	batch, err := c.Guide.Open(name, file, options)
	if err != nil {
		return accepted, false, err
	}
	accepted, err = c.Guide.Import(r.Context(), guidedb.Upload{Batch: batch, Author: operators.Of(r.Context()).Name, Origin: name, Hold: true})
	return accepted, err == nil && accepted.State == content.Held && len(batch.Summary().Notes.Columns) > 0, err
}

func importPath(id string) string { return deskPath + "/imports/" + url.PathEscape(id) }

// importView is an import as its page shows it.
type importView struct {
	content.Status

	// Columns reports whether its columns can be chosen.
	Columns bool
	// Undone is the import that took this one back, "" if none did.
	Undone string
}

// Held reports whether the import waits for a word.
func (v importView) Held() bool { return v.State == content.Held }

// Undoable reports whether the import can be taken back.
func (v importView) Undoable() bool {
	return v.FinishedAt != nil && v.Undone == "" && v.Created+v.Changed+v.Unpublished > 0
}

// Progressed is how much is done, in percent.
func (v importView) Progressed() int { return int(100 * v.Progress) }

func (c *console) imported(r *http.Request) (any, error) {
	status, err := c.Guide.Status(r.Context(), r.PathValue("id"))
	if errors.Is(err, guidedb.ErrNotFound) {
		return nil, message{http.StatusNotFound, "desk.no_import", nil}
	}
	view := importView{Status: status}
	if err == nil && view.Held() {
		view.Columns, err = c.Guide.HasFile(r.Context(), status.ID)
	}
	if err == nil {
		var history []content.Status
		history, err = c.Guide.History(r.Context(), importsListed)
		for _, later := range history {
			if later.Undoes == status.ID {
				view.Undone = later.ID
			}
		}
	}
	return view, err
}

func (c *console) steerImport(w http.ResponseWriter, r *http.Request) {
	id, action := r.PathValue("id"), r.PathValue("action")
	target, done, l := importPath(id), "", languageOf(r)
	var err error
	switch action {
	case "confirm":
		var goes int
		if goes, err = strconv.Atoi(strings.TrimSpace(r.PostForm.Get("unpublish"))); err == nil {
			err = c.Guide.Confirm(r.Context(), id, goes)
		}
		done = l.say("desk.started")
	case "discard":
		err = c.Guide.Discard(r.Context(), id)
		target, done = deskPath, l.say("desk.discarded")
	case "undo":
		var undo guidedb.Acceptance
		if undo, err = c.Guide.Undo(r.Context(), id, operators.Of(r.Context()).Name); err == nil {
			target, done = importPath(undo.ID), l.say("desk.undone")
		}
	default:
		c.showNotFound(w, r)
		return
	}
	c.Log.InfoContext(r.Context(), "editor steered an import", "import", id, "action", action, "error", err)
	notice := pageNotice{Text: done}
	var miscounted *guidedb.CountError
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		notice = pageNotice{Bad: true, Text: l.say("desk.say_how_many")}
	case errors.As(err, &miscounted):
		notice = pageNotice{Bad: true, Text: l.say("desk.miscounted", miscounted.Unpublishes)}
	case errors.Is(err, guidedb.ErrNotFound):
		notice = pageNotice{Bad: true, Text: l.say("desk.waits_not")}
	case err != nil:
		c.showFault(w, r, err)
		return
	}
	c.leaveNotice(w, r, notice)
	http.Redirect(w, r, target, http.StatusSeeOther)
}
