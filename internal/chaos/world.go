package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox"
)

// What there is in the sandbox. This file is all that touches it.
const (
	relayToken = "7300000001:AAchaos-relay-bot-000000000000000000"
	guideToken = "7300000002:AAchaos-guide-bot-000000000000000000"
	secret     = "chaos-webhook-secret"
	channel    = "@chaos_city"
	channelID  = int64(-1001700000000)
	readKey    = "chaos-reading-key-00000000000000000000"
	writeKey   = "chaos-writing-key-%d-000000000000000000"
	mediaKey   = "chaos-media-key-0000000000000000000000"
)

func wallID(i int) int64      { return -700000001 - int64(i) }
func wallName(i int) string   { return fmt.Sprintf("chaos_wall_%02d", i+1) }
func chatID(i int) int64      { return -1001700000001 - int64(i) }
func chatName(i int) string   { return "telegram:" + strconv.FormatInt(chatID(i), 10) }
func upgradedID(i int) int64  { return chatID(i) - 1000 } // what a chat becomes when it is upgraded
func targetID(i int) int64    { return -710000001 - int64(i) }
func targetName(i int) string { return "vk:" + strconv.FormatInt(targetID(i), 10) }
func userID(i int) int64      { return 5_700_000_001 + int64(i) }

// destinations are the chats, then the VK walls.
func (s scale) destinations() (names []string) {
	for i := range s.chats {
		names = append(names, chatName(i))
	}
	for i := range s.vk {
		names = append(names, targetName(i))
	}
	return names
}

// feeds reports whether a wall's posts go to a destination: all to the first
// of each platform, and a share to each other one.
func (s scale) feeds(wall int, destination string) bool {
	for i := range s.chats {
		if destination == chatName(i) {
			return i == 0 || wall%s.chats == i
		}
	}
	for i := range s.vk {
		if destination == targetName(i) {
			return i == 0 || wall%s.vk == i
		}
	}
	return false
}

// standardPace is what every destination bears.
var standardPace = pace{perSecond: 3, perMinute: 150}

// routes is the routes file.
func (s scale) routes() string {
	var text strings.Builder
	text.WriteString("destinations:\n")
	for i, name := range s.destinations() {
		fmt.Fprintf(&text, "  - id: %s\n    rate_per_sec: %g\n    attach_media: true\n", name, standardPace.perSecond)
		if i < s.chats {
			fmt.Fprintf(&text, "    per_minute: %d\n", standardPace.perMinute)
		} else {
			fmt.Fprintf(&text, "    token_env: VK_OUT_TOKEN_%d\n", i-s.chats)
		}
	}
	text.WriteString("rules:\n")
	for _, name := range s.destinations() {
		fmt.Fprintf(&text, "  - name: to %s\n    types: [lost]\n    to: [%q]\n    walls:\n", name, name)
		for wall := range s.walls {
			if s.feeds(wall, name) {
				fmt.Fprintf(&text, "      - %s\n", wallName(wall))
			}
		}
	}
	return text.String()
}

// world is the platforms and the people on them.
type world struct {
	*sandbox.Server
	scale
	menu    map[string]string // the first line of the screen behind each button of the guide's menu
	numbers map[int64]owed    // the post with each number
	// upgraded reports whether the last chat has become another.
	upgraded bool
}

