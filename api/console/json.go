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

// opsAnswer writes an answer, or why there is none.
func (c *console) opsAnswer(w http.ResponseWriter, r *http.Request, answer any, err error) {
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

// readOps decodes a body strictly: an operator's slip must not pass for
// something else. An empty body is an empty object.
func readOps(w http.ResponseWriter, r *http.Request, into any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOpsBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	if errors.Is(err, io.EOF) {
		return true
	}
	if err == nil && decoder.More() {
		err = errors.New("more than one JSON value")
	}
	if err != nil {
		writeProblem(w, http.StatusBadRequest, "the body is not the JSON object wanted: "+err.Error())
		return false
	}
	return true
}

func (c *console) opsSummary(w http.ResponseWriter, r *http.Request) {
	summary, err := c.Ledger.Summarise(r.Context(), c.Now())
	c.opsAnswer(w, r, summary, err)
}

func (c *console) opsProblems(w http.ResponseWriter, r *http.Request) {
	problems, err := c.Steering.Problems(r.Context())
	c.opsAnswer(w, r, problems, err)
}

func (c *console) opsDeliveries(w http.ResponseWriter, r *http.Request) {
	filter, err := readFilter(r.URL.Query())
	if err != nil {
		writeProblem(w, http.StatusBadRequest, err.Error())
		return
	}
	rows, err := c.list(r.Context(), filter)
	if rows == nil {
		rows = []db.DeliveryRow{}
	}
	c.opsAnswer(w, r, rows, err)
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

func (c *console) opsDelivery(w http.ResponseWriter, r *http.Request) {
	id, ok := opsID(w, r, "delivery")
	if !ok {
		return
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
	c.opsAnswer(w, r, details, err)
}

// opsID is the number in a path; of is what it is the number of.
func opsID(w http.ResponseWriter, r *http.Request, of string) (id int64, ok bool) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		writeProblem(w, http.StatusBadRequest, "the id of a "+of+" is a number")
		return 0, false
	}
	return id, true
}

func (c *console) opsResume(w http.ResponseWriter, r *http.Request) {
	id, ok := opsID(w, r, "delivery")
	var decision decision
	if !ok || !readOps(w, r, &decision) {
		return
	}
	answer, err := c.resume(r.Context(), id, decision)
	c.opsAnswer(w, r, resumed{ID: id, Result: answer}, err)
}

func (c *console) opsTakeBack(w http.ResponseWriter, r *http.Request) {
	id, ok := opsID(w, r, "delivery")
	var wish struct {
		Note string `json:"note"`
	}
	if !ok || !readOps(w, r, &wish) {
		return
	}
	err := c.remove(r.Context(), id, wish.Note)
	c.opsAnswer(w, r, resumed{ID: id, Result: "taken back"}, err)
}

func (c *console) opsResumeBatch(w http.ResponseWriter, r *http.Request) {
	var batch struct {
		IDs []int64 `json:"ids"`
		decision
	}
	if !readOps(w, r, &batch) {
		return
	}
	results, err := c.resumeAll(r.Context(), batch.IDs, batch.decision)
	c.opsAnswer(w, r, map[string]any{"results": results}, err)
}

func (c *console) opsDestinations(w http.ResponseWriter, r *http.Request) {
	view, err := c.lanes(r.Context())
	if view.Lanes == nil {
		view.Lanes = []protocol.LaneState{}
	}
	c.opsAnswer(w, r, view.Lanes, err)
}

func (c *console) opsSteerDestination(w http.ResponseWriter, r *http.Request) {
	var wish steering
	if !readOps(w, r, &wish) {
		return
	}
	lane, err := c.steer(r.Context(), r.PathValue("action"), wish)
	c.opsAnswer(w, r, lane, err)
}

func (c *console) opsPlan(w http.ResponseWriter, r *http.Request) {
	view, err := c.walls(r.Context())
	c.opsAnswer(w, r, view.Plan, err)
}

func (c *console) opsScan(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Walls []string `json:"walls"`
	}
	if !readOps(w, r, &wish) {
		return
	}
	outcome, err := c.scanNow(r.Context(), wish.Walls)
	c.opsAnswer(w, r, outcome, err)
}

func (c *console) opsNotFound(w http.ResponseWriter, _ *http.Request) {
	writeProblem(w, http.StatusNotFound, "no such route")
}
