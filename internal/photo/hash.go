package photo

import (
	"bytes"
	"fmt"
	"image"
	"time"

	"golang.org/x/image/draw"

	"vestnik/internal/post"
)

const (
	// hashSide is how many differences a hash holds in each direction.
	hashSide = 8
	// A difference of fewer than sharp levels of grey may be noise. A picture with
	// fewer sharp ones than fewestSharp of all 128 is flat: a logo, a banner, a
	// sheet of words. Photos had 79 and more, sheets of words about 70.
	sharp       = 4
	fewestSharp = 64
	// mostHashed is the largest picture that is unpacked for a hash, in pixels.
	mostHashed = 4_000_000
)

// Hash is what a picture looks like; the zero hash for one that is flat. It
// waits while another picture is unpacked. The error is an [*Error]:
// [BadDimensions] for a picture that is too large, [NotPicture] for a broken one.
func Hash(p Picture) (post.PhotoHash, error) {
	if p.Width > mostHashed/p.Height {
		return post.PhotoHash{}, &Error{Kind: BadDimensions, Reason: fmt.Sprintf("%d×%d pixels are too many to unpack", p.Width, p.Height)}
	}
	unpacking.Lock()
	defer unpacking.Unlock()
	var hash post.PhotoHash
	err := guard(func() error {
		unpacked, err := codecs[p.Format].decode(&readerUntil{bytes.NewReader(p.Bytes), time.Now().Add(unpackTime)})
		if err != nil {
			return err
		}
		rows, sharpRows := differences(greys(unpacked, hashSide+1, hashSide), image.Pt(1, 0))
		columns, sharpColumns := differences(greys(unpacked, hashSide, hashSide+1), image.Pt(0, 1))
		if sharpRows+sharpColumns >= fewestSharp {
			hash = post.PhotoHash{Rows: rows, Columns: columns}
		}
		return nil
	})
	if err != nil {
		return post.PhotoHash{}, &Error{Kind: NotPicture, Reason: fmt.Sprintf("a broken %s", p.Format)}
	}
	return hash, nil
}

// greys scales a picture to a few pixels, each the mean of its share; on white
// where it is transparent.
func greys(picture image.Image, width, height int) *image.Gray {
	grid := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(grid, grid.Rect, image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(grid, grid.Rect, picture, picture.Bounds(), draw.Over, nil)
	return grid
}

// differences has a bit for each grey that is darker than its neighbour, and
// counts those that differ much from it.
func differences(grid *image.Gray, neighbour image.Point) (hash uint64, sharpOnes int) {
	for i := range hashSide * hashSide {
		at := image.Pt(i%hashSide, i/hashSide)
		next := at.Add(neighbour)
		difference := int(grid.GrayAt(next.X, next.Y).Y) - int(grid.GrayAt(at.X, at.Y).Y)
		if difference > 0 {
			hash |= 1 << i
		}
		if max(difference, -difference) >= sharp {
			sharpOnes++
		}
	}
	return hash, sharpOnes
}
