package notice

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestnik/internal/petpost"
)

// DefaultVKUnits is the length of a wall post's text we trust VK to take, in
// UTF-16 units. VK states no number; people report a little over 16,000.
const DefaultVKUnits = 15_000

// VKOptions are the wishes of a destination wall; none: text only.
type VKOptions struct {
	// MaxMedia is how many photos are attached at most; 0 or less attaches
	// none and says where they are. More than MaxVKMedia means MaxVKMedia.
	MaxMedia int
	// AttachRefs attaches documents and polls by their names.
	AttachRefs bool
	// Frame is put around every notice.
	Frame Frame
	// TextLimit is in UTF-16 units; 0 means DefaultVKUnits, less than 256 means 256.
	TextLimit int
	// Answers is the address of the post on the same wall that this one brings
	// news about, "" if it brings none: a wall has no replies.
	Answers string
}

// MaxVKMedia is how many photos and videos one wall post holds
// (dev.vk.com, wall.post).
const MaxVKMedia = 10

// VKPost is one wall post about a post.
type VKPost struct {
	// Text is the message, plain; it ends with the link to the source.
	Text string
	// Linkless is Text without web addresses, for walls that refuse links
	// (error 222); the post is named as wall-1_2 instead.
	Linkless string
	// Photos are indexes into the post's photos, to be attached in this order.
	Photos []int
	// Refs are documents and polls to be attached by their names.
	Refs []string
	// Copyright is the source link, for wall.post's parameter of that name.
	Copyright string
}

// MinVKUnits leaves room for the title and the source link.
const MinVKUnits = 256

// PlanVK decides how a post goes to a wall: one post with plain text and
// photos. A text over the limit loses the end of the author's words, then
// of everything else, but never the source link.
func PlanVK(post petpost.Post, options VKOptions) VKPost {
	shown := min(len(post.Photos), max(options.MaxMedia, 0), MaxVKMedia)
	notice := Compose(post, options.Frame, len(post.Photos)-shown)
	most := options.TextLimit
	if most <= 0 {
		most = DefaultVKUnits
	}
	most = max(most, MinVKUnits)

	lead := notice.Lead
	if options.Answers != "" {
		notice.Lead = joinTexts("\n", lead, Text{{Text: "↩️ Первое объявление: "}, {Text: options.Answers, Link: options.Answers}})
	}
	wallPost := VKPost{
		Text:      plainWithin(notice, most, spellLink(post.URL())),
		Copyright: post.URL(),
	}
	notice.Lead = lead
	notice.Source = Plain("Источник: " + post.String() + " ВКонтакте")
	wallPost.Linkless = plainWithin(notice, most, hideLink)
	for photo := range shown {
		wallPost.Photos = append(wallPost.Photos, photo)
	}
	for _, attachment := range post.Attachments {
		if options.AttachRefs && attachment.Ref != "" && shown+len(wallPost.Refs) < MaxVKMedia {
			wallPost.Refs = append(wallPost.Refs, attachment.Ref)
		}
	}
	return wallPost
}

// spellLink writes a link where no markup is: the words, and the address
// after them. It leaves the address out where the words show it, where a
// hashtag works by itself, and where it is the source link, which ends the
// post anyway. Of a bare @id1 only the address stays: the name would call
// that person to our post.
func spellLink(source string) func(Span) string {
	return func(span Span) string {
		switch {
		case span.Link == "" || !isVisible(span.Text) || span.Link == source:
			return span.Text
		case strings.HasPrefix(span.Text, "@"):
			return span.Link
		case strings.HasPrefix(span.Text, "#") || showsAddress(span.Text, span.Link):
			return span.Text
		}
		return span.Text + " (" + span.Link + ")"
	}
}

func showsAddress(words, link string) bool {
	return bareAddress(strings.TrimSpace(words)) == bareAddress(link)
}

// bareDomain is a site's name without a path, under the ends that occur here.
var bareDomain = regexp.MustCompile(`(?i)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.(?:(?:ru|su|by|kz|com|org|net|info|me|cc|io|online|site|store)\b|рф)`)

// hideLink takes the addresses out of the words, too; the stop or comma after
// one stays.
func hideLink(span Span) string {
	if span.Text == authorLabel {
		return authorLabel + ": " + strings.TrimPrefix(span.Link, "https://vk.com/") + " ВКонтакте"
	}
	instead := func(address string) string {
		return "(ссылка в оригинале)" + address[len(strings.TrimRight(address, ".,;:!?»")):]
	}
	return bareDomain.ReplaceAllStringFunc(webAddress.ReplaceAllStringFunc(span.Text, instead), instead)
}

// plainWithin writes the notice without markup in at most so many units.
func plainWithin(notice Notice, most int, write func(Span) string) string {
	block := func(text Text) string {
		var b strings.Builder
		for _, span := range text {
			b.WriteString(write(span))
		}
		return strings.TrimFunc(disarm(Plain(b.String()), true).String(), isBlank)
	}
	lead, words, source := block(notice.Lead), block(notice.Words), block(notice.Source)
	after := joinBlocks(block(notice.Facts), block(notice.Added), block(notice.More), block(notice.Footer), source)

	whole := joinBlocks(lead, words, after)
	if units(whole) <= most {
		return whole
	}
	// The author's words give way first: title, phones and links matter more.
	if room := most - units(joinBlocks(lead, after)) - len("\n\n"); words != "" && room >= MinVKUnits/4 {
		return joinBlocks(lead, cutOnWord(words, room), after)
	}
	body := strings.TrimSuffix(whole, source)
	return joinBlocks(cutOnWord(body, most-units(source)-len("\n\n")), source)
}

func joinBlocks(blocks ...string) string {
	var kept []string
	for _, block := range blocks {
		if block != "" {
			kept = append(kept, block)
		}
	}
	return strings.Join(kept, "\n\n")
}

// cutOnWord is the beginning of a text in at most so many units, the cut
// marked with "…", apart from a full stop.
func cutOnWord(text string, most int) string {
	const mark = " …"
	room := most - units(mark)
	beginning := strings.TrimRightFunc(text[:newSplitter(Plain(text), Unmarked, room).cutAfter(0, room)], isBlank)
	if last, _ := utf8.DecodeLastRuneInString(beginning); unicode.IsPunct(last) {
		return beginning + mark
	}
	return beginning + strings.TrimSpace(mark)
}
