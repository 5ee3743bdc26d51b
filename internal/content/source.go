package content

import (
	"bufio"
	"bytes"
	"errors"
	"hash"
	"io"
	"slices"
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
	used       func() int64
	hash       hash.Hash
	read       int64
	characters int64

	// breaks are the ends of the lines read; those before the last one that was
	// forgotten are counted only.
	breaks    []lineBreak
	forgotten int
}

// lineBreak is where a line ended.
type lineBreak struct {
	offset     int64 // of the newline
	characters int64 // up to it, itself included
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
	s.forget(s.used())
	room := maxAhead - (s.read - s.used())
	if room <= 0 {
		return 0, errEndless
	}
	n, err := s.from.Read(into[:min(int64(len(into)), MaxBatchBytes-s.read, room)])
	s.hash.Write(into[:n])
	s.count(into[:n])
	return n, err
}

func (s *source) count(text []byte) {
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		line := text[:end]
		if end == 0 {
			line = text
		}
		s.read += int64(len(line))
		s.characters += charactersIn(line)
		if end > 0 {
			s.breaks = append(s.breaks, lineBreak{offset: s.read - 1, characters: s.characters})
		}
		text = text[len(line):]
	}
}

// forget gives up the lines that ended before offset, but for the last: no
// fault will be found in them any more.
func (s *source) forget(offset int64) {
	passed := 0
	for passed < len(s.breaks) && s.breaks[passed].offset < offset {
		passed++
	}
	if passed > 1 {
		s.forgotten += passed - 1
		s.breaks = slices.Delete(s.breaks, 0, passed-1)
	}
}

// place is the line and the column, both from 1, at which ahead, the end of
// what was read, begins.
func (s *source) place(ahead []byte) (line, column int) {
	before := len(s.breaks) - bytes.Count(ahead, []byte{'\n'})
	line, column = 1+s.forgotten+before, 1+int(s.characters-charactersIn(ahead))
	if before > 0 {
		column -= int(s.breaks[before-1].characters)
	}
	return line, column
}

// charactersIn counts those that begin in text, which may end within one.
func charactersIn(text []byte) (count int64) {
	for _, b := range text {
		if utf8.RuneStart(b) {
			count++
		}
	}
	return count
}
