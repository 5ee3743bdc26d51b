package petpost_test

import (
	"fmt"
	"sort"
	"testing"
	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

func TestDump(t *testing.T) {
	posts, _ := corpus.Load("testdata/train.jsonl")
	m := map[string]map[string]int{}
	for i := range posts {
		for _, e := range petpost.Parse(posts[i].Input()).Evidence {
			if e.Field != "type" {
				continue
			}
			if m[e.Rule] == nil {
				m[e.Rule] = map[string]int{}
			}
			m[e.Rule][e.Words]++
		}
	}
	var rs []string
	for r := range m {
		rs = append(rs, r)
	}
	sort.Strings(rs)
	for _, r := range rs {
		var ws []string
		for w := range m[r] {
			ws = append(ws, w)
		}
		sort.Strings(ws)
		fmt.Printf("%s: ", r)
		for _, w := range ws {
			fmt.Printf("%s | ", w)
		}
		fmt.Println()
	}
}
