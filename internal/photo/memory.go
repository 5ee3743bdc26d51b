package photo

import (
	"bytes"
	"encoding/binary"
)

// MaxMemory is how much one picture may take as pixels while [Fit] works on
// it, in bytes. One picture is worked on at a time.
const MaxMemory = 160_000_000

// memoryFor is the most that Fit takes for a picture, by its header alone:
// what its decoder needs and leaves, then what is drawn anew of it. A JPEG of
// 40 megapixels as cameras write them fits into [MaxMemory], progressive or
// with 16 bits a channel a picture of 10 or 13.
func memoryFor(p Picture, rules Rules) int64 {
	pixels := int64(p.Width) * int64(p.Height)
	decoding, decoded, opaque := bytesPerPixel(p)
	drawn := 4.0
	if excess := float64(p.Width+p.Height) / float64(max(rules.MaxSides, 2)); excess > 1 {
		drawn /= min(excess*excess, 4)
	} else if opaque {
		drawn = 0
	}
	most := max(decoding, decoded+drawn)
	if orientation(p) != asHeld {
		turned := drawn
		if drawn == 0 {
			drawn, turned = decoded, 4
		}
		most = max(most, drawn+turned)
	}
	return int64(most * float64(pixels))
}

// bytesPerPixel is what Go's decoders take for a pixel while they work and
// what is left of it, at most.
func bytesPerPixel(p Picture) (decoding, decoded float64, opaque bool) {
	switch p.Format {
	case JPEG:
		return jpegBytesPerPixel(p.Bytes)
	case PNG:
		// The header's last fields, after the sides.
		const depth, kind, interlace, palette = 24, 25, 28, 3
		if len(p.Bytes) <= interlace {
			return 0, 0, false // broken, as its decoder will say
		}
		switch {
		case p.Bytes[depth] == 16:
			decoded = 8
		case p.Bytes[kind] == palette:
			decoded = 1
		default:
			decoded = 4 // grey becomes colour where it has transparency
		}
		if p.Bytes[interlace] != 0 {
			return decoded * 1.5, decoded, false // the last pass is half of the picture
		}
		return decoded, decoded, false
	case GIF:
		return 2, 1, false
	default: // WebP: lossless, it is unpacked through its palette; lossy, its transparency is
		return 8, 4, false
	}
}

// jpegBytesPerPixel reads the frame header: how many components there are and
// how coarse each one is. A progressive picture's coefficients, four bytes for
// each sample, are kept until the last of its passes.
func jpegBytesPerPixel(content []byte) (decoding, decoded float64, opaque bool) {
	const inks = 4
	progressive, rgb, components := jpegFrame(content)
	samples, widest := 0.0, 0
	for _, sampling := range components {
		widest = max(widest, sampling)
	}
	for _, sampling := range components {
		samples += float64(sampling) / float64(max(widest, 1))
	}
	if len(components) > 0 && components[0] < widest {
		samples = float64(len(components)) // brightness coarser than colour: unpacked at full size
	}
	decoded = samples
	decoding = decoded
	if progressive {
		decoding += 4 * samples
	}
	// Inks, and colours that are not YCbCr (a segment of Adobe's, APP14, says
	// so and may stand anywhere), are converted into a picture of their own.
	if len(components) == inks || bytes.Contains(content, []byte("\xff\xee")) || rgb {
		decoding += 4
		decoded = 4
	}
	return decoding, decoded, true
}

// jpegFrame walks a JPEG's segments up to its frame header and returns how many
// samples each component has in a unit, and whether they are called R, G and B.
func jpegFrame(content []byte) (progressive, rgb bool, components []int) {
	const perComponent = 3
	for rest := content[2:]; len(rest) >= 4; {
		if rest[0] != 0xff || rest[1] == 0xff { // fill bytes
			rest = rest[1:]
			continue
		}
		length := int(binary.BigEndian.Uint16(rest[2:])) + 2
		if length < 4 || length > len(rest) {
			return false, false, nil
		}
		segment := rest[4:length]
		if marker := rest[1]; marker >= 0xc0 && marker <= 0xc2 && len(segment) > 6 {
			names := ""
			for at := 6; at+perComponent <= len(segment); at += perComponent {
				names += string(segment[at])
				components = append(components, int(segment[at+1]>>4)*int(segment[at+1]&0xf))
			}
			return marker == 0xc2, names == "RGB", components
		}
		rest = rest[length:]
	}
	return false, false, nil
}
