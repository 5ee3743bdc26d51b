package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vestnik/db/internal/relaysql"
)

// uniqueViolation is the SQLSTATE of a broken unique constraint.
const uniqueViolation = "23505"

// Walls keeps which walls are watched, when each was read, and how many calls
// each reading key has spent.
type Walls struct {
	pool    *pgxpool.Pool
	queries *relaysql.Queries
}

// NewWalls returns the store of walls in the database behind pool.
func NewWalls(pool *pgxpool.Pool) *Walls {
	return &Walls{pool: pool, queries: relaysql.New(pool)}
}

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
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.queries.WithTx(tx)
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
	if err != nil {
		return fmt.Errorf("watch walls: %w", err)
	}
	return nil
}

// Watched returns the watched walls in the order of their names.
func (s *Walls) Watched(ctx context.Context) ([]Wall, error) {
	rows, err := s.queries.WatchedWalls(ctx)
	if err != nil {
		return nil, fmt.Errorf("watched walls: %w", err)
	}
	walls := make([]Wall, len(rows))
	for i, row := range rows {
		walls[i] = wallOf(row)
	}
	return walls, nil
}

// Get returns a wall, or ErrNotFound.
func (s *Walls) Get(ctx context.Context, name string) (Wall, error) {
	row, err := s.queries.GetWall(ctx, name)
	if err != nil {
		return Wall{}, notFound(err, "wall %s", name)
	}
	return wallOf(row), nil
}

// ErrSameWall means that two watched names stand for one wall.
var ErrSameWall = errors.New("another name of a wall that is watched already")

// BeginReading returns a wall that is about to be read, or ErrNotFound. Until
// [Posts.StorePage] records the reading the wall counts as failed, once however
// often that is repeated, and is due after a time that doubles with each
// failure from its interval up to slowestRead.
func (s *Walls) BeginReading(ctx context.Context, name string, repeated bool) (Wall, error) {
	failures := int32(1)
	if repeated {
		failures = 0
	}
	row, err := s.queries.BeginReading(ctx, relaysql.BeginReadingParams{Name: name, Failures: failures, Slowest: slowestRead})
	if err != nil {
		return Wall{}, notFound(err, "wall %s", name)
	}
	return wallOf(row), nil
}

// ReadingFailed records why a reading failed.
func (s *Walls) ReadingFailed(ctx context.Context, name, reason string) error {
	if err := s.queries.ReadingFailed(ctx, relaysql.ReadingFailedParams{Name: name, Reason: reason}); err != nil {
		return fmt.Errorf("reading of wall %s: %w", name, err)
	}
	return nil
}

// ReadingSpared takes a reading back that was not made after all.
func (s *Walls) ReadingSpared(ctx context.Context, name string) error {
	if err := s.queries.ReadingSpared(ctx, name); err != nil {
		return fmt.Errorf("reading of wall %s: %w", name, err)
	}
	return nil
}

// Resolve stores which owner a name stands for and returns the wall;
// ErrSameWall if another watched name does already. From a name that is watched
// no more, the wall goes on under this one where it was read last.
func (s *Walls) Resolve(ctx context.Context, name string, ownerID int64) (wall Wall, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.queries.WithTx(tx)
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
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == uniqueViolation {
		return Wall{}, ErrSameWall
	}
	if err != nil {
		return Wall{}, fmt.Errorf("resolve wall %s: %w", name, err)
	}
	return wall, nil
}

// Park records why a wall can't be read, and when to look again.
func (s *Walls) Park(ctx context.Context, name, reason string, again time.Time) error {
	if err := s.queries.ParkWall(ctx, relaysql.ParkWallParams{Name: name, Reason: reason, NextReadAt: again}); err != nil {
		return fmt.Errorf("park wall %s: %w", name, err)
	}
	return nil
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
	if err := s.queries.SpendCall(ctx, key); err != nil {
		return fmt.Errorf("count a reading call: %w", err)
	}
	return nil
}

