package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/telegram"
	"vestnik/internal/sandbox/vk"
)

// stateVersion changes when an old file can no longer be read.
const stateVersion = 1

// savedState is what outlives a run: chats and walls with what is in them. Tokens, calls and faults do not.
type savedState struct {
	Version int    `json:"version"`
	BaseURL string `json:"base_url"`
	telegramState
	vkState
}

// Names under which both platforms fit into one struct.
type (
	telegramState = telegram.State
	vkState       = vk.State
)

// stateFile is written soon after a change.
type stateFile struct {
	server *Server
	path   string
	news   *core.Reader
}

// saveDelay gathers changes before they are written.
const saveDelay = 250 * time.Millisecond

func (f *stateFile) run() {
	s := f.server
	for {
		select {
		case <-f.news.Bell:
		case <-s.Life.Done():
			return // Close saves
		}
		changed := f.news.Take()
		if !slices.Contains(changed, Telegram) && !slices.Contains(changed, VK) {
			continue
		}
		if !s.Sleep(s.Life, saveDelay) {
			return
		}
		f.news.Take()
		if err := f.save(); err != nil {
			s.Log.Error("sandbox could not keep its state", "error", err)
		}
	}
}

// save writes the file beside its old version and then takes its place, so that a crash leaves one or the other.
func (f *stateFile) save() error {
	var body []byte
	var err error
	f.server.telegramPlatform.Save(func(chats telegram.State) {
		f.server.vkPlatform.Save(func(walls vk.State) {
			body, err = json.Marshal(savedState{stateVersion, f.server.BaseURL, chats, walls})
		})
	})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.path), 0o755)
	}
	fresh := f.path + ".new"
	if err == nil {
		err = os.WriteFile(fresh, body, 0o600)
	}
	if err == nil {
		err = os.Rename(fresh, f.path)
	}
	if err != nil {
		return fmt.Errorf("sandbox: state file: %w", err)
	}
	return nil
}

// load brings the last run's state back; false if there is none.
func (f *stateFile) load() (bool, error) {
	body, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("sandbox: state file: %w", err)
	}
	var saved savedState
	err = json.Unmarshal(body, &saved)
	if old := saved.BaseURL; err == nil && old != "" && old != f.server.BaseURL { // the port may have changed
		saved = savedState{}
		err = json.Unmarshal([]byte(strings.ReplaceAll(string(body), `"`+old+"/", `"`+f.server.BaseURL+"/")), &saved)
	}
	if err == nil && saved.Version != stateVersion {
		err = errors.New("version differs")
	}
	if err != nil {
		return false, fmt.Errorf("sandbox: state file %s is not one of this version: remove it to begin anew (%w)", f.path, err)
	}
	f.server.telegramPlatform.Restore(saved.telegramState)
	f.server.vkPlatform.Restore(saved.vkState)
	return true, nil
}
