package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"vestnik/api"
	"vestnik/db"
	"vestnik/internal/config"
	"vestnik/internal/devstack"
	"vestnik/internal/sandbox"
)

// stopLimit is how long the servers that dev has started may take to stop.
const stopLimit = 30 * time.Second

func devCommand() *cli.Command {
	return &cli.Command{
		Name:  "dev",
		Usage: "run everything on this machine: servers, sandbox, worker, api, schedule",
		Description: "Starts Postgres and Temporal unless DATABASE_URL and TEMPORAL_ADDRESS name them, and a sandbox\n" +
			"in place of each platform that has no token. Ctrl-C stops all that it has started.",
		Action: func(ctx context.Context, _ *cli.Command) error {
			d := &dev{environ: config.Environ()}
			return errors.Join(d.run(ctx), d.stop())
		},
	}
}

// dev is a run of the whole product on one machine.
type dev struct {
	environ map[string]string // the process's, with what dev adds
	stack   *devstack.Stack
	sandbox *sandbox.Server
	app     *app
	logFile *os.File

	sandboxTelegram, sandboxVK bool // which platforms the sandbox stands in for
}

func (d *dev) run(ctx context.Context) error {
	if d.lacks("PUBLIC_URL") {
		// Updates are fetched, and the webhook is Telegram's no more than
		// anybody's: nobody needs to know its secret.
		d.offer(map[string]string{"TELEGRAM_WEBHOOK_SECRET": rand.Text()})
	}
	if err := d.startServers(ctx); err != nil {
		return err
	}
	if err := d.startSandbox(ctx); err != nil {
		return err
	}
	listener, err := d.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // whoever served on it has closed it
	if err := d.connect(ctx); err != nil {
		return err
	}
	if err := d.app.starter.Schedule(ctx); err != nil {
		return err
	}
	if err := d.publishEnviron(); err != nil {
		return err
	}
	if err := d.callBack(listener); err != nil {
		return err
	}
	d.greet(os.Stdout, listener)
	parts := []func(context.Context) error{
		d.app.work,
		d.app.tellOperators,
		d.app.followFiles,
		func(ctx context.Context) error { return d.app.serve(ctx, listener, d.pages()) },
		func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return nil
			case err := <-d.stack.Failed():
				return err
			}
		},
	}
	if d.app.cfg.Bot.Enabled {
		guide, err := d.openGuide(ctx, listener)
		if err != nil {
			return err
		}
		parts = append(parts, guide)
	}
	return d.app.runAll(ctx, parts...)
}

// openGuide fills the guide with the sample city and lets updates in: by
// webhook from the sandbox or from Telegram, if PUBLIC_URL says how it reaches
// us; otherwise they are fetched.
func (d *dev) openGuide(ctx context.Context, listener net.Listener) (run func(context.Context) error, err error) {
	if d.sandboxTelegram {
		if err := d.app.fillGuide(ctx, d.sandbox.URL()+"/sandbox/photos"); err != nil {
			return nil, err
		}
		return nothing, d.sandbox.SetWebhook(sandbox.GuideBotToken, sandbox.Webhook{
			URL: "http://" + listener.Addr().String() + api.WebhookPath, Secret: d.environ["TELEGRAM_WEBHOOK_SECRET"],
		})
	}
	// Among real people, only a guide without a city gets one, and without
	// photos: Telegram can't fetch the sandbox's.
	if empty, err := d.app.guideIsEmpty(ctx); err != nil {
		return nil, err
	} else if empty {
		if err := d.app.fillGuide(ctx, ""); err != nil {
			return nil, err
		}
	}
	if d.app.cfg.Bot.PublicURL != "" {
		return nothing, nil
	}
	poller, err := d.app.guidePoller()
	if err != nil {
		return nil, err
	}
	return poller.Run, nil
}

// The codes by which the sandbox's communities and the api know each other.
const (
	sandboxConfirmation = "5a4db0c5"
	sandboxSecret       = "sandbox-callback-secret"
)

// callBack has the sandbox's communities tell their new posts at once.
func (d *dev) callBack(listener net.Listener) error {
	var failures []error
	for group, code := range d.app.cfg.Scan.Callback {
		if d.sandboxVK {
			failures = append(failures, d.sandbox.SetCallback(sandbox.Callback{
				GroupID: group, URL: "http://" + listener.Addr().String() + api.CallbackPath,
				Confirmation: code, Secret: d.app.cfg.Scan.CallSecret.Reveal(),
			}))
		}
	}
	return errors.Join(failures...)
}

func nothing(context.Context) error { return nil }

func (d *dev) pages() consolePages {
	pages := consolePages{temporalUI: d.stack.TemporalUIURL}
	if d.sandbox != nil {
		pages.sandbox = d.sandbox.URL()
	}
	return pages
}

