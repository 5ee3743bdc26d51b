package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// takenBack takes deliveries back and waits for the last's removal.
func (s *harness) takenBack(deliveries ...db.DeliveryRow) (last db.EditRow) {
	s.t.Helper()
	for _, d := range deliveries {
		require.NoError(s.t, s.starter.TakeBack(s.ctx, "taken back by a test", d.ID))
		last = s.edited(d, 1)
		require.Equal(s.t, "taken_back", last.Cause)
	}
	return last
}

func TestWhatIsTakenBackIsRemovedAndStaysSo(t *testing.T) {
	s := newHarness(t, toBoth)
	s.work()
	post := withPhotos(1, 2)
	post.Text = rexIsLost
	first := s.ended(s.send(chat, post))
	onWall := s.ended(s.delivery(wall, first.PostID))
	require.Len(t, s.sandbox.Messages(chatID), 2)
	require.Len(t, s.sandbox.Posts(target), 1)

	require.Equal(t, protocol.EditDone, s.takenBack(first, onWall).Status)
	require.Empty(t, s.sandbox.Messages(chatID))
	require.Empty(t, s.sandbox.Posts(target))
	first = s.again(first)
	require.Equal(t, protocol.StatusSent, first.Status, "it was")
	require.NotNil(t, first.TakenBackAt)

	s.edit(first, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
	rows, err := s.starter.Ledger.Edits(s.ctx, first.ID, onWall.ID)
	require.NoError(t, err)
	require.Len(t, rows, 2, "nothing follows its post any more")
}

func TestWhatWaitsAndIsTakenBackIsNotSent(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	_, err := s.starter.PauseDestination(s.ctx, chat, "a test", "")
	require.NoError(t, err)
	waiting := s.send(chat, sandbox.Post{Text: rexIsLost})
	require.NoError(t, s.starter.TakeBack(s.ctx, "taken back by a test", waiting.ID))
	_, err = s.starter.TellRuns(s.ctx)
	require.NoError(t, err)
	waiting = s.ended(waiting)
	require.Equal(t, protocol.StatusSuppressed, waiting.Status)
	require.Equal(t, "taken back by a test", waiting.Reason)
	_, err = s.starter.ResumeDestination(s.ctx, chat)
	require.NoError(t, err)
	require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(1))).Status)
	require.Len(t, s.sandbox.Messages(chatID), 1)
}

// What is in flight while it is taken back arrives, is recorded, and goes.
func TestWhatArrivesAfterItWasTakenBackIsRemoved(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", DelayMS: 2000, Times: 1})
	d := s.send(chat, sandbox.Post{Text: rexIsLost})
	s.until("the call is in flight", func() bool { return s.again(d).Status == protocol.StatusSending })
	require.NoError(t, s.starter.TakeBack(s.ctx, "taken back by a test", d.ID))
	s.until("it has arrived and is gone", func() bool {
		return len(s.again(d).MessageIDs) == 1 && len(s.sandbox.Messages(chatID)) == 0
	})
	require.Equal(t, protocol.StatusSuppressed, s.ended(d).Status)
}

func TestWhatTelegramDoesNotDeleteIsEmptied(t *testing.T) {
	for name, row := range map[string]struct {
		fault  sandbox.Fault
		status string
		left   string
	}{
		"it may be edited":    {sandbox.Fault{Method: "deleteMessage", Code: 400, Description: "Bad Request: message can't be deleted for everyone"}, protocol.EditDone, "Сообщение удалено"},
		"it is gone already":  {sandbox.Fault{Method: "deleteMessage", Code: 400, Description: "Bad Request: message to delete not found"}, protocol.EditDone, ""},
		"the answer got lost": {sandbox.Fault{Method: "deleteMessage", AcceptThenFail: true, Reset: true}, protocol.EditDone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			post := withPhotos(1, 2)
			post.Text = rexIsLost
			d := s.ended(s.send(chat, post))
			row.fault.Platform, row.fault.Times = sandbox.Telegram, 2
			s.fault(row.fault)
			removal := s.takenBack(d)
			require.Equal(t, row.status, removal.Status)
			messages := s.sandbox.Messages(chatID)
			if row.left == "" {
				return
			}
			require.Contains(t, removal.Reason, "emptied")
			require.Equal(t, row.left, messages[0].Caption)
			require.Empty(t, messages[1].Caption)
			require.Equal(t, 320, messages[1].Photo.Width, "a blank picture")
		})
	}
}

func TestACopyThatCanNotBeRemovedIsReported(t *testing.T) {
	t.Run("a community's key may not", func(t *testing.T) {
		s := newHarness(t, toWall)
		s.work()
		removal := s.takenBack(s.ended(s.send(wall, sandbox.Post{Text: rexIsLost})))
		require.Equal(t, protocol.EditRefused, removal.Status)
		require.Contains(t, removal.Reason, "VK 27")
	})
	t.Run("the group has become another", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		d := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
		const migrated = int64(-1009)
		require.NoError(t, s.sandbox.AddChat(sandbox.Chat{ID: migrated, Type: sandbox.Supergroup}))
		require.NoError(t, s.sandbox.ChangeChat(chatID, func(c *sandbox.Chat) { c.MigratedTo = migrated }))
		removal := s.takenBack(d)
		require.Equal(t, protocol.EditRefused, removal.Status)
		require.Contains(t, removal.Reason, "group that the chat was before")
	})
}
