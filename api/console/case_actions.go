package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vestnik/internal/post"
)

// maxJoined bounds the cases that become one at once, maxParted the posts that
// are taken out of one.
const (
	maxJoined = 20
	maxParted = 200
)

// parting says which posts of a case are about another animal.
type parting struct {
	Posts []string `json:"posts"` // wall-123_45
	// Hold keeps back what would be told of that animal now.
	Hold bool   `json:"hold"`
	Note string `json:"note"`
}

// parted is what became of it. Delayed is set where Temporal did not take the
// deliveries: the next scan starts them.
type parted struct {
	Case     int64   `json:"case"`
	Released []int64 `json:"released"` // the deliveries to be sent now
	Delayed  bool    `json:"delayed,omitempty"`
}

func (c *console) split(ctx context.Context, id int64, wish parting) (parted, error) {
	posts, err := postRefs(wish.Posts)
	if err != nil {
		return parted{}, err
	}
	if err := checkNote(&wish.Note); err != nil {
		return parted{}, err
	}
	newID, released, err := c.Steering.SplitCase(ctx, id, posts, wish.Hold, wish.Note)
	c.Log.InfoContext(ctx, "operator split a case", "case", id, "posts", len(posts), "new_case", newID, "released", released, "error", err)
	if newID == 0 {
		return parted{}, err
	}
	if released == nil {
		released = []int64{}
	}
	return parted{Case: newID, Released: released, Delayed: err != nil}, nil
}

// joining says which cases are about the same animal as one.
type joining struct {
	Cases []int64 `json:"cases"`
	Note  string  `json:"note"`
}

type joined struct {
	Case    int64 `json:"case"`
	Delayed bool  `json:"delayed,omitempty"` // the next scan edits the messages
}

func (c *console) join(ctx context.Context, id int64, wish joining) (joined, error) {
	switch {
	case len(wish.Cases) == 0:
		return joined{}, refuse("cases.none")
	case len(wish.Cases) > maxJoined:
		return joined{}, refuse("cases.many", maxJoined)
	}
	if err := checkNote(&wish.Note); err != nil {
		return joined{}, err
	}
	into, err := c.Steering.JoinCases(ctx, id, wish.Cases, wish.Note)
	c.Log.InfoContext(ctx, "operator joined cases", "case", id, "others", wish.Cases, "error", err)
	if into == 0 {
		return joined{}, err
	}
	return joined{Case: into, Delayed: err != nil}, nil
}

func checkNote(note *string) error {
	*note = strings.TrimSpace(*note)
	if len(*note) > maxNote {
		return refuse("note", maxNote)
	}
	return nil
}

// postRefs reads the names of posts, each once.
func postRefs(names []string) ([]post.ID, error) {
	var refs []post.ID
	for _, name := range names {
		ref, err := post.ParseID(name)
		if err != nil {
			return nil, refuse("posts.name", name)
		}
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	switch {
	case len(refs) == 0:
		return nil, refuse("posts.none")
	case len(refs) > maxParted:
		return nil, refuse("posts.many", maxParted)
	}
	return refs, nil
}

// caseNumbers reads the numbers of cases, each once, as people write them:
// "12, 15" or "#12 #15".
func caseNumbers(texts []string) ([]int64, error) {
	var ids []int64
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" ,;#№\t\u00a0", r) }) {
			id, err := strconv.ParseInt(word, 10, 64)
			if err != nil || id <= 0 {
				return nil, refuse("cases.number", word)
			}
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	switch {
	case len(ids) == 0:
		return nil, refuse("cases.other")
	case len(ids) > maxJoined:
		return nil, refuse("cases.many", maxJoined)
	}
	return ids, nil
}

func (c *console) splitCase(w http.ResponseWriter, r *http.Request, id int64) {
	outcome, err := c.split(r.Context(), id, parting{
		Posts: r.PostForm["post"], Hold: r.PostForm.Get("hold") != "", Note: r.PostForm.Get("note"),
	})
	if err != nil {
		c.back(w, r, casePath(id), "", err)
		return
	}
	l := languageOf(r)
	done := l.say("done.split", outcome.Case, id)
	if n := len(outcome.Released); n > 0 {
		numbers := make([]string, n)
		for i, delivery := range outcome.Released {
			numbers[i] = fmt.Sprintf("#%d", delivery)
		}
		done = l.say("done.split.released", outcome.Case, id, strings.Join(numbers, ", "))
	}
	if outcome.Delayed {
		done += l.say("done.later")
	}
	c.back(w, r, casePath(outcome.Case), done, nil)
}

func (c *console) joinCases(w http.ResponseWriter, r *http.Request, id int64) {
	var outcome joined
	ids, err := caseNumbers(r.PostForm["with"])
	if err == nil {
		outcome, err = c.join(r.Context(), id, joining{Cases: ids, Note: r.PostForm.Get("note")})
	}
	if err != nil {
		c.back(w, r, casePath(id), "", err)
		return
	}
	l := languageOf(r)
	done := l.say("done.join", outcome.Case)
	if outcome.Delayed {
		done += l.say("done.later")
	}
	c.back(w, r, casePath(outcome.Case), done, nil)
}

func (c *console) opsCases(r *http.Request) (any, error) {
	filter, err := readCaseFilter(r.URL.Query())
	if err != nil {
		return nil, err
	}
	return c.listCases(r.Context(), filter)
}

func (c *console) opsCase(r *http.Request) (any, error) {
	id, err := opsID(r, "case")
	if err != nil {
		return nil, err
	}
	return c.Cases.Story(r.Context(), id)
}

func (c *console) opsSplit(r *http.Request) (any, error) {
	var wish parting
	id, err := readOpsOf(r, "case", &wish)
	if err != nil {
		return nil, err
	}
	return c.split(r.Context(), id, wish)
}

func (c *console) opsJoin(r *http.Request) (any, error) {
	var wish joining
	id, err := readOpsOf(r, "case", &wish)
	if err != nil {
		return nil, err
	}
	return c.join(r.Context(), id, wish)
}
