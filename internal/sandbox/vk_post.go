package sandbox

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of wall.post (VK documentation of the method).
const (
	maxPostMedia     = 10
	defaultTextLimit = 16_384
)

func (q *vkRequest) wallPost() (any, *vkError) {
	var numbers = map[string]int64{}
	for _, name := range []string{"owner_id", "publish_date", "post_id", "link_photo_id"} {
		n, failed := q.integer(name, 0)
		if failed != nil {
			return nil, failed
		}
		numbers[name] = n
	}
	flags := map[string]bool{}
	for _, name := range []string{"friends_only", "from_group", "signed", "mark_as_ads", "close_comments", "mute_notifications"} {
		set, failed := q.flag(name)
		if failed != nil {
			return nil, failed
		}
		flags[name] = set
	}
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.server.now()

	w, failed := q.wallToWrite(numbers["owner_id"])
	if failed != nil {
		return nil, failed
	}
	p := Post{FromID: q.token.Owner, GUID: q.form.text("guid"), By: q.token.Name, Ads: flags["mark_as_ads"]}
	switch {
	case q.token.Kind == CommunityToken: // a community has no other voice than its own
		p.FromID = w.OwnerID
	case flags["from_group"] && w.OwnerID > 0:
		return nil, vkParameter("from_group needs a community's owner_id, which is negative")
	case flags["signed"] && !flags["from_group"]:
		return nil, vkParameter("signed needs from_group")
	case flags["from_group"]:
		p.FromID = w.OwnerID
		if flags["signed"] {
			p.SignerID = q.token.Owner
		}
	}
	// A repeated guid gives the post that is there and posts nothing.
	guid := q.token.Name + " " + p.GUID
	if used, known := w.guids[guid]; known && p.GUID != "" && now.Sub(used.At) < guidLife {
		return map[string]any{"post_id": used.Post}, nil
	}
	if failed := q.content(w, &p, numbers["link_photo_id"] != 0); failed != nil {
		return nil, failed
	}
	if failed := w.room(&p, now, numbers["publish_date"]); failed != nil {
		return nil, failed
	}
	stored := v.put(w, p)
	if p.GUID != "" {
		w.remember(guid, stored.ID, now)
	}
	q.stored = append(q.stored, stored.ID)
	return map[string]any{"post_id": stored.ID}, nil
}

// wallToWrite finds the wall and checks the right to write on it. v.mu is
// held.
func (q *vkRequest) wallToWrite(owner int64) (*wall, *vkError) {
	if owner == 0 {
		owner = q.token.Owner
		if q.token.Kind == CommunityToken {
			owner = -owner
		}
	}
	w := q.vk.walls[owner]
	switch {
	case w == nil && owner > 0:
		return nil, vkFail(113, "Invalid user id")
	case w == nil:
		return nil, vkParameter("owner_id is invalid: no such wall (a community's owner_id is negative)")
	case w.State == DeletedWall || w.State == BannedWall:
		return nil, vkFail(15, "Access denied: the wall is blocked or deleted")
	case !w.administers(q.token) && w.State == ClosedWall:
		return nil, vkFail(214, "Access to adding post denied: wall is closed")
	case !w.administers(q.token):
		return nil, vkFail(214, "Access to adding post denied: you can't add posts on this wall")
	}
	return w, nil
}

func (w *wall) remember(guid string, post int64, now time.Time) {
	for name, used := range w.guids {
		if now.Sub(used.At) >= guidLife {
			delete(w.guids, name)
		}
	}
	w.guids[guid] = guidUse{Post: post, At: now}
}

// room applies the limits on how often and when one may post. v.mu is held.
func (w *wall) room(p *Post, now time.Time, publishDate int64) *vkError {
	today := 0
	for _, other := range w.posts {
		if other.By != "" && now.Sub(other.Date) < 24*time.Hour {
			today++
		}
	}
	if w.PostsPerDay > 0 && today >= w.PostsPerDay {
		return vkFail(214, "Access to adding post denied: you can only add %d posts a day", w.PostsPerDay)
	}
	p.Date = now
	if publishDate == 0 {
		return nil
	}
	at := time.Unix(publishDate, 0)
	switch {
	case !at.After(now):
		return vkParameter("publish_date is invalid: it must be in the future")
	case at.Sub(now) > 365*24*time.Hour:
		return vkParameter("publish_date is invalid: more than a year ahead")
	}
	for _, other := range w.posts {
		if other.Type == "postpone" && other.Date.Equal(at) {
			return vkFail(214, "Access to adding post denied: a post is already scheduled for this time.")
		}
	}
	p.Date, p.Type = at, "postpone"
	return nil
}

// content fills in message, attachments and copyright. v.mu is held.
func (q *vkRequest) content(w *wall, p *Post, linkHasPhoto bool) *vkError {
	p.Text = strings.TrimSpace(q.form.text("message"))
	if utf8.RuneCountInString(p.Text) > orElse(w.TextLimit, defaultTextLimit) {
		return vkParameter("message is too long")
	}
	links, failed := q.attach(w, p)
	if failed != nil {
		return failed
	}
	switch {
	case len(links) > 1:
		return vkParameter("attachments: more than one link")
	case len(links) == 1 && !linkHasPhoto && !insideVK(links[0]):
		// An outside page whose picture VK cannot use makes no snippet.
		return vkParameter("link_photo_sizing_rule")
	}
	if w.LinksForbidden && slices.ContainsFunc(append(links, outsideLink.FindAllString(p.Text, -1)...), func(link string) bool { return !insideVK(link) }) {
		return vkFail(222, "Hyperlinks are forbidden")
	}
	if copyright := q.form.text("copyright"); copyright != "" {
		if !q.vk.copyrightKnown(copyright) {
			return vkFail(3102, "Specified link is incorrect (can't find source)")
		}
		p.Copyright = copyright
	}
	for _, link := range links {
		p.Attachments = append(p.Attachments, encode(map[string]any{"type": "link", "link": map[string]any{"url": link, "title": link, "caption": "", "description": ""}}))
	}
	if p.Text == "" && len(p.Photos) == 0 && len(p.Attachments) == 0 {
		return vkParameter("message is undefined: a post needs a message or attachments")
	}
	return nil
}

