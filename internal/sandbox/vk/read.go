package vk

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/internal/sandbox/core"
)

// readable says why a wall cannot be read; nil if it can.
func (w *wall) readable() *refusal {
	switch w.State {
	case ClosedWall:
		return refuse(15, "Access denied: this wall available only for community members")
	case BannedWall:
		return refuse(19, "Content blocked")
	case DeletedWall:
		return refuse(15, "Access denied: community is deleted")
	}
	return nil
}

// administers reports whether a token's owner runs the wall.
func (w *wall) administers(k *tokenUse) bool {
	switch k.Kind {
	case CommunityToken:
		return w.OwnerID == -k.Owner
	case UserToken:
		return w.OwnerID == k.Owner || slices.Contains(w.Writers, k.Name)
	}
	return false
}

func (q *request) wallGet() any {
	v, p := q.platform, q.params
	if q.refused == nil && !counted(&q.token.wallGets, v.core.Now(), 24*time.Hour, cmp.Or(q.token.DailyWallGet, 5_000)) {
		q.refuse(standard(29))
	}
	w := v.walls[p.Owner]
	switch {
	case p.Count < 0 || p.Count > 100:
		q.bad("count should be between 0 and 100")
	case p.Offset < 0:
		q.bad("offset should be positive")
	case w == nil && p.Owner > 0:
		q.refuse(standard(113))
	case w == nil:
		q.bad("owner_id is invalid: no such wall")
	default:
		q.refuse(w.readable())
	}
	if q.refused != nil {
		return nil
	}
	posts := w.shown()
	from := min(p.Offset, len(posts))
	items := []any{}
	for _, p := range posts[from:min(from+p.Count, len(posts))] {
		items = append(items, v.wirePost(p, w.administers(q.token)))
	}
	return map[string]any{"count": len(posts), "items": items}
}

// shown lists the posts that readers see: the pinned one first, the others newest first.
func (w *wall) shown() []*Post {
	list := slices.DeleteFunc(slices.Clone(w.Posts), (*Post).hidden)
	slices.SortStableFunc(list, func(a, b *Post) int {
		return cmp.Or(number(b.Pinned)-number(a.Pinned), b.Date.Compare(a.Date), cmp.Compare(b.ID, a.ID))
	})
	return list
}

// hidden reports whether a post is for administrators only.
func (p *Post) hidden() bool { return p.Type == "suggest" || p.Type == "postpone" }

func (q *request) wallGetByID() any {
	v, items := q.platform, []any{}
	names := strings.Split(q.params.Posts, ",")
	if len(names) > 100 {
		q.bad("posts: at most 100")
	}
	for _, name := range names {
		ownerText, idText, _ := strings.Cut(strings.TrimSpace(name), "_")
		owner, ownerErr := strconv.ParseInt(ownerText, 10, 64)
		idText, _, _ = strings.Cut(idText, "_") // an access key may follow
		id, idErr := strconv.ParseInt(idText, 10, 64)
		if ownerErr != nil || idErr != nil {
			q.bad("posts is invalid")
		}
		w := v.walls[owner]
		if w == nil || w.readable() != nil || w.post(id) == nil || w.post(id).hidden() && !w.administers(q.token) {
			continue // what is gone or hidden is left out
		}
		p := *w.post(id)
		p.Reposts = p.Reposts[:min(len(p.Reposts), max(q.params.Depth, 0))]
		items = append(items, v.wirePost(&p, w.administers(q.token)))
	}
	return map[string]any{"items": items}
}

// wirePost is a post in the form of wall.get.
func (v *Platform) wirePost(p *Post, administrator bool) map[string]any {
	w := v.wireContent(p)
	w["marked_as_ads"] = number(p.Ads)
	if p.Pinned {
		w["is_pinned"] = 1
	}
	w["donut"] = map[string]any{"is_donut": p.DonutOnly}
	if p.DonutOnly && !administrator {
		w["donut"] = map[string]any{"is_donut": true, "placeholder": map[string]any{"text": "Запись доступна подписчикам VK Donut"}}
		w["text"], w["attachments"] = "", []any{}
	}
	w["comments"] = map[string]any{"can_post": 1, "count": p.Comments, "groups_can_post": true}
	w["likes"] = map[string]any{"can_like": 1, "count": p.Likes, "user_likes": 0, "can_publish": 1}
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
	maps.Copy(w, p.Extra)
	return w
}

// wireContent is what a post and a repost of it have in common.
func (v *Platform) wireContent(p *Post) map[string]any {
	attachments := []any{}
	for i := range p.Photos {
		attachments = append(attachments, map[string]any{"type": "photo", "photo": v.wirePhoto(&p.Photos[i])})
	}
	for _, raw := range p.Attachments {
		attachments = append(attachments, raw)
	}
	w := map[string]any{
		"id": p.ID, "owner_id": p.OwnerID, "from_id": cmp.Or(p.FromID, p.OwnerID), "date": p.Date.Unix(),
		"text": p.Text, "post_type": cmp.Or(p.Type, "post"), "type": cmp.Or(p.Type, "post"), "inner_type": "wall_wallpost",
		"attachments": attachments,
	}
	if p.SignerID != 0 {
		w["signer_id"] = p.SignerID
	}
	maps.Copy(w, p.Extra)
	return w
}

// photoSizes are the sizes VK makes: by the longer side, and o to r by width.
var photoSizes = []struct {
	kind string
	side int
}{{"s", 75}, {"m", 130}, {"x", 604}, {"y", 807}, {"z", 1280}, {"w", 2560}, {"o", 130}, {"p", 200}, {"q", 320}, {"r", 510}}

func (v *Platform) wirePhoto(p *WallPhoto) map[string]any {
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
			"url": v.PhotoURL(p, cmp.Or(width, size.side), cmp.Or(height, size.side*3/4))})
	}
	w := map[string]any{"id": p.ID, "owner_id": p.OwnerID, "album_id": -7, "date": p.Date.Unix(), "access_key": p.AccessKey,
		"text": "", "user_id": 100, "has_tags": false, "web_view_token": "sandbox", "sizes": sizes}
	if !p.OddSizes {
		w["orig_photo"] = map[string]any{"type": "base", "width": p.Width, "height": p.Height, "url": v.PhotoURL(p, p.Width, p.Height)}
	}
	return w
}

// PhotoURL is where a size of a photo is served.
func (v *Platform) PhotoURL(p *WallPhoto, width, height int) string {
	if p.Drawing == "" {
		return p.URL
	}
	return v.core.SignedPictureURL(p.Drawing, width, height, p.AccessKey[:8])
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// RawPost is a post as wall.get gives it to a stranger. Nil if there is none.
func (v *Platform) RawPost(owner, id int64) json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.walls[owner]
	if w == nil || w.post(id) == nil {
		return nil
	}
	return core.Encode(v.wirePost(w.post(id), false))
}
