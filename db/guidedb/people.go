package guidedb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vestnik/db/internal/guidesql"
	"vestnik/internal/guide"
)

// User is what is known of a person who wrote to the bot.
type User struct {
	Subscription guide.Subscription
	CheckedAt    time.Time // when Subscription was seen; zero while unknown
}

// SeeUser records that the person wrote to the bot: makes the row if there is
// none, and makes the person active again. A language that is not empty takes
// the place of the one known. Parallel calls for one person make
// one row; a call that changes nothing writes nothing.
func (s *Store) SeeUser(ctx context.Context, telegramID int64, language string) (User, error) {
	person := guidesql.SeeUserParams{TelegramID: telegramID, Language: language}
	row, err := s.queries.SeeUser(ctx, person)
	if errors.Is(err, pgx.ErrNoRows) {
		// Another call made the row after this statement's snapshot.
		row, err = s.queries.SeeUser(ctx, person)
	}
	user := User{Subscription: guide.Subscription(row.Subscription)}
	if row.SubscriptionCheckedAt != nil {
		user.CheckedAt = *row.SubscriptionCheckedAt
	}
	return user, wrap("see user", err)
}

// SetSubscription records what getChatMember said at checkedAt. An answer
// older than the recorded one changes nothing.
func (s *Store) SetSubscription(ctx context.Context, telegramID int64, subscription guide.Subscription, checkedAt time.Time) error {
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

// CountOf returns how many favourites a person has, and whether there is anything
// of them at all.
func (s *Store) CountOf(ctx context.Context, telegramID int64) (favourites int, known bool, err error) {
	known, err = s.queries.KnowsUser(ctx, telegramID)
	if err != nil {
		return 0, false, wrap("look for user", err)
	}
	count, err := s.queries.CountFavourites(ctx, telegramID)
	return int(count), known, wrap("count favourites", err)
}

// ForgetUser removes a person, their favourites too. Who comes back is new.
func (s *Store) ForgetUser(ctx context.Context, telegramID int64) error {
	return wrap("forget user", pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.queries.WithTx(tx)
		return errors.Join(q.ForgetFavouritePlaces(ctx, telegramID), q.ForgetFavouriteEvents(ctx, telegramID), q.ForgetUser(ctx, telegramID))
	}))
}