func (d *dev) startServers(ctx context.Context) error {
	cfg, err := config.Load(d.environ)
	if err != nil {
		return err
	}
	d.stack, err = devstack.Start(ctx, devstack.Options{
		DatabaseURL: cfg.Database.URL.Reveal(), TemporalAddress: cfg.Temporal.Address, Namespace: cfg.Temporal.Namespace,
		Progress: say,
	})
	if err != nil {
		return err
	}
	d.environ["DATABASE_URL"], d.environ["TEMPORAL_ADDRESS"] = d.stack.DatabaseURL, d.stack.TemporalAddress
	delete(d.environ, "DATABASE_URL_FILE") // it was read
	return nil
}

func say(step string) { fmt.Fprintln(os.Stderr, "· "+step) }

// startSandbox stands a sandbox in for each platform that the environment
// gives neither a token nor an address of.
func (d *dev) startSandbox(ctx context.Context) error {
	d.sandboxTelegram = d.lacks("TELEGRAM_API_URL", "TG_TOKEN", "TELEGRAM_BOT_TOKEN")
	d.sandboxVK = d.lacks("VK_API_URL", "VK_TOKEN", "VK_OUT_TOKEN")
	if !d.sandboxTelegram && !d.sandboxVK {
		return nil
	}
	addr, err := freeAddr(ctx, "127.0.0.1:8090")
	if err != nil {
		return err
	}
	d.sandbox, err = sandbox.Start(ctx, sandbox.Options{
		Addr: addr, Samples: true, StateFile: filepath.Join(devstack.StateDir, "sandbox.json"),
	})
	if err != nil {
		return err
	}
	if d.sandboxTelegram {
		d.offer(map[string]string{
			"TELEGRAM_API_URL": d.sandbox.TelegramURL(),
			"TG_ENABLED":       "true", "TG_TOKEN": sandbox.TelegramToken, "TG_CHAT": strconv.FormatInt(sandbox.ChatID, 10),
			"BOT_ENABLED": "true", "TELEGRAM_BOT_TOKEN": sandbox.GuideBotToken, "TELEGRAM_BOT_USERNAME": sandbox.GuideBotUsername,
			"TELEGRAM_CHANNEL":        sandbox.GuideChannel,
			"TELEGRAM_WEBHOOK_SECRET": rand.Text(), "BOT_CONTACT_URL": "https://t.me/sandbox_city",
		})
	}
	if d.sandboxVK {
		callbacks := config.Callback{}
		for _, wall := range d.sandbox.Walls() {
			if slices.Contains(sandbox.WallNames(), wall.ScreenName) {
				callbacks[-wall.OwnerID] = sandboxConfirmation
			}
		}
		d.offer(map[string]string{
			"VK_CALLBACK": callbacks.String(), "VK_CALLBACK_SECRET": sandboxSecret,
			"VK_API_URL": d.sandbox.VKURL(), "VK_TOKEN": sandbox.VKReadToken, "VK_WALLS": strings.Join(sandbox.WallNames(), ","),
			"VK_OUT_ENABLED": "true", "VK_OUT_TOKEN": sandbox.VKWriteToken, "VK_OUT_MEDIA_TOKEN": sandbox.VKMediaToken,
			"VK_OUT_OWNER_ID": strconv.FormatInt(sandbox.DestinationOwnerID, 10),
			// A sandbox has no quota to spare, and whoever writes a post wants to see it go.
			"VK_DAILY_QUOTA": "1000000", "SCAN_INTERVAL": "10s", "FIRST_READ_HOURS": "48",
		})
	}
	return nil
}

// lacks reports whether none of the variables, nor its _FILE form, is set.
func (d *dev) lacks(variables ...string) bool {
	return !slices.ContainsFunc(variables, func(name string) bool {
		return d.environ[name] != "" || d.environ[name+"_FILE"] != ""
	})
}

// offer sets what the environment does not.
func (d *dev) offer(values map[string]string) {
	for name, value := range values {
		if d.lacks(name) {
			d.environ[name] = value
		}
	}
}

// listen takes HTTP_ADDR, or, where nobody asked for it, the next free port.
func (d *dev) listen(ctx context.Context) (net.Listener, error) {
	addr := d.environ["HTTP_ADDR"]
	if addr == "" {
		var err error
		if addr, err = freeAddr(ctx, "127.0.0.1:8080"); err != nil {
			return nil, err
		}
		d.environ["HTTP_ADDR"] = addr
	}
	return listen(ctx, "HTTP_ADDR", addr)
}

