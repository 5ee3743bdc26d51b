package reading

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/vk"
)

// SkipUndecodable counts items that make no sense at all; the others of their
// page are read all the same.
const SkipUndecodable = "undecodable"

// Item is a decoded and understood post.
type Item struct {
	db.Post

	Pinned bool
}

// Items is what a page of a wall holds.
type Items struct {
	Posts []Item
	// Skipped counts items that are not for reading, by reason.
	Skipped map[string]int
}

// IDs returns the ids of the posts.
func (i Items) IDs() []int64 {
	ids := make([]int64, len(i.Posts))
	for n, item := range i.Posts {
		ids[n] = item.PostID
	}
	return ids
}

// Decode decodes and understands the items of a wall, each by itself: one that
// makes our own code panic costs no other.
func Decode(ownerID int64, raw []json.RawMessage) Items {
	items := Items{Skipped: map[string]int{}}
	for _, item := range raw {
		post, err := vk.DecodePost(item)
		if err != nil || post.ID <= 0 {
			items.Skipped[SkipUndecodable]++
			continue
		}
		if reason, skip := post.Skip(); skip {
			items.Skipped[string(reason)]++
			continue
		}
		if post.Owner == 0 {
			post.Owner = ownerID
		}
		stored, err := understand(post)
		if err != nil {
			items.Skipped[SkipUndecodable]++
			continue
		}
		items.Posts = append(items.Posts, Item{Post: stored, Pinned: post.Pinned})
	}
	return items
}

func understand(post vk.Post) (stored db.Post, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.New("the post can't be understood")
		}
	}()
	return Understand(post), nil
}

// Understand reads what a post of VK's says.
func Understand(post vk.Post) db.Post {
	stored := db.Post{
		OwnerID: post.Owner, PostID: post.ID, FromID: post.FromID,
		PostedAt: post.Date, EditedAt: post.Edited, Text: post.Text,
	}
	for _, parent := range post.CopyHistory {
		stored.Reposts = append(stored.Reposts, parent.Text)
	}
	if post.IsRepost() {
		stored.OriginOwnerID, stored.OriginPostID = post.Original().Owner, post.Original().ID
	}
	seen := map[string]bool{}
	for _, attachment := range post.AllAttachments() {
		if name := attachment.Ref(); name != "" {
			if seen[name] {
				continue
			}
			seen[name] = true
		}
		if attachment.Photo != nil {
			stored.Photos = append(stored.Photos, photoOf(*attachment.Photo))
			continue
		}
		stored.Attachments = append(stored.Attachments, db.Attachment{Kind: attachment.Type, Title: attachment.Title, URL: attachment.URL})
	}
	if geo := post.Geo; geo != nil {
		stored.Attachments = append(stored.Attachments, geoOf(*geo))
	}
	stored.ContentHash = contentHash(post, stored)
	Read(&stored)
	return stored
}

// Read reads a post's texts, as this build's rules have it.
func Read(post *db.Post) {
	input := petpost.Input{Text: post.Text, Reposts: post.Reposts, PostedAt: post.PostedAt}
	own := petpost.PostRef{OwnerID: post.OwnerID, PostID: post.PostID}
	origin := own
	if post.OriginPostID != 0 {
		origin = petpost.PostRef{OwnerID: post.OriginOwnerID, PostID: post.OriginPostID}
	}
	post.Reading = petpost.Parse(input)
	post.Fingerprint = petpost.NewFingerprint(own, origin, input, post.Reading)
}

func photoOf(photo vk.Photo) db.Photo {
	stored := db.Photo{OwnerID: photo.OwnerID, ID: photo.ID, AccessKey: photo.AccessKey}
	for _, size := range photo.Sizes {
		stored.Sizes = append(stored.Sizes, db.PhotoSize{URL: size.URL, Width: size.Width, Height: size.Height})
	}
	return stored
}

func geoOf(geo vk.Geo) db.Attachment {
	attachment := db.Attachment{Kind: "geo", Title: geo.Title}
	if geo.Lat != 0 || geo.Lon != 0 {
		attachment.URL = fmt.Sprintf("https://yandex.ru/maps/?pt=%.6f,%.6f&z=16", geo.Lon, geo.Lat)
	}
	return attachment
}

// contentHash covers what readers see and leaves out what VK signs anew each
// time, the links to photos.
func contentHash(post vk.Post, stored db.Post) []byte {
	hash := sha256.New()
	write := func(parts ...string) {
		for _, part := range parts {
			_, _ = io.WriteString(hash, part) // a hash takes everything
			_, _ = hash.Write([]byte{0})
		}
	}
	write(post.Text)
	write(stored.Reposts...)
	for _, photo := range stored.Photos {
		write(photo.Name())
	}
	for _, attachment := range stored.Attachments {
		write(attachment.Kind, attachment.Title)
	}
	return hash.Sum(nil)
}
