package petpost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
)

// The goal is 20,000 posts a second on one core: 50 µs a post.
func BenchmarkParse(b *testing.B) {
	posts, err := corpus.Load("testdata/train.jsonl")
	require.NoError(b, err)
	inputs := make([]petpost.Input, len(posts))
	bytes := 0
	for i := range posts {
		inputs[i] = posts[i].Input()
		bytes += len(posts[i].Text)
	}
	petpost.Parse(inputs[0])
	b.SetBytes(int64(bytes / len(inputs)))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		petpost.Parse(inputs[i%len(inputs)])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
}

func BenchmarkFingerprint(b *testing.B) {
	posts, err := corpus.Load("testdata/train.jsonl")
	require.NoError(b, err)
	readings := make([]petpost.Reading, len(posts))
	for i := range posts {
		readings[i] = petpost.Parse(posts[i].Input())
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		p := &posts[i%len(posts)]
		ref := petpost.PostRef{OwnerID: p.OwnerID, PostID: p.ID}
		f := petpost.NewFingerprint(ref, ref, p.Input(), readings[i%len(posts)])
		f.Keys()
	}
}
