package vk

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
	w := q.wallToWrite()
	if w == nil {
		return nil
	}
	p := Post{FromID: q.token.Owner, GUID: q.params.GUID, By: q.token.Name, Date: now}
	if q.params.FromGroup == 1 || q.token.Kind == CommunityToken { // a community has no other voice than its own
		p.FromID = w.OwnerID
	}
	// A repeated guid gives the post that is there and posts nothing.
	guid := q.token.Name + " " + p.GUID
	if used, known := w.GUIDs[guid]; known && p.GUID != "" && now.Sub(used.At) < guidLife {
		return map[string]any{"post_id": used.Post}
	}
	if q.content(w, &p); q.refused != nil {
		return nil
	}
	stored := v.put(w, p)
	maps.DeleteFunc(w.GUIDs, func(_ string, used guidUse) bool { return now.Sub(used.At) >= guidLife })
	w.GUIDs[guid] = guidUse{Post: stored.ID, At: now}
	q.stored = append(q.stored, stored.ID)
	return map[string]any{"post_id": stored.ID}
}

// wallToWrite finds the wall and checks the right to write on it; nil if the request is refused.
func (q *request) wallToWrite() *wall {
	w := q.platform.walls[q.params.Owner]
	switch {
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

// content fills in message, attachments and copyright.
func (q *request) content(w *wall, p *Post) {
	p.Text = strings.TrimSpace(q.params.Message)
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
	if p.Copyright = q.params.Copyright; p.Copyright != "" && !q.platform.copyrightKnown(p.Copyright) {
		q.refuse(standard(3102))
	}
	for _, link := range links {
		p.Attachments = append(p.Attachments, core.Encode(map[string]any{"type": "link", "link": map[string]any{"url": link, "title": link}}))
	}
	if p.Text == "" && len(p.Photos) == 0 && len(p.Attachments) == 0 {
		q.bad("message is undefined: a post needs a message or attachments")
	}
}

var (
	attachmentName = regexp.MustCompile(`^(photo|video|audio|doc|poll)(-?\d+)_(\d+)(?:_([0-9a-zA-Z]+))?$`)
	outsideLink    = regexp.MustCompile(`https?://[^\s]+`)
)

// attach reads the attachments parameter. Photos that do not exist, or whose access key is wrong, vanish in silence, as
// at VK; what is no attachment at all is an error.
func (q *request) attach(w *wall, p *Post) (links []string) {
	media := 0
	for name := range strings.SplitSeq(q.params.Attachments, ",") {
		parts := attachmentName.FindStringSubmatch(name)
		switch {
		case name == "":
		case outsideLink.MatchString(name):
			links = append(links, name)
		case parts == nil:
			q.bad("attachments: invalid attachment %q", name)
		case parts[1] != "photo":
			media++
			p.Attachments = append(p.Attachments, core.Encode(map[string]any{"type": parts[1], parts[1]: map[string]any{"owner_id": parts[2], "id": parts[3]}}))
		default:
			media++
			photo := q.platform.photos[parts[2]+"_"+parts[3]]
			if photo != nil && (parts[4] == "" || parts[4] == photo.AccessKey) &&
				(!w.DropForeignPhotos || photo.OwnerID == w.OwnerID || photo.OwnerID == q.token.Owner) {
				p.Photos = append(p.Photos, *photo)
			}
		}
	}
	if media > maxPostMedia {
		q.bad("attachments: more than %d", maxPostMedia)
	}
	return links
}

func insideVK(link string) bool {
	u, err := url.Parse(link)
	return err == nil && slices.Contains([]string{"vk.com", "vk.ru"}, strings.TrimPrefix(u.Hostname(), "m."))
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
	if err != nil || !strings.Contains(u.Hostname(), ".") {
		return false
	}
	_, post := v.linked(link)
	return !insideVK(link) || post != nil
}

func (q *request) wallEdit() any {
	w := q.wallToWrite()
	if w == nil {
		return nil
	}
	p := w.post(q.params.Post)
	if p == nil {
		q.bad("post_id %d not found", q.params.Post)
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
	w, id := q.wallToWrite(), q.params.Post
	if w == nil {
		return nil
	}
	if w.post(id) == nil {
		q.refuse(standard(210))
		return nil
	}
	w.remove(id)
	q.stored = append(q.stored, id)
	return 1
}
