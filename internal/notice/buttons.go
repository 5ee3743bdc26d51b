package notice

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vestnik/internal/petpost"
)

// Button is what stands under a message: it opens URL, or puts Copy on the
// clipboard. Telegram takes no tel: address for a button.
type Button struct {
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`
	Copy string `json:"copy,omitempty"`
}

// Bounds of the buttons under one message.
const (
	maxPhoneButtons     = 3
	maxMessengerButtons = 2
	maxPersonButtons    = 2
)

// messengerLink is the address of a phone number's chat. The address of a name
// may be the wall's own channel, which is nobody's contact.
var messengerLink = regexp.MustCompile(`(?i)\b(wa\.me|t\.me)/\+?(\d{11,13})\b`)

// buttons are the contacts of a post in rows: phones, which are copied; chats
// by phone number; the person's page and the post.
func buttons(post petpost.Post) [][]Button {
	var rows [][]Button
	for _, phone := range firstOf(maxPhoneButtons, post.Reading.Callable()) {
		rows = append(rows, []Button{{Text: "📞 " + NicePhone(phone), Copy: phone}})
	}
	var chats []Button
	for _, link := range messengerLink.FindAllStringSubmatch(strings.Join(append(post.RepostTexts(), post.Text), "\n"), -1) {
		chat := Button{Text: "💬 WhatsApp", URL: "https://wa.me/" + link[2]}
		if strings.EqualFold(link[1], "t.me") {
			chat = Button{Text: "💬 Telegram", URL: "https://t.me/+" + link[2]}
		}
		if !slices.Contains(chats, chat) {
			chats = append(chats, chat)
		}
	}
	if len(chats) > 0 {
		rows = append(rows, firstOf(maxMessengerButtons, chats))
	}
	var people []Button
	if id := authorID(post); id > 0 {
		people = append(people, Button{Text: "✍️ " + authorLabel, URL: "https://vk.com/id" + strconv.FormatInt(id, 10)})
	}
	for _, contact := range post.Reading.Contacts {
		page, isPage := strings.CutPrefix(contact, "@")
		if !isPage || !personPage.MatchString(page) {
			continue
		}
		person := Button{Text: "✍️ Написать", URL: "https://vk.com/" + page}
		if !slices.ContainsFunc(people, func(other Button) bool { return other.URL == person.URL }) {
			people = append(people, person)
		}
	}
	return append(rows, append(firstOf(maxPersonButtons, people), Button{Text: "📄 Оригинал", URL: post.URL()}))
}

// personPage is the page of a person, which another screen name need not be.
var personPage = regexp.MustCompile(`^id\d+$`)

func firstOf[T any](most int, list []T) []T { return slices.Clip(list[:min(most, len(list))]) }
