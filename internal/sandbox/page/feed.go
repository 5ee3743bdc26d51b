package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/markup"
	"vestnik/internal/sandbox/telegram"
	"vestnik/internal/sandbox/vk"
)

// feedView is what the main page shows: walls, chat, destination, calls, faults.
type feedView struct {
	Now         time.Time
	Walls       []vk.Wall
	Wall        vk.Wall // the one that is open
	Posts       []pagePost
	Chats       []telegram.Chat
	Chat        telegram.Chat
	Bubbles     []bubble
	Targets     []vk.Wall
	Destination vk.Wall
	Delivered   []pagePost
	Calls       []pageCall
	Show        string // which calls
	Faults      []setFault
	Presets     []faultPreset
	Methods     []string
	Pictures    []string
}

// pagePost is a post with what its card needs.
type pagePost struct {
	vk.Post
	Wall    vk.Wall
	Author  string
	Photos  []string
	Shown   int // photos beyond the first four are counted only
	Origins []pagePost
	Extras  []string // other attachments, by title
	Note    string   // why it is not an ordinary post
}

// bubble is one message, or one album, of a chat.
type bubble struct {
	telegram.Message
	Photos []telegram.Photo
	NewDay string
	Quoted string
	Thread string    // the name of the topic
	Linked *pagePost // the post whose preview is shown, if the sandbox has it
}

func (s *Site) feedView(r *http.Request) feedView {
	now := s.core.Now()
	v := feedView{Now: now, Presets: faultPresets, Pictures: composerPictures, Show: cmp.Or(r.FormValue("show"), "sends")}
	for _, w := range s.vk.Walls() {
		if s.vk.IsWritten(w) {
			v.Targets = append(v.Targets, w)
		} else {
			v.Walls = append(v.Walls, w)
		}
	}
	v.Wall = chosen(v.Walls, func(w vk.Wall) int64 { return w.OwnerID }, r.FormValue("wall"))
	v.Destination = chosen(v.Targets, func(w vk.Wall) int64 { return w.OwnerID }, r.FormValue("target"))
	v.Posts, v.Delivered = s.pagePosts(v.Wall), s.pagePosts(v.Destination)
	for _, c := range s.telegram.Chats() {
		if c.Type == telegram.Group || c.Type == telegram.Supergroup || c.Type == telegram.Channel && len(s.telegram.Messages(c.ID)) > 0 {
			v.Chats = append(v.Chats, c)
		}
	}
	v.Chat = chosen(v.Chats, func(c telegram.Chat) int64 { return c.ID }, r.FormValue("chat"))
	v.Bubbles = s.bubbles(v.Chat.ID, now)
	for i, b := range v.Bubbles {
		if at := slices.IndexFunc(v.Chat.Topics, func(t telegram.Topic) bool { return t.ID == b.Topic }); at >= 0 {
			v.Bubbles[i].Thread = v.Chat.Topics[at].Name
		}
	}
	v.Calls = s.pageCalls(v.Show)
	v.Faults = s.pageFaults()
	v.Methods = pageMethods()
	return v
}

// chosen is the item whose id the query gives, or the first.
func chosen[T any](items []T, id func(T) int64, want string) (none T) {
	if len(items) == 0 {
		return none
	}
	at := slices.IndexFunc(items, func(item T) bool { return strconv.FormatInt(id(item), 10) == want })
	return items[max(at, 0)]
}

// postsShown bounds the posts of a wall on the page.
const postsShown = 60

func (s *Site) pagePosts(w vk.Wall) []pagePost {
	names := map[int64]vk.Wall{}
	for _, other := range s.vk.Walls() {
		names[other.OwnerID] = other
	}
	posts := s.vk.Posts(w.OwnerID)
	slices.SortStableFunc(posts, func(a, b vk.Post) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return b.Date.Compare(a.Date)
	})
	var cards []pagePost
	for _, p := range posts[:min(len(posts), postsShown)] {
		card := s.card(p, names)
		switch {
		case w.State != vk.OpenWall:
			card.Note = "стена закрыта"
		case p.Pinned:
			card.Note = "закреплено"
		case p.Ads:
			card.Note = "реклама"
		case p.DonutOnly:
			card.Note = "только для донов"
		case p.Type == "postpone":
			card.Note = "отложено"
		case p.Type == "suggest":
			card.Note = "предложено"
		}
		cards = append(cards, card)
	}
	return cards
}

