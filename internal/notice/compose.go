package notice

import (
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"vestnik/internal/petpost"
)

// Notice is one post as its readers will see it, before any limit applies.
// Its blocks are shown in the order of the fields, blank lines between them.
type Notice struct {
	// Lead is the destination's header, if any, and the title line.
	Lead Text
	// Words is the author's own text, then that of the reposted original.
	Words Text
	// Facts are the phones and the place.
	Facts Text
	// More is a line per attachment that cannot be shown itself.
	More Text
	// Footer is the destination's footer, if any.
	Footer Text
	// Source is the line with the link to the post. It is never left out.
	Source Text
}

// Text is the whole notice as it goes to Telegram: nobody is called by it, and
// no link pretends to lead where it does not.
func (n Notice) Text() Text {
	return disarm(joinTexts("\n\n", n.Lead, n.Words, n.Facts, n.More, n.Footer, n.Source).showingTargets(), false)
}

// Frame is what a destination puts around every notice.
type Frame struct {
	// Header and Footer are the operator's own lines; VK's link markup works in them.
	Header, Footer string
}

// Compose says what a post says. omittedPhotos is how many of its photos will
// not be shown with it; the notice then tells readers where they are.
func Compose(post petpost.Post, frame Frame, omittedPhotos int) Notice {
	source := post.URL()
	return Notice{
		Lead:   joinTexts("\n\n", ParseMarkup(Clean(frame.Header)), lead(post)),
		Words:  words(post),
		Facts:  facts(post),
		More:   more(post, omittedPhotos),
		Footer: ParseMarkup(Clean(frame.Footer)),
		Source: Text{{Text: "Источник: "}, {Text: source, Link: source}},
	}
}

var titles = map[petpost.Type]string{
	petpost.Lost:        "🔎 Пропал питомец",
	petpost.Found:       "✅ Найден питомец",
	petpost.Sighting:    "👀 Замечен питомец",
	petpost.Adoption:    "🏠 Ищет дом",
	petpost.Fundraising: "💥 Сбор помощи",
	petpost.Reunited:    "🎉 Питомец снова дома",
	petpost.News:        "📰 Новости",
	petpost.Link:        "🔗 Полезная ссылка",
}

// Title is the first line of a notice about a post of the type.
func Title(kind petpost.Type) string {
	if title, known := titles[kind]; known {
		return title
	}
	return "🐾 Объявление"
}

// lead is the title line, and what has become of the post since it was written.
func lead(post petpost.Post) Text {
	title, since := Title(post.Reading.Type), ""
	if post.CaseClosed && post.Reading.Type != petpost.Reunited {
		title, since = Title(petpost.Reunited), "Ниже — прежнее объявление."
	}
	if !post.DeletedAt.IsZero() {
		since = strings.TrimPrefix(since+"\n🗑 Запись удалена автором.", "\n")
	}
	if since == "" {
		return Bold(title)
	}
	return joinTexts("\n", Bold(title), Text{{Text: since, Italic: true}})
}

// words are the author's own words and, for a repost, the original's after them.
func words(post petpost.Post) Text {
	own, original := Clean(post.Text), Clean(post.Original())
	if original == "" || original == own {
		return ParseMarkup(own)
	}
	if own == "" {
		return ParseMarkup(original)
	}
	mark := Span{Text: "Из репоста", Italic: true}
	if post.Origin.OwnerID != 0 && post.Origin.PostID != 0 {
		mark.Link = post.Origin.URL()
	}
	return joinTexts("\n\n", ParseMarkup(own), joinTexts("\n", Text{mark, {Text: ":", Italic: true}}, ParseMarkup(original)))
}

// maxPlace bounds the place line, in letters.
const maxPlace = 200

func facts(post petpost.Post) Text {
	var lines []Text
	var phones []string
	seen := map[string]bool{}
	for _, phone := range post.Reading.Phones {
		phone = NicePhone(phone)
		if phone != "" && !seen[phone] {
			seen[phone] = true
			phones = append(phones, phone)
		}
	}
	if len(phones) > 0 {
		lines = append(lines, Plain("📞 "+strings.Join(phones, ", ")))
	}
	if place := oneLine(post.Reading.Location, maxPlace); place != "" {
		lines = append(lines, Plain("📍 "+place))
	}
	return joinTexts("\n", lines...)
}

