package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vestnik/api/access"
	"vestnik/db/guidedb"
	"vestnik/internal/config"
	"vestnik/internal/content"
	"vestnik/internal/words"
	"vestnik/starter"
)

// Where the CMS's handler is to be mounted.
const (
	CMSPath     = "/api/v1/cms/"
	OpenAPIPath = "/api/v1/openapi.json"
)

const (
	// uploadTime is how long a batch may take to arrive: 50 MB over a slow
	// line.
	uploadTime = 10 * time.Minute
	// refusedTime is how long what is left of a refused batch may take.
	refusedTime = 30 * time.Second
	// uploadsAtOnce bounds the batches that are being read: each holds a
	// connection to the database. Others wait.
	uploadsAtOnce = 2
	// drainBytes is how much of a refused batch is still read, so that its
	// sender gets to the answer.
	drainBytes = 64 << 20
)

// CMSConfig says who may send batches and who takes them.
type CMSConfig struct {
	Token   config.Secret // opens every route, as a bearer token
	Imports *starter.Content
	Log     *slog.Logger
}

// ErrCMSToken is returned for an empty token: it would let nobody in.
var ErrCMSToken = errors.New("api: the CMS needs a token: set CMS_TOKEN")

// NewCMS returns the handler of CMSPath and OpenAPIPath: batches in, the
// status of imports and the report on photos out, and the description of it
// all, which alone needs no token.
func NewCMS(cfg CMSConfig) (http.Handler, error) {
	if !cfg.Token.IsSet() {
		return nil, ErrCMSToken
	}
	description, err := content.OpenAPI()
	if err != nil {
		return nil, err
	}
	h := &cmsHandler{CMSConfig: cfg, uploads: make(chan struct{}, uploadsAtOnce), tokens: access.NewBearer(cfg.Token.Matches, time.Now)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+content.ImportPath, h.authorised(h.postImport))
	mux.HandleFunc("GET "+content.ImportPath, h.authorised(h.getHistory))
	mux.HandleFunc("GET "+content.ImportPath+"/{id}", h.authorised(h.getImport))
	mux.HandleFunc("DELETE "+content.ImportPath+"/{id}", h.authorised(h.discard))
	mux.HandleFunc("POST "+content.ImportPath+"/{id}/confirm", h.authorised(h.confirm))
	mux.HandleFunc("POST "+content.ImportPath+"/{id}/undo", h.authorised(h.undo))
	mux.HandleFunc("GET "+content.PhotosPath, h.authorised(h.getPhotos))
	mux.HandleFunc("GET "+OpenAPIPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(description) // a client that went away is told by nobody
	})
	return mux, nil
}

type cmsHandler struct {
	CMSConfig
	tokens  *access.Bearer
	uploads chan struct{}
}

// authorised looks at the token before anything else is read.
func (h *cmsHandler) authorised(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if ok, err := h.tokens.Admits(r); !ok {
			h.Log.WarnContext(r.Context(), "CMS token refused", "remote", access.Address(r), "path", r.URL.Path)
			w.Header().Set("Connection", "close") // what it brought along is not waited for
			if err != nil {
				w.Header().Set("Retry-After", "5")
				answerJSON(w, http.StatusTooManyRequests, content.Fault{Error: err.Error()})
				return
			}
			w.Header().Set("WWW-Authenticate", "Bearer")
			answerJSON(w, http.StatusUnauthorized, content.Fault{Error: "send the header Authorization: Bearer <CMS_TOKEN>"})
			return
		}
		next(w, r)
	}
}

