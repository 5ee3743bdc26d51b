package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
)

// uniqueViolation is the SQLSTATE of a broken unique constraint.
const uniqueViolation = "23505"

// Walls keeps which walls are watched, when each was read, and how many calls
// each reading key has spent.
type Walls struct{ store }

// NewWalls returns the store of walls in the database behind pool.
func NewWalls(pool *pgxpool.Pool) *Walls { return &Walls{newStore(pool)} }

// Wall is a watched wall.
type Wall struct {
	Name    string
	OwnerID int64 // 0 until the screen name is resolved
	// Parked is why the wall can't be read, "" if it can.
	Parked string
	// Failures counts the readings in a row that did not succeed, one that is
	// under way among them.
	Failures int
	// Trouble is why the last reading failed, or what it had to leave out.
	Trouble     string
	PostsPerDay float64
	ReadEvery   time.Duration
	NextReadAt  time.Time
	LastReadAt  time.Time // zero if never
	// ReadUntil is the time of the newest post up to which the wall was read
	// without a gap (newest_post_at in the table).
	ReadUntil time.Time
}

// Watch makes names the walls that are watched, no more and no less. A wall
// that is dropped keeps its posts and its place.
func (s *Walls) Watch(ctx context.Context, names []string, every time.Duration) error {
	err := s.inTx(ctx, func(q *relaysql.Queries) error {
		for _, name := range names {
			if err := q.WatchWall(ctx, relaysql.WatchWallParams{Name: name, ReadEvery: every}); err != nil {
				return err
			}
		}
		dropped, err := q.UnwatchWallsExcept(ctx, names)
		if err == nil && dropped > 0 {
			err = q.LookAtUnresolved(ctx)
		}
		return err
	})
	return wrap(err, "watch walls")
}

// Watched returns the watched walls in the order of their names.
func (s *Walls) Watched(ctx context.Context) ([]Wall, error) {
	rows, err := s.queries.WatchedWalls(ctx)
	return listOf(rows, wallOf), wrap(err, "watched walls")
}

// Get returns a wall, or ErrNotFound.
func (s *Walls) Get(ctx context.Context, name string) (Wall, error) {
	row, err := s.queries.GetWall(ctx, name)
	return wallOf(row), notFound(err, "wall %s", name)
}

// ErrSameWall means that two watched names stand for one wall.
var ErrSameWall = errors.New("another name of a wall that is watched already")

// BeginReading returns a wall that is about to be read, or ErrNotFound. Until
// [Posts.StorePage] records the reading the wall counts as failed, once however
// often that is repeated, and is due after a time that doubles with each
// failure from its interval up to slowestRead.
func (s *Walls) BeginReading(ctx context.Context, name string, repeated bool) (Wall, error) {
	failures := 1
	if repeated {
		failures = 0
	}
	row, err := s.queries.BeginReading(ctx, relaysql.BeginReadingParams{Name: name, Failures: failures, Slowest: slowestRead})
	return wallOf(row), notFound(err, "wall %s", name)
}

// ReadingFailed records why a reading failed.
func (s *Walls) ReadingFailed(ctx context.Context, name, reason string) error {
	return wrap(s.queries.ReadingFailed(ctx, relaysql.ReadingFailedParams{Name: name, Reason: reason}), "reading of wall %s", name)
}

// ReadingSpared takes a reading back that was not made after all.
func (s *Walls) ReadingSpared(ctx context.Context, name string) error {
	return wrap(s.queries.ReadingSpared(ctx, name), "reading of wall %s", name)
}

// Resolve stores which owner a name stands for and returns the wall;
// ErrSameWall if another watched name does already. From a name that is watched
// no more, the wall goes on under this one where it was read last.
func (s *Walls) Resolve(ctx context.Context, name string, ownerID int64) (wall Wall, err error) {
	err = s.inTx(ctx, func(q *relaysql.Queries) error {
		former, err := q.FreeOwner(ctx, &ownerID)
		if err != nil {
			return err
		}
		params := relaysql.ResolveWallParams{Name: name, OwnerID: &ownerID}
		for _, row := range former {
			params.NewestPostAt, params.LastReadAt = row.NewestPostAt, row.LastReadAt
		}
		row, err := q.ResolveWall(ctx, params)
		wall = wallOf(row)
		return err
	})
	if refused, is := errors.AsType[*pgconn.PgError](err); is && refused.Code == uniqueViolation {
		return Wall{}, ErrSameWall
	}
	return wall, wrap(err, "resolve wall %s", name)
}

// Park records why a wall can't be read, and when to look again.
func (s *Walls) Park(ctx context.Context, name, reason string, again time.Time) error {
	return wrap(s.queries.ParkWall(ctx, relaysql.ParkWallParams{Name: name, Reason: reason, NextReadAt: again}), "park wall %s", name)
}

// WallRead is a wall's cursor after a reading.
type WallRead struct {
	Name        string
	PostsPerDay float64
	NextReadAt  time.Time
	ReadEvery   time.Duration
	ReadUntil   time.Time
}

func (r WallRead) record(ctx context.Context, q *relaysql.Queries, setAside []SetAside) error {
	reason := ""
	if n := len(setAside); n > 0 {
		reason = fmt.Sprintf("posts set aside: %d, such as %s", n, setAside[0])
	}
	return q.WallRead(ctx, relaysql.WallReadParams{
		Name: r.Name, Reason: reason, PostsPerDay: r.PostsPerDay, NextReadAt: r.NextReadAt,
		ReadEvery: r.ReadEvery, NewestPostAt: unlessZero(r.ReadUntil),
	})
}

