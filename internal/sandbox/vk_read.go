package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readable says why a wall cannot be read; nil if it can. v.mu is held.
func (w *wall) readable() *vkError {
	person := w.OwnerID > 0
	switch {
	case w.State == ClosedWall && person:
		return vkFail(30, "This profile is private")
	case w.State == ClosedWall:
		return vkFail(15, "Access denied: this wall available only for community members")
	case w.State == BannedWall && person, w.State == DeletedWall && person:
		return vkFail(18, "User was deleted or banned")
	case w.State == BannedWall:
		return vkFail(19, "Content blocked")
	case w.State == DeletedWall:
		return vkFail(15, "Access denied: community is deleted")
	}
	return nil
}

// administers reports whether a token's owner runs the wall.
func (w *wall) administers(k *token) bool {
	switch k.Kind {
	case CommunityToken:
		return w.OwnerID == -k.Owner
	case UserToken:
		return w.OwnerID == k.Owner || slices.Contains(w.Writers, k.Name)
	}
	return false
}

func (q *vkRequest) wallGet() (any, *vkError) {
	owner, failed := q.integer("owner_id", 0)
	if failed != nil {
		return nil, failed
	}
	count, failed := q.integer("count", 20)
	if failed != nil {
		return nil, failed
	}
	offset, failed := q.integer("offset", 0)
	if failed != nil {
		return nil, failed
	}
	extended, failed := q.flag("extended")
	if failed != nil {
		return nil, failed
	}
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	if !q.token.withinQuota(v.server.now()) {
		return nil, vkFail(29, "Rate limit reached")
	}
	switch {
	case count < 0 || count > 100:
		return nil, vkParameter("count should be between 0 and 100")
	case offset < 0:
		return nil, vkParameter("offset should be positive")
	case owner == 0 && !q.form.has("domain") && q.token.Kind == ServiceToken:
		return nil, vkParameter("owner_id is undefined")
	}
	var w *wall
	switch {
	case q.form.has("domain"):
		w = v.named(q.form.text("domain"))
	case owner != 0:
		w = v.walls[owner]
	default:
		w = v.walls[q.token.Owner]
	}
	if w == nil && owner > 0 {
		return nil, vkFail(113, "Invalid user id")
	}
	if w == nil {
		return nil, vkParameter("owner_id is invalid: no such wall")
	}
	if failed := w.readable(); failed != nil {
		return nil, failed
	}
	posts, failed := w.filtered(q.form.text("filter"), q.token)
	if failed != nil {
		return nil, failed
	}
	from := min(int(offset), len(posts))
	page := posts[from:min(from+int(count), len(posts))]
	items := make([]any, len(page))
	for i, p := range page {
		items[i] = v.wirePost(p, w.administers(q.token))
	}
	result := map[string]any{"count": len(posts), "items": items}
	if extended {
		result["profiles"], result["groups"] = []any{}, v.groupsOf(page)
	}
	return result, nil
}

// filtered lists the posts that a filter shows: the pinned one first, the
// others newest first.
func (w *wall) filtered(filter string, k *token) ([]*Post, *vkError) {
	types := []string{"", "post", "copy", "reply", "photo", "video", "clip", "post_ads"}
	keep := func(*Post) bool { return true }
	switch filter {
	case "", "all":
	case "owner":
		keep = func(p *Post) bool { return p.FromID == w.OwnerID }
	case "others":
		keep = func(p *Post) bool { return p.FromID != w.OwnerID }
	case "donut":
		keep = func(p *Post) bool { return p.DonutOnly }
	case "postponed", "suggests":
		if !w.administers(k) {
			return nil, vkFail(15, "Access denied: only administrators see %s posts", filter)
		}
		types = []string{"postpone"}
		if filter == "suggests" {
			types = []string{"suggest"}
		}
	case "archived":
		return nil, vkFail(15, "Access denied: archived posts are for administrators")
	default:
		return nil, vkParameter("filter is invalid")
	}
	var list []*Post
	for _, p := range w.posts {
		if slices.Contains(types, p.Type) && keep(p) {
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b *Post) int {
		switch {
		case a.Pinned != b.Pinned && a.Pinned:
			return -1
		case a.Pinned != b.Pinned:
			return 1
		case !a.Date.Equal(b.Date):
			return b.Date.Compare(a.Date)
		}
		return cmp.Compare(b.ID, a.ID)
	})
	return list, nil
}

