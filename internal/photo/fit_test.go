package photo_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/photo"
)

func plain(w, h int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range picture.Pix {
		picture.Pix[i] = 0xff
	}
	return picture
}

// noise can't be compressed.
func noise(w, h int) *image.NRGBA {
	picture := plain(w, h)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range picture.Pix {
		if i%4 != 3 {
			picture.Pix[i] = byte(random.Uint32())
		}
	}
	return picture
}

func encode(t testing.TB, format photo.Format, picture image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	switch format {
	case photo.JPEG:
		require.NoError(t, jpeg.Encode(&file, picture, nil))
	case photo.PNG:
		require.NoError(t, png.Encode(&file, picture))
	case photo.GIF:
		require.NoError(t, gif.Encode(&file, picture, nil))
	default:
		require.Fail(t, "no encoder", format)
	}
	return file.Bytes()
}

// webp40x30 is a lossless WebP of one colour: Go has no encoder for it.
func webp40x30(t testing.TB) []byte {
	t.Helper()
	content, err := base64.StdEncoding.DecodeString("UklGRhwAAABXRUJQVlA4TA8AAAAvJ0AHAAcQ/Y/+ByKi/wEA")
	require.NoError(t, err)
	return content
}

func samples(t testing.TB, w, h int) map[photo.Format][]byte {
	return map[photo.Format][]byte{
		photo.JPEG: encode(t, photo.JPEG, plain(w, h)),
		photo.PNG:  encode(t, photo.PNG, plain(w, h)),
		photo.GIF:  encode(t, photo.GIF, plain(w, h)),
		photo.WebP: webp40x30(t),
	}
}

func read(t testing.TB, content []byte) photo.Picture {
	t.Helper()
	picture, err := photo.Read(content)
	require.NoError(t, err)
	return picture
}

func decode(t testing.TB, p photo.Picture) image.Image {
	t.Helper()
	picture, _, err := image.Decode(bytes.NewReader(p.Bytes))
	require.NoError(t, err)
	return picture
}

func TestPlatformsRulesNameWhatTheyRefuse(t *testing.T) {
	t.Parallel()
	picture := func(format photo.Format, size, w, h int) photo.Picture {
		return photo.Picture{Bytes: make([]byte, size), Format: format, Width: w, Height: h}
	}
	for name, row := range map[string]struct {
		rules   photo.Rules
		picture photo.Picture
		want    photo.Kind // "" passes
	}{
		"an ordinary photo by URL":       {photo.TelegramByURL, picture(photo.JPEG, 5_000_000, 4000, 3000), ""},
		"a byte over 5 MB by URL":        {photo.TelegramByURL, picture(photo.JPEG, 5_000_001, 4000, 3000), photo.TooLarge},
		"the same uploaded":              {photo.TelegramUpload, picture(photo.JPEG, 5_000_001, 4000, 3000), ""},
		"a byte over 10 MB uploaded":     {photo.TelegramUpload, picture(photo.JPEG, 10_000_001, 4000, 3000), photo.TooLarge},
		"sides of 10000":                 {photo.TelegramUpload, picture(photo.JPEG, 1, 6000, 4000), ""},
		"sides of 10001":                 {photo.TelegramUpload, picture(photo.JPEG, 1, 6001, 4000), photo.BadDimensions},
		"1:20":                           {photo.TelegramUpload, picture(photo.PNG, 1, 100, 2000), ""},
		"longer than 1:20":               {photo.TelegramUpload, picture(photo.PNG, 1, 2001, 100), photo.BadDimensions},
		"no width":                       {photo.TelegramUpload, picture(photo.PNG, 1, 0, 100), photo.BadDimensions},
		"WebP to Telegram by URL":        {photo.TelegramByURL, picture(photo.WebP, 1, 10, 10), ""},
		"WebP to Telegram uploaded":      {photo.TelegramUpload, picture(photo.WebP, 1, 10, 10), photo.NotPicture},
		"WebP to VK":                     {photo.VKUpload, picture(photo.WebP, 1, 10, 10), photo.NotPicture},
		"PNG to VK":                      {photo.VKUpload, picture(photo.PNG, 1, 10, 10), ""},
		"sides of 14000 to VK":           {photo.VKUpload, picture(photo.GIF, 1, 7000, 7000), ""},
		"sides of 14001 to VK":           {photo.VKUpload, picture(photo.JPEG, 1, 7001, 7000), photo.BadDimensions},
		"a byte over 50 MB to VK":        {photo.VKUpload, picture(photo.JPEG, 50_000_001, 7000, 7000), photo.TooLarge},
		"a strip longer than 1:20 to VK": {photo.VKUpload, picture(photo.JPEG, 1, 10, 201), photo.BadDimensions},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := row.rules.Check(row.picture)
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, row.want, kindOf(t, err))
		})
	}
}

func TestPictureThatKeepsTheRulesIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	picture := read(t, encode(t, photo.PNG, plain(30, 20)))
	fitted, err := photo.Fit(picture, photo.TelegramUpload)
	require.NoError(t, err)
	require.Equal(t, picture, fitted)
}

func TestPictureInAnotherFormatBecomesAJPEGOfTheSameSize(t *testing.T) {
	t.Parallel()
	for format, content := range samples(t, 40, 30) {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			only := photo.Rules{Name: "a test", MaxBytes: 1 << 20, MaxSides: 100, MaxRatio: 20, Formats: []photo.Format{photo.JPEG}}
			fitted, err := photo.Fit(read(t, content), only)
			require.NoError(t, err)
			require.Equal(t, photo.JPEG, fitted.Format)
			require.Equal(t, image.Rect(0, 0, 40, 30), decode(t, fitted).Bounds())
			require.Equal(t, fitted, read(t, fitted.Bytes))
		})
	}
}

func TestPNGForVKBecomesAJPEGBecauseVKLosesThem(t *testing.T) {
	t.Parallel()
	fitted, err := photo.Fit(read(t, encode(t, photo.PNG, plain(30, 20))), photo.VKUpload)
	require.NoError(t, err)
	require.Equal(t, photo.JPEG, fitted.Format)
}

func TestPictureTooLargeInPixelsIsScaledDownInProportion(t *testing.T) {
	t.Parallel()
	rules := photo.Rules{Name: "a test", MaxBytes: 1 << 20, MaxSides: 700, MaxRatio: 20, Formats: []photo.Format{photo.JPEG, photo.PNG}}
	fitted, err := photo.Fit(read(t, encode(t, photo.PNG, plain(2000, 1000))), rules)
	require.NoError(t, err)
	require.NoError(t, rules.Check(fitted))
	require.InDelta(t, 466, fitted.Width, 2)
	require.InDelta(t, 233, fitted.Height, 2)
}

func TestPictureTooLargeInBytesIsMadeSmallEnough(t *testing.T) {
	t.Parallel()
	rules := photo.Rules{Name: "a test", MaxBytes: 20_000, MaxSides: 2000, MaxRatio: 20, Formats: []photo.Format{photo.JPEG}}
	fitted, err := photo.Fit(read(t, encode(t, photo.PNG, noise(400, 300))), rules)
	require.NoError(t, err)
	require.NoError(t, rules.Check(fitted))
	require.Greater(t, fitted.Width, 100, "no smaller than need be")
}

func TestRulesThatNoJPEGCanKeepEndInAnError(t *testing.T) {
	t.Parallel()
	rules := photo.Rules{Name: "a test", MaxBytes: 10, MaxSides: 2000, MaxRatio: 20, Formats: []photo.Format{photo.JPEG}}
	_, err := photo.Fit(read(t, encode(t, photo.JPEG, plain(50, 50))), rules)
	require.Equal(t, photo.TooLarge, kindOf(t, err))
}

func TestTransparentPictureIsLaidOnWhite(t *testing.T) {
	t.Parallel()
	fitted, err := photo.Fit(read(t, encode(t, photo.PNG, image.NewNRGBA(image.Rect(0, 0, 16, 16)))), photo.VKUpload)
	require.NoError(t, err)
	r, g, b, _ := decode(t, fitted).At(8, 8).RGBA()
	require.Equal(t, []uint32{0xffff, 0xffff, 0xffff}, []uint32{r, g, b})
}

