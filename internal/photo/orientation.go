package photo

import (
	"encoding/binary"
	"image"

	"golang.org/x/image/draw"
)

// Tags and values of EXIF (CIPA DC-008) that say how the camera was held.
const (
	exifOrientation = 0x0112
	asHeld          = 1 // the encoded rows are the rows one sees
)

// orientation reads from a JPEG's EXIF how its rows are to be turned: 1 to 8,
// 1 if it does not say. Encoding anew loses the note, so the rows are turned.
func orientation(p Picture) int {
	if p.Format != JPEG {
		return asHeld
	}
	exif, ok := exifOf(p.Bytes)
	if !ok || len(exif) < 8 {
		return asHeld
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(exif[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return asHeld
	}
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < 12 {
			return asHeld
		}
		if order.Uint16(entries) == exifOrientation {
			if value := int(order.Uint16(entries[8:])); value >= 1 && value <= 8 {
				return value
			}
			return asHeld
		}
		entries = entries[12:]
	}
	return asHeld
}

// exifOf walks a JPEG's segments up to the picture itself and returns the TIFF
// structure in the EXIF segment.
func exifOf(content []byte) (exif []byte, ok bool) {
	const (
		startOfScan = 0xda
		app1        = 0xe1
		header      = "Exif\x00\x00"
	)
	for rest := content[2:]; len(rest) >= 4 && rest[0] == 0xff; {
		length := int(binary.BigEndian.Uint16(rest[2:])) + 2 // its own two bytes count, the marker does not
		if rest[1] == startOfScan || length < 4 || length > len(rest) {
			return nil, false
		}
		segment := rest[4:length]
		if rest[1] == app1 && len(segment) > len(header) && string(segment[:len(header)]) == header {
			return segment[len(header):], true
		}
		rest = rest[length:]
	}
	return nil, false
}

// upright turns and mirrors a picture as its orientation asks.
func upright(picture image.Image, orientation int) image.Image {
	if orientation == asHeld {
		return picture
	}
	source := picture.Bounds()
	w, h := source.Dx(), source.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 { // lies on its side
		size = image.Rect(0, 0, h, w)
	}
	row := image.NewRGBA(image.Rect(0, 0, w, 1))
	turned := image.NewRGBA(size)
	for y := range h {
		draw.Draw(row, row.Rect, picture, source.Min.Add(image.Pt(0, y)), draw.Src)
		for x := range w {
			seenX, seenY := seenAt(orientation, x, y, w, h)
			turned.SetRGBA(seenX, seenY, row.RGBAAt(x, 0))
		}
	}
	return turned
}

// seenAt is where the pixel x, y of w×h encoded ones belongs.
func seenAt(orientation, x, y, w, h int) (seenX, seenY int) {
	switch orientation {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return h - 1 - y, x
	case 7:
		return h - 1 - y, w - 1 - x
	case 8:
		return y, w - 1 - x
	}
	return x, y
}