func (q *vkRequest) wallGetByID() (any, *vkError) {
	extended, failed := q.flag("extended")
	if failed != nil {
		return nil, failed
	}
	names := strings.Split(q.form.text("posts"), ",")
	if len(names) > 100 {
		return nil, vkParameter("posts: at most 100")
	}
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	items, found := []any{}, []*Post{}
	for _, name := range names {
		ownerText, idText, _ := strings.Cut(strings.TrimSpace(name), "_")
		owner, ownerErr := strconv.ParseInt(ownerText, 10, 64)
		idText, _, _ = strings.Cut(idText, "_") // an access key may follow
		id, idErr := strconv.ParseInt(idText, 10, 64)
		if ownerErr != nil || idErr != nil {
			return nil, vkParameter("posts is invalid")
		}
		w := v.walls[owner]
		if w == nil || w.readable() != nil || w.post(id) == nil {
			continue // what is gone or hidden is left out
		}
		p := w.post(id)
		if slices.Contains([]string{"suggest", "postpone"}, p.Type) && !w.administers(q.token) {
			continue
		}
		found = append(found, p)
		items = append(items, v.wirePost(p, w.administers(q.token)))
	}
	if extended {
		return map[string]any{"items": items, "profiles": []any{}, "groups": v.groupsOf(found)}, nil
	}
	if _, minor, _ := strings.Cut(q.form.text("v"), "."); len(minor) > 0 {
		if m, err := strconv.Atoi(minor); err == nil && m >= 139 {
			return map[string]any{"items": items}, nil
		}
	}
	return items, nil
}

func (v *vk) groupsOf(posts []*Post) []any {
	groups, seen := []any{}, map[int64]bool{}
	add := func(owner int64) {
		if w := v.walls[owner]; owner < 0 && w != nil && !seen[owner] {
			seen[owner] = true
			groups = append(groups, map[string]any{"id": -owner, "name": w.Name, "screen_name": w.ScreenName, "type": "group", "is_closed": 0,
				"photo_50": v.server.avatar(owner, 50), "photo_100": v.server.avatar(owner, 100), "photo_200": v.server.avatar(owner, 200)})
		}
	}
	for _, p := range posts {
		add(p.OwnerID)
		add(p.FromID)
		for _, r := range p.Reposts {
			add(r.OwnerID)
		}
	}
	return groups
}

// wirePost is a post in the form of wall.get. v.mu is held.
func (v *vk) wirePost(p *Post, administrator bool) map[string]any {
	w := v.wireContent(p)
	w["is_pinned"], w["marked_as_ads"] = number(p.Pinned), number(p.Ads)
	if !p.Pinned {
		delete(w, "is_pinned") // only pinned posts carry it
	}
	w["donut"] = map[string]any{"is_donut": p.DonutOnly}
	if p.DonutOnly && !administrator {
		w["donut"] = map[string]any{"is_donut": true, "placeholder": map[string]any{"text": "Запись доступна подписчикам VK Donut"}}
		w["text"], w["attachments"] = "", []any{}
	}
	w["comments"] = map[string]any{"can_post": 1, "count": p.Comments, "groups_can_post": true}
	w["likes"] = map[string]any{"can_like": 1, "count": p.Likes, "user_likes": 0, "can_publish": 1}
	w["reposts"] = map[string]any{"count": p.Likes / 3, "user_reposted": 0}
	if p.Views > 0 {
		w["views"] = map[string]any{"count": p.Views}
	}
	w["post_source"] = map[string]any{"type": "api"}
	w["is_favorite"], w["hash"] = false, fmt.Sprintf("%x", uint64(p.ID)*0x9E3779B97F4A7C15)[:12]
	w["short_text_rate"], w["carousel_offset"] = 0.8, 0
	w["reactions"] = map[string]any{"count": p.Likes, "items": []any{map[string]any{"id": 0, "count": p.Likes}}}
	if len(p.Reposts) > 0 {
		history := make([]any, len(p.Reposts))
		for i := range p.Reposts {
			history[i] = v.wireContent(&p.Reposts[i])
		}
		w["copy_history"] = history
	}
	if !p.Edited.IsZero() {
		w["edited"] = p.Edited.Unix()
	}
	if p.Copyright != "" {
		w["copyright"] = map[string]any{"link": p.Copyright, "name": p.Copyright, "type": "url"}
	}
	for name, value := range p.Extra {
		w[name] = value
	}
	return w
}

