package notice

import (
	"cmp"
	"strconv"

	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/words"
)

// Kind is what one step of a delivery sends.
type Kind string

// The kinds of steps: sendMessage, sendPhoto, sendMediaGroup, sendAnimation,
// sendDocument. A message with an animation is edited, and recorded, like one with
// a photo.
const (
	Message     Kind = "message"
	SinglePhoto Kind = "photo"
	Album       Kind = "album"
	Animation   Kind = "animation"
	Document    Kind = "document"
)

// NoReply is the ReplyTo of a step that answers no other.
const NoReply = -1

// Shape is a step without its words: all that a workflow needs to know to take
// turns and to resume, and nothing that must stay out of its history.
type Shape struct {
	Kind Kind `json:"kind"`
	// Photos are indexes into the post's media, its photos first: none, one, or two
	// to ten. A document has one, which is a file.
	Photos []int `json:"photos,omitempty"`
	// ReplyTo is the index of the step whose first message this one answers, or NoReply.
	ReplyTo int `json:"reply_to"`
	// Weight is how many messages the step counts in a chat's limit per
	// minute: an album counts one per item.
	Weight int `json:"weight"`
}

// Step is one call to Telegram. In JSON it can be kept between two parts of a
// delivery: another cut of the same text would lose words, or double them.
type Step struct {
	Shape
	// Text is the message's text or the caption, marked up; "" only for an
	// album or photo whose text went before it.
	Text      string    `json:"text,omitempty"`
	ParseMode ParseMode `json:"parse_mode,omitempty"`
	// Unmarked is Text without any marks, for the one case in which Telegram
	// says "can't parse entities".
	Unmarked string `json:"unmarked,omitempty"`
	// Preview is the URL whose preview a message shows, "" for no preview.
	Preview string `json:"preview,omitempty"`
	// Silent sends without a sound.
	Silent bool `json:"silent,omitempty"`
	// Buttons are rows of contacts under a message; an album has none, whatever
	// stands here: its contacts are in the caption.
	Buttons [][]Button `json:"buttons,omitempty"`
	// Source is the address of the post; LinkPreview shows its preview if the
	// step should lose all its photos.
	Source      string `json:"source"`
	LinkPreview bool   `json:"link_preview,omitempty"`
}

// Cut is the parts of a delivery in several as they were when the first of them was
// sent. What comes after it is sent as it was cut then.
type Cut struct {
	Parts []Step `json:"parts"`
	// Photos are those that Parts speaks of.
	Photos []post.Photo `json:"photos,omitempty"`
	// Version of the post that they show.
	Version []byte `json:"version"`
}

// MaxAlbum is how many items sendMediaGroup takes; the least is two.
const MaxAlbum = 10

// Options are a destination's wishes. Start from DefaultOptions.
type Options struct {
	// ParseMode is HTML or MarkdownV2; Unmarked sends plain text without links behind words.
	ParseMode ParseMode
	// MaxMedia is how many photos are shown at most; 0 or less shows none and
	// says where they are. More than MaxAlbum go as several albums.
	MaxMedia int
	// MaxFile is the size in bytes of the largest document that follows as a file;
	// one of unknown size does. 0 brings none.
	MaxFile int64
	// LinkPreview shows the preview of the source link under a notice without photos.
	LinkPreview bool
	// ContactButtons puts the contacts under the last message with words.
	ContactButtons bool
	// WordsFirst sends the words alone, and the photos in answer to them.
	WordsFirst bool
	// Silent sends without a sound.
	Silent bool
	// Frame is put around every notice.
	Frame Frame
	// CaptionLimit and TextLimit are in UTF-16 units; 0 or more than
	// Telegram's own (words.CaptionLimit, words.MessageLimit) means Telegram's own,
	// and less than 128 means 128.
	CaptionLimit, TextLimit int
}

// DefaultOptions are those of a chat about which nothing is said.
func DefaultOptions() Options {
	return Options{ParseMode: HTML, MaxMedia: MaxAlbum, LinkPreview: true}
}

func limit(asked, most int) int {
	if asked <= 0 || asked > most {
		return most
	}
	return max(asked, minUnits)
}

