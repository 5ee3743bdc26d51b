package photo

import "fmt"

// Kind is what is wrong with a picture, or with the way to it.
type Kind string

// The kinds of [Error].
const (
	// InvalidURL: no address that a picture could be at; mending it is up to
	// whoever wrote it.
	InvalidURL Kind = "invalid_url"
	// Forbidden: the address leads into a private network, directly, by its
	// name or by a redirect.
	Forbidden Kind = "forbidden"
	// Unreachable: no connection, a server in trouble (5xx, 429), or a broken
	// answer; later it may work.
	Unreachable Kind = "unreachable"
	// Avoided: the host has failed to answer several times in a row, and was not
	// asked again so soon.
	Avoided Kind = "avoided"
	// Gone: the server does not give the picture out (403, 404, 410 and other
	// 4xx). VK's links are signed and end like this after some days.
	Gone Kind = "gone"
	// TooLarge: more bytes than allowed.
	TooLarge Kind = "too_large"
	// NotPicture: what came is no JPEG, PNG, GIF or WebP, is broken, or is in
	// a format that the platform does not take.
	NotPicture Kind = "not_picture"
	// BadDimensions: empty, too many pixels, or too long and narrow.
	BadDimensions Kind = "bad_dimensions"
	// Timeout: the whole exchange took longer than allowed.
	Timeout Kind = "timeout"
)

// Error is why there is no picture. Its text is safe to log and to show: of
// an address it holds the host at most, because path and query of a signed
// link are a key to somebody's photo.
type Error struct {
	Kind   Kind
	Host   string // where the picture was sought; "" if it was not
	Status int    // the HTTP status, if there was one that matters
	Reason string

	cause error // context.Canceled or context.DeadlineExceeded
}

func (e *Error) Error() string {
	text := "photo"
	if e.Host != "" {
		text += " at " + e.Host
	}
	text += ": " + e.Reason
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	return text
}

// Unwrap gives context.Canceled or context.DeadlineExceeded when one of them
// ended the exchange. Other causes are kept back: their texts quote addresses.
func (e *Error) Unwrap() error { return e.cause }

// Temporary reports whether fetching the same address later may help.
func (e *Error) Temporary() bool {
	return e.Kind == Unreachable || e.Kind == Timeout || e.Kind == Avoided
}
