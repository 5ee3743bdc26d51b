package picture_test

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox/picture"
)

func TestTheSameNameGivesTheSamePicture(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cat-tabby-1", "dog-ginger", "museum-1", "cafe-2", "river-evening", "leaflet", "avatar-5", "кот", ""} {
		first, second := picture.Draw(name, 120, 90), picture.Draw(name, 120, 90)
		require.Equal(t, first.Pix, second.Pix, name)
		require.NotEqual(t, first.Pix, picture.Draw(name+"x", 120, 90).Pix, name)
	}
}

func TestAnySizeIsDrawn(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, 300}, {300, 1}, {604, 453}, {0, -3}} {
		require.NotPanics(t, func() { picture.Draw("dog", size[0], size[1]) }, size)
	}
}

func TestABlankPictureOfAnySizeDecodes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {9, 3}, {2000, 30}} {
		var out bytes.Buffer
		picture.Blank(&out, size[0], size[1])
		decoded, err := png.Decode(&out)
		require.NoError(t, err)
		require.Equal(t, size[0], decoded.Bounds().Dx())
		require.Equal(t, size[1], decoded.Bounds().Dy())
	}
}
