package vk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"vestnik/internal/post"
)

// Post is a wall post: what readers see of it and of what it reposts, and what decides whether it is read.
type Post struct {
	post.Post

	Pinned bool
	Source string // the address that it names as its source, inside VK or not; may be empty

	// As VK gave it, and then what it reposts, the nearest first, the original last.
	parts []rawPost
	// What it reposts is not VK's, but the wall post that its text is the address of (FollowLinks).
	followed bool
}

// show makes of the parts what readers see.
func (p *Post) show() {
	own := &p.parts[0]
	p.Post = post.Post{
		ID: own.id(), FromID: own.author(), PostedAt: unixTime(own.Date), EditedAt: unixTime(own.Edited), Text: string(own.Text),
		ContentHash: p.ContentHash,
	}
	var attached flexList
	var place *post.Attachment
	for i := range p.parts {
		part := &p.parts[i]
		if i > 0 {
			p.Origin = part.id()
			p.Reposts = append(p.Reposts, post.Repost{ID: p.Origin, FromID: part.author(), Text: string(part.Text)})
		}
		attached = append(attached, part.Attachments...)
		if place == nil {
			place = part.Geo.value.attachment()
		}
	}
	seen := map[string]bool{}
	var frames []post.Photo // behind the photos: there may not be room for all
	for _, raw := range attached[:min(len(attached), maxAttachments)] {
		name, picture, attachment := decodeAttachment(raw)
		if name != "" && seen[name] {
			continue
		}
		seen[name] = true
		if linked, err := post.ParseID(attachment.URL); p.followed && attachment.Kind == "link" && err == nil && linked == p.Reposts[0].ID {
			continue // VK's card of the post that was followed
		}
		switch {
		case picture == nil:
			p.Attachments = append(p.Attachments, attachment)
		case attachment.Kind == "video":
			p.Attachments, frames = append(p.Attachments, attachment), append(frames, *picture)
		default:
			p.Photos = append(p.Photos, *picture)
		}
	}
	p.Photos = append(p.Photos, frames...)
	if place != nil {
		p.Attachments = append(p.Attachments, *place)
	}
	if strings.TrimSpace(p.Text+strings.Join(p.RepostTexts(), "")) == "" { // all it says stands under its photos
		for i, photo := range p.Photos {
			p.Text = strings.TrimPrefix(p.Text+"\n"+photo.Caption, "\n")
			p.Photos[i].Caption = ""
		}
	}
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

// Skip is why the post must not be reposted, "" if it may be.
func (p Post) Skip() SkipReason {
	switch own := &p.parts[0]; {
	case bool(own.IsDeleted):
		return SkipDeleted
	case own.Type == "suggest":
		return SkipSuggested
	case own.Type == "postpone":
		return SkipPostponed
	case own.Type == "reply":
		return SkipReply
	case bool(own.MarkedAsAds), own.Type == "post_ads":
		return SkipAds
	case bool(own.Donut.value.IsDonut):
		return SkipDonut
	case bool(own.IsArchived):
		return SkipArchived
	case bool(own.FriendsOnly):
		return SkipFriendsOnly
	case own.Type != "" && own.Type != "post" && own.Type != "copy":
		return SkipOtherType
	}
	return ""
}

// SkipUndecodable counts the items that make no sense at all.
const SkipUndecodable SkipReason = "undecodable"

// Readable decodes the items of a wall, each by itself, and leaves out those that are not for reposting; skipped
// counts them by their reasons.
func Readable(items []json.RawMessage) (posts []Post, skipped map[string]int) {
	skipped = map[string]int{}
	for _, item := range items {
		decoded, err := DecodePost(item)
		reason := SkipUndecodable
		if err == nil && decoded.PostID > 0 {
			reason = decoded.Skip()
		}
		if reason == "" {
			posts = append(posts, decoded)
		} else {
			skipped[string(reason)]++
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

// rawPost is what VK says of a post or of what it reposts.
type rawPost struct {
	ID          *flexInt   `json:"id"`
	PostID      *flexInt   `json:"post_id"` // so in newsfeeds
	OwnerID     flexInt    `json:"owner_id"`
	SourceID    flexInt    `json:"source_id"` // so in newsfeeds
	ToID        flexInt    `json:"to_id"`     // so in old versions and in callbacks
	FromID      flexInt    `json:"from_id"`
	SignerID    flexInt    `json:"signer_id"` // who signed a community's post
	Date        flexInt    `json:"date"`
	Edited      flexInt    `json:"edited"`
	Type        flexString `json:"post_type"` // post, copy, reply, postpone, suggest, …; "" in reposts' originals
	Text        flexString `json:"text"`
	IsPinned    flexBool   `json:"is_pinned"`
	MarkedAsAds flexBool   `json:"marked_as_ads"`
	IsDeleted   flexBool   `json:"is_deleted"`
	IsArchived  flexBool   `json:"is_archived"`
	FriendsOnly flexBool   `json:"friends_only"`
	// Donut marks a post for paying subscribers; for others VK hides its text and attachments.
	Donut flexObject[struct {
		IsDonut flexBool `json:"is_donut"`
	}] `json:"donut"`
	Attachments flexList           `json:"attachments"`
	Geo         flexObject[rawGeo] `json:"geo"`
	Copyright   flexObject[struct {
		Link flexString `json:"link"`
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
	switch {
	case cmp.Or(fields.ID, fields.PostID) == nil:
		return Post{}, errors.New("vk: the post has no id")
	case fields.id().OwnerID == 0:
		return Post{}, errors.New("vk: the post has no owner_id")
	}
	p := Post{Pinned: bool(fields.IsPinned), Source: string(fields.Copyright.value.Link), parts: []rawPost{fields}}
	for _, raw := range fields.CopyHistory[:min(len(fields.CopyHistory), maxReposts)] {
		var parent flexObject[rawPost]
		if _ = parent.UnmarshalJSON(raw); parent.found {
			p.parts = append(p.parts, parent.value)
		}
	}
	room := maxTexts
	for i := range p.parts {
		text := clip(plain(p.parts[i].Text), room)
		p.parts[i].Text, room = flexString(text), room-len(text)
	}
	p.show()
	p.ContentHash = contentHash(p.Post)
	return p, nil
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

func (f *rawPost) id() (id post.ID) {
	id.OwnerID = int64(cmp.Or(f.OwnerID, f.ToID, f.SourceID))
	if number := cmp.Or(f.ID, f.PostID); number != nil {
		id.PostID = int64(*number)
	}
	return id
}

// author is the person who wrote or signed the post, or the community.
func (f *rawPost) author() int64 {
	if f.FromID <= 0 && f.SignerID > 0 {
		return int64(f.SignerID)
	}
	return int64(f.FromID)
}

// attachment is the place as a map shows it; nil if there is none.
func (g rawGeo) attachment() *post.Attachment {
	place := g.Place.value
	lat, lon := float64(place.Lat), float64(place.Lon)
	var text flexString
	if _ = text.UnmarshalJSON(g.Coordinates); text != "" {
		_, _ = fmt.Sscanf(string(text), "%g %g", &lat, &lon)
	}
	var object flexObject[struct {
		Lat flexFloat `json:"latitude"`
		Lon flexFloat `json:"longitude"`
	}]
	if _ = object.UnmarshalJSON(g.Coordinates); object.found {
		lat, lon = float64(object.value.Lat), float64(object.value.Lon)
	}
	attachment := post.Attachment{Kind: "geo", Title: first(place.Title, place.City)}
	if (lat != 0 || lon != 0) && math.Abs(lat) <= 90 && math.Abs(lon) <= 180 {
		attachment.URL = fmt.Sprintf("https://yandex.ru/maps/?pt=%.6f,%.6f&z=16", lon, lat)
	}
	if attachment.Title == "" && attachment.URL == "" {
		return nil
	}
	return &attachment
}

// unixTime is the time of Unix seconds, zero for 0 and for what no post can have.
func unixTime(seconds flexInt) time.Time {
	if seconds <= 0 || seconds > 1<<34 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}