// SpendCall counts a call of wall.get that key is about to make. Counting
// first means that a crash can only waste budget, never overrun it.
func (s *Walls) SpendCall(ctx context.Context, key string) error {
	return wrap(s.queries.SpendCall(ctx, key), "count a reading call")
}

// ForgetCalls drops the counts before a time.
func (s *Walls) ForgetCalls(ctx context.Context, before time.Time) error {
	return wrap(s.queries.ForgetCalls(ctx, before), "forget reading calls")
}

// KeyPause is why VK has stopped a reading key, and until when.
type KeyPause struct {
	Until  time.Time
	Reason string
	// Captcha is what VK asks for, nil if it does not.
	Captcha *protocol.Captcha
}

// KeyState is a reading key, its calls since a time and its pause, the zero one
// if it never had any. The pause may be over.
type KeyState struct {
	Name string
	Used int
	KeyPause
	// Answer to the captcha, for the next call.
	Answer string
}

// Paused reports whether the key makes no calls now.
func (k KeyState) Paused() bool { return k.Until.After(time.Now()) }

// Keys returns how reading keys stand, in the order of their names given, with
// their calls since a time, counted in whole hours.
func (s *Walls) Keys(ctx context.Context, names []string, since time.Time) ([]KeyState, error) {
	rows, err := s.queries.ReadingKeys(ctx, relaysql.ReadingKeysParams{Keys: names, Since: since.Truncate(time.Hour)})
	return listOf(rows, func(row relaysql.ReadingKeysRow) KeyState {
		return KeyState{Name: row.Key, Used: row.Used, KeyPause: KeyPause{Until: orZero(row.Until), Reason: row.Reason, Captcha: row.Captcha}, Answer: row.Answer}
	}), wrap(err, "reading keys")
}

// PauseKey records that VK told a reading key to wait.
func (s *Walls) PauseKey(ctx context.Context, key string, pause KeyPause) error {
	err := s.queries.PauseKey(ctx, relaysql.PauseKeyParams{Key: key, Until: pause.Until, Reason: pause.Reason, Captcha: pause.Captcha})
	return wrap(err, "pause reading key")
}

// ResumeKeys ends the pauses of reading keys; false if there was none.
func (s *Walls) ResumeKeys(ctx context.Context, keys ...string) (bool, error) {
	ended, err := s.queries.ResumeKeys(ctx, keys)
	return ended > 0, wrap(err, "resume reading keys")
}

// AnswerCaptcha ends the pause of a reading key that VK asks a captcha of, with
// the answer for its next call; false if there is none.
func (s *Walls) AnswerCaptcha(ctx context.Context, answer string, keys ...string) (bool, error) {
	answered, err := s.queries.AnswerCaptcha(ctx, relaysql.AnswerCaptchaParams{Answer: answer, Keys: keys})
	return answered > 0, wrap(err, "answer a reading key's captcha")
}

// HasNews makes the wall of an owner due, once for each of VK's events, and
// returns its name; "" if the event is known or the wall is not watched.
func (s *Walls) HasNews(ctx context.Context, ownerID int64, eventID string) (name string, err error) {
	name, err = s.queries.WallHasNews(ctx, relaysql.WallHasNewsParams{OwnerID: &ownerID, EventID: eventID})
	if errorsIsNoRows(err) {
		return "", nil
	}
	return name, wrap(err, "news on wall %d", ownerID)
}

// PostsSince counts the stored posts of a wall that are younger than a time.
func (s *Walls) PostsSince(ctx context.Context, ownerID int64, since time.Time) (int, error) {
	count, err := s.queries.CountPostsOf(ctx, relaysql.CountPostsOfParams{OwnerID: ownerID, PostedAt: since})
	return int(count), wrap(err, "posts of wall %d", ownerID)
}

func wallOf(row relaysql.RelayWall) Wall {
	wall := Wall{
		Name: row.Name, OwnerID: orZero(row.OwnerID), Failures: row.Failures, Trouble: row.Reason,
		PostsPerDay: row.PostsPerDay, ReadEvery: row.ReadEvery, NextReadAt: row.NextReadAt,
		LastReadAt: orZero(row.LastReadAt), ReadUntil: orZero(row.NewestPostAt),
	}
	if row.State == "parked" {
		wall.Parked, wall.Trouble = row.Reason, ""
	}
	return wall
}

// WallContext returns what a wall repeats, as it was last learned; nil if this
// build has not learned it yet.
func (s *Posts) WallContext(ctx context.Context, ownerID int64) (*petpost.WallContext, error) {
	row, err := s.queries.WallContext(ctx, ownerID)
	if errorsIsNoRows(err) || err == nil && row.Version != petpost.WallContextVersion {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what wall %d repeats: %w", ownerID, err)
	}
	return &petpost.WallContext{Version: row.Version, Posts: row.Posts, Units: row.Units}, nil
}

// LearnWall learns from a wall's last stored posts what they repeat, and keeps
// it for the next to be read.
func (s *Posts) LearnWall(ctx context.Context, ownerID int64) (petpost.WallContext, error) {
	return learnWall(ctx, s.queries, ownerID)
}

func learnWall(ctx context.Context, q *relaysql.Queries, ownerID int64) (petpost.WallContext, error) {
	texts, err := q.LastTexts(ctx, relaysql.LastTextsParams{OwnerID: ownerID, Most: petpost.WallPosts})
	if err != nil {
		return petpost.WallContext{}, fmt.Errorf("learn what wall %d repeats: %w", ownerID, err)
	}
	wall := petpost.LearnWall(texts)
	err = q.KeepWallContext(ctx, relaysql.KeepWallContextParams{
		OwnerID: ownerID, Version: wall.Version, Posts: wall.Posts, Units: notNil(wall.Units),
	})
	return wall, wrap(err, "learn what wall %d repeats", ownerID)
}
