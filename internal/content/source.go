package content

import (
	"bufio"
	"errors"
	"hash"
	"io"
	"unicode/utf8"
)

// maxAhead bounds what is held to find where an object or a row ends, in
// bytes: the largest that can still be refused alone, with the room before it.
const maxAhead = 2 * MaxObjectBytes

var (
	errTooLarge = errors.New("content: batch too large")
	errEndless  = errors.New("larger than 512 KiB: no end of it was found")
)

// source counts, hashes and limits what is read.
type source struct {
	from io.Reader
	// used is how much of what was read the decoder needs no longer.
	used func() int64
	hash hash.Hash
	read int64

	// kept is the end of what was read, which the decoder may still need, and start
	// where it begins.
	kept  []byte
	start position
}

// position is a line and a column, both counted from 0.
type position struct{ line, column int }

// after is the position at the end of text, which begins at p. A character counts
// where it begins: text may end within one.
func (p position) after(text []byte) position {
	for _, b := range text {
		switch {
		case b == '\n':
			p = position{line: p.line + 1}
		case utf8.RuneStart(b):
			p.column++
		}
	}
	return p
}

// skipByteOrderMark drops what some editors put before a text.
func (s *source) skipByteOrderMark() {
	buffered := bufio.NewReader(s.from)
	if mark, _ := buffered.Peek(3); string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(len(mark)) // peeked, so it is there
	}
	s.from = buffered
}

func (s *source) Read(into []byte) (int, error) {
	if s.read >= MaxBatchBytes {
		// One more byte is too many; the end is not.
		if n, err := io.ReadFull(s.from, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, errTooLarge
	}
	passed := len(s.kept) - int(s.read-s.used())
	s.start, s.kept = s.start.after(s.kept[:passed]), s.kept[passed:]
	room := maxAhead - len(s.kept)
	if room <= 0 {
		return 0, errEndless
	}
	n, err := s.from.Read(into[:min(len(into), int(MaxBatchBytes-s.read), room)])
	s.hash.Write(into[:n])
	s.kept, s.read = append(s.kept, into[:n]...), s.read+int64(n)
	return n, err
}

// place is the line and the column, both from 1, at which ahead, the end of
// what was read, begins.
func (s *source) place(ahead []byte) (line, column int) {
	at := s.start.after(s.kept[:len(s.kept)-len(ahead)])
	return at.line + 1, at.column + 1
}
