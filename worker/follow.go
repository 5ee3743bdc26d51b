package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/config"
	"vestnik/internal/telemetry"
	"vestnik/starter"
)

const (
	// lookEvery is how often the files of settings are looked at. One is read when
	// two looks have found the same: it may be half written.
	lookEvery = 2 * time.Second
	// tellEvery is how often it is said anew that settings are wrong, for as long as
	// they are.
	tellEvery = 30 * time.Second
)

// Follow takes up what changes in the files of settings that environ names (NAME_FILE
// and ROUTES_FILE), until ctx ends. It is checked whole first: what is wrong changes
// nothing, and is among the problems and in the log. process is a role's name.
func (c *Clients) Follow(ctx context.Context, process string, environ map[string]string) {
	host, _ := os.Hostname() // only tells processes apart
	f := &follower{clients: c, environ: environ, process: process + "@" + host + "/" + strconv.Itoa(os.Getpid())}
	if err := f.keepRules(ctx); err != nil { // posts name them from the start
		c.Log.WarnContext(ctx, "the rules were not recorded", "error", err)
	}
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		f.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
	}
}

type follower struct {
	clients *Clients
	environ map[string]string
	process string

	seen, taken string // content of the files: at the last look, and when they were last read
	fault       error  // why what was read was not taken up
	told        time.Time
	recorded    bool // the ledger has the fault, or knows that there is none
}

func (f *follower) look(ctx context.Context) {
	content := contentOf(config.Files(f.environ))
	settled := content == f.seen
	f.seen = content
	if settled && content != f.taken {
		f.taken, f.recorded = content, false
		if f.fault = f.takeUp(ctx); f.fault != nil {
			f.clients.Log.WarnContext(ctx, "changed settings refused: those before hold", "error", f.fault)
		}
	}
	if f.taken != "" && (!f.recorded || f.fault != nil && time.Since(f.told) > tellEvery) {
		err := f.record(ctx)
		f.told, f.recorded = time.Now(), err == nil
		if err != nil && ctx.Err() == nil {
			f.clients.Log.WarnContext(ctx, "how the settings stand was not recorded", "error", err)
		}
	}
}

// takeUp reads the settings again and goes on with them.
func (f *follower) takeUp(ctx context.Context) error {
	again, err := config.Load(f.environ)
	if err != nil {
		return err
	}
	telemetry.Redact(again.Secrets()...)
	restart, err := f.clients.TakeUp(again, func(next *starter.Starter) error { return NewClients(next).tryAll() })
	if err != nil {
		return err
	}
	f.clients.Log.InfoContext(ctx, "settings read", "rules", f.clients.Routes().Version(), "walls", len(f.clients.WatchedWalls()))
	if len(restart) > 0 {
		f.clients.Log.WarnContext(ctx, "settings have changed that ask for a restart", "variables", strings.Join(restart, ", "))
	}
	return nil
}

// record keeps in the ledger how the settings stand, and what the rules say.
func (f *follower) record(ctx context.Context) error {
	if f.fault == nil {
		return errors.Join(f.clients.Ledger.SettingsAreGood(ctx, f.process), f.keepRules(ctx))
	}
	variable := "ROUTES_FILE"
	var faults config.Faults
	if errors.As(f.fault, &faults) {
		variable = faults[0].Variable
	}
	return f.clients.Ledger.RefuseSettings(ctx, f.process, variable, f.fault.Error())
}

func (f *follower) keepRules(ctx context.Context) error {
	routes := f.clients.Routes()
	return f.clients.Ledger.KeepRules(ctx, routes.Version(), routes.Text())
}

// contentOf is a hash of what files hold; one that can't be read counts as empty.
func contentOf(paths []string) string {
	hash := sha256.New()
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(hash, "%s %d ", path, len(text))
		hash.Write(text)
	}
	return string(hash.Sum(nil))
}
