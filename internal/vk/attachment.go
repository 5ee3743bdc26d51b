package vk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vestnik/internal/post"
)

// Attachment is anything attached to a post. A type this code has never heard of passes through with its name.
type Attachment struct {
	Type      string // photo, video, doc, link, poll, audio, …, as VK names it
	OwnerID   int64
	ID        int64
	AccessKey string
	Title     string // what a person would call it; may be empty
	URL       string // where it can be opened; empty if nowhere
	// Photo is set for photos, and for what is one in all but name (posted_photo, graffiti).
	Photo *post.Photo
	// Extension is a document's, in lower case, Bytes its size; Seconds the length of a video, Answers a poll's.
	Extension string
	Bytes     int64
	Seconds   int
	Answers   []string
	// Preview is the picture that stands for a video, a link, an article and so on, best first; may be empty.
	Preview []post.Size
}

// Ref is the attachment as wall.post takes it: photo-1_23_accesskey. "" for what has no id.
func (a Attachment) Ref() string {
	if a.OwnerID == 0 || a.ID == 0 {
		return ""
	}
	return ref(a.Type, a.OwnerID, a.ID, a.AccessKey)
}

func ref(kind string, ownerID, id int64, accessKey string) string {
	text := fmt.Sprintf("%s%d_%d", kind, ownerID, id)
	if accessKey != "" {
		text += "_" + accessKey
	}
	return text
}

// picture is what shows as a photo though it is none, nil for what does not: the preview of a document that is a
// picture, of which some move, and the frame of a video.
func (a Attachment) picture() *post.Photo {
	p := &post.Photo{Kind: a.Type, OwnerID: a.OwnerID, ID: a.ID, AccessKey: a.AccessKey, Sizes: a.Preview}
	switch {
	case len(a.Preview) == 0:
		return nil
	case a.Type == "video", a.Type == "doc" && slices.Contains([]string{"jpg", "jpeg", "png", "webp", "bmp"}, a.Extension):
		return p
	case a.Type == "doc" && a.Extension == "gif":
		p.Animation, p.Title, p.Bytes = a.URL, a.Title, a.Bytes
		return p
	}
	return nil
}

// attachment is what readers see of it beside the text.
func (a Attachment) attachment() post.Attachment {
	seen := post.Attachment{Kind: a.Type, Title: a.Title, URL: a.URL, Seconds: a.Seconds, Answers: a.Answers}
	switch a.Type {
	case "doc":
		seen.Ref, seen.Extension, seen.Bytes = a.Ref(), a.Extension, a.Bytes
	case "poll":
		seen.Ref = a.Ref()
	}
	return seen
}

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

// decodeAttachment reads {"type": "x", "x": {…}}. It never fails.
func decodeAttachment(raw json.RawMessage) Attachment {
	var typed flexObject[struct {
		Type flexString `json:"type"`
	}]
	_ = typed.UnmarshalJSON(raw)
	a := Attachment{Type: string(typed.value.Type)}
	if a.Type == "" {
		a.Type = "unknown"
		return a
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members)
	body, ok := members[a.Type]
	if !ok && a.Type == "market_album" {
		body = members["market_market_album"]
	}
	var object flexObject[rawAttachment]
	_ = object.UnmarshalJSON(body)
	v := object.value
	a.OwnerID, a.ID, a.AccessKey = int64(v.OwnerID), int64(v.ID), string(v.AccessKey)
	a.Title, a.URL = v.title(a.Type), v.link(a)
	a.Bytes = max(int64(v.Size), 0)
	a.Extension, a.Seconds = strings.ToLower(string(v.Ext)), int(min(max(v.Duration, 0), 1e6))
	for _, raw := range v.Answers {
		var answer flexObject[struct {
			Text flexString `json:"text"`
		}]
		if _ = answer.UnmarshalJSON(raw); answer.value.Text != "" {
			a.Answers = append(a.Answers, plain(answer.value.Text))
		}
	}

	switch a.Type {
	case "photo", "posted_photo", "graffiti":
		a.Photo = &post.Photo{OwnerID: a.OwnerID, ID: a.ID, AccessKey: a.AccessKey, Caption: plain(v.Text), Sizes: sizes(v.Sizes, v.OrigPhoto, v.old()...)}
	default:
		pictures := slices.Concat(v.Image, v.Images, v.Photo.value.Sizes, v.Preview.value.Photo.value.Sizes)
		a.Preview = sizes(pictures, v.Photo.value.OrigPhoto)
	}
	return a
}

func (v rawAttachment) title(kind string) string {
	title := plain(flexString(first(v.Title, v.Name, v.Question, v.Caption)))
	if kind == "audio" && v.Artist != "" {
		return strings.TrimSuffix(string(v.Artist)+" — "+title, " — ")
	}
	return title
}

// link is where the attachment can be opened: its own address, or VK's page for it.
func (v rawAttachment) link(a Attachment) string {
	if url := first(v.URL, v.ViewURL); url != "" && a.Type != "audio" && a.Type != "graffiti" {
		return url // an audio's own address is a stream bound to the reader, a graffiti's is a picture
	}
	if a.ID == 0 {
		return ""
	}
	pair := fmt.Sprintf("%d_%d", a.OwnerID, a.ID)
	switch a.Type {
	case "video":
		url := "https://vk.com/video" + pair
		if a.AccessKey != "" {
			url += "?list=" + a.AccessKey
		}
		return url
	case "photo", "clip", "audio", "poll", "doc", "note", "page", "podcast", "album":
		return "https://vk.com/" + a.Type + pair
	case "audio_playlist":
		return "https://vk.com/music/playlist/" + pair
	case "video_playlist":
		return "https://vk.com/video/playlist/" + pair
	case "market":
		return fmt.Sprintf("https://vk.com/market%d?w=product%s", a.OwnerID, pair)
	case "market_album":
		return fmt.Sprintf("https://vk.com/market%d?section=album_%d", a.OwnerID, a.ID)
	case "event", "group":
		return fmt.Sprintf("https://vk.com/club%d", a.ID)
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
