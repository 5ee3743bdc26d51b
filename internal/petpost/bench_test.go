package petpost_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
	"vestnik/internal/petpost/corpus"
	"vestnik/internal/post"
)

// A post may take a millisecond; it takes about a fourth of one. What counts is
// the processor's time: a busy machine gives a benchmark less of it.
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
	began := processorTime(b)
	for i := 0; b.Loop(); i++ {
		petpost.Parse(inputs[i%len(inputs)])
	}
	b.ReportMetric(float64(b.N)/(processorTime(b)-began).Seconds(), "posts/core-s")
}

// processorTime is what this process has had of the processors so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
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
		ref := post.ID{OwnerID: p.OwnerID, PostID: p.ID}
		f := petpost.NewFingerprint(ref, ref, p.Input(), readings[i%len(posts)])
		f.Keys()
	}
}
