// Package vk imitates the VK API: walls with posts and photos, access tokens of each kind with their rights, rates and
// quotas, the upload host, and the methods that Vestnik calls with VK's own refusals.
package vk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"vestnik/internal/sandbox/core"
)

// Platform is the VK API with its tokens and walls.
type Platform struct {
	core *core.Core

	mu        sync.Mutex
	tokens    map[string]*tokenUse // by value
	walls     map[int64]*wall
	photos    map[string]*WallPhoto     // "<owner>_<id>"
	uploads   map[string]*upload        // by the end of their address, then by their hash
	callbacks map[int64]*callbackServer // by group id
	nextPhoto int64
	nextEvent int64
}

// tokenUse is a token with what it has used.
type tokenUse struct {
	Token
	calls    core.Window // of the last second
	wallGets core.Window // of the last 24 hours
}

// wall is a wall with its posts, as the state file keeps it.
type wall struct {
	Wall
	Posts  []*Post            `json:"posts"` // in order of id
	NextID int64              `json:"next_id"`
	GUIDs  map[string]guidUse `json:"guids"` // by token name and guid
}

// guidUse is a post made with a guid.
type guidUse struct {
	Post int64     `json:"post"`
	At   time.Time `json:"at"`
}

// guidLife is how long a guid keeps wall.post from posting twice.
const guidLife = time.Hour

// postsKept bounds the memory of one wall: older posts are forgotten.
const postsKept = 10_000

// New makes a Platform without tokens and walls.
func New(c *core.Core) *Platform {
	return &Platform{core: c, tokens: map[string]*tokenUse{}, walls: map[int64]*wall{}, photos: map[string]*WallPhoto{},
		uploads: map[string]*upload{}, callbacks: map[int64]*callbackServer{}, nextPhoto: 457_239_000}
}

// AddVKToken makes a token known, or changes what is known of it.
func (v *Platform) AddVKToken(k Token) error {
	switch {
	case k.Value == "":
		return errors.New("sandbox: a VK token needs a value")
	case !slices.Contains([]TokenKind{ServiceToken, CommunityToken, UserToken}, k.Kind):
		return fmt.Errorf("sandbox: VK token kind %q: use service, community or user", k.Kind)
	case k.Kind == CommunityToken && k.Owner <= 0:
		return errors.New("sandbox: a community token needs Owner, the positive id of its community")
	}
	k.Name = cmp.Or(k.Name, string(k.Kind))
	v.mu.Lock()
	defer v.mu.Unlock()
	if known := v.tokens[k.Value]; known != nil {
		known.Token = k
		return nil
	}
	v.tokens[k.Value] = &tokenUse{Token: k}
	return nil
}

// AddWall makes a wall known, or changes what is known of it; its posts stay.
func (v *Platform) AddWall(w Wall) error {
	if w.OwnerID == 0 {
		return errors.New("sandbox: a wall needs an owner id, negative for a community")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.core.Announce(core.VK)
	if known := v.walls[w.OwnerID]; known != nil {
		known.Wall = w
		return nil
	}
	v.walls[w.OwnerID] = &wall{Wall: w, NextID: 1, GUIDs: map[string]guidUse{}}
	return nil
}

// ChangeWall changes a wall in place. It fails if there is no such wall.
func (v *Platform) ChangeWall(owner int64, change func(*Wall)) error {
	return v.changeWall(owner, func(w *wall) error { change(&w.Wall); return nil })
}

func (v *Platform) changeWall(owner int64, change func(*wall) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil {
		return fmt.Errorf("sandbox: no wall %d", owner)
	}
	v.core.Announce(core.VK)
	return change(w)
}

// changePost is changeWall of the wall with a post that must be there.
func (v *Platform) changePost(owner, id int64, change func(*wall, *Post)) error {
	return v.changeWall(owner, func(w *wall) error {
		p := w.post(id)
		if p == nil {
			return fmt.Errorf("sandbox: no post %d on wall %d", id, owner)
		}
		change(w, p)
		return nil
	})
}

// Walls lists the walls by owner id.
func (v *Platform) Walls() []Wall {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := []Wall{}
	for _, w := range v.walls {
		list = append(list, w.Wall)
	}
	slices.SortFunc(list, func(a, b Wall) int { return cmp.Compare(b.OwnerID, a.OwnerID) })
	return list
}

// AddPost puts a post on a wall, as if somebody had written it in VK, and returns it with its id and date.
func (v *Platform) AddPost(owner int64, p Post) (stored Post, err error) {
	err = v.changeWall(owner, func(w *wall) error {
		if p.ID != 0 && w.post(p.ID) != nil {
			return fmt.Errorf("sandbox: wall %d has a post %d already", owner, p.ID)
		}
		stored = *v.put(w, p)
		return nil
	})
	return stored, err
}

// put stores a post. v.mu is held.
func (v *Platform) put(w *wall, p Post) *Post {
	p.OwnerID = w.OwnerID
	p.ID = cmp.Or(p.ID, w.NextID)
	w.NextID = max(w.NextID, p.ID+1)
	if p.Date.IsZero() {
		p.Date = v.core.Now()
	}
	p.FromID = cmp.Or(p.FromID, w.OwnerID)
	v.knowPhotos(&p)
	stored := &p
	i, _ := w.position(p.ID)
	w.Posts = slices.Insert(w.Posts, i, stored)
	w.Posts = w.Posts[max(len(w.Posts)-postsKept, 0):]
	v.tellNew(stored)
	return stored
}

// knowPhotos gives the photos of a post ids and makes them known, so that they can be attached elsewhere. v.mu is held.
func (v *Platform) knowPhotos(p *Post) {
	p.Photos = slices.Clone(p.Photos)
	for i := range p.Photos {
		photo := &p.Photos[i]
		photo.OwnerID = cmp.Or(photo.OwnerID, p.OwnerID)
		if photo.ID == 0 {
			v.nextPhoto++
			photo.ID = v.nextPhoto
		}
		photo.AccessKey = cmp.Or(photo.AccessKey, fmt.Sprintf("%018x", uint64(photo.ID)*0x9E3779B97F4A7C15)[:18])
		if photo.Date.IsZero() {
			photo.Date = p.Date
		}
		if photo.Drawing != "" && photo.Width == 0 {
			photo.Width, photo.Height = 1280, 960
		}
		v.photos[photoName(*photo)] = photo
	}
	p.Reposts = slices.Clone(p.Reposts)
	for i := range p.Reposts {
		v.knowPhotos(&p.Reposts[i])
	}
}

func photoName(p WallPhoto) string { return fmt.Sprintf("%d_%d", p.OwnerID, p.ID) }

// EditPost changes a post in place and marks it edited now.
func (v *Platform) EditPost(owner, id int64, change func(*Post)) error {
	return v.changePost(owner, id, func(_ *wall, p *Post) {
		p.Photos, p.Reposts, p.Attachments, p.Extra = slices.Clone(p.Photos), slices.Clone(p.Reposts), slices.Clone(p.Attachments), maps.Clone(p.Extra)
		change(p)
		p.OwnerID, p.ID, p.Edited = owner, id, v.core.Now()
		v.knowPhotos(p)
	})
}

// DeletePost removes a post. Its id is not given again.
func (v *Platform) DeletePost(owner, id int64) error {
	return v.changePost(owner, id, func(w *wall, _ *Post) { w.remove(id) })
}

func (w *wall) remove(id int64) {
	w.Posts = slices.DeleteFunc(w.Posts, func(p *Post) bool { return p.ID == id })
}

// Posts returns what is on a wall, oldest first, postponed and suggested posts among them.
func (v *Platform) Posts(owner int64) []Post {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := []Post{}
	if w := v.walls[owner]; w != nil {
		for _, p := range w.Posts {
			list = append(list, *p)
		}
	}
	return list
}

func (w *wall) post(id int64) *Post {
	i, found := w.position(id)
	if !found {
		return nil
	}
	return w.Posts[i]
}

// position is where a post of this id is, or belongs.
func (w *wall) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(w.Posts, id, func(p *Post, id int64) int { return cmp.Compare(p.ID, id) })
}

