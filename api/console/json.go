package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/rehearse"
)

// problem is every answer of the operator's JSON that is not a success.
type problem struct {
	Error string `json:"error"`
}

func writeProblem(w http.ResponseWriter, status int, text string) {
	writeOps(w, status, problem{text})
}

func writeOps(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the client has gone away
}

// answering answers with what a handler gives, or with why it gives nothing.
// The handler may read up to maxOpsBody of the body.
func (c *console) answering(handler func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxOpsBody)
		answer, err := handler(r)
		switch {
		case err == nil:
			writeOps(w, http.StatusOK, answer)
		case errors.Is(err, context.Canceled) && r.Context().Err() != nil: // nobody listens
		default:
			status := statusOf(err)
			if status >= http.StatusInternalServerError {
				c.Log.ErrorContext(r.Context(), "operator's request failed", "path", r.URL.Path, "error", err)
			}
			writeProblem(w, status, tell(english, err))
		}
	}
}

// readOps decodes a body strictly: an operator's slip must not pass for
// something else. An empty body is an empty object.
func readOps(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil && decoder.More():
		err = errors.New("more than one JSON value")
	}
	if err != nil {
		return refuse("body", err)
	}
	return nil
}

func (c *console) opsSummary(r *http.Request) (any, error) {
	return c.Ledger.Summarise(r.Context(), c.Now())
}

func (c *console) opsProblems(r *http.Request) (any, error) { return c.Steering.Problems(r.Context()) }

func (c *console) opsDeliveries(r *http.Request) (any, error) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	rows, err := c.list(r.Context(), filter)
	return append([]db.DeliveryRow{}, rows...), err
}

// deliveryDetails is one delivery with all that is known of it.
type deliveryDetails struct {
	Delivery db.DeliveryRow  `json:"delivery"`
	Attempts []db.AttemptRow `json:"attempts"`
	Post     postDetails     `json:"post"`
	Links    deliveryLinks   `json:"links"`
	// Preview is what readers would see, of what has not arrived.
	Preview []rehearse.Message `json:"preview,omitempty"`
}

type postDetails struct {
	PostedAt time.Time          `json:"posted_at"`
	EditedAt *time.Time         `json:"edited_at,omitempty"`
	Text     string             `json:"text"`
	Reposts  []string           `json:"reposts,omitempty"`
	Type     petpost.Type       `json:"type"`
	Animal   petpost.Animal     `json:"animal"`
	Sex      petpost.Sex        `json:"sex"`
	Name     string             `json:"name"`
	Phones   []string           `json:"phones"`
	Location string             `json:"location"`
	When     string             `json:"when"`
	Contacts []string           `json:"contacts"`
	Evidence []petpost.Evidence `json:"evidence"`
	Photos   int                `json:"photos"`
}

type deliveryLinks struct {
	Source   string   `json:"source"`
	Messages []string `json:"messages,omitempty"`
	Workflow string   `json:"workflow,omitempty"`
}

func (c *console) opsDelivery(r *http.Request) (any, error) {
	id, err := opsID(r, "delivery")
	if err != nil {
		return nil, err
	}
	view, err := c.delivery(r.Context(), id)
	reading := view.Post.Reading
	details := deliveryDetails{
		Delivery: view.Delivery, Attempts: view.Attempts,
		Post: postDetails{
			PostedAt: view.Post.PostedAt, Text: view.Post.Text, Reposts: view.Post.RepostTexts(),
			Type: reading.Type, Animal: reading.Animal, Sex: reading.Sex, Name: reading.Name, Phones: reading.Phones,
			Location: reading.Location, When: reading.When, Contacts: reading.Contacts, Evidence: reading.Evidence,
			Photos: len(view.Post.Photos),
		},
		Links: deliveryLinks{Source: view.Source, Workflow: view.Workflow}, Preview: view.Preview,
	}
	if edited := view.Post.EditedAt; !edited.IsZero() {
		details.Post.EditedAt = &edited
	}
	for _, message := range view.Messages {
		if message.Link != "" {
			details.Links.Messages = append(details.Links.Messages, message.Link)
		}
	}
	return details, err
}

// opsID is the number in a path; of is what it is the number of.
func opsID(r *http.Request, of string) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, refuse("id", of)
	}
	return id, nil
}

// readOpsOf is opsID and readOps.
func readOpsOf(r *http.Request, of string, into any) (int64, error) {
	id, err := opsID(r, of)
	if err == nil {
		err = readOps(r, into)
	}
	return id, err
}

func (c *console) opsResume(r *http.Request) (any, error) {
	var decision decision
	id, err := readOpsOf(r, "delivery", &decision)
	if err != nil {
		return nil, err
	}
	answer, err := c.resume(r.Context(), id, decision)
	return resumed{ID: id, Result: answer}, err
}

func (c *console) opsTakeBack(r *http.Request) (any, error) {
	var wish struct {
		Note string `json:"note"`
	}
	id, err := readOpsOf(r, "delivery", &wish)
	if err != nil {
		return nil, err
	}
	return resumed{ID: id, Result: "taken back"}, c.remove(r.Context(), id, wish.Note)
}

func (c *console) opsResumeBatch(r *http.Request) (any, error) {
	var batch struct {
		IDs []int64 `json:"ids"`
		decision
	}
	if err := readOps(r, &batch); err != nil {
		return nil, err
	}
	results, err := c.resumeAll(r.Context(), batch.IDs, batch.decision)
	return map[string]any{"results": results}, err
}

func (c *console) opsDestinations(r *http.Request) (any, error) {
	view, err := c.lanes(r.Context())
	return append([]protocol.LaneState{}, view.Lanes...), err
}

func (c *console) opsSteerDestination(r *http.Request) (any, error) {
	var wish steering
	if err := readOps(r, &wish); err != nil {
		return nil, err
	}
	return c.steer(r.Context(), r.PathValue("action"), wish)
}

func (c *console) opsPlan(r *http.Request) (any, error) {
	view, err := c.walls(r.Context())
	return view.Plan, err
}

func (c *console) opsScan(r *http.Request) (any, error) {
	var wish struct {
		Walls []string `json:"walls"`
	}
	if err := readOps(r, &wish); err != nil {
		return nil, err
	}
	return c.scanNow(r.Context(), wish.Walls)
}

func (c *console) opsNotFound(w http.ResponseWriter, _ *http.Request) {
	writeProblem(w, http.StatusNotFound, "no such route")
}
