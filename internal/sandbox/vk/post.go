package vk

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vestnik/internal/sandbox/core"
)

// Limits of wall.post (VK documentation of the method).
const (
	maxPostMedia     = 10
	defaultTextLimit = 16_384
)

func (q *request) wallPost() any {
	v, now := q.platform, q.platform.core.Now()
	fromGroup := q.flag("from_group")
	q.flag("mute_notifications")
	w := q.wallToWrite()
	if w == nil {
		return nil
	}
	p := Post{FromID: q.token.Owner, GUID: q.form.Text("guid"), By: q.token.Name, Date: now}
	switch {
	case fromGroup && w.OwnerID > 0:
		q.bad("from_group needs a community's owner_id, which is negative")
	case fromGroup, q.token.Kind == CommunityToken: // a community has no other voice than its own
		p.FromID = w.OwnerID
	}
	// A repeated guid gives the post that is there and posts nothing.
	guid := q.token.Name + " " + p.GUID
	if used, known := w.GUIDs[guid]; known && p.GUID != "" && now.Sub(used.At) < guidLife {
		return map[string]any{"post_id": used.Post}
	}
	q.content(w, &p)
	if q.refused != nil || q.refuse(w.room(now)) {
		return nil
	}
	stored := v.put(w, p)
	if p.GUID != "" {
		maps.DeleteFunc(w.GUIDs, func(_ string, used guidUse) bool { return now.Sub(used.At) >= guidLife })
		w.GUIDs[guid] = guidUse{Post: stored.ID, At: now}
	}
	q.stored = append(q.stored, stored.ID)
	return map[string]any{"post_id": stored.ID}
}

// wallToWrite finds the wall and checks the right to write on it; nil if the request is refused.
func (q *request) wallToWrite() *wall {
	owner := q.integer("owner_id", 0)
	if owner == 0 {
		owner = q.token.Owner
		if q.token.Kind == CommunityToken {
			owner = -owner
		}
	}
	w := q.platform.walls[owner]
	switch {
	case w == nil && owner > 0:
		q.refuse(standard(113))
	case w == nil:
		q.bad("owner_id is invalid: no such wall (a community's owner_id is negative)")
	case w.State == DeletedWall || w.State == BannedWall:
		q.refuse(refuse(15, "Access denied: the wall is blocked or deleted"))
	case !w.administers(q.token) && w.State == ClosedWall:
		q.refuse(refuse(214, "Access to adding post denied: wall is closed"))
	case !w.administers(q.token):
		q.refuse(refuse(214, "Access to adding post denied: you can't add posts on this wall"))
	}
	if q.refused != nil {
		return nil
	}
	return w
}

// room applies the limit on how often one may post.
func (w *wall) room(now time.Time) *refusal {
	today := 0
	for _, other := range w.Posts {
		if other.By != "" && now.Sub(other.Date) < 24*time.Hour {
			today++
		}
	}
	if w.PostsPerDay > 0 && today >= w.PostsPerDay {
		return refuse(214, "Access to adding post denied: you can only add %d posts a day", w.PostsPerDay)
	}
	return nil
}

// content fills in message, attachments and copyright.
func (q *request) content(w *wall, p *Post) {
	p.Text = strings.TrimSpace(q.form.Text("message"))
	if utf8.RuneCountInString(p.Text) > cmp.Or(w.TextLimit, defaultTextLimit) {
		q.bad("message is too long")
	}
	links := q.attach(w, p)
	switch {
	case len(links) > 1:
		q.bad("attachments: more than one link")
	case len(links) == 1 && !insideVK(links[0]):
		// An outside page whose picture VK cannot use makes no snippet.
		q.bad("link_photo_sizing_rule")
	}
	if w.LinksForbidden && slices.ContainsFunc(append(links, outsideLink.FindAllString(p.Text, -1)...), func(link string) bool { return !insideVK(link) }) {
		q.refuse(standard(222))
	}
	if p.Copyright = q.form.Text("copyright"); p.Copyright != "" && !q.platform.copyrightKnown(p.Copyright) {
		q.refuse(standard(3102))
	}
	for _, link := range links {
		p.Attachments = append(p.Attachments, core.Encode(map[string]any{"type": "link", "link": map[string]any{"url": link, "title": link, "caption": "", "description": ""}}))
	}
	if p.Text == "" && len(p.Photos) == 0 && len(p.Attachments) == 0 {
		q.bad("message is undefined: a post needs a message or attachments")
	}
}

