// Package notice is what readers of the relay see: it turns one VK post into
// the messages a careful person would send about it.
//
// The way of a post through the package:
//
//	raw VK text  --Clean, ParseMarkup-->  Text (spans with links and styles)
//	post         --Compose-->             Notice (title, words, facts, source link)
//	Notice       --split, render-->       texts within the platform's limits
//	post         --PlanTelegram-->        []Step: the steps to take, in order
//	post         --PlanVK-->              one wall post
//
// Everything here is pure: the same post and options give the same plan. But
// posts are edited, options changed and this package improved, so a delivery
// that has sent a step keeps the plan it began with.
//
// Text is measured as Telegram measures it after parsing entities, in UTF-16
// units. Bots are counted in code points, which are never more, so the bound
// holds whichever way the server counts.
package notice

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// Notice is one post as its readers will see it, before any limit applies.
// Its blocks are shown in the order of the fields, blank lines between them.
type Notice struct {
	// Lead is the destination's header, if any, and the title line.
	Lead Text
	// Words is the author's own text, then that of the reposted original.
	Words Text
	// Facts are the phones, the place and the author; Added is what other posts
	// about the animal say.
	Facts, Added Text
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
	return disarm(joinTexts("\n\n", n.Lead, n.Words, n.Facts, n.Added, n.More, n.Footer, n.Source).showingTargets(), false)
}

// Frame is what a destination puts around every notice.
type Frame struct {
	// Header and Footer are the operator's own lines; VK's link markup works in them.
	Header, Footer string
	// Replace changes the words of authors, one after the other.
	Replace []Replacement
}

// Replacement puts a text in the place of what an expression finds, "" cuts it;
// $1 is what its first group has found.
type Replacement struct {
	Find *regexp.Regexp
	With string
}

func (f Frame) replaced(text string) string {
	if len(f.Replace) == 0 {
		return text
	}
	for _, r := range f.Replace {
		text = r.Find.ReplaceAllString(text, r.With)
	}
	return Clean(text)
}

