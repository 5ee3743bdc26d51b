package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"image"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/entities"
)

// feedView is what the main page shows: walls, chat, destination, calls,
// weather.
type feedView struct {
	Now         time.Time
	Walls       []Wall
	Wall        Wall // the one that is open
	WallAvatar  string
	Posts       []pagePost
	Chats       []Chat
	Chat        Chat
	Bubbles     []bubble
	Targets     []Wall
	Destination Wall
	Delivered   []pagePost
	Calls       []pageCall
	Show        string // which calls
	Faults      []pageFault
	Weather     []weather
	Methods     []string
	Pictures    []string
	avatar      func(int64) string
}

// Avatar is the address of an owner's picture.
func (v feedView) Avatar(owner int64) string { return v.avatar(owner) }

// pagePost is a post with what its card needs.
type pagePost struct {
	Post
	Wall    Wall
	Author  string
	Photos  []string
	Shown   int // photos beyond the first four are counted only
	Origins []pagePost
	Extras  []string // other attachments, by title
	Note    string   // why it is not an ordinary post
}

// bubble is one message, or one album, of a chat.
type bubble struct {
	Message
	Photos []Photo
	NewDay string
	Quoted string
	Thread string    // the name of the topic
	Linked *pagePost // the post whose preview is shown, if the sandbox has it
}

func (s *Server) feedView(r *http.Request) feedView {
	now := s.now()
	v := feedView{Now: now, Weather: forecasts, Pictures: composerPictures, Show: orElse(r.FormValue("show"), "sends"), avatar: s.pageAvatar}
	for _, w := range s.Walls() {
		if s.isTarget(w) {
			v.Targets = append(v.Targets, w)
		} else {
			v.Walls = append(v.Walls, w)
		}
	}
	v.Wall = chosen(v.Walls, func(w Wall) string { return strconv.FormatInt(w.OwnerID, 10) }, r.FormValue("wall"))
	v.Destination = chosen(v.Targets, func(w Wall) string { return strconv.FormatInt(w.OwnerID, 10) }, r.FormValue("target"))
	v.Posts, v.Delivered = s.pagePosts(v.Wall, now), s.pagePosts(v.Destination, now)
	for _, c := range s.Chats() {
		if c.Type == Group || c.Type == Supergroup || c.Type == Channel && len(s.Messages(c.ID)) > 0 {
			v.Chats = append(v.Chats, c)
		}
	}
	v.Chat = chosen(v.Chats, func(c Chat) string { return strconv.FormatInt(c.ID, 10) }, r.FormValue("chat"))
	v.Bubbles = s.bubbles(v.Chat.ID, now)
	for i, b := range v.Bubbles {
		if at := slices.IndexFunc(v.Chat.Topics, func(t Topic) bool { return t.ID == b.Topic }); at >= 0 {
			v.Bubbles[i].Thread = v.Chat.Topics[at].Name
		}
	}
	v.Calls = s.pageCalls(v.Show)
	v.Faults = s.pageFaults()
	v.Methods = pageMethods()
	return v
}

// chosen is the item that the query names, or the first.
func chosen[T any](items []T, key func(T) string, want string) T {
	var none T
	for _, item := range items {
		if key(item) == want {
			return item
		}
	}
	if len(items) > 0 {
		return items[0]
	}
	return none
}

// isTarget reports whether a wall is one that tokens write on.
func (s *Server) isTarget(w Wall) bool {
	s.vk.mu.Lock()
	defer s.vk.mu.Unlock()
	for _, k := range s.vk.tokens {
		if k.Kind == CommunityToken && w.OwnerID == -k.Owner {
			return true
		}
	}
	return len(w.Writers) > 0
}

// postsShown bounds the posts of a wall on the page.
const postsShown = 60

