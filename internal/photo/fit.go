package photo

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/image/draw"
)

// maxPixels bounds a picture whatever it takes, for the time's sake.
const maxPixels = 40_000_000

// unpackTime bounds the decoding of one picture. A few megabytes of JPEG can
// hold thousands of passes over the same pixels.
const unpackTime = 15 * time.Second

// qualities of JPEG, tried in turn until the file is small enough; after the
// last one the picture is scaled down and the turn begins anew.
var qualities = []int{90, 80, 70}

// unpacking is held while a picture is in memory as pixels.
var unpacking sync.Mutex

// maxStretch is how many times longer and narrower than the rules allow a
// picture may be that is given white margins: a chat's screenshot, a leaflet.
const maxStretch = 4

// Fit returns the picture as it is if the rules allow it, and else a JPEG made
// of it that keeps them: upright, on white where it was transparent, with white
// margins if it is too long and narrow, no longer than it was. The error is an
// [*Error]: [BadDimensions] for a picture that is no more than a line or needs
// more than [MaxMemory], [NotPicture] for a broken one.
func Fit(p Picture, rules Rules) (Picture, error) {
	least := rules
	least.MaxRatio *= maxStretch
	if err := least.checkRatio(p); err != nil {
		return Picture{}, err
	}
	if rules.Check(p) == nil && !slices.Contains(rules.Recode, p.Format) {
		return p, nil
	}
	if p.Width > maxPixels/p.Height || memoryFor(p, rules) > MaxMemory {
		return Picture{}, &Error{Kind: BadDimensions, Reason: fmt.Sprintf("%d×%d pixels are too many to unpack", p.Width, p.Height)}
	}
	unpacking.Lock()
	defer unpacking.Unlock()

	var fitted Picture
	err := guard(func() error {
		unpacked, err := codecs[p.Format].decode(&readerUntil{bytes.NewReader(p.Bytes), time.Now().Add(unpackTime)})
		if err != nil {
			return err
		}
		sides := rules.MaxSides
		if rules.checkRatio(p) != nil {
			sides -= sides / rules.MaxRatio // for the margins
		}
		sized := shrink(unpacked, sides)
		collect(p)
		fitted, err = squeeze(widen(upright(sized, orientation(p)), rules.MaxRatio), rules)
		return err
	})
	switch {
	case errors.Is(err, errSlow):
		return Picture{}, &Error{Kind: NotPicture, Reason: fmt.Sprintf("a %s that %v", p.Format, errSlow)}
	case err != nil:
		return Picture{}, &Error{Kind: NotPicture, Reason: fmt.Sprintf("a broken %s", p.Format)}
	}
	if err := rules.Check(fitted); err != nil {
		return Picture{}, err
	}
	return fitted, nil
}

// widen lays a picture that is longer than ratio on white.
func widen(picture image.Image, ratio int) image.Image {
	size := picture.Bounds().Size()
	wide := image.Pt(max(size.X, (size.Y+ratio-1)/ratio), max(size.Y, (size.X+ratio-1)/ratio))
	if wide == size {
		return picture
	}
	laid := image.NewRGBA(image.Rectangle{Max: wide})
	draw.Draw(laid, laid.Bounds(), image.White, image.Point{}, draw.Src)
	at := wide.Sub(size).Div(2)
	draw.Draw(laid, image.Rectangle{Min: at, Max: at.Add(size)}, picture, picture.Bounds().Min, draw.Src)
	return laid
}

// readerUntil ends a decoder that takes too long, at its next read.
type readerUntil struct {
	content  *bytes.Reader
	deadline time.Time
}

var errSlow = errors.New("takes too long to unpack")

func (r *readerUntil) Read(p []byte) (int, error) {
	if time.Now().After(r.deadline) {
		return 0, errSlow
	}
	return r.content.Read(p)
}

// squeeze encodes a picture in at most the bytes that the rules allow.
func squeeze(picture image.Image, rules Rules) (Picture, error) {
	for {
		size := picture.Bounds().Size()
		var file bytes.Buffer
		for _, quality := range qualities {
			file.Reset()
			if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: quality}); err != nil {
				return Picture{}, err
			}
			if int64(file.Len()) <= rules.MaxBytes {
				return Picture{Bytes: file.Bytes(), Format: JPEG, Width: size.X, Height: size.Y}, nil
			}
		}
		smaller := shrink(picture, (size.X+size.Y)*3/4)
		if smaller.Bounds().Size() == size { // a dot, and the rules allow no JPEG at all
			return Picture{Bytes: file.Bytes(), Format: JPEG, Width: size.X, Height: size.Y}, nil
		}
		picture = smaller
	}
}

// collect gives the memory of an earlier step back before the next one, for
// pictures of which two would be felt.
func collect(p Picture) {
	if p.Width*p.Height > maxPixels/16 {
		runtime.GC()
	}
}

// shrink scales a picture down to width + height <= sides. It halves while it
// can, where four pixels become one and nothing is lost to aliasing: kernels
// such as Catmull-Rom would need 32 bytes for each pixel of a strip as wide as
// the result and as high as the original. A transparent picture is laid on
// white: JPEG has no transparency and would show whatever colour is hidden
// under it, black as a rule.
func shrink(picture image.Image, sides int) image.Image {
	known, ok := picture.(interface{ Opaque() bool })
	opaque := ok && known.Opaque()
	for {
		size := picture.Bounds().Size()
		excess := float64(size.X+size.Y) / float64(max(sides, 2))
		if excess <= 1 && opaque {
			return picture
		}
		excess = min(max(excess, 1), 2)
		side := func(length int) int { return max(1, int(math.Floor(float64(length)/excess))) }
		smaller := image.NewRGBA(image.Rect(0, 0, side(size.X), side(size.Y)))
		switch {
		case !opaque:
			draw.Draw(smaller, smaller.Bounds(), image.White, image.Point{}, draw.Src)
			draw.ApproxBiLinear.Scale(smaller, smaller.Bounds(), picture, picture.Bounds(), draw.Over, nil)
		case smaller.Bounds().Size() == size:
			return picture
		default:
			draw.ApproxBiLinear.Scale(smaller, smaller.Bounds(), picture, picture.Bounds(), draw.Src, nil)
		}
		picture, opaque = smaller, true
	}
}
