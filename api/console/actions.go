package console

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"

	"vestnik/db"
	"vestnik/internal/protocol"
)

const (
	// scanTimeout is how long a request waits for a scan by hand; the scan
	// goes on without it.
	scanTimeout = 15 * time.Second
	// maxNote bounds what an operator writes, in bytes.
	maxNote = 500
	// maxBatch bounds the deliveries of one batch: each takes an update.
	maxBatch = 200
	// maxOpsBody bounds a form or a JSON body.
	maxOpsBody = 64 << 10
	// byConsole names the console where a lane records who paused it.
	byConsole = "operator console"
)

// refusedByUs is a request that makes no sense as it is: a message of the
// catalogue, under refused.
type refusedByUs struct {
	key  string
	args []any
}

func refuse(key string, args ...any) refusedByUs { return refusedByUs{key, args} }

func (e refusedByUs) Error() string { return e.in(english) }

func (e refusedByUs) in(l language) string { return l.say("refused."+e.key, e.args...) }

// decision is what an operator decides about deliveries that wait.
type decision struct {
	protocol.Resume

	// OpenDestination ends the pause of the destination too when the delivery
	// is to be sent again: what stops a delivery often stops its whole
	// destination, and to end the one wait without the other is to go on
	// waiting.
	OpenDestination bool `json:"open_destination,omitempty"`
}

// check makes a decision fit to be handed on, or names its fault.
func (d *decision) check() error {
	d.Note, d.CaptchaKey = strings.TrimSpace(d.Note), strings.TrimSpace(d.CaptchaKey)
	switch {
	case len(d.Note) > maxNote:
		return refuse("note", maxNote)
	case d.Action == protocol.ResumeCaptcha && d.CaptchaKey == "":
		return refuse("captcha_key")
	case d.Validate() != nil:
		return refuse("action", d.Action)
	}
	return nil
}

func (d *decision) sends() bool {
	return d.Action == protocol.ResumeRetry || d.Action == protocol.ResumeCaptcha
}

// resume hands a decision to one delivery.
func (c *console) resume(ctx context.Context, id int64, decision decision) (string, error) {
	if err := decision.check(); err != nil {
		return "", err
	}
	answer, err := c.Steering.Resume(ctx, id, decision.Resume)
	// The note and the captcha's answer are the operator's own words.
	c.Log.InfoContext(ctx, "operator decided", "delivery", id, "action", decision.Action, "error", err)
	if err == nil && decision.OpenDestination && decision.sends() {
		err = c.openDestinationOf(ctx, id)
	}
	return answer, err
}

// openDestinationOf ends a pause and leaves a cooldown alone: that is the
// platform's own wish.
func (c *console) openDestinationOf(ctx context.Context, id int64) error {
	delivery, err := c.Ledger.Delivery(ctx, id)
	if err != nil {
		return err
	}
	lanes, err := c.lanes(ctx)
	for _, lane := range lanes.Lanes {
		if err == nil && lane.State == protocol.LanePaused && lane.Destination == delivery.Destination {
			_, err = c.Steering.ResumeDestination(ctx, lane.Destination)
			c.Log.InfoContext(ctx, "operator steered a destination", "destination", lane.Destination, "action", "resume", "error", err)
		}
	}
	return err
}

// remove takes a delivery back: what it has put before readers is deleted.
func (c *console) remove(ctx context.Context, id int64, note string) error {
	if err := checkNote(&note); err != nil {
		return err
	}
	if note == "" {
		return refuse("note.missing")
	}
	if _, err := c.Ledger.Delivery(ctx, id); err != nil {
		return err
	}
	err := c.Steering.TakeBack(ctx, note, id)
	c.Log.InfoContext(ctx, "operator took a delivery back", "delivery", id, "error", err)
	return err
}

