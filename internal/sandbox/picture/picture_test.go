package picture_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox/picture"
)

func TestTheWordsOfANameChooseThePicture(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cat-tabby-1", "dog-ginger", "museum-1", "cafe-2", "river-evening", "leaflet", "avatar-5", "кот", ""} {
		require.Equal(t, picture.Draw(name, 120, 90).Pix, picture.Draw(name, 120, 90).Pix, name)
	}
	require.Equal(t, picture.Draw("dog-ginger-1", 60, 45).Pix, picture.Draw("dog-ginger-buch-2", 60, 45).Pix)
	require.NotEqual(t, picture.Draw("dog-ginger-1", 60, 45).Pix, picture.Draw("dog-black-1", 60, 45).Pix)
	require.NotEqual(t, picture.Draw("dog-ginger-1", 60, 45).Pix, picture.Draw("cat-ginger-1", 60, 45).Pix)
}

func TestAnySizeIsDrawn(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, 300}, {300, 1}, {604, 453}, {9700, 3}} {
		require.Equal(t, size[0], picture.Draw("dog", size[0], size[1]).Bounds().Dx(), size)
	}
}