var (
	attachmentName = regexp.MustCompile(`^(photo|posted_photo|video|audio|doc|page|note|poll|album|market|market_album|audio_playlist|article)(-?\d+)_(\d+)(?:_([0-9a-zA-Z]+))?$`)
	outsideLink    = regexp.MustCompile(`https?://[^\s]+`)
)

// attach reads the attachments parameter. Photos that do not exist, or whose access key is wrong, vanish in silence, as
// at VK; what is no attachment at all is an error.
func (q *request) attach(w *wall, p *Post) (links []string) {
	media := 0
	for name := range strings.SplitSeq(q.form.Text("attachments"), ",") {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			if u, err := url.Parse(name); err != nil || u.Host == "" {
				q.bad("attachments: invalid link")
			}
			links = append(links, name)
			continue
		}
		parts := attachmentName.FindStringSubmatch(name)
		if parts == nil {
			if q.form.Has("attachments") {
				q.bad("attachments: invalid attachment %q", name)
			}
			continue
		}
		media++
		owner, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			q.bad("attachments: invalid attachment %q", name)
		}
		if parts[1] != "photo" {
			p.Attachments = append(p.Attachments, core.Encode(map[string]any{"type": parts[1], parts[1]: map[string]any{"owner_id": owner, "id": parts[3]}}))
			continue
		}
		photo, why := q.platform.photos[parts[2]+"_"+parts[3]], ""
		switch {
		case photo == nil:
			why = "that does not exist was attached"
		case parts[4] != "" && parts[4] != photo.AccessKey:
			why = "was attached with a wrong access key"
		case w.DropForeignPhotos && owner != w.OwnerID && owner != q.token.Owner:
			why = "of another owner was attached"
		default:
			p.Photos = append(p.Photos, *photo)
			continue
		}
		q.platform.core.Warn(q.call, "a photo "+why+" and dropped")
	}
	if media > maxPostMedia {
		q.bad("attachments: more than %d", maxPostMedia)
	}
	return links
}

func insideVK(link string) bool {
	u, err := url.Parse(link)
	if err != nil {
		return false
	}
	host := strings.TrimPrefix(strings.TrimPrefix(u.Hostname(), "www."), "m.")
	return host == "vk.com" || host == "vk.ru" || host == "vk.cc" || host == "vk.me"
}

var wallLink = regexp.MustCompile(`wall(-?\d+)_(\d+)`)

// linked is the post that a vk.com/wall… address means, with its wall; nil if there is none.
func (v *Platform) linked(address string) (*wall, *Post) {
	parts := wallLink.FindStringSubmatch(address)
	if parts == nil || !insideVK(address) {
		return nil, nil
	}
	owner, ownerErr := strconv.ParseInt(parts[1], 10, 64)
	id, idErr := strconv.ParseInt(parts[2], 10, 64)
	w := v.walls[owner]
	if ownerErr != nil || idErr != nil || w == nil {
		return nil, nil
	}
	return w, w.post(id)
}

// copyrightKnown reports whether a source link leads anywhere: a post of a known wall must exist, an outside address
// only needs a host.
func (v *Platform) copyrightKnown(link string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.Contains(u.Hostname(), ".") {
		return false
	}
	_, post := v.linked(link)
	return !insideVK(link) || post != nil || !wallLink.MatchString(link) && v.named(strings.Trim(u.Path, "/")) != nil
}

func (q *request) wallEdit() any {
	w, id := q.wallToWrite(), q.integer("post_id", 0)
	if w == nil {
		return nil
	}
	p := w.post(id)
	if p == nil {
		q.bad("post_id %d not found", id)
		return nil
	}
	after := *p
	after.Photos, after.Attachments = nil, nil
	if q.content(w, &after); q.refused != nil {
		return nil
	}
	after.Copyright, after.Edited = cmp.Or(after.Copyright, p.Copyright), q.platform.core.Now()
	*p = after
	q.platform.knowPhotos(p)
	q.stored = append(q.stored, p.ID)
	return map[string]any{"post_id": p.ID}
}

func (q *request) wallDelete() any {
	w, id := q.wallToWrite(), q.integer("post_id", 0)
	if w == nil {
		return nil
	}
	if w.post(id) == nil {
		q.refuse(refuse(210, "Access to wall's post denied"))
		return nil
	}
	w.Posts = slices.DeleteFunc(w.Posts, func(p *Post) bool { return p.ID == id })
	q.stored = append(q.stored, id)
	return 1
}