// resumed is what became of one delivery of a batch.
type resumed struct {
	ID     int64  `json:"id"`
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`

	failure error
}

// resumeAll hands the same decision to several deliveries, one after the
// other, so that they are queued in this order.
func (c *console) resumeAll(ctx context.Context, ids []int64, decision decision) ([]resumed, error) {
	if err := decision.check(); err != nil {
		return nil, err
	}
	switch {
	case len(ids) == 0:
		return nil, refuse("ids.none")
	case len(ids) > maxBatch:
		return nil, refuse("ids.many", maxBatch)
	case decision.Action == protocol.ResumeCaptcha:
		return nil, refuse("ids.captcha")
	}
	results := make([]resumed, len(ids))
	for i, id := range ids {
		answer, err := c.resume(ctx, id, decision)
		results[i] = resumed{ID: id, Result: answer}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			results[i].Error, results[i].failure = tell(english, err), err
		}
	}
	return results, nil
}

// steering is what an operator wants of a destination.
type steering struct {
	Destination string  `json:"destination"`
	Reason      string  `json:"reason"`
	PerSecond   float64 `json:"per_second"`
	PerMinute   int     `json:"per_minute"`
}

// maxRate is far above what any chat or wall takes; it catches a slip of the
// finger.
const maxRate = 100

func (c *console) steer(ctx context.Context, action string, wish steering) (protocol.LaneState, error) {
	wish.Reason = strings.TrimSpace(wish.Reason)
	if err := c.checkDestination(ctx, wish.Destination); err != nil {
		return protocol.LaneState{}, err
	}
	var lane protocol.LaneState
	var err error
	switch action {
	case "pause":
		if len(wish.Reason) > maxNote {
			return lane, refuse("reason", maxNote)
		}
		lane, err = c.Steering.PauseDestination(ctx, wish.Destination, wish.Reason, byConsole)
	case "resume":
		lane, err = c.Steering.ResumeDestination(ctx, wish.Destination)
	case "rate":
		// Written so that NaN is refused too.
		if !(wish.PerSecond > 0 && wish.PerSecond <= maxRate) || math.IsInf(wish.PerSecond, 0) {
			return lane, refuse("per_second", maxRate)
		}
		if wish.PerMinute < 0 || wish.PerMinute > maxRate*60 {
			return lane, refuse("per_minute", maxRate*60)
		}
		lane, err = c.Steering.SetRate(ctx, wish.Destination, protocol.Pace{PerSecond: wish.PerSecond, PerMinute: wish.PerMinute})
	default:
		return lane, fmt.Errorf("action %s: %w", action, db.ErrNotFound)
	}
	c.Log.InfoContext(ctx, "operator steered a destination", "destination", wish.Destination, "action", action, "error", err)
	return lane, err
}

// checkDestination keeps a slip of the pen from opening a lane to nowhere.
func (c *console) checkDestination(ctx context.Context, destination string) error {
	known, err := c.lanes(ctx)
	if err != nil {
		return err
	}
	for _, lane := range known.Lanes {
		if lane.Destination == destination {
			return nil
		}
	}
	return fmt.Errorf("destination %q: %w", destination, db.ErrNotFound)
}

// scanned is what a scan by hand came to, or that it still runs.
type scanned struct {
	Running bool                      `json:"running"`
	Result  *protocol.ScanWallsResult `json:"result,omitempty"`
}

func (c *console) scanNow(ctx context.Context, walls []string) (scanned, error) {
	scanning, cancel := context.WithTimeout(ctx, scanTimeout)
	defer cancel()
	result, err := c.Steering.Scan(scanning, protocol.ScanWallsInput{Walls: walls, Now: true})
	c.Log.InfoContext(ctx, "operator asked for a scan", "walls", len(walls), "started", result.Started, "error", err)
	if outOfTime(err) && ctx.Err() == nil {
		return scanned{Running: true}, nil
	}
	return scanned{Result: &result}, err
}

// outOfTime reports whether a call ended with its deadline: ours, or the same one
// as Temporal's server noticed it first.
func outOfTime(err error) bool {
	var server *serviceerror.DeadlineExceeded
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &server)
}

// told is the outcome in words.
func (s scanned) told(l language) string {
	if s.Running {
		return l.say("done.scan.running")
	}
	calls, posts, owed := 0, 0, 0
	for _, wall := range s.Result.Walls {
		calls, posts, owed = calls+wall.Calls, posts+wall.New, owed+wall.Owed
	}
	return l.say("done.scan", l.count("done.scan.walls", len(s.Result.Walls)), l.count("done.scan.calls", calls),
		l.count("done.scan.posts", posts), l.count("done.scan.owed", owed))
}

// back sends the browser back to where a form was, with a notice.
func (c *console) back(w http.ResponseWriter, r *http.Request, fallback, done string, err error) {
	notice := pageNotice{Text: done}
	if err != nil {
		l := languageOf(r)
		notice = pageNotice{Bad: true, Text: l.say("refused.not_done", tell(l, err))}
		if status := statusOf(err); status >= http.StatusInternalServerError {
			c.Log.ErrorContext(r.Context(), "operator's action failed", "path", r.URL.Path, "error", err)
		}
	}
	c.leaveNotice(w, r, notice)
	target := fallback
	if wanted := r.PostForm.Get("back"); wanted != "" {
		target = safeNext(wanted)
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

func formDecision(r *http.Request) decision {
	return decision{
		Resume: protocol.Resume{
			Action:     protocol.ResumeAction(r.PostForm.Get("action")),
			CaptchaKey: r.PostForm.Get("captcha_key"),
			Note:       r.PostForm.Get("note"),
		},
		OpenDestination: r.PostForm.Get("open_destination") != "",
	}
}

func (c *console) resumeOne(w http.ResponseWriter, r *http.Request, id int64) {
	decision := formDecision(r)
	_, err := c.resume(r.Context(), id, decision)
	c.back(w, r, fmt.Sprintf("/console/deliveries/%d", id), languageOf(r).say("done."+string(decision.Action), id), err)
}

func (c *console) takeBack(w http.ResponseWriter, r *http.Request, id int64) {
	err := c.remove(r.Context(), id, r.PostForm.Get("note"))
	c.back(w, r, fmt.Sprintf("/console/deliveries/%d", id), languageOf(r).say("done.take_back", id), err)
}

func (c *console) resumeSelected(w http.ResponseWriter, r *http.Request) {
	var ids []int64
	for _, text := range r.PostForm["id"] {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			c.showMessage(w, r, http.StatusBadRequest, "refused", languageOf(r).say("refused.ids.number"))
			return
		}
		ids = append(ids, id)
	}
	decision, l := formDecision(r), languageOf(r)
	results, err := c.resumeAll(r.Context(), ids, decision)
	if err == nil {
		var failures []string
		for _, result := range results {
			if result.failure != nil {
				failures = append(failures, fmt.Sprintf("%d: %s", result.ID, tell(l, result.failure)))
			}
		}
		if len(failures) > 0 {
			err = refuse("some", len(failures), len(ids), strings.Join(failures[:min(3, len(failures))], "; "))
		}
	}
	c.back(w, r, "/console/deliveries?status=waiting", l.count("done.all."+string(decision.Action), len(ids)), err)
}

func (c *console) steerDestination(w http.ResponseWriter, r *http.Request) {
	wish := steering{Destination: r.PostForm.Get("destination"), Reason: r.PostForm.Get("reason")}
	action, l := r.PathValue("action"), languageOf(r)
	chat := c.titles(r.Context()).Of(wish.Destination)
	done := l.say("done."+action, chat)
	var err error
	if action == "rate" {
		wish.PerSecond, wish.PerMinute, err = formPace(r)
		done = l.say("done.rate", chat, wish.PerSecond)
	}
	if err == nil {
		var lane protocol.LaneState
		if lane, err = c.steer(r.Context(), action, wish); lane.TakenUp != 0 {
			done += l.say("done.taken_up", lane.TakenUp)
		}
	}
	c.back(w, r, "/console/destinations", done, err)
}

func formPace(r *http.Request) (perSecond float64, perMinute int, err error) {
	// A comma is what a Russian keyboard's number block gives.
	text := strings.ReplaceAll(strings.TrimSpace(r.PostForm.Get("per_second")), ",", ".")
	if perSecond, err = strconv.ParseFloat(text, 64); err != nil {
		return 0, 0, refuse("per_second.number")
	}
	if text = strings.TrimSpace(r.PostForm.Get("per_minute")); text == "" {
		return perSecond, 0, nil
	}
	if perMinute, err = strconv.Atoi(text); err != nil {
		return 0, 0, refuse("per_minute.number")
	}
	return perSecond, perMinute, nil
}

func (c *console) scan(w http.ResponseWriter, r *http.Request) {
	outcome, err := c.scanNow(r.Context(), r.PostForm["wall"])
	done := ""
	if err == nil {
		done = outcome.told(languageOf(r))
	}
	c.back(w, r, "/console/walls", done, err)
}

func (c *console) resumeKey(w http.ResponseWriter, r *http.Request) {
	resumed, err := c.Steering.ResumeKey(r.Context(), strings.TrimSpace(r.PostForm.Get("captcha_key")))
	c.Log.InfoContext(r.Context(), "operator resumed the reading key", "was_paused", resumed, "error", err)
	done := "done.key"
	if !resumed {
		done = "done.key.none"
	}
	c.back(w, r, "/console/walls", languageOf(r).say(done), err)
}
