package vk

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"vestnik/internal/post"
)

// Post is a wall post, as much of it as Vestnik uses. Zero values stand for what VK did not say or what made no sense.
type Post struct {
	post.ID

	FromID   int64 // the author: the community itself or a visitor
	SignerID int64 // who signed a community's post
	Date     time.Time
	Edited   time.Time // zero if never edited
	Type     string    // post, copy, reply, postpone, suggest, …; "" in reposts' originals
	Text     string    // with VK's markup, [id1|Имя] and the like

	Pinned, Ads, Deleted, Archived, FriendsOnly bool
	// Donut marks a post for paying subscribers; for others VK hides its text and attachments.
	Donut bool

	Attachments []Attachment
	Geo         *Geo
	Copyright   Copyright

	// CopyHistory is the reposted posts, the nearest parent first, the original last, each with its own text and
	// attachments. Followed: they are not VK's, but the wall post that the text is the address of (FollowLinks).
	CopyHistory []Post
	Followed    bool
}

// Geo is the place a post is tagged with.
type Geo struct {
	Lat, Lon float64 // degrees; both zero if VK gave a title only
	Title    string
}

// Copyright is the source a post names, inside VK or not.
type Copyright struct {
	Link, Name string
}

// author is the person who wrote or signed the post, or the community.
func (p Post) author() int64 {
	if p.FromID <= 0 && p.SignerID > 0 {
		return p.SignerID
	}
	return p.FromID
}

// Content is what readers see of the post, and of what it reposts.
func (p Post) Content() post.Post {
	content := p.content()
	own := p
	if p.Followed { // it was read once, and is not to look edited at the next reading
		own.CopyHistory = nil
	}
	content.ContentHash = contentHash(own.content())
	return content
}

func (p Post) content() post.Post {
	content := post.Post{ID: p.ID, FromID: p.author(), PostedAt: p.Date, EditedAt: p.Edited, Text: p.Text}
	for _, parent := range p.CopyHistory {
		content.Reposts = append(content.Reposts, post.Repost{ID: parent.ID, FromID: parent.author(), Text: parent.Text})
		content.Origin = parent.ID
	}
	seen := map[string]bool{}
	var frames []post.Photo // behind the photos: there may not be room for all
	for _, attachment := range p.AllAttachments() {
		if name := attachment.Ref(); name != "" {
			if seen[name] {
				continue
			}
			seen[name] = true
		}
		if attachment.Photo != nil {
			content.Photos = append(content.Photos, *attachment.Photo)
			continue
		}
		if linked, err := post.ParseID(attachment.URL); p.Followed && attachment.Type == "link" && err == nil && linked == p.CopyHistory[0].ID {
			continue // VK's card of the post that was followed
		}
		if picture := attachment.picture(); picture != nil && attachment.Type == "doc" {
			content.Photos = append(content.Photos, *picture)
			continue
		} else if picture != nil {
			frames = append(frames, *picture)
		}
		content.Attachments = append(content.Attachments, attachment.attachment())
	}
	content.Photos = append(content.Photos, frames...)
	for _, part := range append([]Post{p}, p.CopyHistory...) {
		if part.Geo != nil {
			content.Attachments = append(content.Attachments, part.Geo.attachment())
			break
		}
	}
	if strings.TrimSpace(content.Text+strings.Join(content.RepostTexts(), "")) == "" { // all it says stands under its photos
		for i, photo := range content.Photos {
			content.Text = strings.TrimPrefix(content.Text+"\n"+photo.Caption, "\n")
			content.Photos[i].Caption = ""
		}
	}
	return content
}

func (g Geo) attachment() post.Attachment {
	attachment := post.Attachment{Kind: "geo", Title: g.Title}
	if g.Lat != 0 || g.Lon != 0 {
		attachment.URL = fmt.Sprintf("https://yandex.ru/maps/?pt=%.6f,%.6f&z=16", g.Lon, g.Lat)
	}
	return attachment
}

// contentHash covers what readers see and leaves out what VK signs anew each time, the links to photos. A change of
// what it covers makes every stored post look edited.
func contentHash(content post.Post) []byte {
	hash := sha256.New()
	write := func(parts ...string) {
		for _, part := range parts {
			_, _ = io.WriteString(hash, part) // a hash takes everything
			_, _ = hash.Write([]byte{0})
		}
	}
	write(content.Text)
	write(content.RepostTexts()...)
	for _, photo := range content.Photos {
		if photo.Kind != "video" { // it stands among the attachments
			write(photo.Name())
		}
	}
	for _, attachment := range content.Attachments {
		write(attachment.Kind, attachment.Title)
	}
	return hash.Sum(nil)
}

