package console

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5/pgconn"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/words"
	"vestnik/starter"
)

// statusOf is the HTTP status of an action's failure.
func statusOf(err error) int {
	var temporal serviceerror.ServiceError
	var away *serviceerror.Unavailable
	var database *pgconn.PgError
	var connection *pgconn.ConnectError
	switch {
	case errors.As(err, new(refusedByUs)):
		return http.StatusBadRequest
	case errors.Is(err, db.ErrNotFound), errors.As(err, new(*words.Unknown)):
		return http.StatusNotFound
	case errors.Is(err, starter.ErrNoWorker), outOfTime(err), errors.As(err, &away), errors.As(err, &connection):
		return http.StatusServiceUnavailable
	case errors.As(err, &database):
		return http.StatusInternalServerError
	case errors.As(err, &temporal):
		return http.StatusBadGateway
	}
	return http.StatusConflict // the delivery or the lane said no, and why
}

// failures are those that have a message under refused.
var failures = map[error]string{
	starter.ErrNoWorker:  "no_worker",
	starter.ErrSent:      "sent",
	starter.ErrNoCaptcha: "no_captcha",
	db.ErrNotAnnounced:   "not_announced",
	db.ErrSameCase:       "same_case",
	db.ErrBlanked:        "blanked",
	db.ErrChanged:        "changed",
}

// refusals are the types of errors with which a workflow refuses an update, and
// their messages under refused.
var refusals = map[string]string{
	protocol.ErrDecided: "decided", protocol.ErrSending: "sending", protocol.ErrQueued: "queued",
}

// tell is an action's failure in words for an operator, with its remedy. One that
// nothing is known about is as it is in English, and in the log for the others.
func tell(l language, err error) string {
	var refused refusedByUs
	if errors.As(err, &refused) {
		return refused.in(l)
	}
	if update, is := errors.AsType[*temporal.ApplicationError](err); is && refusals[update.Type()] != "" {
		return l.say("refused." + refusals[update.Type()])
	}
	for failure, key := range failures {
		if errors.Is(err, failure) {
			return l.say("refused." + key)
		}
	}
	if wall, is := errors.AsType[*starter.NotReadError](err); is {
		return l.say("refused.wall", wall.Wall, l.reason(wall.Reason))
	}
	switch status := statusOf(err); {
	case status == http.StatusInternalServerError:
		return l.say("refused.database")
	case status == http.StatusBadGateway:
		return l.say("refused.temporal")
	case status == http.StatusServiceUnavailable:
		return l.say("refused.away")
	case l == english:
		return err.Error()
	}
	var unknown *words.Unknown
	switch {
	case errors.As(err, &unknown) && unknown.Nearest != "":
		return l.say("refused.unknown.nearest", unknown.Name, unknown.Nearest)
	case errors.As(err, &unknown):
		return l.say("refused.unknown", unknown.Name)
	case errors.Is(err, db.ErrNotFound):
		return l.say("refused.not_found")
	}
	return l.say("refused.fault")
}

// FailureInRussian is why a decision was not carried out, with the remedy, for
// whoever decides outside the console.
func FailureInRussian(err error) string { return tell(russian, err) }
