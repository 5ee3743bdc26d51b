package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"vestnik/db"
	"vestnik/internal/operators"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/starter"
)

// forget does what `vestnik forget --apply` does.
func (s *harness) forget(meant db.ToForget) starter.Forgetting {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 20*time.Second)
	defer cancel()
	forgotten, err := s.starter.Forget(operators.As(ctx, operators.Actor{Name: "дежурная", Via: "cli"}), meant)
	require.NoError(s.t, err)
	return forgotten
}

// dump is all that the database holds, as text.
func (s *harness) dump() string {
	s.t.Helper()
	return value[string](s, `SELECT string_agg(query_to_xml(format('SELECT * FROM %I.%I', schemaname, tablename), false, true, '')::text, '')
		FROM pg_tables WHERE schemaname IN ('relay', 'guide', 'cms', 'service')`)
}

// value is what a query returns.
func value[T any](s *harness, query string, args ...any) (found T) {
	s.t.Helper()
	require.NoError(s.t, s.pool.QueryRow(s.ctx, query, args...).Scan(&found))
	return found
}

func TestWhoIsForgottenIsGoneFromEveryCopyAndStaysSo(t *testing.T) {
	for name, meant := range map[string]func(db.DeliveryRow) db.ToForget{
		"by the post": func(d db.DeliveryRow) db.ToForget {
			return db.ToForget{Post: post.ID{OwnerID: d.OwnerID, PostID: d.PostID}}
		},
		"by the author": func(db.DeliveryRow) db.ToForget { return db.ToForget{Author: 4242} },
		"by a phone":    func(db.DeliveryRow) db.ToForget { return db.ToForget{Phone: "+79000007171"} },
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toBoth)
			s.work()
			first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost, FromID: 4242}))
			s.ended(s.delivery(wall, first.PostID))
			other := s.ended(s.send(chat, lost(1)))

			shown, err := s.starter.LookForgotten(s.ctx, meant(first))
			require.NoError(t, err)
			require.Len(t, shown.Posts, 1)
			require.Equal(t, 2, shown.Count(starter.CopyStands))
			require.Len(t, s.sandbox.Messages(chatID), 2, "to look changes nothing")

			forgotten := s.forget(meant(first))
			require.Equal(t, 2, forgotten.Count(starter.CopyRemoved), "%+v", forgotten)
			messages := s.sandbox.Messages(chatID)
			require.Len(t, messages, 1)
			require.Equal(t, other.MessageIDs[0], messages[0].ID)
			require.Len(t, s.sandbox.Posts(target), 1)

			require.NoError(t, s.sandbox.EditPost(source, first.PostID, func(post *sandbox.Post) { post.Text += " Вознаграждение!" }))
			s.scan()
			kept := s.dump()
			for _, private := range []string{"Рекс", "79000007171", "Лесная, 12", "4242", "Вознаграждение"} {
				require.NotContains(t, kept, private)
			}
			require.Contains(t, kept, "79000000001", "others stay")
			require.Zero(t, value[int](s, "SELECT count(*) FROM relay.case_keys WHERE post_id = $1", first.PostID))
			require.Equal(t, meant(first).By(), value[string](s, "SELECT subject FROM relay.audit WHERE who = 'дежурная' AND action = 'forget' AND note = '1 post, 2 copies, 0 favourites'"))
			s.until("the histories of its deliveries are gone", func() bool {
				_, err := s.temporal.DescribeWorkflowExecution(s.ctx, first.WorkflowID, "")
				return err != nil
			})
		})
	}
}

func TestWhatAForgottenPostAddedToAnothersMessageGoes(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	s.send(chat, sandbox.Post{Text: rexAgain + " Или 8 900 000-72-72, вознаграждение!"})
	s.edited(first, 1)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "+7 900 000-72-72")
	require.Empty(t, s.forget(db.ToForget{Phone: "+79000007272"}).Copies)
	s.edited(first, 2)
	require.NotContains(t, s.sandbox.Messages(chatID)[0].Text, "+7 900 000-72-72")
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "+7 900 000-71-71")
}

func TestCopiesOutOfReachAreListedWithTheirAddresses(t *testing.T) {
	s := newHarness(t, toWall)
	s.work()
	d := s.ended(s.send(wall, sandbox.Post{Text: rexIsLost}))
	meant := db.ToForget{Post: post.ID{OwnerID: d.OwnerID, PostID: d.PostID}}
	forgotten := s.forget(meant)
	require.Equal(t, starter.CopyNotReached, forgotten.Copies[0].State)
	require.Contains(t, forgotten.Copies[0].Reason, "VK 27")
	require.Equal(t, []string{"https://vk.com/" + protocol.WallPost(target, d.MessageIDs[0])}, forgotten.Copies[0].Messages)
	later, err := s.starter.LookForgotten(s.ctx, meant)
	require.NoError(t, err)
	require.Equal(t, forgotten.Copies, later.Copies, "it can be asked for again")
	require.True(t, later.Posts[0].Forgotten)
	require.NotContains(t, s.dump(), "Рекс", "what is kept here is gone all the same")
	_, err = s.starter.Deliver(s.ctx, d.OwnerID, d.PostID, destinationOf(t, wall))
	require.ErrorIs(t, err, db.ErrBlanked)
}