func (h *cmsHandler) postImport(w http.ResponseWriter, r *http.Request) {
	// A server that bounds the time of small requests must not bound this one.
	// A writer that knows no deadlines has none to lift.
	arriving := http.NewResponseController(w)
	_ = arriving.SetReadDeadline(time.Now().Add(uploadTime))
	_ = arriving.SetWriteDeadline(time.Now().Add(uploadTime + writeTime))

	select {
	case h.uploads <- struct{}{}:
		defer func() { <-h.uploads }()
	case <-r.Context().Done():
		return
	}
	key := strings.Trim(strings.TrimSpace(r.Header.Get("Idempotency-Key")), `"`)
	if len(key) > 255 || strings.ContainsRune(key, 0) {
		h.refuse(w, r, http.StatusBadRequest, content.Fault{Error: "Idempotency-Key is longer than 255 bytes"})
		return
	}
	var asked content.ImportQuery
	if err := asked.Read(r.URL.Query()); err != nil {
		h.refuse(w, r, http.StatusBadRequest, content.Fault{Error: err.Error()})
		return
	}
	batch, err := h.Imports.Open("", r.Body, content.TableOptions{Mode: asked.Mode, List: asked.List})
	if err != nil {
		h.explain(w, r, err)
		return
	}
	upload := guidedb.Upload{
		Key: strings.ToValidUTF8(key, "\uFFFD"), Batch: batch, Author: byCMS, Origin: r.Header.Get("Content-Type"), Confirmed: asked.Unpublish,
	}
	if asked.Check {
		report, err := h.Imports.Check(r.Context(), upload)
		if err != nil {
			h.explain(w, r, err)
			return
		}
		answerJSON(w, http.StatusOK, report)
		return
	}
	accepted, err := h.Imports.Import(r.Context(), upload)
	if err != nil {
		h.explain(w, r, err)
		return
	}
	h.Log.InfoContext(r.Context(), "batch accepted", "import", accepted.ID, "state", accepted.State, "repeated", accepted.Repeated, "other_content", accepted.OtherContent)
	h.answerAccepted(w, accepted)
}

// byCMS stands in the history for whoever has CMS_TOKEN.
const byCMS = "CMS"

func (h *cmsHandler) answerAccepted(w http.ResponseWriter, accepted guidedb.Acceptance) {
	answer := content.Accepted{ID: accepted.ID, StatusURL: content.ImportPath + "/" + url.PathEscape(accepted.ID)}
	w.Header().Set("Location", answer.StatusURL)
	switch {
	case accepted.OtherContent:
		answerJSON(w, http.StatusUnprocessableEntity, content.Fault{
			Error: "this Idempotency-Key stands for another batch, sent before: this one is not imported", Accepted: answer,
		})
		return
	case accepted.State == content.Held:
		answerJSON(w, http.StatusConflict, content.Fault{
			Error: fmt.Sprintf("the snapshot would unpublish %s, more of a list than goes without a word: nothing is done yet. "+
				"Look at what goes at status_url, then POST {\"unpublish\": %d} to status_url/confirm, or DELETE status_url", words.Count(accepted.Unpublishes, "object", "objects"), accepted.Unpublishes),
			Accepted: answer, Unpublishes: accepted.Unpublishes,
		})
		return
	case accepted.Repeated:
		w.Header().Set("Idempotency-Replayed", "true")
	}
	answerJSON(w, http.StatusAccepted, answer)
}

// confirm lets a held import be applied.
func (h *cmsHandler) confirm(w http.ResponseWriter, r *http.Request) {
	var wish content.Confirmation
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&wish); err != nil {
		h.refuse(w, r, http.StatusBadRequest, content.Fault{Error: `send {"unpublish": N}, N being how many objects go`})
		return
	}
	id := r.PathValue("id")
	h.steered(w, r, "confirmed", guidedb.Acceptance{ID: id, State: content.Running}, h.Imports.Confirm(r.Context(), id, wish.Unpublish))
}

// undo takes an import back by another.
func (h *cmsHandler) undo(w http.ResponseWriter, r *http.Request) {
	accepted, err := h.Imports.Undo(r.Context(), r.PathValue("id"), byCMS)
	h.steered(w, r, "undone", accepted, err)
}