// ServeHTTP answers /method/<name>.
func (v *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	q := &request{platform: v, method: name}
	v.core.Exchange(w, r, core.VK, name, core.Rules{
		Identify: func(f *core.Form) (string, string) {
			q.form = f
			value := cmp.Or(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), f.Fields["access_token"])
			q.sentToken = value != ""
			delete(f.Fields, "access_token") // never recorded
			v.mu.Lock()
			defer v.mu.Unlock()
			q.token = v.tokens[value]
			chat := f.Fields["owner_id"]
			if group := f.Fields["group_id"]; chat == "" && group != "" && group != "0" {
				chat = "-" + group
			}
			if q.token == nil {
				return "", chat
			}
			return q.token.Name, chat
		},
		Unreadable: func(err error) core.Answer {
			if errors.Is(err, core.ErrTooLarge) {
				return page(http.StatusRequestEntityTooLarge)
			}
			return refuse(8, "Invalid request: %s", err).answer(&core.Form{})
		},
		Handle: func(_ context.Context, f *core.Form) core.Answer {
			var result any
			v.mu.Lock()
			if q.read(methods[name]); q.refused == nil {
				result = methods[name].run(q)
			}
			v.mu.Unlock()
			if q.refused != nil {
				return q.refused.answer(f)
			}
			if len(q.stored) > 0 {
				v.core.Announce(core.VK)
			}
			return core.Answer{Status: 200, Stored: q.stored, Body: core.Encode(map[string]any{"response": result})}
		},
		Fault: faultAnswer,
	})
}

// State is what outlives a run of the sandbox.
type State struct {
	Walls     []*wall      `json:"walls"`
	WallPhoto []*WallPhoto `json:"wall_photos"`
	NextPhoto int64        `json:"next_photo"`
}

// Save hands the state to keep, which must not hold on to it.
func (v *Platform) Save(keep func(State)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	keep(State{Walls: slices.Collect(maps.Values(v.walls)), WallPhoto: slices.Collect(maps.Values(v.photos)), NextPhoto: v.nextPhoto})
}

// Restore brings a saved state back.
func (v *Platform) Restore(saved State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, photo := range saved.WallPhoto {
		v.photos[photoName(*photo)] = photo
	}
	for _, w := range saved.Walls {
		if w.GUIDs == nil {
			w.GUIDs = map[string]guidUse{}
		}
		w.NextID = max(w.NextID, 1)
		v.walls[w.OwnerID] = w
	}
	v.nextPhoto = max(saved.NextPhoto, v.nextPhoto)
}

// IsWritten reports whether a wall is one that tokens write on.
func (v *Platform) IsWritten(w Wall) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, k := range v.tokens {
		if k.Kind == CommunityToken && w.OwnerID == -k.Owner {
			return true
		}
	}
	return len(w.Writers) > 0
}

// Linked is the post that a vk.com/wall… address means, with the name of its wall; nil if there is none.
func (v *Platform) Linked(address string) (post *Post, wallName string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w, p := v.linked(address)
	if p == nil {
		return nil, ""
	}
	copied := *p
	return &copied, w.Name
}