// NicePhone writes an E.164 number the way people in its country read it:
// +7 900 000-00-00, +375 29 000-00-00. Numbers of other shapes stay as they are.
func NicePhone(e164 string) string {
	phone := oneLine(e164, maxPlace)
	digits := strings.TrimPrefix(phone, "+")
	if strings.Trim(digits, "0123456789") != "" {
		return phone
	}
	pair := func(code, area, rest string) string {
		return "+" + code + " " + area + " " + rest[:3] + "-" + rest[3:5] + "-" + rest[5:]
	}
	switch {
	case len(digits) == 11 && digits[0] == '7':
		return pair("7", digits[1:4], digits[4:])
	case len(digits) == 12 && (strings.HasPrefix(digits, "375") || strings.HasPrefix(digits, "380") || strings.HasPrefix(digits, "998")):
		return pair(digits[:3], digits[3:5], digits[5:])
	}
	return phone
}

// attachmentKinds are the ones that readers know by name.
var attachmentKinds = map[string]string{
	"photo":          "🖼 Фото",
	"video":          "🎬 Видео",
	"clip":           "🎬 Клип",
	"video_playlist": "🎬 Подборка видео",
	"doc":            "📄 Документ",
	"link":           "🔗 Ссылка",
	"poll":           "📊 Опрос",
	"audio":          "🎵 Аудио",
	"audio_playlist": "🎵 Плейлист",
	"podcast":        "🎙 Подкаст",
	"geo":            "🗺 На карте",
	"article":        "📰 Статья",
	"album":          "🖼 Альбом",
	"market":         "🛍 Товар",
	"market_album":   "🛍 Подборка товаров",
	"note":           "📝 Заметка",
	"page":           "📝 Страница",
	"event":          "📅 Встреча",
	"group":          "👥 Сообщество",
	"donut_link":     "🍩 Поддержка сообщества",
}

// maxAttachmentTitle bounds the name of an attachment, in letters.
const maxAttachmentTitle = 120

// more is a titled link line for each attachment, then one line for
// everything that is only to be seen in the original.
func more(post petpost.Post, omittedPhotos int) Text {
	source := post.URL()
	var lines []Text
	unknown := false
	for _, attachment := range post.Attachments {
		kind, known := attachmentKinds[attachment.Kind]
		if !known {
			unknown = true
			continue
		}
		link := webURL(attachment.URL)
		if link == "" {
			link = source
		}
		icon, word, _ := strings.Cut(kind, " ")
		if title := oneLine(attachment.Title, maxAttachmentTitle); isVisible(title) {
			lines = append(lines, Text{{Text: icon + " " + word + ": "}, {Text: title, Link: link}})
		} else {
			lines = append(lines, Text{{Text: icon + " "}, {Text: word, Link: link}})
		}
	}
	if omittedPhotos > 0 {
		label := strconv.Itoa(omittedPhotos) + " фото в оригинале"
		if omittedPhotos < len(post.Photos) {
			label = "Ещё " + label
		}
		lines = append(lines, Text{{Text: "🖼 "}, {Text: label, Link: source}})
	}
	if unknown {
		lines = append(lines, Text{{Text: "📎 "}, {Text: "Ещё в оригинале", Link: source}})
	}
	return joinTexts("\n", lines...)
}

// shorten cuts a line to a number of letters (grapheme clusters), on a word
// where one ends in the second half, and marks the cut with "…".
func shorten(line string, limit int) string {
	if uniseg.GraphemeClusterCount(line) <= limit {
		return line
	}
	clusters := uniseg.NewGraphemes(line)
	end := 0
	for range limit - 1 {
		clusters.Next()
		_, end = clusters.Positions()
	}
	cut := line[:end]
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return strings.TrimRightFunc(cut, isBlank) + "…"
}
