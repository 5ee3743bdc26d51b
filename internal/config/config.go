// Package config reads Vestnik's settings from the environment: one struct
// per concern, every fault reported at once, secrets that cannot be printed
// by accident.
//
// Each field names its variable, its default and its meaning in its tags, and
// those tags are the only list: [Variables] prints it for people, and
// [Config.Describe] prints what a process really runs with.
package config

import (
	"slices"

	_ "time/tzdata" // BOT_TIMEZONE must load in an image without /usr/share/zoneinfo
)

// Config is everything that any role reads from its environment. A role uses
// the parts it needs; the rest stays at its defaults.
type Config struct {
	Database  Database
	Temporal  Temporal
	HTTP      HTTP
	Platforms Platforms
	Scan      Scan
	Telegram  Telegram
	VKOut     VKOut
	Relay     Relay
	Bot       Bot
	Worker    Worker
	Log       Log

	origins map[string]Origin // by variable
}

// Need is something a role cannot start without, beyond the rules that hold
// for every role. Bad values are faults whether or not they are needed.
type Need int

const (
	// NeedDatabase asks for DATABASE_URL.
	NeedDatabase Need = iota + 1
	// NeedTemporal asks for an address of a Temporal frontend.
	NeedTemporal
	// NeedScan asks for the key and the walls to read.
	NeedScan
	// NeedOps asks for the operator's bearer token.
	NeedOps
	// NeedCMS asks for the bearer token of the CMS.
	NeedCMS
	// NeedBot asks for what BOT_ENABLED=true asks for.
	NeedBot
	// NeedWebhook asks for what setWebhook sends: token, secret, public URL.
	NeedWebhook
)

// Load reads a Config from environ (see [Environ]). A variable that is set
// but empty counts as not set. On any fault the error is a [Faults] with one
// entry per fault; no error ever repeats a value.
func Load(environ map[string]string, needs ...Need) (Config, error) {
	config := Config{origins: map[string]Origin{}}
	faults := &faultList{}

	given := present(environ)
	faults.misspelt(given)
	values := readFiles(given, faults, config.origins)
	config.parse(values, faults)
	config.Temporal.load(values, faults)
	config.settle()

	need := func(n Need) bool { return slices.Contains(needs, n) }
	config.Database.check(faults, need)
	config.Temporal.check(faults, need)
	config.HTTP.check(faults, need)
	config.Platforms.check(faults)
	config.Scan.check(faults, need)
	config.Telegram.check(faults)
	config.VKOut.check(faults)
	config.Relay.check(faults)
	config.Bot.check(faults, need)
	config.Worker.check(faults)
	config.Log.check(faults)
	faults.apart(&config)
	if len(config.HTTP.OpsUsers) > 0 && config.Bot.Enabled && config.Bot.Token.Matches(config.HTTP.OpsChatToken.Reveal()) {
		faults.add("OPS_USERS", "needs a bot of its own", "set OPS_CHAT_TOKEN to another bot's token: Telegram gives the presses of the guide's to its webhook")
	}

	return config, faults.err()
}

// settle fills in what one setting takes from another.
func (c *Config) settle() {
	if tokens := c.Scan.Tokens(); !c.VKOut.Token.IsSet() && len(tokens) > 0 {
		c.VKOut.Token = tokens[0]
		c.origins["VK_OUT_TOKEN"] = FromFallback
	}
	if !c.HTTP.OpsChatToken.IsSet() && c.Telegram.Token.IsSet() {
		c.HTTP.OpsChatToken = c.Telegram.Token
		c.origins["OPS_CHAT_TOKEN"] = FromFallback
	}
	if c.Telegram.Chat != "" {
		c.Telegram.Chat = ChatName(c.Telegram.Chat)
	}
	c.Platforms.normalise()
	c.Scan.Walls = c.Scan.Walls.unique()
	c.Bot.normalise()
}
