package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/operators"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
)

// world is all that a decision may change.
const world = `SELECT md5(concat(
	(SELECT string_agg(d::text, '/' ORDER BY d.id) FROM relay.deliveries d), (SELECT string_agg(d::text, '/' ORDER BY d.id) FROM relay.destinations d),
	(SELECT string_agg(c::text, '/' ORDER BY c.id) FROM relay.cases c), (SELECT string_agg(p::text, '/' ORDER BY p.post_id) FROM relay.posts p),
	(SELECT string_agg(a::text, '/' ORDER BY a.id) FROM relay.amendments a), (SELECT string_agg(k::text, '/' ORDER BY k.key) FROM relay.key_pauses k)))`

// Its line is written before anything is done, so that no death of the process
// leaves a decision that nobody has taken.
func TestADecisionThatCannotBeRecordedIsNotCarriedOut(t *testing.T) {
	s := newHarness(t, toBoth)
	s.work()
	sent := s.ended(s.send(chat, lost(1)))
	s.ended(s.delivery(wall, sent.PostID))
	s.pauseLane(chat, "ремонт", "Иван")
	s.pauseLane(wall, "ремонт", "Иван")
	waiting := s.send(chat, lost(2))
	s.until("both wait", func() bool { return s.lane(chat).Queued == 1 && s.lane(wall).Queued == 1 })
	_, err := s.pool.Exec(s.ctx, "ALTER TABLE relay.audit ADD CONSTRAINT nobody CHECK (false) NOT VALID")
	require.NoError(t, err)

	ctx := operators.As(s.ctx, operators.Actor{Name: "Вера", Via: "cli"})
	ref := post.ID{OwnerID: sent.OwnerID, PostID: sent.PostID}
	for name, decide := range map[string]func(context.Context) error{
		"resume": func(ctx context.Context) error {
			_, err := s.starter.Resume(ctx, waiting.ID, protocol.Resume{Action: protocol.ResumeSkip})
			return err
		},
		"resume all": func(ctx context.Context) error {
			_, err := s.starter.DecideAll(ctx, "deliveries", db.WaitingFilter{}, time.Now(), protocol.Resume{Action: protocol.ResumeSkip}, true)
			return err
		},
		"deliver": func(ctx context.Context) error {
			destination, err := route.ParseDestination(chat)
			require.NoError(t, err)
			_, err = s.starter.Deliver(ctx, waiting.OwnerID, waiting.PostID, destination)
			return err
		},
		"join": func(ctx context.Context) error {
			_, err := s.starter.JoinCases(ctx, *sent.Case, []int64{*waiting.Case}, "")
			return err
		},
		"duplicate": func(ctx context.Context) error { return s.starter.Duplicate(ctx, waiting.ID, *sent.Case, "") },
		"split": func(ctx context.Context) error {
			_, _, err := s.starter.SplitCase(ctx, *sent.Case, []post.ID{ref}, true, "")
			return err
		},
		"pause": func(ctx context.Context) error {
			_, err := s.starter.PauseDestination(ctx, chat, "тихий час", "Вера")
			return err
		},
		"resume lane": func(ctx context.Context) error { _, err := s.starter.ResumeDestination(ctx, chat); return err },
		"rate": func(ctx context.Context) error {
			_, err := s.starter.SetRate(ctx, chat, protocol.Pace{PerSecond: 3})
			return err
		},
		"resume key": func(ctx context.Context) error { _, err := s.starter.ResumeKey(ctx, ""); return err },
		"take back":  func(ctx context.Context) error { return s.starter.TakeBack(ctx, "ошибка", sent.ID) },
		"type": func(ctx context.Context) error {
			_, err := s.starter.SetType(ctx, ref, petpost.Adoption, "")
			return err
		},
		"forget": func(ctx context.Context) error { _, err := s.starter.Forget(ctx, db.ToForget{Post: ref}); return err },
	} {
		before := value[string](s, world)
		require.ErrorContains(t, decide(ctx), "audit", name)
		require.Equal(t, before, value[string](s, world), name)
	}
}

func TestWhatNobodyCouldCloseIsShownAsOpen(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	delivery := s.ended(s.send(chat, lost(1)))
	_, err := s.pool.Exec(s.ctx, `CREATE FUNCTION died() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
		CREATE TRIGGER died BEFORE UPDATE ON relay.audit FOR EACH ROW EXECUTE FUNCTION died()`)
	require.NoError(t, err)
	ctx := operators.As(s.ctx, operators.Actor{Name: "Вера", Via: "console"})
	require.NoError(t, s.starter.TakeBack(ctx, "ошибка", delivery.ID))
	_, err = s.pool.Exec(s.ctx, "DROP TRIGGER died ON relay.audit")
	require.NoError(t, err)
	_, err = s.starter.Resume(ctx, 9999, protocol.Resume{Action: protocol.ResumeRetry})
	require.ErrorIs(t, err, db.ErrNotFound)

	decisions, err := s.starter.Ledger.Decisions(s.ctx, "", 0, 10)
	require.NoError(t, err)
	require.Len(t, decisions, 2)
	require.True(t, decisions[1].Open)
	require.False(t, decisions[0].Open)
	require.NotEmpty(t, decisions[0].Failure)
}
