package vk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vestnik/internal/post"
)

// rendering is one of the sizes in which VK has a picture. Its URL is signed and good for days, not for ever.
type rendering struct {
	post.Size

	letter string // w z y x m s, cropped o p q r, "base" for the original; without measures for photos older than 2012
}

// rawAttachment is the union of what attachments of all types have that can be shown.
type rawAttachment struct {
	OwnerID   flexInt    `json:"owner_id"`
	ID        flexInt    `json:"id"`
	AccessKey flexString `json:"access_key"`
	Title     flexString `json:"title"`
	Name      flexString `json:"name"`
	Question  flexString `json:"question"`
	Artist    flexString `json:"artist"`
	Text      flexString `json:"text"`
	Caption   flexString `json:"caption"`
	URL       flexString `json:"url"`
	ViewURL   flexString `json:"view_url"`
	Ext       flexString `json:"ext"`
	Size      flexInt    `json:"size"`
	Duration  flexInt    `json:"duration"`
	Answers   flexList   `json:"answers"`

	Sizes     flexList               `json:"sizes"`
	OrigPhoto flexObject[rawSize]    `json:"orig_photo"`
	Photo130  flexString             `json:"photo_130"`
	Photo604  flexString             `json:"photo_604"`
	Image     flexList               `json:"image"`
	Images    flexList               `json:"images"`
	Photo     flexObject[rawPicture] `json:"photo"`
	Preview   flexObject[struct {
		Photo flexObject[rawPicture] `json:"photo"`
	}] `json:"preview"`
}

type rawPicture struct {
	Sizes     flexList            `json:"sizes"`
	OrigPhoto flexObject[rawSize] `json:"orig_photo"`
}

type rawSize struct {
	Type        flexString `json:"type"`
	URL         flexString `json:"url"`
	Src         flexString `json:"src"` // so in documents' previews
	Width       flexInt    `json:"width"`
	Height      flexInt    `json:"height"`
	WithPadding flexBool   `json:"with_padding"`
}

// decodeAttachment reads {"type": "x", "x": {…}}, as far as it goes: its name as wall.post takes it, "" for what has no
// id, the photo that it is or shows as, nil if none, and what readers see of it beside the text. A type this code has
// never heard of passes through with its name.
func decodeAttachment(raw json.RawMessage) (name string, picture *post.Photo, seen post.Attachment) {
	var typed flexObject[struct {
		Type flexString `json:"type"`
	}]
	_ = typed.UnmarshalJSON(raw)
	kind := string(typed.value.Type)
	if kind == "" {
		return "", nil, post.Attachment{Kind: "unknown"}
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members)
	body, ok := members[kind]
	if !ok && kind == "market_album" {
		body = members["market_market_album"]
	}
	var object flexObject[rawAttachment]
	_ = object.UnmarshalJSON(body)
	v := object.value
	picture = &post.Photo{Kind: kind, OwnerID: int64(v.OwnerID), ID: int64(v.ID), AccessKey: string(v.AccessKey)}
	name = picture.Ref()
	seen = post.Attachment{Kind: kind, Title: v.title(kind), URL: v.link(kind), Seconds: int(min(max(v.Duration, 0), 1e6))}
	for _, raw := range v.Answers {
		var answer flexObject[struct {
			Text flexString `json:"text"`
		}]
		if _ = answer.UnmarshalJSON(raw); answer.value.Text != "" {
			seen.Answers = append(seen.Answers, plain(answer.value.Text))
		}
	}
	switch kind {
	case "photo", "posted_photo", "graffiti": // the latter are photos in all but name
		picture.Kind, picture.Caption, picture.Sizes = "", plain(v.Text), sizes(v.Sizes, v.OrigPhoto, v.old()...)
		return name, picture, seen
	case "doc":
		seen.Ref, seen.Extension, seen.Bytes = name, strings.ToLower(string(v.Ext)), max(int64(v.Size), 0)
	case "poll":
		seen.Ref = name
	}
	picture.Sizes = sizes(slices.Concat(v.Image, v.Images, v.Photo.value.Sizes, v.Preview.value.Photo.value.Sizes), v.Photo.value.OrigPhoto)
	switch {
	case len(picture.Sizes) == 0:
		return name, nil, seen
	case kind == "video", slices.Contains([]string{"jpg", "jpeg", "png", "webp", "bmp"}, seen.Extension):
		return name, picture, seen
	case seen.Extension == "gif":
		picture.Animation, picture.Title, picture.Bytes = seen.URL, seen.Title, seen.Bytes
		return name, picture, seen
	}
	return name, nil, seen
}