func openWorld(ctx context.Context, s scale) (*world, error) {
	server, err := sandbox.Start(ctx, sandbox.Options{
		Limits: sandbox.NoLimits, MaxCalls: 1_000_000, WebhookRetry: 500 * time.Millisecond, PictureWidth: 160,
	})
	if err != nil {
		return nil, err
	}
	w := &world{Server: server, scale: s, menu: map[string]string{}, numbers: map[int64]owed{}}
	failures := []error{
		w.AddBot(sandbox.Bot{Token: relayToken}),
		w.AddBot(sandbox.Bot{Token: guideToken, Username: "chaos_guide_bot"}),
		w.AddChat(sandbox.Chat{ID: channelID, Type: sandbox.Channel, Username: channel[1:], Members: map[int64]sandbox.Member{
			sandbox.Bot{Token: guideToken}.ID(): {Status: sandbox.Administrator},
		}}),
		w.AddVKToken(sandbox.VKToken{Name: "reader", Value: readKey, Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: -1}),
		w.AddVKToken(sandbox.VKToken{Name: "media", Value: mediaKey, Kind: sandbox.UserToken, Owner: 71, PerSecond: -1}),
	}
	for i := range s.walls {
		failures = append(failures, w.AddWall(sandbox.Wall{OwnerID: wallID(i), ScreenName: wallName(i), Name: wallName(i)}))
	}
	for i := range s.chats {
		failures = append(failures,
			w.AddChat(sandbox.Chat{ID: chatID(i), Type: sandbox.Supergroup}),
			w.AddChat(sandbox.Chat{ID: upgradedID(i), Type: sandbox.Supergroup}))
	}
	for i := range s.vk {
		failures = append(failures,
			w.AddVKToken(sandbox.VKToken{Name: targetName(i), Value: fmt.Sprintf(writeKey, i), Kind: sandbox.CommunityToken, Owner: -targetID(i), PerSecond: -1}),
			w.AddWall(sandbox.Wall{OwnerID: targetID(i), Name: targetName(i), Writers: []string{"media"}}))
	}
	for i := range s.users {
		failures = append(failures,
			w.AddChat(sandbox.Chat{ID: userID(i), Type: sandbox.PrivateChat, Title: "Прохожий"}),
			w.SetMember(channelID, userID(i), sandbox.Member{Status: sandbox.Ordinary}))
	}
	return w, errors.Join(failures...)
}

// environ is what Vestnik is told about the platforms, which it reaches over
// the links.
func (w *world) environ(telegram, vk *link) []string {
	over := func(address string, l *link) string { return strings.Replace(address, w.Addr(), l.address, 1) }
	walls := make([]string, w.walls)
	for i := range walls {
		walls[i] = wallName(i)
	}
	environ := []string{
		"TELEGRAM_API_URL=" + over(w.TelegramURL(), telegram), "VK_API_URL=" + over(w.VKURL(), vk),
		"TG_TOKEN=" + relayToken, "TG_HTTP_TIMEOUT=5s", "VK_OUT_HTTP_TIMEOUT=5s", "VK_OUT_MEDIA_TOKEN=" + mediaKey,
		"VK_TOKEN=" + readKey, "VK_WALLS=" + strings.Join(walls, ","), "VK_RATE_PER_SEC=0", "VK_DAILY_QUOTA=10000000", "SCAN_INTERVAL=2s",
		"BOT_ENABLED=true", "TELEGRAM_BOT_TOKEN=" + guideToken, "TELEGRAM_BOT_USERNAME=chaos_guide_bot",
		"TELEGRAM_WEBHOOK_SECRET=" + secret, "TELEGRAM_CHANNEL=" + channel,
	}
	for i := range w.vk {
		environ = append(environ, fmt.Sprintf("VK_OUT_TOKEN_%d="+writeKey, i, i))
	}
	return environ
}

// advert is a lost pet's, each number another's: at another house and with
// another phone, or the relay would take them for one case and tell it once.
// By the number on the tag a message is recognised.
// Its sentences are numbered, so that one sees what a message has of them.
func advert(number, length int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Пропала кошка, убежала с поводка на ул. Речная, дом %d. На ошейнике жетон Ж%d-0-%d. Телефон 8 900 %03d-%02d-%02d.",
		number, number, length+1, number/10_000, number/100%100, number%100)
	for sentence := range length {
		fmt.Fprintf(&text, "\n\nОна пугливая, в руки не идёт, но выходит на стук миски: жетон Ж%d-%d-%d.", number, sentence+1, length+1)
	}
	return text.String()
}

var tag = regexp.MustCompile(`жетон Ж(\d+)-(\d+)-(\d+)`)

// reward is what an author adds to a post.
const reward = "Вознаграждение гарантируем!"