// rank puts the pinned post first and what readers do not see last.
func rank(p vk.Post) int {
	switch {
	case p.Pinned:
		return 0
	case p.Type == "postpone" || p.Type == "suggest":
		return 2
	}
	return 1
}

func (s *Site) card(p vk.Post, names map[int64]vk.Wall) pagePost {
	card := pagePost{Post: p, Wall: names[p.OwnerID], Author: names[cmp.Or(p.FromID, p.OwnerID)].Name}
	card.Author = cmp.Or(card.Author, fmt.Sprintf("Участник %d", cmp.Or(p.FromID, p.OwnerID)))
	for i := range p.Photos {
		if i < 4 {
			card.Photos = append(card.Photos, s.core.Local(s.vk.PhotoURL(&p.Photos[i], 640, 480)))
		}
	}
	card.Shown = len(p.Photos) - len(card.Photos)
	for _, raw := range p.Attachments {
		card.Extras = append(card.Extras, attachmentTitle(raw))
	}
	for _, original := range p.Reposts {
		card.Origins = append(card.Origins, s.card(original, names))
	}
	return card
}

func attachmentTitle(raw json.RawMessage) string {
	var one map[string]json.RawMessage
	var kind string
	if json.Unmarshal(raw, &one) != nil || json.Unmarshal(one["type"], &kind) != nil {
		return "вложение"
	}
	var content struct {
		Title    string `json:"title"`
		URL      string `json:"url"`
		Question string `json:"question"`
	}
	if json.Unmarshal(one[kind], &content) != nil {
		return kind
	}
	icon := map[string]string{"link": "🔗", "video": "🎬", "poll": "📊", "doc": "📄", "audio": "🎵"}[kind]
	return strings.TrimSpace(cmp.Or(icon, kind) + " " + cmp.Or(content.Title, cmp.Or(content.Question, content.URL)))
}

func (s *Site) shown(p *telegram.Photo) telegram.Photo {
	if p == nil {
		return telegram.Photo{}
	}
	local := *p
	local.URL = s.core.Local(p.URL)
	return local
}

// bubblesShown bounds the messages of a chat on the page.
const bubblesShown = 120

func (s *Site) bubbles(chat int64, now time.Time) []bubble {
	messages := s.telegram.Messages(chat)
	texts := map[int64]string{}
	for _, m := range messages {
		texts[m.ID] = cmp.Or(m.Text+m.Caption, "Фото")
	}
	messages = messages[max(len(messages)-bubblesShown, 0):]
	var list []bubble
	lastDay := ""
	for _, m := range messages {
		if last := len(list) - 1; m.Album != "" && last >= 0 && list[last].Album == m.Album {
			list[last].Photos = append(list[last].Photos, s.shown(m.Photo))
			if m.Caption != "" {
				list[last].Caption, list[last].Formatted = m.Caption, m.Formatted
			}
			continue
		}
		b := bubble{Message: m, Quoted: shorten(texts[m.ReplyTo], 80)}
		if m.Photo != nil {
			b.Photos = []telegram.Photo{s.shown(m.Photo)}
		}
		if m.Preview != "" {
			b.Linked = s.linkedPost(m.Preview)
		}
		if today := day(m.Date, now); today != lastDay {
			b.NewDay, lastDay = today, today
		}
		list = append(list, b)
	}
	return list
}

// linkedPost is the post that a vk.com/wall… address means.
func (s *Site) linkedPost(address string) *pagePost {
	post, author := s.vk.Linked(address)
	if post == nil {
		return nil
	}
	linked := &pagePost{Post: *post, Author: author}
	linked.Text = shorten(post.Text, 140)
	for i := range post.Photos[:min(len(post.Photos), 1)] {
		linked.Photos = append(linked.Photos, s.core.Local(s.vk.PhotoURL(&post.Photos[i], 320, 240)))
	}
	return linked
}

