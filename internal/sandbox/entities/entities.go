// Package entities reads message markup the way Telegram's server reads it: HTML and MarkdownV2 into plain text with
// entities, with the server's own complaints, and back into HTML for a browser.
//
// The rules and the error texts follow "Formatting options" of the Bot API documentation and the parser of TDLib
// (MessageEntity.cpp).
package entities

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Type is the kind of an entity, by its Bot API name.
type Type string

// The entity types that markup makes here. The server knows more, such as custom emoji, that Vestnik does not use.
const (
	Bold          Type = "bold"
	Italic        Type = "italic"
	Underline     Type = "underline"
	Strikethrough Type = "strikethrough"
	Spoiler       Type = "spoiler"
	Code          Type = "code"
	Pre           Type = "pre"
	TextLink      Type = "text_link"
	Blockquote    Type = "blockquote"
)

// Entity marks a stretch of text. Offset and Length count UTF-16 code units, as everywhere in the Bot API.
type Entity struct {
	Type   Type   `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	URL    string `json:"url,omitempty"`
}

// Characters counts what Telegram's limits count: Unicode code points after entity parsing.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// UTF16Length is the number of UTF-16 code units of text, the unit of entity offsets.
func UTF16Length(text string) (n int) {
	for _, r := range text {
		n += width16(r)
	}
	return n
}

func width16(r rune) int { return max(utf16.RuneLen(r), 1) }

// Trim drops white space around text, as the server does with every message, and moves and clips the entities
// accordingly. Entities left empty vanish.
func Trim(text string, list []Entity) (string, []Entity) {
	kept := strings.TrimLeftFunc(text, blank)
	shift := UTF16Length(text[:len(text)-len(kept)])
	kept = strings.TrimRightFunc(kept, blank)
	width := UTF16Length(kept)
	var clipped []Entity
	for _, e := range list {
		from, to := max(e.Offset-shift, 0), min(e.Offset+e.Length-shift, width)
		if from >= to {
			continue
		}
		e.Offset, e.Length = from, to-from
		clipped = append(clipped, e)
	}
	return kept, clipped
}

func blank(r rune) bool {
	return strings.ContainsRune(" \t\n\v\f\r\u0085\u00a0\u200b\u2028\u2029", r)
}

// inOrder sorts by offset, the longer first, and drops empty entities, which the server does not keep.
func inOrder(list []Entity) []Entity {
	list = slices.DeleteFunc(list, func(e Entity) bool { return e.Length <= 0 })
	slices.SortStableFunc(list, func(a, b Entity) int { return cmp.Or(a.Offset-b.Offset, b.Length-a.Length) })
	if len(list) == 0 {
		return nil
	}
	return list
}
