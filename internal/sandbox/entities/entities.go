// Package entities reads message markup the way Telegram's server reads it:
// HTML and MarkdownV2 into plain text with entities, with the server's own
// complaints, and back into HTML for a browser.
//
// The rules and the error texts follow "Formatting options" of the Bot API
// documentation and the parser of TDLib (MessageEntity.cpp).
package entities

import (
	"sort"
	"unicode/utf8"
)

// Type is the kind of an entity, by its Bot API name.
type Type string

// The entity types a bot can send.
const (
	Bold                 Type = "bold"
	Italic               Type = "italic"
	Underline            Type = "underline"
	Strikethrough        Type = "strikethrough"
	Spoiler              Type = "spoiler"
	Code                 Type = "code"
	Pre                  Type = "pre"
	TextLink             Type = "text_link"
	TextMention          Type = "text_mention"
	CustomEmoji          Type = "custom_emoji"
	Blockquote           Type = "blockquote"
	ExpandableBlockquote Type = "expandable_blockquote"
)

// Entity marks a stretch of text. Offset and Length count UTF-16 code units,
// as everywhere in the Bot API.
type Entity struct {
	Type          Type   `json:"type"`
	Offset        int    `json:"offset"`
	Length        int    `json:"length"`
	URL           string `json:"url,omitempty"`
	Language      string `json:"language,omitempty"`
	CustomEmojiID string `json:"custom_emoji_id,omitempty"`
}

// Known reports whether a bot may send entities of this type itself. Types
// that the server finds on its own (url, hashtag, …) are accepted too.
func (t Type) Known() bool {
	switch t {
	case Bold, Italic, Underline, Strikethrough, Spoiler, Code, Pre, TextLink, TextMention,
		CustomEmoji, Blockquote, ExpandableBlockquote,
		"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number":
		return true
	}
	return false
}

// Characters counts what Telegram's limits count: Unicode code points after
// entity parsing.
func Characters(text string) int { return utf8.RuneCountInString(text) }

// utf16Length is the number of UTF-16 code units of text.
func utf16Length(text string) int {
	n := 0
	for _, r := range text {
		n += utf16Width(r)
	}
	return n
}

func utf16Width(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// UTF16Length is the number of UTF-16 code units of text, the unit of entity
// offsets.
func UTF16Length(text string) int { return utf16Length(text) }

// Trim drops white space around text, as the server does with every message,
// and moves and clips the entities accordingly. Entities left empty vanish.
func Trim(text string, list []Entity) (string, []Entity) {
	start, end := 0, len(text)
	for start < end {
		r, size := utf8.DecodeRuneInString(text[start:])
		if !blank(r) {
			break
		}
		start += size
	}
	for end > start {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if !blank(r) {
			break
		}
		end -= size
	}
	shift := utf16Length(text[:start])
	kept := text[start:end]
	width := utf16Length(kept)
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
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0x85, 0xA0, 0x200B, 0x2028, 0x2029:
		return true
	}
	return false
}

// inOrder sorts by offset, the longer first, and drops empty entities, which
// the server does not keep.
func inOrder(list []Entity) []Entity {
	kept := list[:0]
	for _, e := range list {
		if e.Length > 0 {
			kept = append(kept, e)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool {
		if kept[i].Offset != kept[j].Offset {
			return kept[i].Offset < kept[j].Offset
		}
		return kept[i].Length > kept[j].Length
	})
	if len(kept) == 0 {
		return nil
	}
	return kept
}
