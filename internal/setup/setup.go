// Package setup leads a person who has no keys yet to a file of settings that
// works: it says where each key is got, tries each as it is given, offers the
// chats that the bot sees, and writes the file when all is answered. It stores
// nothing before that.
package setup

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/config"
	"vestnik/internal/doctor"
	"vestnik/internal/post"
	"vestnik/internal/route"
	"vestnik/internal/telegram"
	"vestnik/internal/vk"
	"vestnik/starter"
	"vestnik/worker"
)

// askTime bounds one question to a platform.
const askTime = 15 * time.Second

// ErrLeft means that the answers ended before the questions did.
var ErrLeft = errors.New("setup ended before its last question: nothing was written")

// Run asks on out, reads answers from in, a line each, and writes what has
// passed into the file at path, in place of earlier values and beside other
// lines. Environ is what is set already; an empty answer keeps it. It returns
// [ErrLeft] if the answers end early.
func Run(ctx context.Context, in io.Reader, out io.Writer, russian bool, environ map[string]string, path string) error {
	d := &dialog{out: out, lines: make(chan string), values: maps.Clone(environ), answers: map[string]string{}}
	if russian {
		d.language = 1
	}
	go func() { // a read of a terminal can't be interrupted
		defer close(d.lines)
		for scanner := bufio.NewScanner(in); scanner.Scan(); {
			d.lines <- strings.TrimSpace(scanner.Text())
		}
	}()
	d.say("welcome", path)
	for _, step := range []func(context.Context) error{d.relayBot, d.reading, d.writing, d.guide} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if len(d.answers) == 0 {
		d.say("nothing")
		return nil
	}
	if err := write(path, d.answers); err != nil {
		return err
	}
	d.say("written", path)
	return nil
}

type dialog struct {
	out      io.Writer
	lines    chan string
	language int
	values   map[string]string // what would hold
	answers  map[string]string // what is to be written
}

func (d *dialog) say(key string, arguments ...any) {
	_, _ = fmt.Fprintf(d.out, texts[key][d.language]+"\n", arguments...) // who reads no more answers no more
}

// fault shows why an answer was not taken.
func (d *dialog) fault(err error) { d.say("fault", err) }

func (d *dialog) ask(ctx context.Context, key string, arguments ...any) (string, error) {
	_, _ = fmt.Fprintf(d.out, "\n"+texts[key][d.language]+"\n> ", arguments...)
	select {
	case <-ctx.Done():
		return "", ErrLeft
	case line, open := <-d.lines:
		if !open {
			return "", ErrLeft
		}
		return line, nil
	}
}

func (d *dialog) agrees(ctx context.Context, key string, arguments ...any) (bool, error) {
	answer, err := d.ask(ctx, key, arguments...)
	return slices.Contains([]string{"y", "yes", "д", "да"}, strings.ToLower(answer)), err
}

// set takes a value whose meaning has been tried.
func (d *dialog) set(name, value string) { d.values[name], d.answers[name] = value, value }

// attempt tries an answer on the platform and returns the value that is kept.
type attempt func(ctx context.Context, r *worker.Clients, answer string) (value string, err error)

// field asks for a setting until an attempt with it succeeds. It reports whether
// the setting has a value now: an empty answer keeps the earlier one, if there
// is any.
func (d *dialog) field(ctx context.Context, name, key string, try attempt) (set bool, err error) {
	for {
		before, hint := d.values[name], "skip"
		if before != "" {
			hint = "keep"
		}
		answer, err := d.ask(ctx, key, texts[hint][d.language])
		if err != nil || answer == "" {
			return before != "", err
		}
		d.values[name] = answer
		if err := d.attempt(ctx, name, answer, try); err != nil {
			d.values[name] = before
			d.fault(err)
			continue
		}
		return true, nil
	}
}

func (d *dialog) attempt(ctx context.Context, name, answer string, try attempt) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := d.clients()
	if err != nil {
		return err
	}
	value, err := try(ctx, r, answer)
	if err != nil {
		return err
	}
	d.values[name] = value
	var faults config.Faults
	if _, err := config.Load(d.values); errors.As(err, &faults) {
		for _, fault := range faults {
			if fault.Variable == name { // others are asked for later
				return fault
			}
		}
	}
	d.set(name, value)
	return nil
}

// clients are made with the values so far, as far as they go.
func (d *dialog) clients() (*worker.Clients, error) {
	values := maps.Clone(d.values)
	delete(values, "ROUTES_FILE") // what it names may not be set yet
	cfg, err := config.Load(values)
	if err != nil && !errors.As(err, new(config.Faults)) {
		return nil, err
	}
	parts, err := starter.New(cfg, nil, nil, nil)
	return worker.NewClients(parts), err
}

