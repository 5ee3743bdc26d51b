// Package picture draws simple pleasant pictures of pets and places: the same
// one for the same name, in any size. The sandbox serves them where real
// walls and guides would have photos.
//
// The words of a name choose the picture: "dog-ginger-1", "cat-black-2",
// "cafe-river", "park-spring", "museum-1", "river-evening", "house-3",
// "leaflet-1", "avatar-1001". A name without a known word gets a place, one of
// several.
package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/vector"
)

// Draw draws the picture of a name in the given size, in pixels.
func Draw(name string, width, height int) *image.RGBA {
	width, height = max(width, 1), max(height, 1)
	c := newCanvas(name, width, height)
	switch {
	case c.says("dog", "puppy"):
		c.backdrop()
		c.dog()
	case c.says("cat", "kitten"):
		c.backdrop()
		c.cat()
	case c.says("avatar"):
		c.avatar()
	case c.says("leaflet"):
		c.backdrop()
		c.leaflet()
	case c.says("museum", "theatre", "muzey", "gal", "teatr", "hall"):
		c.outdoors()
		c.columns()
	case c.says("park", "river", "embankment", "sad", "skver", "gora", "walk", "otkos"):
		c.outdoors()
		c.grove()
	case c.says("cafe", "shop", "house", "dom", "bar"):
		c.outdoors()
		c.building()
	default:
		c.outdoors()
		[]func(){c.building, c.building, c.columns, c.grove}[c.random.IntN(4)]()
	}
	return c.image
}

// canvas is drawn on in units of a 100 by 75 frame, which is centred and
// covers the image whatever its proportions.
type canvas struct {
	image  *image.RGBA
	name   string
	random *rand.Rand
	scale  float64
	x, y   float64 // of the frame's corner, in pixels
}

func newCanvas(name string, width, height int) *canvas {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	seed := hash.Sum64()
	scale := math.Max(float64(width)/100, float64(height)/75)
	return &canvas{
		image: image.NewRGBA(image.Rect(0, 0, width, height)), name: strings.ToLower(name),
		random: rand.New(rand.NewPCG(seed, seed>>7)), scale: scale,
		x: (float64(width) - 100*scale) / 2, y: (float64(height) - 75*scale) / 2,
	}
}

// says reports whether one of the words is in the name, digits aside.
func (c *canvas) says(words ...string) bool {
	for word := range strings.FieldsFuncSeq(c.name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(words, word) {
			return true
		}
	}
	return false
}

func (c *canvas) between(low, high float64) float64 { return low + c.random.Float64()*(high-low) }

type point struct{ x, y float64 }

// fill paints a closed path with a smooth edge.
func (c *canvas) fill(paint color.Color, path []point) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range path {
		path[i] = point{c.x + path[i].x*c.scale, c.y + path[i].y*c.scale}
		left, right = math.Min(left, path[i].x), math.Max(right, path[i].x)
		top, bottom = math.Min(top, path[i].y), math.Max(bottom, path[i].y)
	}
	// The rasterizer clips the path to its own frame, but does not clip the
	// frame to the image.
	box := image.Rect(int(math.Floor(left)), int(math.Floor(top)), int(math.Ceil(right))+1, int(math.Ceil(bottom))+1).Intersect(c.image.Bounds())
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	at := func(p point) (float32, float32) {
		return float32(p.x - float64(box.Min.X)), float32(p.y - float64(box.Min.Y))
	}
	x, y := at(path[0])
	r.MoveTo(x, y)
	for _, p := range path[1:] {
		x, y = at(p)
		r.LineTo(x, y)
	}
	r.ClosePath()
	r.Draw(c.image, box, image.NewUniform(paint), image.Point{})
}

func (c *canvas) ellipse(paint color.Color, x, y, rx, ry, turn float64) {
	const steps = 72
	path := make([]point, steps)
	sin, cos := math.Sincos(turn * math.Pi / 180)
	for i := range path {
		s, k := math.Sincos(2 * math.Pi * float64(i) / steps)
		path[i] = point{x + rx*k*cos - ry*s*sin, y + rx*k*sin + ry*s*cos}
	}
	c.fill(paint, path)
}

func (c *canvas) polygon(paint color.Color, xy ...float64) {
	path := make([]point, 0, len(xy)/2)
	for i := 0; i+1 < len(xy); i += 2 {
		path = append(path, point{xy[i], xy[i+1]})
	}
	c.fill(paint, path)
}

func (c *canvas) rectangle(paint color.Color, x, y, width, height float64) {
	c.polygon(paint, x, y, x+width, y, x+width, y+height, x, y+height)
}

// gradient fills everything from top to bottom.
func (c *canvas) gradient(top, bottom color.RGBA) {
	bounds := c.image.Bounds()
	for y := range bounds.Dy() {
		line := image.Rect(0, y, bounds.Dx(), y+1)
		draw.Draw(c.image, line, image.NewUniform(blend(top, bottom, float64(y)/float64(bounds.Dy()))), image.Point{}, draw.Src)
	}
}

func blend(a, b color.RGBA, t float64) color.RGBA {
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*t)) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

func lighter(c color.RGBA, t float64) color.RGBA { return blend(c, rgb(0xffffff), t) }
func darker(c color.RGBA, t float64) color.RGBA  { return blend(c, rgb(0x1b1420), t) }

// Blank writes a black PNG of any size, without drawing it pixel by pixel:
// for trying limits on size.
func Blank(out *bytes.Buffer, width, height int) {
	chunk := func(kind string, content []byte) {
		_ = binary.Write(out, binary.BigEndian, uint32(len(content))) // a bytes.Buffer takes everything
		checked := append([]byte(kind), content...)
		out.Write(checked)
		_ = binary.Write(out, binary.BigEndian, crc32.ChecksumIEEE(checked))
	}
	out.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	chunk("IHDR", append(header, 1, 0, 0, 0, 0)) // one bit a pixel, shades of grey
	var pixels bytes.Buffer
	packer := zlib.NewWriter(&pixels)
	line := make([]byte, 1+(width+7)/8)
	for range height {
		_, _ = packer.Write(line)
	}
	_ = packer.Close()
	chunk("IDAT", pixels.Bytes())
	chunk("IEND", nil)
}
