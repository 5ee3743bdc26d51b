// Package notice is what readers of the relay see: it turns one VK post into
// the messages a careful person would send about it.
//
// The way of a post through the package:
//
//	raw VK text  --Clean, ParseMarkup-->  Text (spans with links and styles)
//	Post         --Compose-->             Notice (title, words, facts, source link)
//	Notice       --split, render-->       texts within the platform's limits
//	Post         --PlanTelegram-->        Plan: the steps to take, in order
//	Post         --PlanVK-->              one wall post
//
// Everything here is pure: the same post and options give the same plan. But
// posts are edited, options changed and this package improved, so a delivery
// that has sent a step keeps the plan it began with.
//
// Text is measured as Telegram measures it after parsing entities, in UTF-16
// units. Bots are counted in code points, which are never more, so the bound
// holds whichever way the server counts.
package notice

import (
	"fmt"
	"log/slog"

	"vestnik/internal/petpost"
)

// Post is one VK wall post as far as its readers care.
type Post struct {
	// Type is what the post is about; it chooses the title line.
	Type petpost.Type
	// Text is the author's own text, raw, with VK's markup.
	Text string
	// Original is the raw text of the post that was reposted, "" if this is not a repost.
	Original string
	// OriginalOwnerID and OriginalPostID name the reposted post where known, else 0.
	OriginalOwnerID, OriginalPostID int64
	// Phones are in E.164, as petpost reads them.
	Phones []string
	// Location is the place as petpost reads it, "" if unknown.
	Location string
	// OwnerID and PostID name the post: https://vk.com/wall{OwnerID}_{PostID}.
	// Communities have negative owner ids.
	OwnerID, PostID int64
	// Photos are all photos of the post and of what it reposts, in their order.
	Photos []Photo
	// Attachments is everything attached that is not a photo, in its order.
	Attachments []Attachment
	// Closed: the animal that the post is about is home again, as another post
	// says. Deleted: its author has taken it off the wall.
	Closed, Deleted bool
}

// SourceURL is the address of the post on VK.
func (p Post) SourceURL() string { return wallURL(p.OwnerID, p.PostID) }

func wallURL(owner, post int64) string {
	return fmt.Sprintf("https://vk.com/wall%d_%d", owner, post)
}

// String names the post as VK's addresses do: wall-1_2. Words, names and
// phones stay out of whatever is printed or logged.
func (p Post) String() string { return fmt.Sprintf("wall%d_%d", p.OwnerID, p.PostID) }

// LogValue is the post's name, for the same reason.
func (p Post) LogValue() slog.Value { return slog.StringValue(p.String()) }

// Photo is one photo of a post, at the size that was chosen for sending.
type Photo struct {
	// URL is VK's signed CDN link, whole, with its query.
	URL string
	// Width and Height are pixels, 0 where VK does not tell.
	Width, Height int
	// OwnerID, ID and AccessKey name the photo inside VK; AccessKey may be empty.
	OwnerID, ID int64
	AccessKey   string
}

// Ref is the photo's name in VK's attachments: photo{owner}_{id} with its
// access key where it has one; "" if the photo has no identity.
func (p Photo) Ref() string {
	if p.OwnerID == 0 || p.ID == 0 {
		return ""
	}
	ref := fmt.Sprintf("photo%d_%d", p.OwnerID, p.ID)
	if p.AccessKey != "" {
		ref += "_" + p.AccessKey
	}
	return ref
}

// Attachment is anything attached to a post that is not a photo.
type Attachment struct {
	// Kind is VK's attachment type: video, doc, link, poll, audio, article …
	// and "geo" for the place pinned to a post. A kind this package does not
	// know becomes part of one line "more in the original".
	Kind string
	// Title is what VK shows as its name, raw; may be empty.
	Title string
	// URL opens the attachment; if empty or not http(s), the line leads to the post itself.
	URL string
}
