package guidedb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
)

// Subscription is what was last seen of a person's place in the channel.
type Subscription string

// What can be known of a subscription.
const (
	SubscriptionUnknown Subscription = "unknown"
	Subscribed          Subscription = "subscribed"
	NotSubscribed       Subscription = "not_subscribed"
)

// User is a person who wrote to the bot. Names are not kept.
type User struct {
	TelegramID   int64
	LanguageCode string // as Telegram gave it, e.g. "ru"; "" if it did not
	Subscription Subscription
	CheckedAt    time.Time // when Subscription was seen; zero while unknown
	Active       bool      // false after the person blocked the bot
	CreatedAt    time.Time
}

// SeeUser records that the person wrote to the bot: makes the row if there is
// none, makes the person active again, keeps languageCode unless it is "".
// Parallel calls for one person make one row; a call that changes nothing
// writes nothing.
func (s *Store) SeeUser(ctx context.Context, telegramID int64, languageCode string) (User, error) {
	var language *string
	if languageCode != "" {
		language = &languageCode
	}
	row, err := s.queries.UpsertUser(ctx, guidesql.UpsertUserParams{TelegramID: telegramID, LanguageCode: language})
	if errors.Is(err, pgx.ErrNoRows) {
		// Another call made the row after this statement's snapshot.
		row, err = s.queries.UpsertUser(ctx, guidesql.UpsertUserParams{TelegramID: telegramID, LanguageCode: language})
	}
	if err != nil {
		return User{}, wrap("see user", err)
	}
	return newUser(guidesql.GetUserRow(row)), nil
}

// User gives a person who wrote to the bot before, else ErrNotFound.
func (s *Store) User(ctx context.Context, telegramID int64) (User, error) {
	row, err := s.queries.GetUser(ctx, telegramID)
	if err != nil {
		return User{}, wrap("user", err)
	}
	return newUser(row), nil
}

// SetSubscription records what getChatMember said at checkedAt. An answer
// older than the recorded one changes nothing.
func (s *Store) SetSubscription(ctx context.Context, telegramID int64, subscribed bool, checkedAt time.Time) error {
	subscription := NotSubscribed
	if subscribed {
		subscription = Subscribed
	}
	return wrap("set subscription", s.queries.SetSubscription(ctx, guidesql.SetSubscriptionParams{
		TelegramID: telegramID, Subscription: string(subscription), CheckedAt: checkedAt,
	}))
}

// DeactivateUser records that the person blocked the bot at since. Repeating
// it keeps the first time; a person never seen is left unrecorded.
func (s *Store) DeactivateUser(ctx context.Context, telegramID int64, since time.Time) error {
	return wrap("deactivate user", s.queries.DeactivateUser(ctx, guidesql.DeactivateUserParams{
		TelegramID: telegramID, Since: since,
	}))
}

func newUser(row guidesql.GetUserRow) User {
	user := User{
		TelegramID:   row.TelegramID,
		Subscription: Subscription(row.Subscription),
		Active:       row.Active,
		CreatedAt:    row.CreatedAt,
	}
	if row.LanguageCode != nil {
		user.LanguageCode = *row.LanguageCode
	}
	if row.SubscriptionCheckedAt != nil {
		user.CheckedAt = *row.SubscriptionCheckedAt
	}
	return user
}
