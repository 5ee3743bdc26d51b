package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"vestnik/internal/guide"
)

// Bot is the city guide in Telegram.
type Bot struct {
	Enabled         bool           `env:"BOT_ENABLED" envDefault:"false" about:"run the guide bot"`
	Token           Secret         `env:"TELEGRAM_BOT_TOKEN" reread:"true" about:"token of the guide bot"`
	Username        string         `env:"TELEGRAM_BOT_USERNAME" about:"the guide bot's @name, for the links that people share; empty: no share buttons"`
	WebhookSecret   Secret         `env:"TELEGRAM_WEBHOOK_SECRET" about:"what Telegram must present: 1 to 256 of A-Z a-z 0-9 _ -"`
	Channel         string         `env:"TELEGRAM_CHANNEL" about:"channel that users must be subscribed to: @name or -100…"`
	ChannelURL      string         `env:"TELEGRAM_CHANNEL_URL" about:"where people subscribe, such as an invite link; empty: the public channel's own address, which one given by its number has not"`
	PublicURL       string         `env:"PUBLIC_URL" about:"https address under which Telegram reaches the api"`
	HTTPTimeout     time.Duration  `env:"BOT_HTTP_TIMEOUT" envDefault:"5s" about:"for one call"`
	ContactURL      string         `env:"BOT_CONTACT_URL" about:"where the contact button leads"`
	Timezone        *time.Location `env:"BOT_TIMEZONE" envDefault:"Europe/Moscow" about:"the city's time zone"`
	EditInPlace     bool           `env:"BOT_EDIT_IN_PLACE" envDefault:"false" about:"change the screen's message instead of sending a new one"`
	FailureStatus   int            `env:"ACCEPT_FAILURE_STATUS" envDefault:"500" about:"the webhook's answer while Temporal can't store updates: 500 or 503 (Telegram brings them again), 200 (they are lost)"`
	ChatPerSec      float64        `env:"BOT_CHAT_PER_SEC" envDefault:"5" about:"updates a second taken from one chat, twice as many in a row, of texts a fifth; the rest is dropped; 0: no limit"`
	AnswerMalformed bool           `env:"BOT_ANSWER_MALFORMED" envDefault:"false" about:"answer buttons whose data is malformed too, instead of only logging them"`
	City            string         `env:"GUIDE_CITY" about:"the city's name, for addresses on the map that do not name it"`
	TextsFile       string         `env:"GUIDE_TEXTS" about:"YAML with what the guide is to say in other words; vestnik bot texts prints all that it says"`

	// Texts are the guide's own with those of TextsFile in their place.
	Texts *guide.Texts
}

// Telegram: "1-256 characters. Only characters A-Z, a-z, 0-9, _ and - are
// allowed" (Bot API, setWebhook).
var webhookSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// Telegram: 5 to 32 letters, digits and underscores; a bot's name bought as a
// collectible may have 4 and need not end in "bot".
var username = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{3,31}$`)

var channel = regexp.MustCompile(`^(@[A-Za-z][A-Za-z0-9_]{3,31}|-[0-9]{1,19})$`)

func (b *Bot) normalise() {
	b.PublicURL = strings.TrimRight(b.PublicURL, "/")
	b.Username = strings.TrimPrefix(b.Username, "@")
}

func (b *Bot) check(faults *faultList, need func(Need) bool) {
	serves := b.Enabled || need(NeedBot)
	faults.token("TELEGRAM_BOT_TOKEN", b.Token)
	if serves || need(NeedWebhook) {
		faults.required("TELEGRAM_BOT_TOKEN", b.Token.IsSet(), "set it to the token that @BotFather gave for the guide bot")
		faults.required("TELEGRAM_WEBHOOK_SECRET", b.WebhookSecret.IsSet(), "set it to 1 to 256 random characters of A-Z a-z 0-9 _ -")
	}
	if b.WebhookSecret.IsSet() && !webhookSecret.MatchString(b.WebhookSecret.Reveal()) {
		faults.add("TELEGRAM_WEBHOOK_SECRET", "is not a secret that Telegram takes", "use 1 to 256 characters of A-Z a-z 0-9 _ -")
	}
	if b.Username != "" && !username.MatchString(b.Username) {
		faults.add("TELEGRAM_BOT_USERNAME", "is not a bot's name", "write it as @BotFather has it, such as @city_guide_bot")
	}
	if serves {
		faults.required("TELEGRAM_CHANNEL", b.Channel != "", "set it to the channel's @name or its id, such as -1001234567890")
	}
	if b.Channel != "" && !channel.MatchString(b.Channel) {
		faults.add("TELEGRAM_CHANNEL", "is not a channel", "write its @name or its id, such as -1001234567890")
	}
	if serves && strings.HasPrefix(b.Channel, "-") {
		faults.required("TELEGRAM_CHANNEL_URL", b.ChannelURL != "",
			"set it to the channel's invite link: a channel known by its number has no address that the gate could lead to")
	}
	if b.ChannelURL != "" {
		faults.link("TELEGRAM_CHANNEL_URL", b.ChannelURL)
	}
	if need(NeedWebhook) {
		faults.required("PUBLIC_URL", b.PublicURL != "", "set it to the https address under which Telegram reaches the api")
	}
	if b.PublicURL != "" {
		// Plain http serves the sandbox only; Telegram itself refuses it.
		faults.httpURL("PUBLIC_URL", b.PublicURL)
	}
	if b.ContactURL != "" {
		faults.link("BOT_CONTACT_URL", b.ContactURL)
	}
	faults.positive("BOT_HTTP_TIMEOUT", b.HTTPTimeout)
	faults.rate("BOT_CHAT_PER_SEC", b.ChatPerSec, leastRate)
	if !slices.Contains([]int{200, 500, 503}, b.FailureStatus) {
		faults.add("ACCEPT_FAILURE_STATUS", "is not an answer that Telegram understands", "write 500, 503 or 200")
	}
	b.readTexts(faults)
}

// readTexts reads TextsFile, with a fault for each that it has.
func (b *Bot) readTexts(faults *faultList) {
	b.Texts = guide.DefaultTexts()
	if b.TextsFile == "" {
		return
	}
	file, err := os.ReadFile(b.TextsFile)
	if err != nil {
		faults.add("GUIDE_TEXTS", "does not name a file that can be read", "check the path, or leave it out for the guide's own texts")
		return
	}
	texts, wrong := guide.ReadTexts(file)
	for _, fault := range wrong {
		faults.all = append(faults.all, Fault{
			Variable: "GUIDE_TEXTS", Problem: fmt.Sprintf("%s line %d: %s", filepath.Base(b.TextsFile), fault.Line, fault.Problem), Remedy: fault.Remedy,
		})
	}
	b.Texts = texts
}