// wireContent is what a post and a repost of it have in common.
func (v *vk) wireContent(p *Post) map[string]any {
	attachments := []any{}
	for i := range p.Photos {
		attachments = append(attachments, map[string]any{"type": "photo", "photo": v.wirePhoto(&p.Photos[i])})
	}
	for _, raw := range p.Attachments {
		attachments = append(attachments, raw)
	}
	w := map[string]any{
		"id": p.ID, "owner_id": p.OwnerID, "from_id": orElse(p.FromID, p.OwnerID), "date": p.Date.Unix(),
		"text": p.Text, "post_type": orElse(p.Type, "post"), "type": orElse(p.Type, "post"), "inner_type": "wall_wallpost",
		"attachments": attachments,
	}
	if p.SignerID != 0 {
		w["signer_id"] = p.SignerID
	}
	return w
}

// photoSizes are the sizes VK makes: by the longer side, and o to r by width.
var photoSizes = []struct {
	kind string
	side int
}{{"s", 75}, {"m", 130}, {"x", 604}, {"y", 807}, {"z", 1280}, {"w", 2560}, {"o", 130}, {"p", 200}, {"q", 320}, {"r", 510}}

func (v *vk) wirePhoto(p *WallPhoto) map[string]any {
	var sizes []any
	long := max(p.Width, p.Height, 1)
	for _, size := range photoSizes {
		if size.side > long && size.side > 604 {
			continue
		}
		width, height := p.Width*size.side/long, p.Height*size.side/long
		if slices.Contains([]string{"o", "p", "q", "r"}, size.kind) { // cropped to 3:2
			width, height = size.side, size.side*2/3
		}
		if p.OddSizes {
			width, height = 0, 0
		}
		sizes = append(sizes, map[string]any{"type": size.kind, "width": width, "height": height,
			"url": v.server.photoURL(p, orElse(width, size.side), orElse(height, size.side*3/4))})
	}
	w := map[string]any{"id": p.ID, "owner_id": p.OwnerID, "album_id": -7, "date": p.Date.Unix(), "access_key": p.AccessKey,
		"text": "", "user_id": 100, "has_tags": false, "web_view_token": "sandbox", "sizes": sizes}
	if !p.OddSizes {
		w["orig_photo"] = map[string]any{"type": "base", "width": p.Width, "height": p.Height, "url": v.server.photoURL(p, p.Width, p.Height)}
	}
	return w
}

// photoURL is where a size of a photo is served.
func (s *Server) photoURL(p *WallPhoto, width, height int) string {
	if p.Drawing == "" {
		return p.URL
	}
	return fmt.Sprintf("%s/sandbox/photos/%s.jpg?size=%dx%d&quality=95&sign=%s.%d", s.baseURL, p.Drawing, width, height, p.AccessKey[:8], s.pictures.season.Load())
}

func (s *Server) avatar(owner int64, side int) string {
	return fmt.Sprintf("%s/sandbox/photos/avatar%d.jpg?size=%dx%d", s.baseURL, owner, side, side)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// RawPost is a post as wall.get gives it to a stranger. Nil if there is none.
func (s *Server) RawPost(owner, id int64) json.RawMessage {
	v := s.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil || w.post(id) == nil {
		return nil
	}
	return encode(v.wirePost(w.post(id), false))
}