// AllAttachments is the post's own attachments and then those of what it reposts, the nearest first.
func (p Post) AllAttachments() []Attachment {
	all := append([]Attachment(nil), p.Attachments...)
	for _, parent := range p.CopyHistory {
		all = append(all, parent.Attachments...)
	}
	return all[:min(len(all), maxAttachments)]
}

// SkipReason says why a post is not for reposting.
type SkipReason string

// The reasons.
const (
	SkipAds         SkipReason = "ads"
	SkipDonut       SkipReason = "donut"
	SkipSuggested   SkipReason = "suggested"
	SkipPostponed   SkipReason = "postponed"
	SkipDeleted     SkipReason = "deleted"
	SkipArchived    SkipReason = "archived"
	SkipFriendsOnly SkipReason = "friends_only"
	SkipReply       SkipReason = "reply"
	SkipOtherType   SkipReason = "other_type"
)

// Skip reports whether the post is one that must not be reposted, and why.
func (p Post) Skip() (reason SkipReason, skip bool) {
	switch {
	case p.Deleted:
		return SkipDeleted, true
	case p.Type == "suggest":
		return SkipSuggested, true
	case p.Type == "postpone":
		return SkipPostponed, true
	case p.Type == "reply":
		return SkipReply, true
	case p.Ads || p.Type == "post_ads":
		return SkipAds, true
	case p.Donut:
		return SkipDonut, true
	case p.Archived:
		return SkipArchived, true
	case p.FriendsOnly:
		return SkipFriendsOnly, true
	case p.Type != "" && p.Type != "post" && p.Type != "copy":
		return SkipOtherType, true
	}
	return "", false
}

// SkipUndecodable counts the items that make no sense at all.
const SkipUndecodable SkipReason = "undecodable"

// Readable decodes the items of a wall, each by itself, and leaves out those that are not for reposting; skipped
// counts them by their reasons.
func Readable(items []json.RawMessage) (posts []Post, skipped map[string]int) {
	skipped = map[string]int{}
	for _, item := range items {
		decoded, err := DecodePost(item)
		reason, skip := decoded.Skip()
		switch {
		case err != nil || decoded.PostID <= 0:
			skipped[string(SkipUndecodable)]++
		case skip:
			skipped[string(reason)]++
		default:
			posts = append(posts, decoded)
		}
	}
	return posts, skipped
}

// Bounds on what one item may cost those who read it. No honest post meets them.
const (
	// maxReposts is how deep a repost chain is read. VK itself gives two levels by default.
	maxReposts = 10
	// maxTexts bounds a post's texts together, in bytes; 16,384 characters are the most that people report for one.
	maxTexts = 128 << 10
	// maxAttachments bounds what a post and its reposts show. VK takes 10 for one.
	maxAttachments = 100
)

// entity is a character written as HTML does: so in posts of old clients.
var entity = regexp.MustCompile(`&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|quot|amp|lt|gt|apos|nbsp|laquo|raquo|mdash|ndash|hellip);`)

// plain is a text without entities.
func plain(text flexString) string {
	return strings.ReplaceAll(entity.ReplaceAllStringFunc(string(text), html.UnescapeString), "\x00", "")
}

type rawPost struct {
	ID          *flexInt   `json:"id"`
	PostID      *flexInt   `json:"post_id"` // so in newsfeeds
	OwnerID     flexInt    `json:"owner_id"`
	SourceID    flexInt    `json:"source_id"` // so in newsfeeds
	ToID        flexInt    `json:"to_id"`     // so in old versions and in callbacks
	FromID      flexInt    `json:"from_id"`
	SignerID    flexInt    `json:"signer_id"`
	Date        flexInt    `json:"date"`
	Edited      flexInt    `json:"edited"`
	Type        flexString `json:"post_type"`
	Text        flexString `json:"text"`
	IsPinned    flexBool   `json:"is_pinned"`
	MarkedAsAds flexBool   `json:"marked_as_ads"`
	IsDeleted   flexBool   `json:"is_deleted"`
	IsArchived  flexBool   `json:"is_archived"`
	FriendsOnly flexBool   `json:"friends_only"`
	Donut       flexObject[struct {
		IsDonut flexBool `json:"is_donut"`
	}] `json:"donut"`
	Attachments flexList           `json:"attachments"`
	Geo         flexObject[rawGeo] `json:"geo"`
	Copyright   flexObject[struct {
		Link flexString `json:"link"`
		Name flexString `json:"name"`
	}] `json:"copyright"`
	CopyHistory flexList `json:"copy_history"`
}

