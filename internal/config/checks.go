package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (l *faultList) required(variable string, set bool, remedy string) {
	if !set {
		l.add(variable, "is not set", remedy)
	}
}

// rate allows 0, which turns pacing off (benches need that).
func (l *faultList) rate(variable string, perSec, least float64) {
	if math.IsNaN(perSec) || math.IsInf(perSec, 0) || perSec != 0 && perSec < least {
		l.add(variable, "is not a rate", fmt.Sprintf("write a number of calls per second, %g or more, or 0 for no pacing", least))
	}
}

func (l *faultList) positive(variable string, d time.Duration) {
	if d <= 0 {
		l.add(variable, "is not a positive duration", "write a duration such as 10s or 48h")
	}
}

func (l *faultList) between(variable string, n, low, high int) {
	if n < low || n > high {
		l.add(variable, "is out of range", fmt.Sprintf("write a whole number from %d to %d", low, high))
	}
}

func (l *faultList) oneOf(variable, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		l.add(variable, "has a value that is not known", "write one of "+strings.Join(allowed, ", "))
	}
}

func (l *faultList) httpURL(variable, value string) {
	parsed, err := url.Parse(value)
	switch {
	case err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http":
		l.add(variable, "is not a URL", "write it in full, such as https://example.org")
	case parsed.User != nil:
		l.add(variable, "carries a user name or password", "leave them out; tokens have variables of their own")
	case parsed.RawQuery != "" || parsed.Fragment != "":
		l.add(variable, "carries a query or fragment", "leave out everything from ? or # on")
	}
}

// link is what a button may open (Bot API, InlineKeyboardButton.url).
func (l *faultList) link(variable, value string) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Host == "" || !slices.Contains([]string{"https", "http", "tg"}, parsed.Scheme) {
		l.add(variable, "is not a link", "write it in full, such as https://t.me/example")
	}
}

func (l *faultList) hostPort(variable, value string) {
	_, port, err := net.SplitHostPort(value)
	number, portErr := strconv.ParseUint(port, 10, 16)
	if err != nil || portErr != nil || (number == 0 && port != "0") {
		l.add(variable, "is not an address", "write host:port, such as 127.0.0.1:8080")
	}
}

// token refuses what cannot be a token and would change the URL that it is
// put into.
func (l *faultList) token(variable string, secret Secret) {
	if strings.ContainsAny(secret.Reveal(), " \t\r\n/?#\"'") {
		l.add(variable, "is not a token", "copy it again, without quotes, spaces or a URL around it")
	}
}

// A token that opens routes of ours is guessed at by whoever reaches them.
const (
	leastToken   = 16 // characters
	leastLetters = 6  // different ones among them
)

const randomToken = "set it to a long random text, such as `openssl rand -hex 32` gives"

// strong refuses a token that can be guessed.
func (l *faultList) strong(variable string, secret Secret) {
	letters := map[rune]bool{}
	for _, r := range secret.Reveal() {
		letters[r] = true
	}
	if secret.IsSet() && (len(secret.Reveal()) < leastToken || len(letters) < leastLetters) {
		l.add(variable, "is too weak", randomToken)
	}
}

// apart refuses a token of ours that is also another secret's value: who is
// given the one would have the other.
func (l *faultList) apart(config *Config) {
	type named struct {
		variable string
		secret   Secret
	}
	ours := []named{
		{"OPS_TOKEN", config.HTTP.OpsToken}, {"CMS_TOKEN", config.HTTP.CMSToken}, {"TELEGRAM_WEBHOOK_SECRET", config.Bot.WebhookSecret},
	}
	others := []Secret{
		config.Telegram.Token, config.Bot.Token, config.Scan.Token, config.VKOut.Token, config.VKOut.MediaToken, config.HTTP.OpsChatToken,
		config.Temporal.APIKey, config.Database.password(),
	}
	for _, own := range ours {
		for _, other := range others {
			if other.IsSet() && own.secret.Matches(other.Reveal()) {
				l.add(own.variable, "has the value of another secret", randomToken)
			}
		}
		others = append(others, own.secret)
	}
}
