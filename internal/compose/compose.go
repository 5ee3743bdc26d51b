// Package compose makes the messages about a stored post that its
// destinations get: the one place where a post, as the database keeps it, a
// destination's settings and the rules of package notice meet.
package compose

import (
	"vestnik/db"
	"vestnik/internal/notice"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

// Telegram returns the steps in which a post goes to a chat.
func Telegram(post db.Post, target route.Target) notice.Plan {
	return notice.PlanTelegram(Notice(post), target.Settings.TelegramOptions())
}

// VK returns the post that goes to a wall; answers is the post on that wall that
// it brings news about, 0 for none.
func VK(post db.Post, target route.Target, answers int64) notice.VKPost {
	options := target.Settings.VKOptions()
	if answers != 0 {
		options.Answers = "https://vk.com/" + protocol.WallPost(target.Destination.Owner, answers)
	}
	return notice.PlanVK(Notice(post), options)
}

// Revise returns what the messages of a post in a chat are to say now. slots
// are those that carry words, in their order; shown is how many photos went
// with them.
func Revise(post db.Post, target route.Target, slots []notice.Kind, shown int) []notice.Revision {
	return notice.Revise(Notice(post), target.Settings.TelegramOptions(), slots, shown)
}

// FirstWeight is what the first part of a delivery counts for in the limit of
// messages a minute.
func FirstWeight(post db.Post, target route.Target) int {
	if target.Destination.Platform != route.Telegram {
		return 1
	}
	return Telegram(post, target).Steps[0].Weight
}

// RoutePost is a stored post as the rules look at it; wall is the name under
// which its wall is watched.
func RoutePost(post db.Post, wall string) route.Post {
	return route.Post{
		Type: post.Reading.Type, Animal: post.Reading.Animal, Text: post.Text, Original: post.Original(),
		HasPhone: len(post.Reading.Phones) > 0, OwnerID: post.OwnerID, Wall: wall,
	}
}

// Notice is a stored post as package notice wants it.
func Notice(post db.Post) notice.Post {
	n := notice.Post{
		Type: post.Reading.Type, Text: post.Text, Original: post.Original(),
		OriginalOwnerID: post.OriginOwnerID, OriginalPostID: post.OriginPostID,
		Phones: post.Reading.Phones, Location: post.Reading.Location,
		OwnerID: post.OwnerID, PostID: post.PostID,
		Closed: post.CaseClosed, Deleted: !post.DeletedAt.IsZero(),
	}
	for _, photo := range post.Photos {
		shown := notice.Photo{OwnerID: photo.OwnerID, ID: photo.ID, AccessKey: photo.AccessKey}
		if len(photo.Sizes) > 0 {
			shown.URL, shown.Width, shown.Height = photo.Sizes[0].URL, photo.Sizes[0].Width, photo.Sizes[0].Height
		}
		n.Photos = append(n.Photos, shown)
	}
	for _, attachment := range post.Attachments {
		n.Attachments = append(n.Attachments, notice.Attachment(attachment))
	}
	return n
}
