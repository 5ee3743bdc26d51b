package access

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNoFloodFillsTheMemory(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	counted := NewBuckets[int64](5, 10, func() time.Time { return clock })
	for chat := range int64(3 * bucketsMost) {
		require.True(t, counted.Take(chat))
		require.LessOrEqual(t, len(counted.levels), bucketsMost)
	}
}
