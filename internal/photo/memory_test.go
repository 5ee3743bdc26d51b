//go:build !race

package photo_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/photo"
)

// blankOf is a picture of one colour that takes no memory.
type blankOf struct {
	image.Rectangle
	colour color.Color
	model  color.Model
}

func (b blankOf) ColorModel() color.Model { return b.model }
func (b blankOf) Bounds() image.Rectangle { return b.Rectangle }
func (b blankOf) At(int, int) color.Color { return b.colour }
func (b blankOf) Opaque() bool            { return false }

// A PNG of 300 KB with 16 bits a channel took 555 MB.
func TestNoPictureIsUnpackedBeyondTheMemoryPromised(t *testing.T) {
	sixteen := func(w, h int) photo.Picture {
		var file bytes.Buffer
		faint := blankOf{image.Rect(0, 0, w, h), color.NRGBA64{R: 0xffff, A: 0x7fff}, color.NRGBA64Model}
		require.NoError(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&file, faint))
		return read(t, file.Bytes())
	}
	sideways := func(w, h int) photo.Picture {
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420), nil))
		return read(t, withOrientation(file.Bytes(), 6, binary.LittleEndian))
	}
	only := photo.Rules{Name: "a test", MaxBytes: 50 << 20, MaxSides: 9000, MaxRatio: 20, Recode: []photo.Format{photo.JPEG}, Formats: []photo.Format{photo.JPEG}}
	for name, picture := range map[string]photo.Picture{
		"16 bits a channel, transparent": sixteen(4100, 3000),
		"a camera's, held upright":       sideways(5600, 4200),
	} {
		var err error
		most := peakOf(func() { _, err = photo.Fit(picture, only) })
		require.NoError(t, err, name)
		require.LessOrEqual(t, most, int64(photo.MaxMemory)*11/10, "%s: %d MB", name, most>>20)
	}

	huge := read(t, header(t, encode(t, photo.PNG, image.NewNRGBA64(image.Rect(0, 0, 1, 1))), 6000, 6000))
	_, err := photo.Fit(huge, photo.VKUpload)
	require.Equal(t, photo.BadDimensions, kindOf(t, err), "refused by its header alone")
}

// peakOf is how much more memory than before objects took at the worst.
func peakOf(work func()) (most int64) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	now := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	before, done := now(), make(chan struct{})
	watched := make(chan int64)
	go func() {
		most := int64(0)
		ticks := time.NewTicker(time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				most = max(most, now()-before)
			case <-done:
				watched <- most
				return
			}
		}
	}()
	work()
	close(done)
	return <-watched
}

// header gives a PNG other sides.
func header(t testing.TB, content []byte, w, h uint32) []byte {
	t.Helper()
	binary.BigEndian.PutUint32(content[16:], w)
	binary.BigEndian.PutUint32(content[20:], h)
	binary.BigEndian.PutUint32(content[29:], crc32.ChecksumIEEE(content[12:29]))
	return content
}

func TestProgressiveJPEGCostsItsCoefficientsToo(t *testing.T) {
	t.Parallel()
	baseline := encode(t, photo.JPEG, plain(16, 16))
	sized := func(marker byte) photo.Picture {
		content := bytes.Clone(baseline)
		at := bytes.Index(content, []byte{0xff, 0xc0})
		content[at+1] = marker
		binary.BigEndian.PutUint16(content[at+5:], 6000)
		binary.BigEndian.PutUint16(content[at+7:], 6000)
		return read(t, content)
	}
	only := photo.Rules{Name: "a test", MaxBytes: 1 << 20, MaxSides: 14_000, MaxRatio: 20, Recode: []photo.Format{photo.JPEG}, Formats: []photo.Format{photo.JPEG}}
	_, err := photo.Fit(sized(0xc2), only)
	require.Equal(t, photo.BadDimensions, kindOf(t, err))
	_, err = photo.Fit(sized(0xc0), only)
	require.Equal(t, photo.NotPicture, kindOf(t, err), "small enough to be tried, and broken")
}
