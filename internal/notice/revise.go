package notice

import (
	"sort"
	"strings"

	"vestnik/internal/petpost"
	"vestnik/internal/words"
)

// Revision is what a message that exists is to say now.
type Revision struct {
	// Text is marked up in ParseMode; Unmarked is the same without any marks.
	Text, Unmarked string
	ParseMode      ParseMode
	// Preview is the URL whose preview a message shows, "" for no preview.
	Preview string
	// Buttons stand under it, unless it is an album.
	Buttons [][]Button
}

// Revise writes a post anew into the messages that went out about it: a
// message can get other words, but it stays the message, the photo or the album
// it is, and no message can be added in its place. slots are the messages with
// words, in their order; shown is how many photos went with them. A text that
// has grown too long for them loses the end of the author's words, and a
// message that is left without words says so. There is a revision for each
// slot.
func Revise(post petpost.Post, options Options, slots []Kind, shown int) []Revision {
	if len(slots) == 0 {
		return nil
	}
	most := limit(options.TextLimit, words.MessageLimit)
	if slots[0] != Message {
		most = limit(options.CaptionLimit, words.CaptionLimit)
	}
	notice := Compose(post, options.Frame, max(len(post.Photos)-shown, 0))
	parts := notice.within(len(slots), options.ParseMode, most)

	revisions := make([]Revision, len(slots))
	for i := range slots {
		words := Text{{Text: "✂️ Автор сократил запись: вся она выше.", Italic: true}}
		if i < len(parts) {
			words = parts[i]
		}
		revisions[i] = Revision{
			Text: render(words, options.ParseMode), Unmarked: render(words, Unmarked), ParseMode: options.ParseMode,
		}
	}
	if last := len(parts) - 1; shown == 0 && options.LinkPreview && slots[last] == Message {
		revisions[last].Preview = post.URL()
	}
	if options.ContactButtons {
		revisions[len(revisions)-1].Buttons = buttons(post)
	}
	return revisions
}

// within is the notice in at most so many parts, each within most units: whole
// if it fits, else with as many of the author's words as do, else with the
// title and the source alone.
func (n Notice) within(parts int, mode ParseMode, most int) []Text {
	try := func(notice Notice) []Text {
		if parts == 1 {
			if text := notice.Text().trim(); fits(text, mode, most) {
				return []Text{text}
			}
			return nil
		}
		if texts := split(notice.Text(), mode, most); len(texts) <= parts {
			return texts
		}
		return nil
	}
	if texts := try(n); texts != nil {
		return texts
	}
	words := n.Words
	ends := wordEnds(words.String())
	shorter := func(end int) Notice {
		n.Words = nil
		if end > 0 {
			n.Words = words.slice(0, end).add(Span{Text: " …"})
		}
		return n
	}
	// The first end of a word up to which it does not fit any more.
	over := sort.Search(len(ends), func(i int) bool { return try(shorter(ends[i])) == nil })
	if over > 0 {
		return try(shorter(ends[over-1]))
	}
	if texts := try(shorter(0)); texts != nil {
		return texts
	}
	n.Facts, n.Added, n.More, n.Footer = nil, nil, nil, nil
	return split(n.Text(), mode, most)[:1]
}

// wordEnds are the places in a text where a word ends, as byte offsets.
func wordEnds(text string) []int {
	var ends []int
	at := 0
	for at < len(text) {
		blank := strings.IndexFunc(text[at:], isBlank)
		if blank < 0 {
			break
		}
		if blank > 0 {
			ends = append(ends, at+blank)
		}
		next := strings.IndexFunc(text[at+blank:], func(r rune) bool { return !isBlank(r) })
		if next < 0 {
			break
		}
		at += blank + next
	}
	return ends
}