func TestAPersonOfTheGuideIsForgotten(t *testing.T) {
	const user = int64(5_550_000_077)
	s := newHarness(t, toChat, map[string]string{"TELEGRAM_BOT_TOKEN": "7000000777:AAe2e-guide-bot-secret-part-000000000"})
	s.work()
	_, err := s.pool.Exec(s.ctx, `INSERT INTO guide.users (telegram_id) VALUES ($1)`, user)
	require.NoError(t, err)
	place := value[int64](s, `INSERT INTO guide.places (external_id, name, sort_key, digest) VALUES ('p', 'Кофейня', 'кофейня', '') RETURNING id`)
	_, err = s.pool.Exec(s.ctx, `INSERT INTO guide.favourite_places (telegram_id, place_id) VALUES ($1, $2)`, user, place)
	require.NoError(t, err)
	session := protocol.SessionWorkflowID(7000000777, user)
	_, err = s.temporal.ExecuteWorkflow(s.ctx, client.StartWorkflowOptions{ID: session, TaskQueue: protocol.TaskQueue},
		protocol.BotSessionWorkflow, protocol.SessionInput{BotID: 7000000777, ChatID: user})
	require.NoError(t, err)
	forgotten := s.forget(db.ToForget{TelegramUser: user})
	require.True(t, forgotten.User)
	require.Equal(t, 1, forgotten.Favourites)
	require.NotContains(t, s.dump(), "5550000077")
	s.until("its session is gone", func() bool {
		_, err := s.temporal.DescribeWorkflowExecution(s.ctx, session, "")
		return err != nil
	})
	require.Equal(t, "telegram-user", value[string](s, "SELECT subject FROM relay.audit WHERE note = '0 posts, 0 copies, 1 favourite'"))
}

func TestNobodyIsSaidToBeForgottenWhoseSessionsCannotBeFound(t *testing.T) {
	const user = int64(5_550_000_078)
	s := newHarness(t, toChat)
	_, err := s.pool.Exec(s.ctx, `INSERT INTO guide.users (telegram_id) VALUES ($1)`, user)
	require.NoError(t, err)
	_, err = s.starter.Forget(s.ctx, db.ToForget{TelegramUser: user})
	require.ErrorIs(t, err, starter.ErrNoGuideBot)
	found, err := s.starter.LookForgotten(s.ctx, db.ToForget{TelegramUser: user})
	require.NoError(t, err)
	require.True(t, found.User, "whoever asks again finds them")
}

// retain runs what the schedule runs.
func (s *harness) retain() (blanked int) {
	s.t.Helper()
	run, err := s.temporal.ExecuteWorkflow(s.ctx, client.StartWorkflowOptions{ID: "retain-now", TaskQueue: protocol.TaskQueue}, protocol.RetainWorkflow)
	require.NoError(s.t, err)
	require.NoError(s.t, run.Get(s.ctx, &blanked))
	return blanked
}

func TestPostsAreBlankedWhenTheyAreDeletedAndWhenTheyAreOld(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"DATA_RETENTION_DAYS": "30"})
	s.work()
	deleted := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost, FromID: 4242}))
	old := s.ended(s.send(chat, lost(1)))
	fresh := s.ended(s.send(chat, lost(2)))
	require.Zero(t, s.retain())

	require.NoError(t, s.sandbox.DeletePost(source, deleted.PostID))
	require.Equal(t, 1, s.deletedAt().Deleted)
	s.edited(deleted, 1)
	monthAgo := time.Now().AddDate(0, 0, -31).Truncate(time.Second)
	for _, table := range []string{"posts", "case_keys"} {
		_, err := s.pool.Exec(s.ctx, "UPDATE relay."+table+" SET posted_at = $1 WHERE post_id = $2", monthAgo, old.PostID)
		require.NoError(t, err)
	}
	require.Equal(t, 2, s.retain())
	require.Zero(t, s.retain())

	kept := s.dump()
	for _, private := range []string{"Рекс", "79000007171", "4242", "79000000001"} {
		require.NotContains(t, kept, private)
	}
	require.Contains(t, kept, "79000000002")
	require.Equal(t, "lost", value[string](s, "SELECT type FROM relay.posts WHERE post_id = $1 AND length(content_hash) > 0", deleted.PostID))
	require.Equal(t, fresh.PostID, value[int64](s, "SELECT min(post_id) FROM relay.case_keys"))
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "удалена автором", "what was sent stays as it is")
	_, err := s.starter.Deliver(s.ctx, old.OwnerID, old.PostID, destinationOf(t, chat))
	require.ErrorIs(t, err, db.ErrBlanked)
}