func shorten(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit]) + "…"
}

// pageCall is a call with what its row needs.
type pageCall struct {
	core.Call
	Took    string
	Details string
	Word    string
}

func (s *Site) pageCalls(show string) []pageCall {
	reads := []string{"wall.get", "wall.getById", "getUpdates", "utils.resolveScreenName", "groups.getById", "users.get", "getChat"}
	filter := core.CallFilter{Arrived: true}
	switch show {
	case "sends":
		filter.Match = func(c core.Call) bool { return !slices.Contains(reads, c.Method) }
	case "errors":
		filter.Match = func(c core.Call) bool { return c.Outcome != core.Accepted && c.Outcome != core.Pending }
	}
	calls := s.core.Calls(filter)
	calls = calls[max(len(calls)-60, 0):]
	slices.Reverse(calls)
	words := map[core.Outcome]string{core.Pending: "ждёт", core.Accepted: "принят", core.Refused: "отказ", core.Faulted: "сбой", core.ClientGone: "клиент ушёл"}
	rows := make([]pageCall, len(calls))
	for i, c := range calls {
		rows[i] = pageCall{Call: c, Word: words[c.Outcome], Details: callDetails(c)}
		if !c.AnsweredAt.IsZero() {
			rows[i].Took = strconv.FormatInt(c.AnsweredAt.Sub(c.ReceivedAt).Milliseconds(), 10) + " мс"
		}
	}
	return rows
}

func callDetails(c core.Call) string {
	params, err := json.MarshalIndent(c.Params, "", "  ")
	if err != nil {
		params = nil
	}
	return string(params) + "\n→ " + shorten(c.Answer, 1500)
}

// composerPictures are offered to whoever writes a post on the page.
var composerPictures = []string{"dog-ginger-1", "cat-tabby-1", "dog-black-2", "cat-white-2", "cat-black-3", "dog-fawn-3"}

func (s *Site) pageWrite(r *http.Request) error {
	owner, err := strconv.ParseInt(r.FormValue("wall"), 10, 64)
	if err != nil {
		return fmt.Errorf("не выбрана стена")
	}
	p := vk.Post{Text: strings.TrimSpace(strings.ReplaceAll(r.FormValue("text"), "\r\n", "\n"))}
	for _, name := range r.Form["picture"] {
		p.Photos = append(p.Photos, vk.WallPhoto{Drawing: name})
	}
	if p.Text == "" && len(p.Photos) == 0 {
		return fmt.Errorf("пустой пост: нужен текст или фото")
	}
	_, err = s.vk.AddPost(owner, p)
	return err
}

func (s *Site) pageDelete(r *http.Request) error {
	return s.vk.DeletePost(int64(atoi(r.FormValue("wall"))), int64(atoi(r.FormValue("post"))))
}

var vkMarkup = regexp.MustCompile(`\[([^\[\]|]+)\|([^\[\]]+)\]`)

// vkText renders a post as VK does: [id1|Name] and bare addresses as links.
func vkText(text string) template.HTML {
	var out strings.Builder
	at := 0
	for _, m := range vkMarkup.FindAllStringSubmatchIndex(text, -1) {
		target, label := text[m[2]:m[3]], text[m[4]:m[5]]
		out.WriteString(linkified(text[at:m[0]]))
		if !strings.Contains(target, "/") {
			target = "vk.com/" + target
		}
		out.WriteString(`<span class="link" title="` + template.HTMLEscapeString(target) + `">` + template.HTMLEscapeString(label) + `</span>`)
		at = m[1]
	}
	out.WriteString(linkified(text[at:]))
	return template.HTML(out.String()) //nolint:gosec // every piece was escaped above
}

func linkified(text string) string {
	page, _ := markup.Linkify(text)
	return page
}

// telegramText renders a message as a Telegram app does.
func telegramText(m telegram.Message) template.HTML {
	return template.HTML(cmp.Or(m.Formatted, linkified(m.Text+m.Caption))) //nolint:gosec // both are made by markup
}

func linkHost(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
