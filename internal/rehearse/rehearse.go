// Package rehearse reads walls and finds exactly what would be sent where. It
// sends nothing and stores nothing; each wall costs a call of wall.get.
package rehearse

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/route"
	"vestnik/internal/vk"
)

// Rules decide what becomes of a post.
type Rules struct {
	Routes *route.Routes
	// MaxAge is the age from which posts are stored only.
	MaxAge time.Duration
	// Ledger names what is delivered or owed already; nil leaves that out.
	// Whether a case is told, only a scan decides.
	Ledger *db.Ledger
	// Linked reads wall posts by their ids (wall.getById), for posts that are
	// only the address of one; nil leaves those addresses.
	Linked func(...post.ID) ([]json.RawMessage, error)
}

// Rehearsal is what would become of a post at a destination.
type Rehearsal struct {
	Post        string         `json:"post"`
	Type        petpost.Type   `json:"type"`
	Animal      petpost.Animal `json:"animal"`
	Destination string         `json:"destination,omitempty"` // "": none, whatever the rules
	Sends       bool           `json:"sends"`
	Asks        bool           `json:"asks,omitempty"` // a person first
	Reason      string         `json:"reason"`
	Messages    []Message      `json:"messages,omitempty"`
}

// Message is one call to the platform.
type Message struct {
	Kind      string   `json:"kind"` // message, photo, album or post
	Text      string   `json:"text"`
	ParseMode string   `json:"parse_mode,omitempty"`
	Photos    []string `json:"photos,omitempty"`    // links; on VK their names
	Answers   int      `json:"answers,omitempty"`   // the number of the message that it answers
	Preview   string   `json:"preview,omitempty"`   // the link whose preview it shows
	Copyright string   `json:"copyright,omitempty"` // the source that VK shows under it
	Silent    bool     `json:"silent,omitempty"`
	// Buttons stand under it, in rows.
	Buttons [][]notice.Button `json:"buttons,omitempty"`
}

// Page rehearses the items of a wall, the oldest first, as they would go;
// skipped counts those that are not for reading, by reason.
func (r Rules) Page(ctx context.Context, wall string, items []json.RawMessage) (rehearsals []Rehearsal, skipped map[string]int, err error) {
	posts, skipped := vk.Readable(items)
	if r.Linked != nil {
		if err := vk.FollowLinks(posts, r.Linked); err != nil {
			return nil, skipped, err
		}
	}
	texts := make([]string, len(posts))
	for i, item := range posts {
		texts[i] = item.Text
	}
	repeated := petpost.LearnWall(texts)
	slices.Reverse(posts)
	for _, item := range posts {
		ofPost, err := r.post(ctx, wall, petpost.ReadOn(&repeated, item.Post))
		if err != nil {
			return rehearsals, skipped, err
		}
		rehearsals = append(rehearsals, ofPost...)
	}
	return rehearsals, skipped, nil
}

func (r Rules) post(ctx context.Context, wall string, post petpost.Post) ([]Rehearsal, error) {
	is := Rehearsal{Post: post.ID.String(), Type: post.Reading.Type, Animal: post.Reading.Animal}
	if time.Since(post.PostedAt) > r.MaxAge {
		is.Reason = "stored only, older than DELIVER_MAX_AGE"
		return []Rehearsal{is}, nil
	}
	owed, err := r.owed(ctx, post)
	if err != nil {
		return nil, err
	}
	var rehearsals []Rehearsal
	_, decisions := r.Routes.Match(post, wall)
	for _, decision := range decisions {
		is.Destination, is.Sends, is.Reason, is.Messages = decision.Destination.String(), decision.Matched, decision.Reason, nil
		if delivery, known := owed[is.Destination]; known && is.Sends {
			is.Sends, is.Reason = false, fmt.Sprintf("delivery %d is there already: %s", delivery.ID, delivery.Status)
		}
		is.Asks = decision.Approval.Asks && is.Sends
		if is.Sends {
			target, _ := r.Routes.Target(decision.Destination)
			is.Messages = Messages(post, target)
		}
		rehearsals = append(rehearsals, is)
	}
	return rehearsals, nil
}

// owed are the deliveries of a post that the ledger has, by destination.
func (r Rules) owed(ctx context.Context, post petpost.Post) (map[string]db.DeliveryRow, error) {
	if r.Ledger == nil {
		return nil, nil
	}
	rows, err := r.Ledger.List(ctx, db.DeliveryFilter{Post: post.ID})
	owed := map[string]db.DeliveryRow{}
	for _, row := range rows {
		owed[row.Destination] = row
	}
	return owed, err
}

// Messages are the calls to a platform for a post, short of making them.
func Messages(post petpost.Post, target route.Target) (messages []Message) {
	if target.Destination.Platform == route.VK {
		words := notice.PlanVK(post, target.VKOptions(0))
		message := Message{Kind: "post", Text: words.Text, Copyright: words.Copyright, Silent: target.Settings.Silent}
		for _, index := range words.Photos {
			message.Photos = append(message.Photos, post.Photos[index].Ref())
		}
		return []Message{message}
	}
	media := post.Media()
	for _, step := range notice.PlanTelegram(post, target.Settings.TelegramOptions()) {
		message := Message{
			Kind: string(step.Kind), Text: step.Text, ParseMode: string(step.ParseMode), Preview: step.Preview, Silent: step.Silent,
		}
		if step.ReplyTo != notice.NoReply {
			message.Answers = step.ReplyTo + 1
		}
		for _, index := range step.Photos {
			link := "(VK names no link)"
			if file := media[index].File; file != "" {
				link = file
			} else if sizes := media[index].Sizes; len(sizes) > 0 {
				link = sizes[0].URL
			}
			message.Photos = append(message.Photos, link)
		}
		if step.Kind != notice.Album {
			message.Buttons = step.Buttons
		}
		messages = append(messages, message)
	}
	return messages
}