func (s *Server) pagePosts(w Wall, now time.Time) []pagePost {
	names := map[int64]Wall{}
	for _, other := range s.Walls() {
		names[other.OwnerID] = other
	}
	posts := s.Posts(w.OwnerID)
	slices.SortStableFunc(posts, func(a, b Post) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return b.Date.Compare(a.Date)
	})
	var cards []pagePost
	for _, p := range posts[:min(len(posts), postsShown)] {
		card := s.card(p, names)
		switch {
		case w.State != OpenWall:
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
func rank(p Post) int {
	switch {
	case p.Pinned:
		return 0
	case p.Type == "postpone" || p.Type == "suggest":
		return 2
	}
	return 1
}

func (s *Server) card(p Post, names map[int64]Wall) pagePost {
	card := pagePost{Post: p, Wall: names[p.OwnerID], Author: names[orElse(p.FromID, p.OwnerID)].Name}
	if card.Author == "" {
		card.Author = fmt.Sprintf("Участник %d", orElse(p.FromID, p.OwnerID))
	}
	for i := range p.Photos {
		if i < 4 {
			card.Photos = append(card.Photos, s.local(s.photoURL(&p.Photos[i], 640, 480)))
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
	return strings.TrimSpace(orElse(icon, kind) + " " + orElse(content.Title, orElse(content.Question, content.URL)))
}

// local shortens an address of the sandbox itself, so that the page works
// under whatever name a browser reaches it.
func (s *Server) local(address string) string {
	if path, own := strings.CutPrefix(address, s.baseURL); own {
		return path
	}
	return address
}

func (s *Server) shown(p *Photo) Photo {
	if p == nil {
		return Photo{}
	}
	local := *p
	local.URL = s.local(p.URL)
	return local
}

func (s *Server) pageAvatar(owner int64) string { return s.local(s.avatar(owner, 100)) }

// bubblesShown bounds the messages of a chat on the page.
const bubblesShown = 120

func (s *Server) bubbles(chat int64, now time.Time) []bubble {
	messages := s.Messages(chat)
	texts := map[int64]string{}
	for _, m := range messages {
		texts[m.ID] = orElse(m.Text+m.Caption, "Фото")
	}
	if len(messages) > bubblesShown {
		messages = messages[len(messages)-bubblesShown:]
	}
	var list []bubble
	lastDay := ""
	for _, m := range messages {
		if last := len(list) - 1; m.Album != "" && last >= 0 && list[last].Album == m.Album {
			list[last].Photos = append(list[last].Photos, s.shown(m.Photo))
			if m.Caption != "" {
				list[last].Caption, list[last].Entities = m.Caption, m.Entities
			}
			continue
		}
		b := bubble{Message: m, Quoted: shorten(texts[m.ReplyTo], 80)}
		if m.Photo != nil {
			b.Photos = []Photo{s.shown(m.Photo)}
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
func (s *Server) linkedPost(address string) *pagePost {
	parts := wallLink.FindStringSubmatch(address)
	if parts == nil || !insideVK(address) {
		return nil
	}
	s.vk.mu.Lock()
	defer s.vk.mu.Unlock()
	w := s.vk.walls[int64(atoi(parts[1]))]
	if w == nil || w.post(int64(atoi(parts[2]))) == nil {
		return nil
	}
	p := w.post(int64(atoi(parts[2])))
	linked := &pagePost{Post: *p, Author: w.Name}
	linked.Text = shorten(p.Text, 140)
	for i := range p.Photos[:min(len(p.Photos), 1)] {
		linked.Photos = append(linked.Photos, s.local(s.photoURL(&p.Photos[i], 320, 240)))
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
	Call
	Took    string
	Details string
	Word    string
}

func (s *Server) pageCalls(show string) []pageCall {
	reads := []string{"wall.get", "wall.getById", "getUpdates", "utils.getServerTime", "utils.resolveScreenName", "groups.getById"}
	filter := CallFilter{Arrived: true}
	switch show {
	case "sends":
		filter.Match = func(c Call) bool { return !slices.Contains(reads, c.Method) }
	case "errors":
		filter.Match = func(c Call) bool { return c.Outcome != Accepted && c.Outcome != Pending }
	}
	calls := s.book.list(filter, 60)
	slices.Reverse(calls)
	words := map[Outcome]string{Pending: "ждёт", Accepted: "принят", Refused: "отказ", Faulted: "погода", ClientGone: "клиент ушёл"}
	rows := make([]pageCall, len(calls))
	for i, c := range calls {
		rows[i] = pageCall{Call: c, Word: words[c.Outcome], Details: callDetails(c)}
		if !c.AnsweredAt.IsZero() {
			rows[i].Took = strconv.FormatInt(c.AnsweredAt.Sub(c.ReceivedAt).Milliseconds(), 10) + " мс"
		}
	}
	return rows
}

func callDetails(c Call) string {
	params, err := json.MarshalIndent(c.Params, "", "  ")
	if err != nil {
		params = nil
	}
	text := string(params)
	for _, warning := range c.Warnings {
		text += "\n⚠ " + warning
	}
	return text + "\n→ " + shorten(c.Answer, 1500)
}

// composerPictures are offered to whoever writes a post on the page.
var composerPictures = []string{"dog-ginger-1", "cat-tabby-1", "dog-black-2", "cat-white-2", "cat-black-3", "dog-fawn-3"}

func (s *Server) pageWrite(r *http.Request) error {
	if err := r.ParseMultipartForm(64 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return fmt.Errorf("форма не прочитана: %w", err)
	}
	owner, err := strconv.ParseInt(r.FormValue("wall"), 10, 64)
	if err != nil {
		return fmt.Errorf("не выбрана стена")
	}
	p := Post{Text: strings.TrimSpace(strings.ReplaceAll(r.FormValue("text"), "\r\n", "\n"))}
	for _, name := range r.Form["picture"] {
		p.Photos = append(p.Photos, WallPhoto{Drawing: name})
	}
	if r.MultipartForm != nil {
		for _, header := range r.MultipartForm.File["file"] {
			photo, err := s.uploadedFromPage(header)
			if err != nil {
				return err
			}
			p.Photos = append(p.Photos, photo)
		}
	}
	if p.Text == "" && len(p.Photos) == 0 {
		return fmt.Errorf("пустой пост: нужен текст или фото")
	}
	_, err = s.AddPost(owner, p)
	return err
}

func (s *Server) uploadedFromPage(header *multipart.FileHeader) (WallPhoto, error) {
	file, err := header.Open()
	if err != nil {
		return WallPhoto{}, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		return WallPhoto{}, err
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return WallPhoto{}, fmt.Errorf("%s: это не картинка JPEG, PNG, GIF или WebP", header.Filename)
	}
	return WallPhoto{URL: s.pictures.keep(content), Width: config.Width, Height: config.Height}, nil
}

func (s *Server) pageSample(*http.Request) error {
	_, err := s.PublishSample()
	return err
}

func (s *Server) pageDelete(r *http.Request) error {
	owner, err := strconv.ParseInt(r.FormValue("wall"), 10, 64)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.FormValue("post"), 10, 64)
	if err != nil {
		return err
	}
	return s.DeletePost(owner, id)
}

var vkMarkup = regexp.MustCompile(`\[([^\[\]|]+)\|([^\[\]]+)\]`)

// vkText renders a post as VK does: [id1|Name] and bare addresses as links.
func vkText(text string) template.HTML {
	var out strings.Builder
	at := 0
	for _, m := range vkMarkup.FindAllStringSubmatchIndex(text, -1) {
		target, label := text[m[2]:m[3]], text[m[4]:m[5]]
		out.WriteString(entities.Linkify(text[at:m[0]]))
		if !strings.Contains(target, "/") {
			target = "vk.com/" + target
		}
		out.WriteString(`<span class="link" title="` + template.HTMLEscapeString(target) + `">` + template.HTMLEscapeString(label) + `</span>`)
		at = m[1]
	}
	out.WriteString(entities.Linkify(text[at:]))
	return template.HTML(out.String()) //nolint:gosec // every piece was escaped above
}

func linkHost(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
