package petpost_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

// The floors are a little under what is reached; `make eval` prints the misses.
// The rules were written on train. blind was written by somebody who had not
// seen them (they read 88 % of it then) and, like wide, is what model.tsv is
// learned from too. The others were written before rules and model met them, and
// nothing is to be tuned on them: heldout; walls, the even lines of posts written
// after the walls of four towns, a shelter and a housing estate, whose odd lines
// are in wide; fresh, the even lines of posts worded as oddly as people can;
// ordinary, a whole town's wall that nobody had seen until this was measured.
// streetwalls was blind too, and is learned from since. communities, districts,
// sixwalls, tenwalls, lastwalls and morewalls have walls with their boilerplate;
// what they were read at before anything was tuned on them is in their heads and
// in docs/understanding.md.
func TestReadingsStayAboveTheFloor(t *testing.T) {
	t.Parallel()
	for _, floor := range []struct {
		file                 string
		typ, animal, phones  float64
		lostFound, lostRight float64 // recall and precision of "lost"
	}{
		{"testdata/train.jsonl", 0.99, 0.99, 1, 0.99, 0.99},
		{"testdata/blind.jsonl", 0.99, 0.98, 1, 0.99, 0.99},
		{"testdata/wide.jsonl", 0.99, 0.98, 1, 0.99, 0.98},
		{"testdata/voices.jsonl", 0.99, 0.97, 1, 0.97, 0.99},
		{"testdata/chorus.jsonl", 0.99, 0.98, 1, 0.99, 0.99},
		{"testdata/crowd.jsonl", 0.99, 0.98, 1, 0.98, 0.99},
		{"testdata/streetwalls.jsonl", 0.99, 0.99, 0.985, 0.99, 0.99},
		{"testdata/yards.jsonl", 0.99, 0.98, 1, 0.99, 0.99},
		{"testdata/fresh.jsonl", 0.94, 0.94, 1, 0.99, 0.92},
		{"testdata/heldout.jsonl", 0.975, 0.99, 1, 1, 1},
		{"testdata/walls.jsonl", 0.985, 0.985, 1, 0.99, 0.99},
		{"testdata/ordinary.jsonl", 0.99, 0.99, 1, 1, 1},
		{"testdata/communities.jsonl", 0.98, 0.99, 1, 1, 1},
		{"testdata/districts.jsonl", 0.93, 0.97, 1, 1, 0.91},
		{"testdata/sixwalls.jsonl", 0.945, 0.96, 1, 0.98, 0.95},
		{"testdata/tenwalls.jsonl", 0.965, 0.915, 1, 0.96, 0.99},
		{"testdata/lastwalls.jsonl", 0.81, 0.93, 1, 0.83, 0.92},
		{"testdata/morewalls.jsonl", 0.915, 0.96, 1, 0.87, 1},
	} {
		t.Run(floor.file, func(t *testing.T) {
			t.Parallel()
			posts, err := corpus.Load(floor.file)
			require.NoError(t, err)
			result := corpus.Evaluate(posts)
			var report bytes.Buffer
			result.Print(&report, floor.file, true)
			require.GreaterOrEqual(t, result.Accuracy("type"), floor.typ, report.String())
			require.GreaterOrEqual(t, result.Accuracy("animal"), floor.animal, report.String())
			require.GreaterOrEqual(t, result.Accuracy("phones"), floor.phones, report.String())
			lost := result.Types[petpost.Lost]
			require.GreaterOrEqual(t, float64(lost.Hit)/float64(lost.Hit+lost.Missed), floor.lostFound, report.String())
			require.GreaterOrEqual(t, float64(lost.Hit)/float64(lost.Hit+lost.Extra), floor.lostRight, report.String())
		})
	}
}

func TestPairsOfPostsAreJoinedOrKeptApart(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"testdata/pairs.jsonl", "testdata/blind_pairs.jsonl"} {
		pairs, err := corpus.LoadPairs(file)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(pairs), 60)
		var report bytes.Buffer
		right := corpus.EvaluatePairs(&report, file, pairs)
		require.GreaterOrEqual(t, float64(right)/float64(len(pairs)), 0.97, report.String())
	}
}