func (v rawAttachment) title(kind string) string {
	title := plain(flexString(first(v.Title, v.Name, v.Question, v.Caption)))
	if kind == "audio" && v.Artist != "" {
		return strings.TrimSuffix(string(v.Artist)+" — "+title, " — ")
	}
	return title
}

// link is where the attachment can be opened: its own address, or VK's page for it.
func (v rawAttachment) link(kind string) string {
	if url := first(v.URL, v.ViewURL); url != "" && kind != "audio" && kind != "graffiti" {
		return url // an audio's own address is a stream bound to the reader, a graffiti's is a picture
	}
	if v.ID == 0 {
		return ""
	}
	pair := fmt.Sprintf("%d_%d", v.OwnerID, v.ID)
	switch kind {
	case "video":
		url := "https://vk.com/video" + pair
		if v.AccessKey != "" {
			url += "?list=" + string(v.AccessKey)
		}
		return url
	case "photo", "clip", "audio", "poll", "doc", "note", "page", "podcast", "album":
		return "https://vk.com/" + kind + pair
	case "audio_playlist":
		return "https://vk.com/music/playlist/" + pair
	case "video_playlist":
		return "https://vk.com/video/playlist/" + pair
	case "market":
		return fmt.Sprintf("https://vk.com/market%d?w=product%s", v.OwnerID, pair)
	case "market_album":
		return fmt.Sprintf("https://vk.com/market%d?section=album_%d", v.OwnerID, v.ID)
	case "event", "group":
		return fmt.Sprintf("https://vk.com/club%d", v.ID)
	}
	return ""
}

// old is the two sizes that posted photos and graffiti have as fields of their own.
func (v rawAttachment) old() []rendering {
	return []rendering{{post.Size{URL: string(v.Photo604)}, "x"}, {post.Size{URL: string(v.Photo130)}, "m"}, {post.Size{URL: string(v.URL)}, "s"}}
}

func first(texts ...flexString) string {
	for _, text := range texts {
		if text != "" {
			return string(text)
		}
	}
	return ""
}

// sizes puts the renderings of one picture into order, each URL once: the original where VK gives it, then the
// uncropped ones from large to small, then those that VK may have cropped to 3:2.
func sizes(list flexList, original flexObject[rawSize], more ...rendering) []post.Size {
	all := more
	for _, raw := range list {
		var size flexObject[rawSize]
		_ = size.UnmarshalJSON(raw)
		// A padded picture has black bars; VK gives the same without them.
		if !bool(size.value.WithPadding) || len(list) == 1 {
			all = append(all, size.value.size())
		}
	}
	if original.found {
		base := original.value.size()
		base.letter = "base"
		all = append(all, base)
	}
	slices.SortStableFunc(all, betterFirst)
	var sizes []post.Size
	seen := map[string]bool{}
	for _, size := range all {
		if !seen[size.URL] && (strings.HasPrefix(size.URL, "https://") || strings.HasPrefix(size.URL, "http://")) {
			seen[size.URL] = true
			sizes = append(sizes, size.Size)
		}
	}
	return sizes
}

func (r rawSize) size() rendering {
	return rendering{post.Size{URL: first(r.URL, r.Src), Width: pixels(r.Width), Height: pixels(r.Height)}, string(r.Type)}
}

// pixels bounds a measure to what a picture can have, so that areas stay within an int.
func pixels(n flexInt) int { return int(min(max(n, 0), 100_000)) }

// betterFirst orders sizes: the original, then the uncropped by area, then the cropped by area.
func betterFirst(a, b rendering) int {
	if d := a.kind() - b.kind(); d != 0 {
		return d
	}
	return b.area() - a.area()
}

func (r rendering) kind() int {
	switch r.letter {
	case "base", "orig":
		return 0
	case "o", "p", "q", "r", "c", "d", "e":
		return 2
	}
	return 1
}

// longestSide is what each of VK's letters allows, in pixels. It stands in where VK gives no measures.
var longestSide = map[string]int{
	"w": 2560, "z": 1280, "y": 807, "x": 604, "m": 130, "s": 75, "r": 510, "q": 320, "p": 200, "o": 130,
}

func (r rendering) area() int {
	if r.Width == 0 || r.Height == 0 {
		return longestSide[r.letter] * longestSide[r.letter]
	}
	return r.Width * r.Height
}
