// Package picture has the small pictures of pets and places that the sandbox shows where real walls and guides would
// have photos: the same one for the same name, in any size, and another for another name.
//
// The words of a name choose among the files: "dog-ginger-1" is the file that has most of these words in its own name.
// Where several have as many, or none has any, the name itself decides. Each name shows a part of its file of its own.
package picture

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/draw"
)

//go:embed files/*.jpg
var files embed.FS

// picture is one of the files.
type picture struct {
	words []string
	image image.Image
}

// all are the files, decoded when first asked for.
var all = sync.OnceValue(func() (list []picture) {
	entries, err := files.ReadDir("files")
	for _, entry := range entries {
		var content []byte
		var decoded image.Image
		if content, err = files.ReadFile("files/" + entry.Name()); err == nil {
			decoded, err = jpeg.Decode(bytes.NewReader(content))
		}
		if err != nil {
			break
		}
		list = append(list, picture{words(strings.TrimSuffix(entry.Name(), ".jpg")), decoded})
	}
	if err != nil { // the files are compiled in
		panic(fmt.Sprintf("picture: %v", err))
	}
	return list
})

// words are those of a name, digits aside.
func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
}

// files drawn so far, of the whole process: tests have a sandbox each, and most ask for the same few.
var drawn struct {
	sync.Mutex
	files map[string][]byte
	bytes int
}

// keptBytes bounds them; beyond it all are forgotten.
const keptBytes = 64 << 20

// JPEG is what Draw draws, as a file.
func JPEG(name string, width, height int) []byte {
	key := fmt.Sprintf("%s %dx%d", name, width, height)
	drawn.Lock()
	content := drawn.files[key]
	drawn.Unlock()
	if content != nil {
		return content
	}
	var file bytes.Buffer
	_ = jpeg.Encode(&file, Draw(name, width, height), &jpeg.Options{Quality: 85}) // into memory, and JPEG has room for all that is drawn
	drawn.Lock()
	defer drawn.Unlock()
	if drawn.bytes += file.Len(); drawn.bytes > keptBytes || drawn.files == nil {
		drawn.files, drawn.bytes = map[string][]byte{}, file.Len()
	}
	drawn.files[key] = file.Bytes()
	return file.Bytes()
}

// Draw is the picture of a name in the given size, in pixels: a part of the file, of these proportions, as if the
// camera had stood elsewhere, in another light, and from the other side for half of the names.
func Draw(name string, width, height int) *image.RGBA {
	from := choose(name).image
	whole := from.Bounds()
	random := rand.New(rand.NewPCG(seed(name), 0))
	near, across, down, mirrored := 0.7+0.25*random.Float64(), random.Float64(), random.Float64(), random.IntN(2) == 1
	wide := max(int(near*float64(min(whole.Dx(), whole.Dy()*width/height))), 1)
	high := max(int(near*float64(min(whole.Dy(), whole.Dx()*height/width))), 1)
	part := image.NewRGBA(image.Rect(0, 0, wide, high)) // in the size of the file, which is small
	draw.Draw(part, part.Bounds(), from, image.Pt(int(across*float64(whole.Dx()-wide)), int(down*float64(whole.Dy()-high))), draw.Src)
	light := light(random)
	draw.ApproxBiLinear.Scale(part, part.Bounds(), light, light.Bounds(), draw.Over, nil)
	if mirrored {
		for y := range high {
			for left, right := 0, wide-1; left < right; left, right = left+1, right-1 {
				l, r := part.RGBAAt(left, y), part.RGBAAt(right, y)
				part.SetRGBA(left, y, r)
				part.SetRGBA(right, y, l)
			}
		}
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.ApproxBiLinear.Scale(to, to.Bounds(), part, part.Bounds(), draw.Src, nil)
	return to
}

// light is patches of light and shade, faint ones.
func light(random *rand.Rand) *image.RGBA {
	patches := image.NewRGBA(image.Rect(0, 0, 6, 5))
	for i := 0; i < len(patches.Pix); i += 4 {
		const strength = 22 // of 255
		shine := uint8(random.IntN(2) * strength)
		copy(patches.Pix[i:], []uint8{shine, shine, shine, strength})
	}
	return patches
}

func seed(name string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	return hash.Sum64()
}

// choose is the picture whose words fit a name best.
func choose(name string) picture {
	wanted, best, most := words(name), []picture{}, 0
	for _, p := range all() {
		fits := 0
		for _, word := range p.words {
			if slices.Contains(wanted, word) {
				fits++
			}
		}
		if fits > most {
			best, most = nil, fits
		}
		if fits == most && (most > 0 || slices.Contains(p.words, "house") || slices.Contains(p.words, "park")) {
			best = append(best, p)
		}
	}
	return best[seed(name)%uint64(len(best))]
}