func TestPhotoTakenSidewaysIsTurnedUprightWhenItIsEncodedAnew(t *testing.T) {
	t.Parallel()
	// One red corner, top left as encoded; where it is seen follows from the
	// EXIF standard's table of orientations.
	picture := plain(64, 32)
	for y := range 16 {
		for x := range 16 {
			picture.SetNRGBA(x, y, color.NRGBA{R: 0xff, A: 0xff})
		}
	}
	plainJPEG := encode(t, photo.JPEG, picture)
	rules := photo.Rules{Name: "a test", MaxBytes: 1 << 20, MaxSides: 1000, MaxRatio: 20, Formats: []photo.Format{photo.JPEG}, Recode: []photo.Format{photo.JPEG}}
	for orientation, want := range map[uint16]struct {
		right, bottom, sideways bool
	}{
		1: {}, 2: {right: true}, 3: {right: true, bottom: true}, 4: {bottom: true},
		5: {sideways: true}, 6: {right: true, sideways: true}, 7: {right: true, bottom: true, sideways: true}, 8: {bottom: true, sideways: true},
		9: {}, // not in the standard
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			fitted, err := photo.Fit(read(t, withOrientation(plainJPEG, orientation, order)), rules)
			require.NoError(t, err)
			require.Equal(t, want.sideways, fitted.Height > fitted.Width, orientation)
			x, y := 4, 4
			if want.right {
				x = fitted.Width - 5
			}
			if want.bottom {
				y = fitted.Height - 5
			}
			_, green, _, _ := decode(t, fitted).At(x, y).RGBA()
			require.Less(t, green, uint32(0x4000), "orientation %d: the red corner is at %d,%d", orientation, x, y)
		}
	}
}

func withOrientation(content []byte, orientation uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM")
	}
	tiff = order.AppendUint16(tiff, 42)
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 1) // one entry
	tiff = order.AppendUint16(tiff, 0x0112)
	tiff = order.AppendUint16(tiff, 3)
	tiff = order.AppendUint32(tiff, 1)
	tiff = order.AppendUint16(tiff, orientation)
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	marked := append([]byte{}, content[:2]...)
	marked = append(marked, 0xff, 0xe1)
	marked = binary.BigEndian.AppendUint16(marked, uint16(len(segment)+2))
	marked = append(marked, segment...)
	return append(marked, content[2:]...)
}

func TestBombIsRefusedByItsHeaderAlone(t *testing.T) {
	t.Parallel()
	content := encode(t, photo.PNG, plain(1, 1))
	binary.BigEndian.PutUint32(content[16:], 60_000)
	binary.BigEndian.PutUint32(content[20:], 60_000)
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(content[12:29]))
	picture := read(t, content)
	require.Equal(t, 60_000, picture.Width)
	_, err := photo.Fit(picture, photo.TelegramUpload)
	require.Equal(t, photo.BadDimensions, kindOf(t, err))
}

func TestPictureBrokenAfterItsHeaderIsNoPicture(t *testing.T) {
	t.Parallel()
	content := encode(t, photo.PNG, noise(64, 64))
	_, err := photo.Fit(read(t, content[:len(content)/2]), photo.VKUpload)
	require.Equal(t, photo.NotPicture, kindOf(t, err))
}

func TestAStripGetsMarginsAndALineIsRefused(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{300, 9000}, {2100, 100}, {320, 12_000}} {
		fitted, err := photo.Fit(read(t, encode(t, photo.PNG, plain(size.X, size.Y))), photo.TelegramUpload)
		require.NoError(t, err, size)
		require.NoError(t, photo.TelegramUpload.Check(fitted), size)
		require.GreaterOrEqual(t, max(fitted.Width, fitted.Height), min(max(size.X, size.Y), 6000), "it is not made smaller than it must be")
	}
	_, err := photo.Fit(read(t, encode(t, photo.PNG, plain(8100, 100))), photo.TelegramUpload)
	require.Equal(t, photo.BadDimensions, kindOf(t, err))
}

func FuzzGarbageIsReadAndFittedWithoutAPanic(f *testing.F) {
	for _, content := range samples(f, 40, 30) {
		f.Add(content)
		f.Add(content[:len(content)/2])
	}
	f.Add([]byte("\xff\xd8\xff"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8X"))
	f.Add(withOrientation(encode(f, photo.JPEG, plain(16, 8)), 6, binary.BigEndian))
	rules := photo.Rules{Name: "a test", MaxBytes: 4 << 10, MaxSides: 200, MaxRatio: 20, Formats: []photo.Format{photo.JPEG}, Recode: []photo.Format{photo.JPEG}}
	f.Fuzz(func(t *testing.T, content []byte) {
		picture, err := photo.Read(content)
		if err != nil {
			kindOf(t, err)
			return
		}
		if picture.Width*picture.Height > 1<<20 {
			return
		}
		fitted, err := photo.Fit(picture, rules)
		if err != nil {
			kindOf(t, err)
			return
		}
		require.NoError(t, rules.Check(fitted))
	})
}