// publish puts the post with a number on a wall and returns what it is owed.
func (w *world) publish(number int, p publication) ([]owed, error) {
	post := sandbox.Post{Text: advert(number, p.length)}
	for photo := range p.photos {
		post.Photos = append(post.Photos, sandbox.WallPhoto{
			OwnerID: wallID(p.wall), Width: 160, Height: 120, Drawing: fmt.Sprintf("chaos-%d-%d", number, photo),
		})
	}
	post, err := w.AddPost(wallID(p.wall), post)
	if err != nil {
		return nil, err
	}
	w.numbers[int64(number)] = owed{owner: post.OwnerID, post: post.ID}
	var due []owed
	for _, destination := range w.destinations() {
		if w.feeds(p.wall, destination) {
			due = append(due, owed{destination, post.OwnerID, post.ID})
		}
	}
	return due, nil
}

// reward has a post's author edit it.
func (w *world) reward(owner, post int64) error {
	return w.EditPost(owner, post, func(p *sandbox.Post) { p.Text += " " + reward })
}

// received is what every destination shows, in the order of arrival.
func (w *world) received() (map[string][]arrival, error) {
	came := w.stored()
	all := map[string][]arrival{}
	for i := range w.chats {
		var shown []arrival
		for _, chat := range []int64{chatID(i), upgradedID(i)} {
			if err := w.inChat(chat, came, &shown); err != nil {
				return nil, err
			}
		}
		all[chatName(i)] = shown
	}
	for i := range w.vk {
		posts := w.Posts(targetID(i))
		slices.SortFunc(posts, func(a, b sandbox.Post) int { return int(a.ID - b.ID) })
		for _, post := range posts {
			a, err := w.arrived(post.Text, 0, nil)
			if err != nil {
				return nil, err
			}
			a.ids, a.at = []int64{post.ID}, came[placed{targetID(i), post.ID}]
			all[targetName(i)] = append(all[targetName(i)], a)
		}
	}
	return all, nil
}

// inChat appends to shown what stands in a chat.
func (w *world) inChat(chat int64, came map[placed]time.Time, shown *[]arrival) error {
	album := ""
	for _, m := range w.Messages(chat) {
		joins := m.Album != "" && m.Album == album // an album's further photos follow its first
		if album = m.Album; joins {
			last := &(*shown)[len(*shown)-1]
			last.ids = append(last.ids, m.ID)
			continue
		}
		a, err := w.arrived(m.Text+m.Caption, m.ReplyTo, *shown)
		if err != nil {
			return err
		}
		a.ids, a.at, a.frozen = []int64{m.ID}, came[placed{chat, m.ID}], a.frozen || w.upgraded && chat == chatID(w.chats-1) && a.sentences != late
		*shown = append(*shown, a)
	}
	return nil
}

// placed is a message of a chat, or a post of a wall.
type placed struct{ chat, id int64 }

// stored is when the platforms took each message.
func (w *world) stored() map[placed]time.Time {
	came := map[placed]time.Time{}
	for _, call := range w.Calls(sandbox.CallFilter{Match: func(call sandbox.Call) bool {
		return call.Method == "wall.post" || strings.HasPrefix(call.Method, "send")
	}}) {
		chat, _ := strconv.ParseInt(call.Chat, 10, 64) // all chats here are numbers
		for _, id := range call.Stored {
			came[placed{chat, id}] = call.ReceivedAt
		}
	}
	return came
}

// arrived reads in a text what it is about, by its tags. One without any is photos
// that came after the words which they answer, among shown; of those that answer
// nothing, in a chat that was upgraded meanwhile, the ledger says whose they are.
func (w *world) arrived(text string, answers int64, shown []arrival) (arrival, error) {
	tags := tag.FindAllStringSubmatch(text, -1)
	if tags == nil {
		for _, words := range slices.Backward(shown) {
			if slices.Contains(words.ids, answers) {
				words.sentences = late
				return words, nil
			}
		}
		return arrival{sentences: late}, nil
	}
	var number int64
	var s sentences
	_, err := fmt.Sscan(strings.Join(slices.Concat(tags[0][1:], tags[len(tags)-1][2:3]), " "), &number, &s.first, &s.of, &s.last)
	about := w.numbers[number]
	return arrival{owner: about.owner, post: about.post, sentences: s, rewarded: strings.Contains(text, reward)}, err
}

