package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
)

// ErrBlanked means that nothing of a post's words is kept.
var ErrBlanked = errors.New("the post's words are not kept any more")

// blankPage is how many posts are looked at, and blanked, in one transaction.
const blankPage = 200

// Blank takes the words, phones, names and links out of the posts that were
// deleted at the source, and of those written before a time, the longest due
// first, until about most are blanked; their keys go too, and the notes of cases
// of which nothing else is kept. A post whose messages are yet to be sent or edited
// waits, and holds up no other. looked is called after each page. It returns how
// many, also with an error.
func (s *Posts) Blank(ctx context.Context, before time.Time, most int, looked func()) (blanked int, err error) {
	for _, deleted := range []bool{true, false} {
		page := relaysql.PostsToBlankParams{Deleted: deleted, Before: before, Most: blankPage}
		for more := true; more && blanked < most; looked() {
			n := 0
			if n, more, err = s.blankPage(ctx, &page); err != nil {
				return blanked, fmt.Errorf("blank posts: %w", err)
			}
			blanked += n
		}
	}
	return blanked, nil
}

// blankPage blanks what waits for nothing on a page and turns to the next.
func (s *Posts) blankPage(ctx context.Context, page *relaysql.PostsToBlankParams) (blanked int, more bool, err error) {
	err = s.inTx(ctx, func(q *relaysql.Queries) error {
		if err := q.PlanAsAsked(ctx); err != nil {
			return err
		}
		rows, err := q.PostsToBlank(ctx, *page)
		if err != nil || len(rows) == 0 {
			return err
		}
		var posts []PostToForget
		for _, row := range rows {
			if !row.Waits {
				posts = append(posts, PostToForget{ID: post.ID{OwnerID: row.OwnerID, PostID: row.PostID}, PostedAt: row.PostedAt, fingerprint: row.Fingerprint})
			}
		}
		last := rows[len(rows)-1]
		page.After, page.OwnerID, page.PostID = last.At, last.OwnerID, last.PostID
		blanked, more = len(posts), true
		return blank(ctx, q, posts, false)
	})
	return blanked, more, err
}

func blank(ctx context.Context, q *relaysql.Queries, posts []PostToForget, forgotten bool) error {
	params := relaysql.BlankPostsParams{Forgotten: forgotten}
	for _, post := range posts {
		params.OwnerIds, params.PostIds = append(params.OwnerIds, post.OwnerID), append(params.PostIds, post.PostID)
		if post.fingerprint == nil {
			continue
		}
		if err := q.DropCaseKeys(ctx, relaysql.DropCaseKeysParams{
			Keys: hashedKeys(*post.fingerprint), PostedAt: post.PostedAt, OwnerID: post.OwnerID, PostID: post.PostID,
		}); err != nil {
			return err
		}
	}
	return q.BlankPosts(ctx, params)
}

// ToForget names what somebody wants forgotten: one of its fields.
type ToForget struct {
	// Post, and what reposts it.
	Post post.ID
	// Author is the VK id of a person, who wrote posts or is reposted.
	Author int64
	// Phone in E.164, which posts name.
	Phone string
	// TelegramUser is a person who has used the guide.
	TelegramUser int64
}

// By says how it is named: post, author, phone or telegram-user.
func (f ToForget) By() string {
	switch {
	case f.Post != post.ID{}:
		return "post"
	case f.Author != 0:
		return "author"
	case f.Phone != "":
		return "phone"
	}
	return "telegram-user"
}

// PostToForget is a post that is to be forgotten, or is: Forgotten.
type PostToForget struct {
	post.ID

	PostedAt  time.Time `json:"posted_at"`
	Type      string    `json:"type"`
	Forgotten bool      `json:"forgotten"`

	caseID      int64
	fingerprint *petpost.Fingerprint
}

// PostsToForget finds the posts that are meant. Those that were blanked by their
// age or with their source are found by their ids alone.
func (s *Posts) PostsToForget(ctx context.Context, meant ToForget) ([]PostToForget, error) {
	key := petpost.OriginKey(meant.Post)
	if meant.Phone != "" {
		key = petpost.PhoneKey(meant.Phone)
	}
	rows, err := s.queries.PostsToForget(ctx, relaysql.PostsToForgetParams{
		OwnerID: meant.Post.OwnerID, PostID: meant.Post.PostID, Author: meant.Author, Phone: meant.Phone, Key: hashedKey(key),
	})
	return listOf(rows, func(row relaysql.PostsToForgetRow) PostToForget {
		return PostToForget{
			ID: post.ID{OwnerID: row.OwnerID, PostID: row.PostID}, PostedAt: row.PostedAt, Type: row.Type, Forgotten: row.Forgotten,
			caseID: orZero(row.CaseID), fingerprint: row.Fingerprint,
		}
	}), wrap(err, "posts to forget")
}

// Forget blanks posts for good: as long as they stand on their walls, they are
// not stored again. What they added to the messages about other posts of their
// cases is to go from there, and what their walls repeat is learned anew.
func (s *Posts) Forget(ctx context.Context, posts []PostToForget) error {
	err := s.inTx(ctx, func(q *relaysql.Queries) error {
		if err := blank(ctx, q, posts, true); err != nil {
			return err
		}
		learned := map[int64]bool{}
		for _, post := range posts {
			if !learned[post.OwnerID] {
				if _, err := learnWall(ctx, q, post.OwnerID); err != nil {
					return err
				}
				learned[post.OwnerID] = true
			}
			if err := q.EditCase(ctx, relaysql.EditCaseParams{Cause: causeEdited, CaseID: &post.caseID}); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "forget posts")
}

// Copy is a delivery of a post that is to be forgotten.
type Copy struct {
	protocol.DeliveryKey

	ID         int64
	Status     string
	MessageIDs []int64
	// MigratedTo is the chat that a Telegram group has become, nil if it has not.
	MigratedTo *int64
	// Uncertain counts the attempts that may have left copies of which nobody
	// knows the number.
	Uncertain int
	TakenBack bool
	// Removal and Reason are how the removal of its messages stands, as the
	// status of an edit; "" if there was none.
	Removal, Reason string
}

// Copies returns what was sent about posts, or may be, oldest first.
func (l *Ledger) Copies(ctx context.Context, posts []PostToForget) ([]Copy, error) {
	var params relaysql.CopiesOfPostsParams
	for _, post := range posts {
		params.OwnerIds, params.PostIds = append(params.OwnerIds, post.OwnerID), append(params.PostIds, post.PostID)
	}
	rows, err := l.queries.CopiesOfPosts(ctx, params)
	return listOf(rows, func(row relaysql.CopiesOfPostsRow) Copy {
		return Copy{
			DeliveryKey: protocol.DeliveryKey{Destination: row.Destination, OwnerID: row.OwnerID, PostID: row.PostID},
			ID:          row.ID, Status: row.Status, MessageIDs: row.MessageIds, MigratedTo: row.MigratedTo, Uncertain: row.UnknownAttempts,
			TakenBack: row.TakenBack, Removal: row.Removal, Reason: row.RemovalError,
		}
	}), wrap(err, "copies of posts")
}
