package vk

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// The lenient types read what VK means, whatever JSON type it came in, and never fail: live data has numbers as
// strings, flags as 0, 1, true, null or "1", and objects where the documentation has strings. What makes no sense
// reads as the zero value, so that one odd field costs that field and nothing else.

// flexInt reads a number, a number in a string, or a flag.
type flexInt int64

func (n *flexInt) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(bytes.TrimSpace(raw)), `" `)
	*n = 0
	if text == "true" {
		*n = 1
	} else if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = flexInt(whole)
	} else if number, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(number) < 1<<53 {
		*n = flexInt(number)
	}
	return nil
}

// flexBool reads a flag.
type flexBool bool

func (b *flexBool) UnmarshalJSON(raw []byte) error {
	var n flexInt
	_ = n.UnmarshalJSON(raw)
	*b = n != 0
	return nil
}

// flexFloat reads a number or a number in a string.
type flexFloat float64

func (f *flexFloat) UnmarshalJSON(raw []byte) error {
	number, err := strconv.ParseFloat(strings.Trim(string(raw), `" `), 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		number = 0
	}
	*f = flexFloat(number)
	return nil
}

// flexString reads a string or a number. NUL characters are dropped: Postgres stores no text that has them.
type flexString string

func (s *flexString) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	*s = ""
	if len(raw) == 0 {
		return nil
	}
	switch raw[0] {
	case '"':
		var text string
		if json.Unmarshal(raw, &text) == nil {
			*s = flexString(strings.ReplaceAll(text, "\x00", ""))
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		*s = flexString(raw)
	}
	return nil
}

// flexList reads a list element by element; anything else is the empty list. nil elements are left out.
type flexList []json.RawMessage

func (l *flexList) UnmarshalJSON(raw []byte) error {
	*l = nil
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items)
	for _, item := range items {
		if !isNull(item) {
			*l = append(*l, item)
		}
	}
	return nil
}

// flexObject decodes an object into T as far as it goes; anything else is the zero T.
type flexObject[T any] struct {
	value T
	found bool
}

func (o *flexObject[T]) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	*o = flexObject[T]{}
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	// encoding/json goes on after a field of the wrong type, so what could be read is there all the same.
	_ = json.Unmarshal(raw, &o.value)
	o.found = true
	return nil
}

// listOf reads a list as flexList does.
func listOf(raw json.RawMessage) []json.RawMessage {
	var items flexList
	_ = items.UnmarshalJSON(raw)
	return items
}
