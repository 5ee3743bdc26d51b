package photo_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/draw"

	"vestnik/internal/photo"
	"vestnik/internal/post"
)

// scene is a picture with the unevenness of a photo: patches of light of all
// sizes, and something in the middle of it.
func scene(seed uint64) *image.RGBA {
	random := rand.New(rand.NewPCG(seed, 7))
	picture := image.NewRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(picture, picture.Rect, image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	for patches, strength := 2, 160; patches <= 64; patches, strength = patches*2, strength*2/3 {
		light := image.NewRGBA(image.Rect(0, 0, patches+1, patches+1))
		for i := 0; i < len(light.Pix); i += 4 {
			light.Pix[i+3] = uint8(random.IntN(strength)) // of black, or of white
			if random.IntN(2) == 0 {
				copy(light.Pix[i:i+3], []byte{light.Pix[i+3], light.Pix[i+3], light.Pix[i+3]})
			}
		}
		draw.ApproxBiLinear.Scale(picture, picture.Rect, light, light.Rect, draw.Over, nil)
	}
	at := image.Pt(100+random.IntN(100), 80+random.IntN(80))
	draw.Draw(picture, image.Rectangle{Min: at, Max: at.Add(image.Pt(100, 90))}, image.NewUniform(color.Gray{uint8(random.IntN(256))}), image.Point{}, draw.Src)
	return picture
}

func hashOf(t *testing.T, picture image.Image, quality int) post.PhotoHash {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, picture, &jpeg.Options{Quality: quality}))
	read, err := photo.Read(file.Bytes())
	require.NoError(t, err)
	hash, err := photo.Hash(read)
	require.NoError(t, err)
	return hash
}

// draws draws a part of a picture into one of its own.
func draws(from image.Image, part image.Rectangle, width, height int) *image.RGBA {
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.CatmullRom.Scale(to, to.Rect, from, part, draw.Src, nil)
	return to
}

func TestOnePhotoIsKnownAgainAndTwoAreNotTakenForOne(t *testing.T) {
	t.Parallel()
	white := func(picture *image.RGBA, part image.Rectangle) *image.RGBA {
		draw.Draw(picture, part, image.White, image.Point{}, draw.Src)
		return picture
	}
	ways := []struct {
		name  string
		again func(*image.RGBA) (picture image.Image, quality int)
		least int // of 25
	}{
		{"compressed", func(p *image.RGBA) (image.Image, int) { return p, 50 }, 25},
		{"smaller", func(p *image.RGBA) (image.Image, int) { return draws(p, p.Rect, 174, 130), 75 }, 25},
		{"larger", func(p *image.RGBA) (image.Image, int) { return draws(p, p.Rect, 500, 375), 80 }, 25},
		{"cut by 1 % on each side", func(p *image.RGBA) (image.Image, int) { return draws(p, p.Rect.Inset(4), 392, 292), 85 }, 24},
		{"with a mark in its corner", func(p *image.RGBA) (image.Image, int) {
			return white(draws(p, p.Rect, 400, 300), image.Rect(310, 265, 390, 295)), 85
		}, 24},
	}
	const scenes = 25
	var hashes []post.PhotoHash
	known := map[string]int{}
	for seed := range scenes {
		original := scene(uint64(seed))
		first := hashOf(t, original, 85)
		for _, way := range ways {
			if picture, quality := way.again(original); first.Same(hashOf(t, picture, quality)) {
				known[way.name]++
			}
		}
		for _, other := range hashes {
			require.False(t, first.Same(other), "scene %d", seed)
		}
		hashes = append(hashes, first)
	}
	for _, way := range ways {
		require.GreaterOrEqual(t, known[way.name], way.least, way.name)
	}
}

func TestTwoAnimalsInOneFrameAreTwo(t *testing.T) {
	t.Parallel()
	framed := func(seed uint64) image.Image {
		frame := image.NewRGBA(image.Rect(0, 0, 600, 600))
		draw.Draw(frame, frame.Rect, image.NewUniform(color.RGBA{230, 60, 40, 255}), image.Point{}, draw.Src)
		for line := range 12 {
			draw.Draw(frame, image.Rect(40, 580-line*14, 560-line*37%200, 588-line*14), image.White, image.Point{}, draw.Src)
		}
		animal := scene(seed)
		draw.CatmullRom.Scale(frame, image.Rect(120, 10, 480, 370), animal, animal.Rect, draw.Src, nil)
		return frame
	}
	for seed := range uint64(8) {
		require.False(t, hashOf(t, framed(2*seed), 85).Same(hashOf(t, framed(2*seed+1), 85)), seed)
	}
}

func TestAFlatPictureLooksLikeNothing(t *testing.T) {
	t.Parallel()
	logo, slope := plain(400, 300), plain(400, 300)
	draw.Draw(logo, image.Rect(150, 100, 250, 200), image.NewUniform(color.RGBA{200, 30, 30, 255}), image.Point{}, draw.Src)
	for i := range slope.Pix {
		slope.Pix[i] = uint8(200 + i/4/400/20)
	}
	for i, picture := range []image.Image{plain(300, 200), logo, slope} {
		hash := hashOf(t, picture, 85)
		require.Zero(t, hash, i)
		require.False(t, hash.Same(hash))
	}
}

func TestOnlyWholePicturesOfAReasonableSizeAreHashed(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"cut":       encode(t, photo.JPEG, scene(1))[:2000],
		"too large": encode(t, photo.GIF, image.NewPaletted(image.Rect(0, 0, 4001, 1001), color.Palette{color.White})),
	} {
		picture, err := photo.Read(content)
		require.NoError(t, err, name)
		_, err = photo.Hash(picture)
		var failure *photo.Error
		require.ErrorAs(t, err, &failure, name)
	}
	for _, format := range []photo.Format{photo.PNG, photo.GIF} {
		picture, err := photo.Read(encode(t, format, scene(1)))
		require.NoError(t, err)
		hash, err := photo.Hash(picture)
		require.NoError(t, err)
		require.True(t, hash.Same(hashOf(t, scene(1), 85)), fmt.Sprint(format))
	}
}