// ForgetCalls drops the counts before a time.
func (s *Walls) ForgetCalls(ctx context.Context, before time.Time) error {
	if err := s.queries.ForgetCalls(ctx, before); err != nil {
		return fmt.Errorf("forget reading calls: %w", err)
	}
	return nil
}

// KeyPause is why VK has stopped a reading key, and until when.
type KeyPause struct {
	Until  time.Time
	Reason string
	// Captcha is what VK asks for, nil if it does not.
	Captcha *Captcha
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
	if err != nil {
		return nil, fmt.Errorf("reading keys: %w", err)
	}
	keys := make([]KeyState, len(rows))
	for i, row := range rows {
		keys[i] = KeyState{Name: row.Key, Used: int(row.Used), KeyPause: KeyPause{Until: orZero(row.Until), Reason: row.Reason}, Answer: row.Answer}
		if row.Captcha != nil {
			keys[i].Captcha = new(Captcha)
			if err := json.Unmarshal(row.Captcha, keys[i].Captcha); err != nil {
				return nil, fmt.Errorf("captcha of a reading key: %w", err)
			}
		}
	}
	return keys, nil
}

// PauseKey records that VK told a reading key to wait.
func (s *Walls) PauseKey(ctx context.Context, key string, pause KeyPause) error {
	params := relaysql.PauseKeyParams{Key: key, Until: pause.Until, Reason: pause.Reason}
	var err error
	if pause.Captcha != nil {
		params.Captcha, err = json.Marshal(pause.Captcha)
	}
	if err == nil {
		err = s.queries.PauseKey(ctx, params)
	}
	if err != nil {
		return fmt.Errorf("pause reading key: %w", err)
	}
	return nil
}

// ResumeKeys ends the pauses of reading keys; false if there was none.
func (s *Walls) ResumeKeys(ctx context.Context, keys ...string) (bool, error) {
	ended, err := s.queries.ResumeKeys(ctx, keys)
	if err != nil {
		return false, fmt.Errorf("resume reading keys: %w", err)
	}
	return ended > 0, nil
}

// AnswerCaptcha ends the pause of a reading key that VK asks a captcha of, with
// the answer for its next call; false if there is none.
func (s *Walls) AnswerCaptcha(ctx context.Context, answer string, keys ...string) (bool, error) {
	answered, err := s.queries.AnswerCaptcha(ctx, relaysql.AnswerCaptchaParams{Answer: answer, Keys: keys})
	if err != nil {
		return false, fmt.Errorf("answer a reading key's captcha: %w", err)
	}
	return answered > 0, nil
}

// HasNews makes the wall of an owner due, once for each of VK's events, and
// returns its name; "" if the event is known or the wall is not watched.
func (s *Walls) HasNews(ctx context.Context, ownerID int64, eventID string) (name string, err error) {
	name, err = s.queries.WallHasNews(ctx, relaysql.WallHasNewsParams{OwnerID: &ownerID, EventID: eventID})
	if errorsIsNoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("news on wall %d: %w", ownerID, err)
	}
	return name, nil
}

// PostsSince counts the stored posts of a wall that are younger than a time.
func (s *Walls) PostsSince(ctx context.Context, ownerID int64, since time.Time) (int, error) {
	count, err := s.queries.CountPostsOf(ctx, relaysql.CountPostsOfParams{OwnerID: ownerID, PostedAt: since})
	if err != nil {
		return 0, fmt.Errorf("posts of wall %d: %w", ownerID, err)
	}
	return int(count), nil
}

func wallOf(row relaysql.RelayWall) Wall {
	wall := Wall{
		Name: row.Name, OwnerID: orZero(row.OwnerID), Failures: int(row.Failures), Trouble: row.Reason,
		PostsPerDay: row.PostsPerDay, ReadEvery: row.ReadEvery, NextReadAt: row.NextReadAt,
		LastReadAt: orZero(row.LastReadAt), ReadUntil: orZero(row.NewestPostAt),
	}
	if row.State == "parked" {
		wall.Parked, wall.Trouble = row.Reason, ""
	}
	return wall
}
