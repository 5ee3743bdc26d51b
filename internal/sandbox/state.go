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
)

// stateVersion changes when an old file can no longer be read.
const stateVersion = 1

// savedState is what outlives a run: chats and walls with what is in them.
// Tokens, calls and faults do not.
type savedState struct {
	Version   int               `json:"version"`
	BaseURL   string            `json:"base_url"`
	Chats     []savedChat       `json:"chats"`
	Walls     []savedWall       `json:"walls"`
	Updates   map[int64]int64   `json:"updates"` // last update_id by bot
	Photos    map[string]*Photo `json:"photos"`  // by file id
	NextPhoto int64             `json:"next_photo"`
	NextFile  int64             `json:"next_file"`
	NextAlbum int64             `json:"next_album"`
	NextQuery int64             `json:"next_query"`
	WallPhoto []*WallPhoto      `json:"wall_photos"`
}

type savedChat struct {
	Chat
	Messages []*Message `json:"messages"`
	NextID   int64      `json:"next_id"`
}

type savedWall struct {
	Wall
	Posts  []*Post            `json:"posts"`
	NextID int64              `json:"next_id"`
	GUIDs  map[string]guidUse `json:"guids"`
}

// stateKeeper writes the state file soon after a change.
type stateKeeper struct {
	server *Server
	file   string
	news   *reader
}

// saveDelay gathers changes before they are written.
const saveDelay = 250 * time.Millisecond

func newStateKeeper(s *Server, file string) *stateKeeper {
	return &stateKeeper{server: s, file: file, news: s.events.subscribe()}
}

func (k *stateKeeper) run() {
	for {
		select {
		case <-k.news.bell:
		case <-k.server.life.Done():
			return
		}
		changed := k.news.take()
		if !slices.Contains(changed, topicTelegram) && !slices.Contains(changed, topicVK) {
			continue
		}
		timer := time.NewTimer(saveDelay)
		select {
		case <-timer.C:
		case <-k.server.life.Done():
			timer.Stop()
			return // Close saves
		}
		k.news.take()
		if err := k.save(); err != nil {
			k.server.log.Error("sandbox could not keep its state", "error", err)
		}
	}
}

// save writes the file beside its old version and then takes its place, so
// that a crash leaves one or the other.
func (k *stateKeeper) save() error {
	body, err := json.Marshal(k.server.snapshot())
	if err != nil {
		return fmt.Errorf("sandbox: encode state: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o755); err != nil {
		return fmt.Errorf("sandbox: state file: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(k.file), filepath.Base(k.file)+".*.new")
	if err != nil {
		return fmt.Errorf("sandbox: state file: %w", err)
	}
	_, err = temporary.Write(body)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), k.file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("sandbox: state file: %w", err), os.Remove(temporary.Name()))
	}
	return nil
}

// load brings the last run's state back; false if there is none.
func (k *stateKeeper) load() (bool, error) {
	body, err := os.ReadFile(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("sandbox: state file: %w", err)
	}
	var head struct {
		Version int    `json:"version"`
		BaseURL string `json:"base_url"`
	}
	if err := json.Unmarshal(body, &head); err != nil || head.Version != stateVersion {
		return false, fmt.Errorf("sandbox: state file %s is not one of this version: remove it to begin anew (%w)", k.file, orElse[error](err, errors.New("version differs")))
	}
	if head.BaseURL != "" && head.BaseURL != k.server.baseURL { // the port may have changed
		body = []byte(strings.ReplaceAll(string(body), `"`+head.BaseURL+"/", `"`+k.server.baseURL+"/"))
	}
	var saved savedState
	if err := json.Unmarshal(body, &saved); err != nil {
		return false, fmt.Errorf("sandbox: state file %s: %w: remove it to begin anew", k.file, err)
	}
	k.server.restore(saved)
	return true, nil
}

func (s *Server) snapshot() savedState {
	saved := savedState{Version: stateVersion, BaseURL: s.baseURL, Updates: map[int64]int64{}, Photos: map[string]*Photo{}}
	t := s.telegram
	t.mu.Lock()
	for _, c := range t.chats {
		one := savedChat{Chat: c.Chat.copied(), NextID: c.nextID}
		for _, m := range c.messages {
			copied := *m
			one.Messages = append(one.Messages, &copied)
			if m.Photo != nil {
				saved.Photos[m.Photo.FileID] = m.Photo
			}
		}
		saved.Chats = append(saved.Chats, one)
	}
	for _, b := range t.bots {
		saved.Updates[b.ID()] = b.updates.lastID
	}
	saved.NextFile, saved.NextAlbum, saved.NextQuery = t.nextFile, t.nextAlbum, t.nextQuery
	t.mu.Unlock()

	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, w := range v.walls {
		one := savedWall{Wall: w.Wall, NextID: w.nextID, GUIDs: map[string]guidUse{}}
		for _, p := range w.posts {
			copied := *p
			one.Posts = append(one.Posts, &copied)
		}
		for name, used := range w.guids {
			one.GUIDs[name] = used
		}
		saved.Walls = append(saved.Walls, one)
	}
	for _, photo := range v.photos {
		copied := *photo
		saved.WallPhoto = append(saved.WallPhoto, &copied)
	}
	saved.NextPhoto = v.nextPhoto
	return saved
}

func (s *Server) restore(saved savedState) {
	t := s.telegram
	t.mu.Lock()
	for i := range saved.Chats {
		one := saved.Chats[i]
		if one.Members == nil {
			one.Members = map[int64]Member{}
		}
		t.chats[one.ID] = &chat{Chat: one.Chat, messages: one.Messages, nextID: max(one.NextID, 1)}
		if one.Username != "" {
			t.usernames[strings.ToLower(one.Username)] = one.ID
		}
	}
	for id, photo := range saved.Photos {
		t.files[id] = photo
	}
	t.lastUpdates = saved.Updates
	t.nextFile, t.nextAlbum, t.nextQuery = saved.NextFile, saved.NextAlbum, saved.NextQuery
	t.mu.Unlock()

	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, photo := range saved.WallPhoto {
		v.photos[photoName(*photo)] = photo
	}
	for i := range saved.Walls {
		one := saved.Walls[i]
		if one.GUIDs == nil {
			one.GUIDs = map[string]guidUse{}
		}
		v.walls[one.OwnerID] = &wall{Wall: one.Wall, posts: one.Posts, nextID: max(one.NextID, 1), guids: one.GUIDs}
	}
	v.nextPhoto = max(saved.NextPhoto, v.nextPhoto)
}
