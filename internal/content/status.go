package content

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// State is what has become of an import.
type State string

// The states of an import.
const (
	Held    State = "held"    // accepted; nothing is done before somebody confirms it
	Running State = "running" // accepted; waiting for its turn or being applied
	Done    State = "done"    // applied; what was refused is listed
	Failed  State = "failed"  // given up; what was applied stays, send the batch again
)

// Enum lists the states, for the API description.
func (State) Enum() []any { return []any{Held, Running, Done, Failed} }

// Phase is where in its course an import is.
type Phase string

// The phases of an import, in their order.
const (
	PhaseWaiting      Phase = "waiting"         // for imports accepted earlier
	PhaseApplying     Phase = "applying"        // objects go into the guide
	PhaseUnpublishing Phase = "unpublishing"    // a snapshot takes away what it did not name
	PhasePhotos       Phase = "checking_photos" // everything is in place; photos are being looked at
	PhaseFinished     Phase = "finished"
)

// Enum lists the phases, for the API description.
func (Phase) Enum() []any {
	return []any{PhaseWaiting, PhaseApplying, PhaseUnpublishing, PhasePhotos, PhaseFinished}
}

// Accepted answers an accepted batch.
type Accepted struct {
	ID        string `json:"id,omitempty" required:"true"`
	StatusURL string `json:"status_url,omitempty" required:"true" format:"uri-reference"`
}

// Confirmation lets a held import be applied.
type Confirmation struct {
	Unpublish int `json:"unpublish" required:"true" description:"how many objects it takes away, as its status says"`
}

// ImportQuery is what the address of a batch may say.
type ImportQuery struct {
	Mode      Mode `query:"mode" description:"of tables, which can't say it"`
	List      List `query:"list" description:"what a table holds, if neither its name nor its headings show it"`
	Check     bool `query:"check" description:"tell what the batch would do, with names, and do nothing"`
	Unpublish int  `query:"unpublish" description:"how many objects a snapshot may take away, confirmed in advance"`
}

// Read reads the query; errors name the parameter.
func (q *ImportQuery) Read(query url.Values) (err error) {
	q.Mode, q.List = Mode(query.Get("mode")), List(query.Get("list"))
	if q.Mode != "" && q.Mode != Upsert && q.Mode != Snapshot {
		return errors.New("mode: want upsert or snapshot")
	}
	if q.List != "" && q.List.Rank() < 0 {
		return fmt.Errorf("list: want one of %v", Lists)
	}
	if text := query.Get("check"); text != "" {
		if q.Check, err = strconv.ParseBool(text); err != nil {
			return errors.New("check: want true or false")
		}
	}
	if text := query.Get("unpublish"); text != "" {
		if q.Unpublish, err = strconv.Atoi(text); err != nil || q.Unpublish < 0 {
			return errors.New("unpublish: want a number")
		}
	}
	return nil
}

// MaxRefusedListed is how many refusals one status lists; the count is whole.
const MaxRefusedListed = 1000

// Status is how an import stands.
type Status struct {
	ID           string     `json:"id" required:"true"`
	State        State      `json:"state" required:"true"`
	Phase        Phase      `json:"phase" required:"true"`
	Mode         Mode       `json:"mode" required:"true"`
	Progress     float64    `json:"progress" required:"true" minimum:"0" maximum:"1" description:"share of the objects worked off"`
	Objects      int        `json:"objects" required:"true" description:"in the batch"`
	Created      int        `json:"created" required:"true"`
	Changed      int        `json:"changed" required:"true" description:"published again included"`
	Unchanged    int        `json:"unchanged" required:"true"`
	Unpublished  int        `json:"unpublished" required:"true" description:"by a snapshot that did not name them"`
	RefusedCount int        `json:"refused_count" required:"true"`
	Refused      []Refusal  `json:"refused" required:"true" nullable:"false" description:"the first 1000, in the batch's order"`
	Photos       Photos     `json:"photos" required:"true"`
	Difference   Difference `json:"difference,omitempty" description:"what it made of the guide; of a held import, what it would"`
	Notes        Notes      `json:"notes" required:"true"`
	Author       string     `json:"author,omitempty" description:"who sent it"`
	Origin       string     `json:"origin,omitempty" description:"what it was: a file, a form"`
	Undoes       string     `json:"undoes,omitempty" description:"the import that this one took back"`
	Failure      string     `json:"failure,omitempty" description:"why the import was given up"`
	AcceptedAt   time.Time  `json:"accepted_at" required:"true"`
	FinishedAt   *time.Time `json:"finished_at,omitempty"`
}

// Photos counts the guide's photos by what the last look at them found; the
// report is at /api/v1/cms/photos.
type Photos struct {
	Due  int `json:"due" required:"true" description:"waiting to be looked at"`
	Good int `json:"good" required:"true"`
	Bad  int `json:"bad" required:"true"`
}

// PhotoReport lists the photos that Telegram would not show.
type PhotoReport struct {
	Photos
	BadPhotos []BadPhoto `json:"bad_photos" required:"true" nullable:"false" description:"the first 1000"`
}

// BadPhoto is a photo that Telegram would not show, and where it is used.
type BadPhoto struct {
	URL       string    `json:"url" required:"true"`
	Reason    string    `json:"reason" required:"true"`
	CheckedAt time.Time `json:"checked_at" required:"true"`
	UsedBy    []string  `json:"used_by" required:"true" nullable:"false" description:"such as places/p1, by the CMS's ids; at most 10"`
}

// Fault answers a request that was not taken.
type Fault struct {
	Accepted // the import that is held, or that the key stands for

	Error  string `json:"error" required:"true" description:"what is wrong and what would do"`
	Path   string `json:"path,omitempty" description:"the part of the batch that was being read"`
	Offset *int64 `json:"offset,omitempty" description:"bytes before the fault"`
	Line   int    `json:"line,omitempty" description:"from 1"`
	Column int    `json:"column,omitempty" description:"from 1, in characters"`

	Unpublishes int `json:"unpublishes,omitempty" description:"how many objects a held import takes away: the number to confirm"`
}
