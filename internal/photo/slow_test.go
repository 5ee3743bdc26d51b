package photo

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDecoderThatIsOutOfTimeEndsAtItsNextRead(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, image.NewGray(image.Rect(0, 0, 64, 64)), nil))
	_, err := jpeg.Decode(&readerUntil{bytes.NewReader(file.Bytes()), time.Now().Add(-time.Second)})
	require.ErrorIs(t, err, errSlow)
}