// freeAddr returns addr, or the next port after it that nobody listens on.
func freeAddr(ctx context.Context, addr string) (string, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return "", err
	}
	var busy error
	for next := port; next < port+20; next++ {
		candidate := net.JoinHostPort(host, strconv.Itoa(next))
		var listener net.Listener
		if listener, busy = new(net.ListenConfig).Listen(ctx, "tcp", candidate); busy == nil {
			return candidate, listener.Close()
		}
	}
	return "", fmt.Errorf("no free port from %d to %d: %w", port, port+19, busy)
}

// connect migrates the database and opens everything with the environment that
// is now complete. Logs go to a file, so that the terminal stays readable.
func (d *dev) connect(ctx context.Context) error {
	for _, name := range []string{"OPS_TOKEN", "CMS_TOKEN"} {
		token, err := keptToken(name)
		if err != nil {
			return err
		}
		d.offer(map[string]string{name: token})
	}
	var err error
	if d.logFile, err = devstack.OpenLog(logPath(), 0o600); err != nil {
		return err
	}
	cfg, err := config.Load(d.environ)
	if err != nil {
		return err
	}
	pool, err := db.Open(ctx, cfg.Database.URL.Reveal())
	if err != nil {
		return err
	}
	defer pool.Close()
	say("migrating the database")
	if err := db.Migrate(ctx, pool); err != nil {
		return err
	}
	cfg.Platforms.SandboxTelegram, cfg.Platforms.SandboxVK = d.sandboxTelegram, d.sandboxVK
	d.app, err = connect(ctx, "dev", cfg, d.logFile)
	if err == nil {
		d.app.environ = d.environ
	}
	return err
}

func logPath() string { return filepath.Join(devstack.StateDir, "logs", "vestnik.log") }

// keptToken returns a token of this folder's own, making it the first time.
func keptToken(name string) (string, error) {
	path := filepath.Join(devstack.StateDir, strings.ToLower(name))
	if text, err := os.ReadFile(path); err == nil && len(text) > 0 {
		return strings.TrimSpace(string(text)), nil
	}
	token := rand.Text()
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep %s: %w", name, err)
	}
	return token, nil
}

// publishEnviron lets the other commands in this folder find the servers.
func (d *dev) publishEnviron() error {
	own := config.Environ()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.environ)) {
		if own[name] == "" {
			fmt.Fprintf(&text, "%s=%s\n", name, d.environ[name])
		}
	}
	if err := os.WriteFile(devEnvironFile(), []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("tell the other commands where the servers are: %w", err)
	}
	return nil
}

// greet says where to look and what to expect.
func (d *dev) greet(w io.Writer, listener net.Listener) {
	say := func(text string) { _, _ = io.WriteString(w, text) }
	line := func(what, where string) { say(fmt.Sprintf("  %-20s %s\n", what, where)) }
	say("\nVestnik is up.\n\n")
	if d.sandbox != nil {
		line("Sandbox", d.sandbox.URL()+"/   chats and walls as people see them")
	}
	switch {
	case d.sandboxTelegram:
		line("City guide", d.sandbox.URL()+"/guide   talk with the bot")
	case d.app.cfg.Bot.Enabled && d.app.cfg.Bot.PublicURL == "":
		line("City guide", "fetches its updates: write to the bot in Telegram")
	}
	ops := cmp.Or(d.app.cfg.HTTP.OpsAddr, listener.Addr().String())
	line("Operator console", fmt.Sprintf("http://%s/   token: %s", ops, d.environ["OPS_TOKEN"]))
	if d.stack.TemporalUIURL != "" {
		line("Temporal Web UI", d.stack.TemporalUIURL+"   every delivery is a workflow")
	}
	line("Health, metrics", fmt.Sprintf("http://%s/readyz, /metrics", ops))
	line("Log", logPath())
	if d.sandbox != nil {
		say("\nWithin a minute the lost pets of the sandbox's VK walls arrive in its Telegram chat and on its\n" +
			"destination wall. Write a post on the sandbox page and watch it go.\n")
	}
	say("\nIn another terminal here:  bin/vestnik deliveries,  bin/vestnik destination list,  bin/vestnik scan --plan\nCtrl-C stops everything.\n\n")
}

// stop ends what run has started, in the reverse order.
func (d *dev) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	var failures []error
	if d.stack != nil {
		say("stopping")
		if err := os.Remove(devEnvironFile()); !errors.Is(err, os.ErrNotExist) {
			failures = append(failures, err)
		}
	}
	if d.app != nil {
		d.app.close()
	}
	if d.sandbox != nil {
		failures = append(failures, d.sandbox.Close())
	}
	if d.logFile != nil {
		failures = append(failures, d.logFile.Close())
	}
	if d.stack != nil {
		failures = append(failures, d.stack.Close(ctx))
	}
	return errors.Join(failures...)
}
