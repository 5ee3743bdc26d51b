// Package photo gets pictures from the open internet without letting the open
// internet in, and fits them to what a platform accepts.
//
// A link in a post or in a CMS batch is somebody else's words: it may point
// into our own network, never answer, answer for ever, or answer with a few
// bytes that unpack to gigabytes. [Fetcher] guards against all of it,
// [Rules.Check] reports whether a platform will take a picture, and [Fit] makes
// one that it will take.
package photo

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// Format is how a picture is encoded, recognised from its first bytes.
type Format string

// The formats that are recognised.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	GIF  Format = "gif"
	WebP Format = "webp"
)

// ContentType is the media type of this format.
func (f Format) ContentType() string { return "image/" + string(f) }

// Picture is a picture whose first bytes have been read and make sense. The
// rest of it may still be broken.
type Picture struct {
	Bytes  []byte
	Format Format
	// Width and Height in pixels, as encoded: a JPEG's note that the camera was
	// held upright does not swap them.
	Width, Height int
}

// Read recognises a picture from its bytes and reads its dimensions; it
// unpacks nothing, so a picture of a billion pixels costs no memory. The error
// is an [*Error] of kind [NotPicture] or [BadDimensions].
func Read(content []byte) (Picture, error) {
	format, known := sniff(content)
	if !known {
		return Picture{}, &Error{Kind: NotPicture, Reason: "neither JPEG, PNG, GIF nor WebP"}
	}
	var config image.Config
	err := guard(func() (err error) {
		config, err = codecs[format].config(bytes.NewReader(content))
		return err
	})
	if err != nil {
		return Picture{}, &Error{Kind: NotPicture, Reason: fmt.Sprintf("begins like %s and can't be read as one", format)}
	}
	if config.Width <= 0 || config.Height <= 0 {
		return Picture{}, &Error{Kind: BadDimensions, Reason: fmt.Sprintf("%d×%d pixels", config.Width, config.Height)}
	}
	return Picture{Bytes: content, Format: format, Width: config.Width, Height: config.Height}, nil
}

type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// codecs are named here and not registered with package image, so that no
// import elsewhere can widen what is recognised.
var codecs = map[Format]codec{
	JPEG: {jpeg.DecodeConfig, jpeg.Decode},
	PNG:  {png.DecodeConfig, png.Decode},
	GIF:  {gif.DecodeConfig, gif.Decode}, // of an animation, the first frame
	WebP: {webp.DecodeConfig, webp.Decode},
}

// sniff goes by the bytes alone: servers label pictures as they please.
func sniff(content []byte) (format Format, known bool) {
	begins := func(magic string) bool { return bytes.HasPrefix(content, []byte(magic)) }
	switch {
	case begins("\xff\xd8\xff"):
		return JPEG, true
	case begins("\x89PNG\r\n\x1a\n"):
		return PNG, true
	case begins("GIF87a"), begins("GIF89a"):
		return GIF, true
	case begins("RIFF") && len(content) >= 12 && string(content[8:12]) == "WEBP":
		return WebP, true
	}
	return "", false
}

// guard turns a panic of a decoder into an error: decoders are handed whatever
// strangers have put on the internet.
func guard(decode func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the decoder panicked: %v", cause)
		}
	}()
	return decode()
}