// PlanTelegram decides how a post goes to a chat, as a careful person would
// do it: one photo with its caption; two to ten as an album with the caption
// on the first; more as albums of like size. A text too long for a caption
// goes first, and the photos answer it. A text too long for a message goes in
// parts. Link previews are off where there are photos. Documents, which the text
// names, follow as files. Its steps go in order, and each is recorded alone.
func PlanTelegram(post petpost.Post, options Options) (plan []Step) {
	pictures := showable(post)
	pictures = pictures[:min(len(pictures), max(options.MaxMedia, 0))]
	text := Compose(post, options.Frame, len(post.Photos)-len(pictures)).Text()
	albums := balance(pictures)

	step := func(kind Kind, words Text, photos []int, replyTo int) {
		plan = append(plan, Step{
			Shape:       Shape{Kind: kind, Photos: photos, ReplyTo: replyTo, Weight: max(1, len(photos))},
			Text:        render(words, options.ParseMode),
			Unmarked:    render(words, Unmarked),
			ParseMode:   options.ParseMode,
			Silent:      options.Silent,
			Source:      post.URL(),
			LinkPreview: options.LinkPreview,
		})
	}

	caption := text.trim()
	if len(albums) == 0 || options.WordsFirst || !fits(caption, options.ParseMode, limit(options.CaptionLimit, words.CaptionLimit)) {
		for _, part := range split(text, options.ParseMode, limit(options.TextLimit, words.MessageLimit)) {
			step(Message, part, nil, NoReply)
		}
		if len(albums) == 0 && options.LinkPreview {
			plan[len(plan)-1].Preview = post.URL()
		}
		caption = nil
	}
	for _, photos := range albums {
		kind, replyTo := Album, 0
		if len(photos) == 1 {
			kind = SinglePhoto
			if len(post.Photos) == 1 && post.Photos[0].Animation != "" {
				kind = Animation
			}
		}
		if len(plan) == 0 {
			replyTo = NoReply
		}
		step(kind, caption, photos, replyTo)
		caption = nil
	}
	for _, file := range files(post, options) {
		step(Document, nil, []int{file}, 0)
	}
	if options.ContactButtons {
		last := len(plan) - 1
		for plan[last].Text == "" {
			last--
		}
		plan[last].Buttons = buttons(post)
	}
	return plan
}

// showable are the indexes of the photos that VK names a link to.
func showable(post petpost.Post) (photos []int) {
	for i, photo := range post.Photos {
		if len(photo.Sizes) > 0 {
			photos = append(photos, i)
		}
	}
	return photos
}

// files are the indexes into the post's media of those that follow as files.
func files(post petpost.Post, options Options) (files []int) {
	media := post.Media()
	for i := len(post.Photos); i < len(media) && options.MaxFile > 0; i++ {
		if media[i].Bytes <= options.MaxFile && len(files) < options.MaxMedia {
			files = append(files, i)
		}
	}
	return files
}

// balance deals photos into albums of like size, the larger ones first, none
// with a single item unless there is just one photo: 11 are 6 and 5.
func balance(photos []int) [][]int {
	count := (len(photos) + MaxAlbum - 1) / MaxAlbum
	var albums [][]int
	for left := count; left > 0; left-- {
		size := (len(photos) + left - 1) / left
		albums, photos = append(albums, photos[:size:size]), photos[size:]
	}
	return albums
}

// Recorded is the kind as which a message of the step is edited.
func (s Step) Recorded() Kind {
	if s.Kind == Animation {
		return SinglePhoto
	}
	return s.Kind
}

// WithoutPhotos is the step after some of its photos turned out not to be
// sendable: an album of two becomes a photo, and a step left with none a
// message that says the same. It says where the lost ones are.
func (s Step) WithoutPhotos(lost ...int) Step {
	gone := make(map[int]bool, len(lost))
	for _, photo := range lost {
		gone[photo] = true
	}
	var left []int
	for _, photo := range s.Photos {
		if !gone[photo] {
			left = append(left, photo)
		}
	}
	if len(left) == len(s.Photos) {
		return s
	}
	missing, kind := len(s.Photos)-len(left), s.Kind
	s.Photos, s.Weight = left, max(1, len(left))
	switch len(left) {
	case 0:
		s.Kind = Message
		if s.LinkPreview {
			s.Preview = s.Source
		}
		if s.Text == "" {
			icon, label := "🖼 ", "Фото в оригинале"
			if kind == Document {
				icon, label = "📄 ", "Документ в оригинале"
			}
			words := Text{{Text: icon}, {Text: label, Link: s.Source}, {Text: "\n\n"}, {Text: s.Source, Link: s.Source}}
			s.Text, s.Unmarked = render(words, s.ParseMode), render(words, Unmarked)
			return s
		}
	case 1:
		s.Kind = SinglePhoto
	}
	s.name(Text{{Text: "🖼 "}, {Text: strconv.Itoa(missing) + " фото в оригинале", Link: s.Source}})
	return s
}

// Still is the step of an animation as its still, with the link to what moves.
func (s Step) Still(link string) Step {
	s.Kind = SinglePhoto
	s.name(Text{{Text: "🎞 "}, {Text: "Анимация", Link: cmp.Or(webURL(link), s.Source)}})
	return s
}

// name adds a line about what was lost, if there is room.
func (s *Step) name(line Text) {
	if s.Text != "" {
		line = append(Text{{Text: "\n\n"}}, line...)
	}
	most := words.CaptionLimit
	if s.Kind == Message {
		most = words.MessageLimit
	}
	if units(s.Unmarked)+line.Units() <= most {
		s.Text, s.Unmarked = s.Text+render(line, s.ParseMode), s.Unmarked+render(line, Unmarked)
	}
}
