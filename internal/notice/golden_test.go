package notice_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenPostsLookAsAPersonLastSawThem compares the messages of
// every sample with testdata/golden. After a change that is meant:
// go test ./internal/notice -run Golden -update, and read the diff.
func TestGoldenPostsLookAsAPersonLastSawThem(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, sample := range samples() {
		require.False(t, seen[sample.name], "two samples are called %s", sample.name)
		seen[sample.name] = true
		t.Run(sample.name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []notice.ParseMode{notice.HTML, notice.MarkdownV2} {
				options := sample.options
				options.ParseMode = mode
				requireSoundPlan(t, sample.post, options, notice.PlanTelegram(sample.post, options))
			}
			vkOptions := notice.VKOptions{MaxMedia: sample.options.MaxMedia, Frame: sample.options.Frame}
			requireSoundWallPost(t, sample.post, vkOptions, notice.PlanVK(sample.post, vkOptions))

			file := filepath.Join("testdata", "golden", sample.name+".txt")
			shown := showSample(sample, vkOptions)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(shown), 0o644))
				return
			}
			golden, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(golden), shown)
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txt"))
	require.NoError(t, err)
	if !*update {
		require.Len(t, files, len(seen), "a golden file without a sample")
	}
}

func showSample(sample sample, vkOptions notice.VKOptions) string {
	var b strings.Builder
	for _, mode := range []notice.ParseMode{notice.HTML, notice.MarkdownV2} {
		options := sample.options
		options.ParseMode = mode
		for i, step := range notice.PlanTelegram(sample.post, options) {
			fmt.Fprintf(&b, "=== %s step %d: %s", mode, i, step.Kind)
			if len(step.Photos) > 0 {
				fmt.Fprintf(&b, " %v", step.Photos)
			}
			if step.ReplyTo != notice.NoReply {
				fmt.Fprintf(&b, ", answers step %d", step.ReplyTo)
			}
			if step.Preview != "" {
				fmt.Fprintf(&b, ", preview %s", step.Preview)
			}
			if step.Silent {
				b.WriteString(", silent")
			}
			fmt.Fprintf(&b, ", weight %d, %d units ===\n%s\n", step.Weight, notice.Plain(step.Unmarked).Units(), step.Text)
		}
	}
	wallPost := notice.PlanVK(sample.post, vkOptions)
	fmt.Fprintf(&b, "=== VK %v, %d units ===\n%s\n", wallPost.Photos, notice.Plain(wallPost.Text).Units(), wallPost.Text)
	if sample.linkless {
		fmt.Fprintf(&b, "=== VK without links ===\n%s\n", wallPost.Linkless)
	}
	return b.String()
}
