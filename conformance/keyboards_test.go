package conformance

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The corpus of package guide, pressed on a running guide: what a button names
// may be there or not, the person gets an answer and a screen to go on from.
func TestEveryButtonEverSentGetsAnAnswerAndAScreen(t *testing.T) {
	t.Parallel()
	corpus, err := os.ReadFile("../internal/guide/testdata/keyboards.txt")
	require.NoError(t, err)
	r := newHarness(t, setup{})
	p := r.person(t)
	for line := range strings.Lines(string(corpus)) {
		for _, data := range strings.Fields(line)[1:] {
			tr := p.press(data)
			require.Equal(t, "ok", tr.line.text("result"), data)
			require.Equal(t, "answerCallbackQuery", tr.calls[0].Method, data)
			require.NotEmpty(t, tr.screen(t).data(), data)
		}
	}
}
