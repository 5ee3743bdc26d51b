package route

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"vestnik/internal/post"
)

// Platform is where a destination lives.
type Platform string

// The platforms the relay can send to; also their task queues' names.
const (
	Telegram Platform = "telegram"
	VK       Platform = "vk"
)

// Destination is the identity of a place that receives posts: one Telegram
// chat or topic of it, or one VK wall. Values are comparable; the string form,
// "telegram:<chat>", "telegram:<chat>/<thread>" or "vk:<owner>", is what the
// ledger, workflow ids and people use.
type Destination struct {
	Platform Platform
	// Chat is Telegram's chat: a numeric id ("-1001234567890") or a public
	// name in lower case ("@poteryashki"). Empty for VK.
	Chat string
	// Thread is the topic of the chat, 0 for none. Topic 1 is General.
	Thread int
	// Owner is the owner id of the VK wall, negative for communities. 0 for Telegram.
	Owner int64
}

// VKWall names a wall by its owner id.
func VKWall(owner int64) Destination { return Destination{Platform: VK, Owner: owner} }

// String is the destination's name, "" for the zero value.
func (d Destination) String() string {
	switch {
	case d.Platform == Telegram && d.Thread != 0:
		return fmt.Sprintf("telegram:%s/%d", d.Chat, d.Thread)
	case d.Platform == Telegram:
		return "telegram:" + d.Chat
	case d.Platform == VK:
		return "vk:" + strconv.FormatInt(d.Owner, 10)
	}
	return ""
}

// SendThread is the message_thread_id to send with, 0 for none. Telegram
// refuses topic 1, General, with "message thread not found"; leaving the id
// out sends there.
func (d Destination) SendThread() int {
	if d.Thread == 1 {
		return 0
	}
	return d.Thread
}

// Place is the destination with General's topic number taken off: two
// destinations with one place put messages into the same list.
func (d Destination) Place() Destination {
	d.Thread = d.SendThread()
	return d
}

// MessageURL is the address of a message there, as a browser opens it; "" where a
// chat has none: a private one, and a group that is not a supergroup.
func (d Destination) MessageURL(id int64) string {
	if d.Platform == VK {
		return post.ID{OwnerID: d.Owner, PostID: id}.URL()
	}
	chat, has := strings.CutPrefix(d.Chat, "@")
	if !has {
		if chat, has = strings.CutPrefix(d.Chat, "-100"); !has {
			return ""
		}
		chat = "c/" + chat
	}
	if thread := d.SendThread(); thread != 0 {
		return fmt.Sprintf("https://t.me/%s/%d/%d", chat, thread, id)
	}
	return fmt.Sprintf("https://t.me/%s/%d", chat, id)
}

// WithChat is the destination after its chat became a supergroup with a new
// id (Telegram's migrate_to_chat_id).
func (d Destination) WithChat(chat int64) Destination {
	d.Chat = strconv.FormatInt(chat, 10)
	return d
}

var (
	errForm    = errors.New(`write telegram:<chat>, telegram:<chat>/<thread> or vk:<owner>, for example telegram:-1001234567890/7 or vk:-123456`)
	publicName = regexp.MustCompile(`^@[A-Za-z][A-Za-z0-9_]{3,31}$`)
)

// ParseDestination reads a destination's name. The error says what is wrong
// with it and how to write one.
func ParseDestination(name string) (Destination, error) {
	platform, rest, found := strings.Cut(name, ":")
	if !found {
		return Destination{}, fmt.Errorf("destination %q: no platform; %w", name, errForm)
	}
	switch Platform(platform) {
	case Telegram:
		return parseTelegram(name, rest)
	case VK:
		owner, err := parseID(rest)
		if err != nil {
			return Destination{}, fmt.Errorf("destination %q: owner %q is %w; %w", name, rest, err, errForm)
		}
		return VKWall(owner), nil
	}
	return Destination{}, fmt.Errorf("destination %q: unknown platform %q; %w", name, platform, errForm)
}

func parseTelegram(name, rest string) (Destination, error) {
	chat, thread, inTopic := strings.Cut(rest, "/")
	destination := Destination{Platform: Telegram, Chat: strings.ToLower(chat)}
	if !publicName.MatchString(chat) {
		id, err := parseID(chat)
		if err != nil {
			return Destination{}, fmt.Errorf("destination %q: chat %q is %w and no @name; %w", name, chat, err, errForm)
		}
		destination.Chat = strconv.FormatInt(id, 10)
	}
	if inTopic {
		number, err := strconv.ParseInt(thread, 10, 32)
		if err != nil || number < 1 || thread != strconv.FormatInt(number, 10) {
			return Destination{}, fmt.Errorf("destination %q: thread %q is no topic number; %w", name, thread, errForm)
		}
		destination.Thread = int(number)
	}
	return destination, nil
}

var errNotID = errors.New("no id")

func parseID(s string) (int64, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id == 0 || s != strconv.FormatInt(id, 10) {
		return 0, errNotID
	}
	return id, nil
}

// MarshalText writes the destination's name, so that it is one in JSON too.
func (d Destination) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a destination's name; empty text is the zero value.
func (d *Destination) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Destination{}
		return nil
	}
	parsed, err := ParseDestination(string(text))
	if err == nil {
		*d = parsed
	}
	return err
}
