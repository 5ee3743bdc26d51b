package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"time"

	"vestnik/internal/guide"
)

// WebhookPath is where Telegram delivers updates of the guide bot. It is matched exactly.
const WebhookPath = "/api/v1/integrations/telegram/webhook"

// secretHeader carries what setWebhook was given as secret_token.
const secretHeader = "X-Telegram-Bot-Api-Secret-Token"

const (
	// maxUpdate bounds the body. An update is a few kilobytes.
	maxUpdate = 1 << 20
	// acceptTime bounds the storing of an update. Telegram waits a minute
	// for an answer; a redelivery after a clear "no" comes sooner.
	acceptTime = 10 * time.Second
	// retryAfter asks Telegram to wait, in seconds; it honours the header.
	retryAfter = 5
)

// validSecret is what setWebhook accepts.
var validSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// ErrWebhookSecret is returned for a secret that Telegram would not accept;
// an empty one would leave the receiver open.
var ErrWebhookSecret = errors.New("api: TELEGRAM_WEBHOOK_SECRET must be 1 to 256 characters of A-Z a-z 0-9 _ -")

// WebhookConfig says how the webhook answers.
type WebhookConfig struct {
	Secret   string
	Receiver *Receiver
	Log      *slog.Logger
	// FailureStatus answers an update that Temporal could not store; 0 is
	// 500, after which Telegram delivers it again. 200 would lose it.
	FailureStatus int
}

// NewWebhook is the handler of [WebhookPath]. It answers, always with an empty
// body, as Telegram would execute a Bot API method that it found there:
//
//	401  the secret is missing, wrong or given twice; the body is not read
//	405  not a POST
//	200  stored, or nothing that a repetition could mend
//	500  not stored (with Retry-After), or a panic
func NewWebhook(config WebhookConfig) (http.Handler, error) {
	if !validSecret.MatchString(config.Secret) {
		return nil, ErrWebhookSecret
	}
	config.FailureStatus = cmp.Or(config.FailureStatus, http.StatusInternalServerError)
	return &webhook{config, sha256.Sum256([]byte(config.Secret))}, nil
}

type webhook struct {
	WebhookConfig

	hash [sha256.Size]byte // of the secret
}

func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := newTrace(r.Context())
	defer h.recoverTo(ctx, w)

	if !h.authentic(r.Header.Values(secretHeader)) {
		h.Log.WarnContext(ctx, "webhook refused", "result", "unauthorized")
		h.turnAway(w, http.StatusUnauthorized)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.turnAway(w, http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		// Delivering it again would not make it smaller.
		h.Log.WarnContext(ctx, "bot update refused", append([]any{"result", "error"},
			guide.InboundInvalidJSON.LogFields("update not handled", "larger than 1 MiB")...)...)
		h.turnAway(w, http.StatusOK)
		return
	}
	if err != nil {
		h.Log.WarnContext(ctx, "webhook body broke off")
		h.again(w)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, acceptTime)
	defer cancel()
	if err := h.Receiver.Take(ctx, body); err != nil {
		h.again(w)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// authentic compares in a time that says nothing about the secret. Two
// values are refused: a proxy in between might have looked at the other one.
func (h *webhook) authentic(presented []string) bool {
	if len(presented) != 1 {
		return false
	}
	sum := sha256.Sum256([]byte(presented[0]))
	return subtle.ConstantTimeCompare(sum[:], h.hash[:]) == 1
}

// turnAway answers without reading the body: the connection is closed, or
// net/http would read on to find the next request.
func (h *webhook) turnAway(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

func (h *webhook) again(w http.ResponseWriter) {
	if h.FailureStatus >= http.StatusInternalServerError {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	w.WriteHeader(h.FailureStatus)
}

// recoverTo answers a panic with 500, so that the update comes again. What
// panicked may quote the update, so only its type is logged.
func (h *webhook) recoverTo(ctx context.Context, w http.ResponseWriter) {
	if cause := recover(); cause != nil {
		h.Log.ErrorContext(ctx, "webhook panicked", append([]any{"result", "error", "stack", string(debug.Stack())},
			guide.InternalUnexpected.LogFields("panic while taking an update in", fmt.Sprintf("%T", cause))...)...)
		h.again(w)
	}
}
