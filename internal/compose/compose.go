// Package compose makes the messages about a stored post that its
// destinations get, as their settings want them.
package compose

import (
	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/route"
)

// Telegram returns the steps in which a post goes to a chat; with wordsFirst the
// photos follow the words.
func Telegram(post petpost.Post, target route.Target, wordsFirst bool) notice.Plan {
	options := target.Settings.TelegramOptions()
	options.WordsFirst = wordsFirst
	return notice.PlanTelegram(post, options)
}

// VK returns the post that goes to a wall; answers is the post on that wall that
// it brings news about, 0 for none.
func VK(about petpost.Post, target route.Target, answers int64) notice.VKPost {
	options := target.Settings.VKOptions()
	if answers != 0 {
		options.Answers = post.ID{OwnerID: target.Destination.Owner, PostID: answers}.URL()
	}
	return notice.PlanVK(about, options)
}

// Revise returns what the messages of a post in a chat are to say now. slots
// are those that carry words, in their order; shown is how many photos went
// with them.
func Revise(post petpost.Post, target route.Target, slots []notice.Kind, shown int) []notice.Revision {
	return notice.Revise(post, target.Settings.TelegramOptions(), slots, shown)
}