var (
	attachmentName = regexp.MustCompile(`^(photo|posted_photo|video|audio|doc|page|note|poll|album|market|market_album|audio_playlist|article)(-?\d+)_(\d+)(?:_([0-9a-zA-Z]+))?$`)
	outsideLink    = regexp.MustCompile(`https?://[^\s]+`)
)

// attach reads the attachments parameter. Photos that do not exist, or whose
// access key is wrong, vanish in silence, as at VK; what is no attachment at
// all is an error.
func (q *vkRequest) attach(w *wall, p *Post) (links []string, failed *vkError) {
	list := strings.TrimSpace(q.form.text("attachments"))
	if list == "" {
		return nil, nil
	}
	media := 0
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			if u, err := url.Parse(name); err != nil || u.Host == "" {
				return nil, vkParameter("attachments: invalid link")
			}
			links = append(links, name)
			continue
		}
		parts := attachmentName.FindStringSubmatch(name)
		if parts == nil {
			return nil, vkParameter("attachments: invalid attachment %q", name)
		}
		media++
		owner, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil {
			return nil, vkParameter("attachments: invalid attachment %q", name)
		}
		if parts[1] != "photo" {
			p.Attachments = append(p.Attachments, encode(map[string]any{"type": parts[1], parts[1]: map[string]any{"owner_id": owner, "id": parts[3]}}))
			continue
		}
		photo := q.vk.photos[parts[2]+"_"+parts[3]]
		switch {
		case photo == nil:
			q.vk.server.book.warn(q.call, "a photo that does not exist was attached and dropped")
		case parts[4] != "" && parts[4] != photo.AccessKey:
			q.vk.server.book.warn(q.call, "a photo was attached with a wrong access key and dropped")
		case w.DropForeignPhotos && owner != w.OwnerID && owner != q.token.Owner:
			q.vk.server.book.warn(q.call, "a photo of another owner was attached and dropped")
		default:
			p.Photos = append(p.Photos, *photo)
		}
	}
	if media > maxPostMedia {
		return nil, vkParameter("attachments: more than %d", maxPostMedia)
	}
	return links, nil
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

// copyrightKnown reports whether a source link leads anywhere: a post of a
// known wall must exist, an outside address only needs a host. v.mu is held.
func (v *vk) copyrightKnown(link string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.Contains(u.Hostname(), ".") {
		return false
	}
	if !insideVK(link) {
		return true
	}
	parts := wallLink.FindStringSubmatch(link)
	if parts == nil {
		return v.named(strings.Trim(u.Path, "/")) != nil
	}
	owner, ownerErr := strconv.ParseInt(parts[1], 10, 64)
	id, idErr := strconv.ParseInt(parts[2], 10, 64)
	w := v.walls[owner]
	return ownerErr == nil && idErr == nil && w != nil && w.post(id) != nil
}

func (q *vkRequest) wallCheckCopyrightLink() (any, *vkError) {
	q.vk.mu.Lock()
	defer q.vk.mu.Unlock()
	if !q.vk.copyrightKnown(q.form.text("link")) {
		return nil, vkFail(3102, "Specified link is incorrect (can't find source)")
	}
	return 1, nil
}

func (q *vkRequest) wallEdit() (any, *vkError) {
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w, p, failed := q.ownPost()
	if failed != nil {
		return nil, failed
	}
	after := *p
	after.Photos, after.Attachments = nil, nil
	if failed := q.content(w, &after, false); failed != nil {
		return nil, failed
	}
	after.Edited = v.server.now()
	*p = after
	v.knowPhotos(p)
	q.stored = append(q.stored, p.ID)
	return map[string]any{"post_id": p.ID}, nil
}

func (q *vkRequest) wallDelete() (any, *vkError) {
	v := q.vk
	v.mu.Lock()
	defer v.mu.Unlock()
	w, p, failed := q.ownPost()
	if failed != nil {
		return nil, failed
	}
	w.posts = slices.DeleteFunc(w.posts, func(other *Post) bool { return other == p })
	q.stored = append(q.stored, p.ID)
	return 1, nil
}

// ownPost finds the post that post_id means on a wall one may write on. v.mu
// is held.
func (q *vkRequest) ownPost() (*wall, *Post, *vkError) {
	owner, failed := q.integer("owner_id", 0)
	if failed != nil {
		return nil, nil, failed
	}
	id, failed := q.integer("post_id", 0)
	if failed != nil {
		return nil, nil, failed
	}
	w, failed := q.wallToWrite(owner)
	if failed != nil {
		return nil, nil, failed
	}
	p := w.post(id)
	if p == nil {
		return nil, nil, vkParameter("post_id %d not found", id)
	}
	return w, p, nil
}