// asTaken is for answers that only show later whether they are right.
func asTaken(_ context.Context, _ *worker.Clients, answer string) (string, error) {
	return answer, nil
}

// relayBot sets up the bot that posts and its chat.
func (d *dialog) relayBot(ctx context.Context) error {
	set, err := d.field(ctx, "TG_TOKEN", "relay bot", d.botOf)
	if err != nil || !set {
		return err
	}
	for {
		set, err := d.field(ctx, "TG_CHAT", "relay chat", d.chatOf("TG_TOKEN"))
		if err != nil {
			return err
		}
		if set {
			break
		}
		if err := d.offerChats(ctx); err != nil {
			return err
		}
	}
	d.set("TG_ENABLED", "true")
	return d.testMessage(ctx)
}

// botOf asks Telegram whose token it is.
func (d *dialog) botOf(ctx context.Context, r *worker.Clients, token string) (string, error) {
	bot, err := r.BotOf(token)
	if err != nil {
		return "", err
	}
	me, err := bot.GetMe(ctx)
	if err == nil {
		d.say("bot", me.Username)
	}
	return token, err
}

// chatOf finds a chat by its number, name or link and checks that the bot of a
// token is in it.
func (d *dialog) chatOf(token string) attempt {
	return func(ctx context.Context, r *worker.Clients, answer string) (string, error) {
		bot, err := r.BotOf(d.values[token])
		if err != nil {
			return "", err
		}
		name := config.ChatName(answer)
		chat, err := bot.GetChat(ctx, telegram.Chat(name))
		if err != nil {
			return "", err
		}
		member, err := bot.GetChatMember(ctx, telegram.ChatOf(chat.ID), bot.BotID())
		if err != nil {
			return "", err
		}
		if !member.IsSubscribed() {
			return "", errors.New(texts["not a member"][d.language])
		}
		d.say("chat", cmp.Or(chat.Title, name))
		return name, nil
	}
}

// offerChats shows the groups and channels of which the bot has heard: Telegram
// has no list of a bot's chats, but tells the bot when it is added to one.
func (d *dialog) offerChats(ctx context.Context) error {
	r, err := d.clients()
	if err != nil {
		return err
	}
	bot, err := r.BotOf(d.values["TG_TOKEN"])
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	updates, err := bot.GetUpdates(asking, telegram.Poll{Updates: []string{"message", "channel_post", "my_chat_member"}})
	if err != nil {
		d.fault(err)
		return nil
	}
	seen := map[int64]string{}
	for _, raw := range updates {
		var parts map[string]json.RawMessage
		if json.Unmarshal(raw, &parts) != nil {
			continue // an odd one must not hide the others
		}
		for _, part := range parts {
			var about struct {
				Chat telegram.ChatSummary `json:"chat"`
			}
			if json.Unmarshal(part, &about) == nil && about.Chat.ID < 0 {
				seen[about.Chat.ID] = about.Chat.Title
			}
		}
	}
	if len(seen) == 0 {
		d.say("no chats")
		return nil
	}
	d.say("chats")
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		_, _ = fmt.Fprintf(d.out, "  %d  %s\n", id, seen[id])
	}
	return nil
}

// trial sends something and removes it when it was looked at, if that is wanted.
func (d *dialog) trial(ctx context.Context, question string, send func(*worker.Clients, string) (remove func() error, err error)) error {
	wanted, err := d.agrees(ctx, question)
	if err != nil || !wanted {
		return err
	}
	r, err := d.clients()
	if err != nil {
		return err
	}
	remove, err := send(r, texts["test text"][d.language])
	if err != nil {
		d.fault(err)
		return nil
	}
	if _, err := d.ask(ctx, "test sent"); err != nil {
		return err
	}
	if err := remove(); err != nil {
		d.fault(err)
	}
	return nil
}

// testMessage tries the chat.
func (d *dialog) testMessage(ctx context.Context) error {
	return d.trial(ctx, "test message", func(r *worker.Clients, text string) (remove func() error, err error) {
		bot, err := r.BotOf(d.values["TG_TOKEN"])
		if err != nil {
			return nil, err
		}
		target := telegram.Target{Chat: telegram.Chat(d.values["TG_CHAT"])}
		sent, err := bot.SendMessage(ctx, telegram.TextMessage{Target: target, Text: text})
		return func() error { return bot.DeleteMessage(ctx, telegram.MessageRef{Chat: target.Chat, ID: sent.ID}) }, err
	})
}

