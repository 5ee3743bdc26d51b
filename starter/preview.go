package starter

import (
	"context"

	"vestnik/internal/notice"
	"vestnik/internal/rehearse"
	"vestnik/internal/route"
)

// Preview returns what a stored post says to readers at a destination, without
// marks; nothing where the destination is not configured any more. db.ErrNotFound
// if the post is not stored.
func (s *Starter) Preview(ctx context.Context, ownerID, postID int64, destination string) ([]rehearse.Message, error) {
	parsed, err := route.ParseDestination(destination)
	if err != nil {
		return nil, err
	}
	target, configured := s.relay.Routes().Target(parsed)
	if !configured {
		return nil, nil
	}
	post, err := s.relay.Posts.Get(ctx, ownerID, postID)
	if err != nil {
		return nil, err
	}
	target.Settings.ParseMode = notice.Unmarked
	return rehearse.Messages(post, target), nil
}