type rawGeo struct {
	Coordinates json.RawMessage `json:"coordinates"` // "55.7 37.6" or an object
	Place       flexObject[struct {
		Title flexString `json:"title"`
		City  flexString `json:"city"`
		Lat   flexFloat  `json:"latitude"`
		Lon   flexFloat  `json:"longitude"`
	}] `json:"place"`
}

// DecodePost reads one item of a wall, or one line of `vestnik parse`. It fails only when the item is no object or
// has no id or owner; any other odd field costs that field.
func DecodePost(raw json.RawMessage) (Post, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return Post{}, errors.New("vk: the post is not a JSON object")
	}
	var fields rawPost
	_ = json.Unmarshal(raw, &fields) // only types can be wrong now, and the lenient ones take any
	if fields.ID == nil {
		fields.ID = fields.PostID
	}
	switch {
	case fields.ID == nil:
		return Post{}, errors.New("vk: the post has no id")
	case fields.owner() == 0:
		return Post{}, errors.New("vk: the post has no owner_id")
	}
	post, room := fields.post(maxReposts), maxTexts
	for text := range post.texts() {
		*text = clip(*text, room)
		room -= len(*text)
	}
	return post, nil
}

// texts yields the post's own text and then those of what it reposts.
func (p *Post) texts() iter.Seq[*string] {
	return func(yield func(*string) bool) {
		if !yield(&p.Text) {
			return
		}
		for i := range p.CopyHistory {
			if !yield(&p.CopyHistory[i].Text) {
				return
			}
		}
	}
}

// clip is the beginning of a text, at most so many bytes of whole characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

func (f *rawPost) owner() int64 {
	for _, id := range []flexInt{f.OwnerID, f.ToID, f.SourceID} {
		if id != 0 {
			return int64(id)
		}
	}
	return 0
}

// post turns the fields into a Post, with at most depth levels of reposts below it.
func (f *rawPost) post(depth int) Post {
	p := Post{
		ID: post.ID{OwnerID: f.owner()}, FromID: int64(f.FromID), SignerID: int64(f.SignerID),
		Date: unixTime(f.Date), Edited: unixTime(f.Edited), Type: string(f.Type), Text: plain(f.Text),
		Pinned: bool(f.IsPinned), Ads: bool(f.MarkedAsAds),
		Deleted: bool(f.IsDeleted), Archived: bool(f.IsArchived), FriendsOnly: bool(f.FriendsOnly),
		Donut:     bool(f.Donut.value.IsDonut),
		Geo:       f.Geo.value.geo(),
		Copyright: Copyright{Link: string(f.Copyright.value.Link), Name: string(f.Copyright.value.Name)},
	}
	if f.ID != nil {
		p.PostID = int64(*f.ID)
	}
	for _, raw := range f.Attachments {
		p.Attachments = append(p.Attachments, decodeAttachment(raw))
	}
	for _, raw := range f.CopyHistory {
		if depth--; depth < 0 {
			break
		}
		var parent flexObject[rawPost]
		if _ = parent.UnmarshalJSON(raw); parent.found {
			p.CopyHistory = append(p.CopyHistory, parent.value.post(0))
		}
	}
	return p
}

func (g rawGeo) geo() *Geo {
	place := g.Place.value
	geo := &Geo{Lat: float64(place.Lat), Lon: float64(place.Lon), Title: string(place.Title)}
	if geo.Title == "" {
		geo.Title = string(place.City)
	}
	var text flexString
	if _ = text.UnmarshalJSON(g.Coordinates); text != "" {
		_, _ = fmt.Sscanf(string(text), "%g %g", &geo.Lat, &geo.Lon)
	}
	var object flexObject[struct {
		Lat flexFloat `json:"latitude"`
		Lon flexFloat `json:"longitude"`
	}]
	if _ = object.UnmarshalJSON(g.Coordinates); object.found {
		geo.Lat, geo.Lon = float64(object.value.Lat), float64(object.value.Lon)
	}
	if geo.Lat < -90 || geo.Lat > 90 || geo.Lon < -180 || geo.Lon > 180 {
		geo.Lat, geo.Lon = 0, 0
	}
	if *geo == (Geo{}) {
		return nil
	}
	return geo
}

// unixTime is the time of Unix seconds, zero for 0 and for what no post can have.
func unixTime(seconds flexInt) time.Time {
	if seconds <= 0 || seconds > 1<<34 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}