// reading sets up the key that reads walls, and the walls.
func (d *dialog) reading(ctx context.Context) error {
	set, err := d.field(ctx, "VK_TOKEN", "reading key", func(ctx context.Context, r *worker.Clients, answer string) (string, error) {
		reader, err := r.Reader()
		if err != nil {
			return "", err
		}
		_, err = reader.WallGetByID(ctx, post.ID{OwnerID: -1, PostID: 1}) // outside the day's calls of wall.get
		if err == nil {
			d.say("key works")
		}
		return answer, err
	})
	if err != nil || !set {
		return err
	}
	_, err = d.field(ctx, "VK_WALLS", "walls", func(ctx context.Context, r *worker.Clients, _ string) (string, error) {
		var failures []error
		for _, found := range doctor.Reading(ctx, r) {
			if found.State == doctor.Fault {
				failures = append(failures, fmt.Errorf("%s: %s", found.What, found.Detail))
			} else {
				_, _ = fmt.Fprintf(d.out, "  %s: %s\n", found.What, found.Detail)
			}
		}
		return r.Config.Scan.Walls.String(), errors.Join(failures...)
	})
	return err
}

// writing sets up the VK wall that is written to, and its keys.
func (d *dialog) writing(ctx context.Context) error {
	set, err := d.field(ctx, "VK_OUT_TOKEN", "writing key", asTaken)
	if err != nil || !set {
		return err
	}
	set, err = d.field(ctx, "VK_OUT_OWNER_ID", "own wall", func(ctx context.Context, r *worker.Clients, answer string) (string, error) {
		key, err := r.KeyOf(d.values["VK_OUT_TOKEN"])
		if err != nil {
			return "", err
		}
		owner, err := key.ResolveWall(ctx, answer)
		return strconv.FormatInt(owner, 10), err
	})
	if err != nil || !set {
		return err
	}
	d.set("VK_OUT_ENABLED", "true")
	set, err = d.field(ctx, "VK_OUT_MEDIA_TOKEN", "media key", func(ctx context.Context, r *worker.Clients, answer string) (string, error) {
		err := r.TryUploading(ctx, route.Destination{Platform: route.VK, Owner: r.Config.VKOut.OwnerID})
		if err == nil {
			d.say("key works")
		}
		return answer, err
	})
	if err != nil {
		return err
	}
	if set {
		d.set("VK_OUT_ATTACH_MEDIA", "true")
	}
	return d.testPost(ctx)
}

// testPost tries the wall: there is no other way to learn whether a key may post.
func (d *dialog) testPost(ctx context.Context) error {
	return d.trial(ctx, "test post", func(r *worker.Clients, text string) (remove func() error, err error) {
		key, err := r.KeyOf(d.values["VK_OUT_TOKEN"])
		if err != nil {
			return nil, err
		}
		owner := r.Config.VKOut.OwnerID
		number, err := key.WallPost(ctx, vk.WallPost{OwnerID: owner, FromGroup: true, Message: text, GUID: rand.Text()})
		if uploader, noUploader := r.Uploader(); noUploader == nil && uploader != nil {
			key = uploader // a community's key may not delete
		}
		return func() error { return key.WallDelete(ctx, owner, number) }, err
	})
}

// guide sets up the guide's bot and the channel that its people subscribe to.
func (d *dialog) guide(ctx context.Context) error {
	set, err := d.field(ctx, "TELEGRAM_BOT_TOKEN", "guide bot", func(ctx context.Context, r *worker.Clients, token string) (string, error) {
		bot, err := r.BotOf(token)
		if err != nil {
			return "", err
		}
		me, err := bot.GetMe(ctx)
		if err != nil {
			return "", err
		}
		d.say("bot", me.Username)
		d.set("TELEGRAM_BOT_USERNAME", me.Username)
		return token, nil
	})
	if err != nil || !set {
		return err
	}
	set, err = d.field(ctx, "TELEGRAM_CHANNEL", "guide channel", d.chatOf("TELEGRAM_BOT_TOKEN"))
	if err != nil || !set {
		return err
	}
	if strings.HasPrefix(d.values["TELEGRAM_CHANNEL"], "-") {
		set, err = d.field(ctx, "TELEGRAM_CHANNEL_URL", "guide invitation", asTaken)
		if err != nil || !set {
			return err
		}
	}
	if d.values["TELEGRAM_WEBHOOK_SECRET"] == "" {
		d.set("TELEGRAM_WEBHOOK_SECRET", rand.Text())
	}
	d.set("BOT_ENABLED", "true")
	return nil
}
