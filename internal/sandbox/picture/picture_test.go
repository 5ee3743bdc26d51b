package picture_test

import (
	"bytes"
	"image/jpeg"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/photo"
	"vestnik/internal/post"
	"vestnik/internal/sandbox/picture"
)

func TestTheWordsOfANameChooseThePicture(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cat-tabby-1", "dog-ginger", "museum-1", "cafe-2", "river-evening", "leaflet", "avatar-5", "кот", ""} {
		require.Equal(t, picture.Draw(name, 120, 90).Pix, picture.Draw(name, 120, 90).Pix, name)
	}
}

func TestEachNameHasAPictureOfItsOwn(t *testing.T) {
	t.Parallel()
	look := func(name string, width int) post.PhotoHash {
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, picture.Draw(name, width, width*3/4), nil))
		read, err := photo.Read(file.Bytes())
		require.NoError(t, err)
		hash, err := photo.Hash(read)
		require.NoError(t, err)
		return hash
	}
	names := []string{"dog-ginger-1", "dog-ginger-2", "dog-ginger-buch", "cat-ginger-1", "photo-0", "photo-1", "photo-2", "photo-3", "leaflet"}
	var looks []post.PhotoHash
	for _, name := range names {
		own := look(name, 400)
		require.True(t, own.Same(look(name, 200)), name)
		for i, other := range looks {
			require.False(t, own.Same(other), "%s and %s", name, names[i])
		}
		looks = append(looks, own)
	}
}

func TestAnySizeIsDrawn(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {1, 300}, {300, 1}, {604, 453}, {9700, 3}} {
		require.Equal(t, size[0], picture.Draw("dog", size[0], size[1]).Bounds().Dx(), size)
	}
}