// kick throws the relay's bot out of a chat, or lets it in again.
func (w *world) kick(destination string, out bool) error {
	chat, err := strconv.ParseInt(strings.TrimPrefix(destination, "telegram:"), 10, 64)
	if err != nil {
		return err
	}
	member := sandbox.Member{Status: sandbox.Ordinary}
	if out {
		member.Status = sandbox.Kicked
	}
	bot := sandbox.Bot{Token: relayToken}.ID()
	return errors.Join(w.SetMember(chat, bot, member), w.SetMember(chat-1000, bot, member))
}

// upgrade makes the last chat a supergroup: it has another id from now on, and
// nobody can edit what stands in the old one.
func (w *world) upgrade() error {
	w.upgraded = true
	return w.ChangeChat(chatID(w.chats-1), func(c *sandbox.Chat) { c.MigratedTo = upgradedID(w.chats - 1) })
}

// askCaptcha lets VK ask for a captcha at each post to a wall.
func (w *world) askCaptcha(destination string) (fault string, err error) {
	return w.SetFault(sandbox.Fault{
		Platform: sandbox.VK, Method: "wall.post", Chat: strings.TrimPrefix(destination, "vk:"), Code: 14, Description: "Captcha needed",
		Extra: map[string]any{"captcha_sid": "900100", "captcha_img": "https://vk.example/captcha.jpg"},
	})
}

func person(user int) sandbox.Person {
	return sandbox.Person{ID: userID(user), Name: "Прохожий"}
}

// press presses a button of the newest message in a user's chat.
func (w *world) press(user int, data string) (click, error) {
	messages := w.Messages(userID(user))
	last := messages[len(messages)-1]
	update, err := w.Press(guideToken, person(user), userID(user), last.ID, data)
	return click{user: userID(user), data: data, number: last.ID, query: update.Query}, err
}

// settle fills in what became of clicks.
func (w *world) settle(clicks []click) {
	answered := map[string]bool{}
	for _, call := range w.Calls(sandbox.CallFilter{Platform: sandbox.Telegram, Method: "answerCallbackQuery"}) {
		if call.Outcome == sandbox.Accepted || call.Outcome == sandbox.Refused {
			answered[call.Text("callback_query_id")] = true
		}
	}
	for i := range clicks {
		clicks[i].answered, clicks[i].screens = answered[clicks[i].query], w.screens(clicks[i])
	}
}

// screens are the numbers of the messages that show what a click asked for.
func (w *world) screens(c click) (ids []int64) {
	for _, m := range w.Messages(c.user) {
		if m.Out && (title(m) == w.menu[c.data] || c.data == "") {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// shown reports whether a click has its screen.
func (w *world) shown(c click) bool {
	return slices.ContainsFunc(w.screens(c), func(id int64) bool { return id > c.number })
}

func title(m sandbox.Message) string {
	line, _, _ := strings.Cut(m.Text+m.Caption, "\n")
	return line
}

// meet lets every user begin a chat with the guide, and learns from the first
// what is behind each button of the menu. Nothing fails yet.
func (w *world) meet(ctx context.Context) error {
	for user := range w.users {
		if _, err := w.Say(guideToken, person(user), "/start"); err != nil {
			return err
		}
	}
	for user := range w.users {
		if err := until(ctx, "the guide to greet everybody", func() bool { return w.shown(click{user: userID(user)}) }); err != nil {
			return err
		}
	}
	newest := func() sandbox.Message {
		messages := w.Messages(userID(0))
		return messages[len(messages)-1]
	}
	seen := map[string]bool{}
	for _, button := range slices.Concat(newest().Keyboard...) {
		made, err := w.press(0, button.Data)
		if err == nil {
			err = until(ctx, "a screen of the guide", func() bool { return newest().ID > made.number })
		}
		if err != nil {
			return err
		}
		if w.menu[button.Data] = title(newest()); seen[w.menu[button.Data]] {
			return fmt.Errorf("two screens of the guide begin with %q: clicks can't be told apart", title(newest()))
		}
		seen[w.menu[button.Data]] = true
	}
	if len(seen) == 0 {
		return errors.New("the guide's menu has no buttons")
	}
	return nil
}

// hook is where the guide's updates go: to the path that the api serves.
func hook(l *link) sandbox.Webhook {
	return sandbox.Webhook{URL: "http://" + l.address + "/api/v1/integrations/telegram/webhook", Secret: secret}
}