func (h *cmsHandler) steered(w http.ResponseWriter, r *http.Request, done string, accepted guidedb.Acceptance, err error) {
	var miscounted *guidedb.CountError
	var waiting *starter.NotStartedError
	switch {
	case errors.As(err, &miscounted):
		answerJSON(w, http.StatusConflict, content.Fault{
			Error: fmt.Sprintf("the import unpublishes %s: confirm that number", words.Count(miscounted.Unpublishes, "object", "objects")), Unpublishes: miscounted.Unpublishes,
		})
	case errors.As(err, &waiting):
		h.explain(w, r, err)
	case err != nil:
		h.give(w, r, nil, err)
	default:
		h.Log.InfoContext(r.Context(), "import steered", "import", r.PathValue("id"), "how", done)
		h.answerAccepted(w, accepted)
	}
}

func (h *cmsHandler) discard(w http.ResponseWriter, r *http.Request) {
	if err := h.Imports.Discard(r.Context(), r.PathValue("id")); err != nil {
		h.give(w, r, nil, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// historyListed is how many imports the history lists.
const historyListed = 100

func (h *cmsHandler) getHistory(w http.ResponseWriter, r *http.Request) {
	history, err := h.Imports.History(r.Context(), historyListed)
	h.give(w, r, history, err)
}

// explain answers for a batch that was not taken.
func (h *cmsHandler) explain(w http.ResponseWriter, r *http.Request, err error) {
	var refused *content.BatchError
	var waiting *starter.NotStartedError
	switch {
	case errors.As(err, &refused):
		status := http.StatusBadRequest
		if refused.TooLarge {
			status = http.StatusRequestEntityTooLarge
		}
		h.Log.InfoContext(r.Context(), "batch refused", "path", refused.Path, "offset", refused.Offset, "reason", refused.Reason)
		h.refuse(w, r, status, content.Fault{Error: refused.Error(), Path: refused.Path, Offset: &refused.Offset, Line: refused.Line, Column: refused.Column})
	case r.Context().Err() != nil || errors.Is(err, io.ErrUnexpectedEOF):
		h.refuse(w, r, http.StatusBadRequest, content.Fault{Error: "the batch broke off on its way: send it again"})
	case errors.As(err, &waiting):
		h.Log.ErrorContext(r.Context(), "import accepted and not started", "import", waiting.ImportID, "error", waiting.Cause)
		w.Header().Set("Retry-After", "5")
		h.refuse(w, r, http.StatusServiceUnavailable, content.Fault{Error: "the batch is kept and can't be started yet: send it again, it will be the same import"})
	default:
		h.Log.ErrorContext(r.Context(), "batch not taken", "error", err)
		w.Header().Set("Retry-After", "5")
		h.refuse(w, r, http.StatusServiceUnavailable, content.Fault{Error: "the batch can't be kept now: send it again later"})
	}
}

// refuse reads some of what is still coming before it answers: a sender that
// is cut off in mid-batch sees a broken connection and not the reason.
func (h *cmsHandler) refuse(w http.ResponseWriter, r *http.Request, status int, fault content.Fault) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(refusedTime))
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // courtesy only
	answerJSON(w, status, fault)
}

func (h *cmsHandler) getImport(w http.ResponseWriter, r *http.Request) {
	status, err := h.Imports.Status(r.Context(), r.PathValue("id"))
	h.give(w, r, status, err)
}

func (h *cmsHandler) getPhotos(w http.ResponseWriter, r *http.Request) {
	report, err := h.Imports.PhotoReport(r.Context())
	h.give(w, r, report, err)
}

func (h *cmsHandler) give(w http.ResponseWriter, r *http.Request, value any, err error) {
	switch {
	case err == nil:
		w.Header().Set("Cache-Control", "no-store")
		answerJSON(w, http.StatusOK, value)
	case errors.Is(err, guidedb.ErrNotFound):
		answerJSON(w, http.StatusNotFound, content.Fault{Error: "there is no such import, it is older than 30 days, or it is past this"})
	default:
		h.Log.ErrorContext(r.Context(), "content not read", "error", err)
		w.Header().Set("Retry-After", "5")
		answerJSON(w, http.StatusServiceUnavailable, content.Fault{Error: "the database can't be read now: ask again later"})
	}
}

func answerJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a client that went away is told by nobody
}
