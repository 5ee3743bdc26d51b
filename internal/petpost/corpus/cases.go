package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// Pair is two posts and whether they are about one animal.
type Pair struct {
	A    Post   `json:"a"`
	B    Post   `json:"b"`
	Same bool   `json:"same"`
	Why  string `json:"why"`
}

// Fingerprint reads a post and makes its fingerprint.
func (p *Post) Fingerprint() petpost.Fingerprint {
	in := p.Input()
	id := post.ID{OwnerID: p.OwnerID, PostID: p.ID}
	origin := id
	if n := len(p.CopyHistory); n > 0 {
		origin = post.ID{OwnerID: p.CopyHistory[n-1].OwnerID, PostID: p.CopyHistory[n-1].ID}
	}
	return petpost.NewFingerprint(id, origin, in, petpost.Parse(in))
}

// LoadPairs reads a file of JSON lines.
func LoadPairs(path string) ([]Pair, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var pairs []Pair
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for line := 1; scanner.Scan(); line++ {
		if strings.TrimSpace(scanner.Text()) == "" {
			continue
		}
		var p Pair
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		pairs = append(pairs, p)
	}
	return pairs, scanner.Err()
}

// EvaluatePairs groups each pair as a batch of two, which takes both the keys
// and the rule, and prints what came out otherwise than labelled.
func EvaluatePairs(w io.Writer, title string, pairs []Pair) (right int) {
	joined, apart := Count{}, Count{}
	for i := range pairs {
		p := &pairs[i]
		a, b := p.A.Fingerprint(), p.B.Fingerprint()
		cases := petpost.Group([]petpost.Fingerprint{a, b})
		same := cases[0] == cases[1]
		count := &apart
		if p.Same {
			count = &joined
		}
		if same == p.Same {
			right++
			count.Hit++
			continue
		}
		count.Missed++
		fmt.Fprintf(w, "  pair %d (%s): joined %v, want %v: %s\n      %s\n      %s\n", i+1, p.Why, same, p.Same,
			petpost.SameCase(a, b).Reason, shorten(strings.ReplaceAll(p.A.Text, "\n", " / "), 160), shorten(strings.ReplaceAll(p.B.Text, "\n", " / "), 160))
	}
	fmt.Fprintf(w, "%s: %d pairs; joined %s of those to join, kept apart %s of those to keep apart\n\n", title, len(pairs),
		percent(joined.Hit, joined.Hit+joined.Missed), percent(apart.Hit, apart.Hit+apart.Missed))
	return right
}