// Compose says what a post says. omittedPhotos is how many of its photos will
// not be shown with it; the notice then says where they are.
func Compose(post petpost.Post, frame Frame, omittedPhotos int) Notice {
	source := post.URL()
	return Notice{
		Lead:   joinTexts("\n\n", ParseMarkup(Clean(frame.Header)), lead(post)),
		Words:  said(post, frame),
		Facts:  facts(post),
		Added:  added(post),
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
	if post.Update && post.Reading.Type == petpost.Lost {
		title = "👀 Новое в поисках"
	}
	if post.CaseClosed && post.Reading.Type != petpost.Reunited {
		title, since = Title(petpost.Reunited), "Ниже — прежнее объявление."
	}
	if !post.DeletedAt.IsZero() {
		since = strings.TrimPrefix(since+"\n🗑 Запись удалена автором.", "\n")
	}
	if since == "" {
		return bold(title)
	}
	return joinTexts("\n", bold(title), Text{{Text: since, Italic: true}})
}

// said are the author's own words and then those of what it reposts, the
// nearest first, each marked as whose they are.
func said(post petpost.Post, frame Frame) Text {
	own := frame.replaced(ownWords(post))
	all, seen, last := []Text{ParseMarkup(own)}, []string{"", own}, len(post.Reposts)-1
	for i, repost := range post.Reposts {
		said := frame.replaced(Clean(repost.Text))
		if slices.Contains(seen, said) {
			continue
		}
		seen = append(seen, said)
		mark := Span{Text: "Комментарий к репосту", Italic: true}
		if i == last {
			mark.Text = "Из репоста"
		}
		if repost.PostID != 0 {
			mark.Link = repost.URL()
		}
		all = append(all, joinTexts("\n", Text{mark, {Text: ":", Italic: true}}, ParseMarkup(said)))
		if i == last && len(all) == 2 && own == "" { // nobody else says anything
			all = []Text{ParseMarkup(said)}
		}
	}
	return joinTexts("\n\n", all...)
}

// ownWords are those that the author wrote, "" for the bare address of what
// stands under it.
func ownWords(about petpost.Post) string {
	own := Clean(about.Text)
	if len(about.Reposts) > 0 && !strings.ContainsFunc(own, isBlank) {
		if named, err := post.ParseID(own); err == nil && named == about.Reposts[0].ID {
			return ""
		}
	}
	return own
}

// author is a line with the person who wrote the post, or the advert that it
// reposts: many say no more than "write to me". Nobody is named twice.
func author(post petpost.Post) Text {
	id := authorID(post)
	page := "id" + strconv.FormatInt(id, 10)
	if id <= 0 || slices.Contains(post.Reading.Contacts, "@"+page) {
		return nil
	}
	return Text{{Text: "✍️ "}, {Text: authorLabel, Link: "https://vk.com/" + page}}
}

// authorID is that person's id, 0 or less if it is a community.
func authorID(post petpost.Post) int64 {
	if last := len(post.Reposts) - 1; last >= 0 && (post.FromID <= 0 || !isVisible(ownWords(post))) {
		return post.Reposts[last].FromID
	}
	return post.FromID
}

const authorLabel = "Автор"

// maxPlace bounds the place line, in letters.
const maxPlace = 200

func facts(post petpost.Post) Text {
	var lines []Text
	var phones []string
	seen := map[string]bool{}
	numbers, label := post.Reading.Callable(), "📞 "
	if len(numbers) == 0 { // better than none, but nobody may answer
		numbers, label = post.Reading.Accounts, "💳 для перевода: "
	}
	for _, phone := range numbers {
		phone = NicePhone(phone)
		if phone != "" && !seen[phone] {
			seen[phone] = true
			phones = append(phones, phone)
		}
	}
	if len(phones) > 0 {
		lines = append(lines, Plain(label+strings.Join(phones, ", ")))
	}
	if place := oneLine(post.Place(), maxPlace); place != "" {
		lines = append(lines, Plain("📍 "+place))
	}
	if line := author(post); line != nil {
		lines = append(lines, line)
	}
	return joinTexts("\n", lines...)
}

// mostAdded bounds how many posts are shown that add something, the newest.
const mostAdded = 10

// added is a line for each post about the same animal that says more.
func added(post petpost.Post) Text {
	var lines []Text
	for _, addition := range post.Additions[max(0, len(post.Additions)-mostAdded):] {
		var said []string
		for _, fact := range addition.Facts {
			switch fact.Kind {
			case petpost.FactPhone:
				said = append(said, "📞 "+NicePhone(fact.Text))
			case petpost.FactPlace:
				said = append(said, "📍 "+oneLine(fact.Text, maxPlace))
			case petpost.FactReward:
				said = append(said, "💰 вознаграждение")
			}
		}
		lines = append(lines, Text{{Text: "➕ "}, {Text: "Дополнение", Link: addition.Post.URL()}, {Text: ": " + strings.Join(said, ", ")}})
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

// maxAttachmentTitle bounds the name of an attachment and an answer of a poll,
// in letters, maxAnswers how many answers are shown.
const (
	maxAttachmentTitle = 120
	maxAnswers         = 10
)

// clock writes a length as 1:05 or 1:02:05.
func clock(seconds int) string {
	if hours := seconds / 3600; hours > 0 {
		return fmt.Sprintf("%d:%02d:%02d", hours, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// more is a titled link line for each attachment, then one line for
// everything that is only to be seen in the original.
func more(post petpost.Post, omittedPhotos int) Text {
	source := post.URL()
	lines := captions(post)
	unknown := false
	for _, attachment := range post.Attachments {
		if kind, known := attachmentKinds[attachment.Kind]; known {
			lines = append(lines, attachmentLine(attachment, kind, source))
		} else {
			unknown = true
		}
	}
	if len(post.Photos) > 1 {
		for _, photo := range post.Photos {
			if link := webURL(photo.Animation); link != "" {
				lines = append(lines, Text{{Text: "🎞 "}, {Text: "Анимация", Link: link}})
			}
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

// attachmentLine names an attachment of a kind, and links it or the post (source) that
// it is under; the answers of a poll follow on lines of their own.
func attachmentLine(attachment post.Attachment, kind, source string) Text {
	link := cmp.Or(webURL(attachment.URL), source)
	icon, word, _ := strings.Cut(kind, " ")
	length := ""
	if attachment.Seconds > 0 {
		length = " (" + clock(attachment.Seconds) + ")"
	}
	line := Text{{Text: icon + " "}, {Text: word, Link: link}, {Text: length}}
	if title := oneLine(attachment.Title, maxAttachmentTitle); isVisible(title) {
		line = Text{{Text: icon + " " + word + length + ": "}, {Text: title, Link: link}}
	}
	for _, answer := range attachment.Answers[:min(len(attachment.Answers), maxAnswers)] {
		if answer = oneLine(answer, maxAttachmentTitle); isVisible(answer) {
			line = append(line, Span{Text: "\n  ▫️ " + answer})
		}
	}
	return line
}

// maxCaption bounds what is shown of a photo's caption, in letters, and
// maxCaptions how many captions.
const (
	maxCaption  = 200
	maxCaptions = 10
)

// captions are what stands under photos and is not said elsewhere.
func captions(post petpost.Post) (lines []Text) {
	said := strings.Join(append(post.RepostTexts(), post.Text), "\n")
	for _, photo := range post.Photos {
		caption := oneLine(photo.Caption, maxCaption)
		if isVisible(caption) && !strings.Contains(said, strings.TrimSuffix(caption, "…")) && len(lines) < maxCaptions {
			said += "\n" + caption
			lines = append(lines, joinTexts("", Plain("🖼 "), ParseMarkup(caption)))
		}
	}
	return lines
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
