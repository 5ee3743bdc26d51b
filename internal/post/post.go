// Package post is one VK wall post: its name and address, what it shows, and
// what has become of it. Everybody may import it; it imports nobody.
package post

import (
	"cmp"
	"fmt"
	"log/slog"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// ID names a post. It is unique for ever within VK; post ids count up per owner
// and have gaps.
type ID struct {
	OwnerID int64 `json:"owner_id"` // negative for communities
	PostID  int64 `json:"post_id"`
}

// String is the id as VK's addresses write it: wall-1_23. Words, names and
// phones stay out of whatever is printed or logged of a post.
func (id ID) String() string { return fmt.Sprintf("wall%d_%d", id.OwnerID, id.PostID) }

// LogValue is the id, for the same reason.
func (id ID) LogValue() slog.Value { return slog.StringValue(id.String()) }

// URL is the post's address on VK.
func (id ID) URL() string { return "https://vk.com/" + id.String() }

// path is how VK's addresses name a post, alone or within a longer address.
var path = regexp.MustCompile(`(?:^|\bwall)(-?\d+)_(\d+)\b`)

// ParseID reads the name of a post: "wall-123_45", "-123_45", or any address of
// VK's that holds the former.
func ParseID(text string) (ID, error) {
	match := path.FindStringSubmatch(text)
	if match == nil {
		return ID{}, fmt.Errorf("%q names no post; write wall-123_45 or the post's address", text)
	}
	owner, ownerErr := strconv.ParseInt(match[1], 10, 64)
	id, idErr := strconv.ParseInt(match[2], 10, 64)
	if ownerErr != nil || idErr != nil || owner == 0 || id == 0 {
		return ID{}, fmt.Errorf("%q names a post that can't exist", text)
	}
	return ID{OwnerID: owner, PostID: id}, nil
}

// Post is a wall post as VK shows it.
type Post struct {
	ID

	FromID   int64 // the author: a person who wrote or signed it, or the community
	PostedAt time.Time
	EditedAt time.Time // zero if never edited
	Text     string    // the author's own, with VK's markup
	Reposts  []Repost  // what it reposts, or is the address of, nearest first
	Origin   ID        // the post at the end of a chain of reposts; zero if this is no repost
	// Photos are those of the post and of what it reposts, in their order, and
	// what shows as one; Attachments everything else that is attached.
	Photos      []Photo
	Attachments []Attachment
	// ContentHash changes when anything a reader sees changes.
	ContentHash []byte

	// What has become of a stored post: the case it was taken for, whether its
	// animal is home again, when its author deleted it, and since when none of its
	// words are kept; the version of the rules that decided where it goes.
	CaseID     int64
	CaseReason string // why it was taken for its case; "" if the case began with it
	CaseClosed bool
	DeletedAt  time.Time // zero if it stands
	BlankedAt  time.Time // zero if they are
	Rules      string    // "" if a build decided that kept none
}

// Repost is a post in a chain of reposts.
type Repost struct {
	ID

	FromID int64  `json:"from_id"` // as a post's; 0 if it was stored by a build that did not keep it
	Text   string `json:"-"`       // stored beside it
}

// RepostTexts are the texts of what the post reposts, nearest first.
func (p Post) RepostTexts() []string {
	texts := make([]string, len(p.Reposts))
	for i, repost := range p.Reposts {
		texts[i] = repost.Text
	}
	return texts
}

// Photo is a photo of a post, or what shows as one: a document that is a
// picture, the frame of a video. Its links are signed and die after some days;
// its identity inside VK does not.
type Photo struct {
	Kind      string `json:"kind,omitempty"` // "" for a photo, else doc or video
	OwnerID   int64  `json:"owner_id"`
	ID        int64  `json:"id"`
	AccessKey string `json:"access_key,omitempty"`
	Caption   string `json:"caption,omitempty"`
	Sizes     []Size `json:"sizes"` // the best first; none if VK names no link
	// Animation is the link to the moving picture that this is a still of.
	Animation string `json:"animation,omitempty"`
	// File is the link under which it goes as a file, of Media only; Title is the
	// name of that file, Bytes its size, 0 if VK does not tell.
	File  string `json:"file,omitempty"`
	Title string `json:"title,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
	// Hash is what it looks like; zero if that is not known.
	Hash PhotoHash `json:"hash,omitzero"`
}

// PhotoHash is a difference hash: of a grid of 9 × 8 greys, whether each is
// darker than its right neighbour, and of one of 8 × 9 whether it is darker than
// the one below. It stays nearly the same however a photo is scaled, compressed or
// brightened. The zero value is that of no photo.
type PhotoHash struct {
	Rows    uint64 `json:"rows"`
	Columns uint64 `json:"columns"`
}

// sameBits is in how many of 128 bits two hashes of one photo differ at the most.
// Scaled and compressed it was up to 5, cut by 4 % on each side or with a mark in
// its corner mostly up to 12; of 200,000 pairs of different photos 99 % differed in
// 41 and more, and two photos in one frame, which left them a third of it, in 15.
const sameBits = 12

// Same reports whether two hashes are those of one photo.
func (h PhotoHash) Same(other PhotoHash) bool {
	return h != PhotoHash{} && other != PhotoHash{} &&
		bits.OnesCount64(h.Rows^other.Rows)+bits.OnesCount64(h.Columns^other.Columns) <= sameBits
}

// Name is what VK calls the photo, whatever its links are.
func (p Photo) Name() string { return fmt.Sprintf("%s%d_%d", cmp.Or(p.Kind, "photo"), p.OwnerID, p.ID) }

// Ref is the photo as wall.post takes it: its name, with its access key where
// it has one; "" if it has no identity.
func (p Photo) Ref() string {
	switch {
	case p.OwnerID == 0 || p.ID == 0:
		return ""
	case p.AccessKey != "":
		return p.Name() + "_" + p.AccessKey
	}
	return p.Name()
}

// Size is one link to a photo; width and height are in pixels, 0 if VK does
// not tell.
type Size struct {
	URL    string `json:"url"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
}

// Attachment is anything attached to a post that is not a photo.
type Attachment struct {
	// Kind is VK's: video, doc, link, poll, audio, article, …; "geo" for the
	// place pinned to a post.
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"` // as VK shows it, may be empty
	// URL opens the attachment; "" if nothing but the post itself does.
	URL string `json:"url,omitempty"`
	// Ref is the attachment as wall.post takes it, "" for what has no name there.
	Ref string `json:"ref,omitempty"`
	// Seconds is the length of a video, Answers are those of a poll.
	Seconds int      `json:"seconds,omitempty"`
	Answers []string `json:"answers,omitempty"`
	// Extension is a document's, in lower case and without the dot, Bytes its
	// size; 0 if VK does not tell.
	Extension string `json:"ext,omitempty"`
	Bytes     int64  `json:"bytes,omitempty"`
}

// maxFileName bounds the name of a file, in letters.
const maxFileName = 120

// Media is what a post brings beside its words: its photos, an animation that is
// its only one as a file, and then the files: the animations among several photos
// and the documents.
func (p Post) Media() []Photo {
	media := slices.Clone(p.Photos)
	for i, photo := range p.Photos {
		switch {
		case photo.Animation == "":
		case len(p.Photos) == 1:
			media[i].File, media[i].Title = photo.Animation, fileName(photo.Title, "gif")
		default:
			photo.File, photo.Title, photo.Sizes = photo.Animation, fileName(photo.Title, "gif"), nil
			media = append(media, photo)
		}
	}
	for _, attachment := range p.Attachments {
		if attachment.Kind != "doc" || !strings.HasPrefix(attachment.URL, "http") {
			continue
		}
		file := Photo{Kind: attachment.Kind, File: attachment.URL, Title: fileName(attachment.Title, attachment.Extension), Bytes: attachment.Bytes}
		_, _ = fmt.Sscanf(attachment.Ref, "doc%d_%d", &file.OwnerID, &file.ID) // without a name there, it has none here
		media = append(media, file)
	}
	return media
}

// fileName is a title as the name of a file with the extension.
func fileName(title, extension string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\"`, r) {
			return '_'
		}
		return r
	}, cmp.Or(title, "file"))
	suffix := ""
	if extension != "" {
		suffix = "." + extension
		if at := len(name) - len(suffix); at >= 0 && strings.EqualFold(name[at:], suffix) {
			name = name[:at]
		}
	}
	if letters := []rune(name); len(letters) > maxFileName {
		name = string(letters[:maxFileName])
	}
	return name + suffix
}
