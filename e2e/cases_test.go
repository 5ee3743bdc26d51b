package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// The posts of one search, in words of their own and with one phone.
const (
	rexIsLost = "Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12. Тел. 8 900 000-71-71. " + privateWords
	rexAgain  = "Помогите найти собаку! Зовут Рекс, бигль, рыжий с белым, видели у ул. Лесная. Звоните 8 900 000-71-71. " + privateWords
	rexIsHome = "Рекс дома! Нашёлся наш рыжий бигль с ул. Лесная, спасибо всем, кто искал. 8 900 000-71-71"
)

var toBoth = merged(toChat, toWall, map[string]string{"VK_OUT_MEDIA_TOKEN": mediaKey})

func merged(settings ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range settings {
		maps.Copy(all, set)
	}
	return all
}

// edited waits until the edits of a delivery have ended so many times,
// and returns the last.
func (s *harness) edited(d db.DeliveryRow, times int) db.EditRow {
	s.t.Helper()
	var last db.EditRow
	s.until("the delivery is edited", func() bool {
		rows, err := s.starter.Ledger.Edits(s.ctx, d.ID)
		require.NoError(s.t, err)
		if len(rows) < times || rows[len(rows)-1].Status == protocol.EditPending {
			return false
		}
		last = rows[len(rows)-1]
		return true
	})
	return last
}

func TestACaseIsToldOnceAndItsHappyEndIsAReply(t *testing.T) {
	s := newHarness(t, toBoth)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	onWall := s.ended(s.delivery(wall, first.PostID))
	require.NotNil(t, first.Case)

	again := s.send(chat, sandbox.Post{Text: rexAgain})
	require.Equal(t, protocol.StatusSuppressed, again.Status)
	require.Equal(t, first.Case, again.Case)
	require.Equal(t, first.ID, *again.DuplicateOf)
	require.Contains(t, again.Reason, "told by delivery")
	require.Contains(t, again.Reason, protocol.WallPost(first.OwnerID, first.PostID))
	require.Equal(t, protocol.StatusSuppressed, s.delivery(wall, again.PostID).Status)

	home := s.ended(s.send(chat, sandbox.Post{Text: rexIsHome}))
	require.Equal(t, string(petpost.Reunited), home.Type, "no route asks for it")
	require.Equal(t, protocol.StatusSent, home.Status)
	require.Equal(t, first.Case, home.Case)
	require.Equal(t, first.ID, *home.ReplyTo)
	require.Equal(t, protocol.StatusSent, s.ended(s.delivery(wall, home.PostID)).Status)

	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
	require.Equal(t, protocol.EditDone, s.edited(onWall, 1).Status)
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 2)
	require.Equal(t, first.MessageIDs[0], messages[1].ReplyTo)
	require.True(t, strings.HasPrefix(messages[0].Text, "🎉 Питомец снова дома"), "the first message is marked as closed")
	require.Contains(t, messages[0].Text, "прежнее объявление")
	require.False(t, messages[0].Edited.IsZero())
	posts := s.sandbox.Posts(target)
	require.Len(t, posts, 2)
	for _, post := range posts {
		require.Contains(t, post.Text, "Питомец снова дома")
	}

	late := s.send(chat, sandbox.Post{Text: rexAgain + " !"})
	require.Equal(t, protocol.StatusSuppressed, late.Status)
	require.Contains(t, late.Reason, "home again")
	require.Len(t, s.sandbox.Messages(chatID), 2)

	rows, err := s.starter.Cases.List(s.ctx, db.CaseFilter{ID: *first.Case})
	require.NoError(t, err)
	require.Equal(t, protocol.WallPost(home.OwnerID, home.PostID), rows[0].ClosedBy)
	require.Equal(t, 4, rows[0].Posts)
	s.keepHistory("Destination/edited", protocol.DestinationWorkflowID(chat))
}

func TestAnEditedPostEditsItsMessagesAndADeletedOneIsMarked(t *testing.T) {
	s := newHarness(t, toBoth)
	s.work()
	s.publish(sandbox.Post{Text: "Спасибо всем, кто пришёл на субботник в приют!"})
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	onWall := s.ended(s.delivery(wall, first.PostID))

	s.edit(first, func(post *sandbox.Post) { post.Text = rexIsLost + " Вознаграждение!" })
	require.Equal(t, "edited", s.edited(first, 1).Cause)
	require.Equal(t, protocol.EditDone, s.edited(onWall, 1).Status)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "Вознаграждение!")
	require.Contains(t, s.sandbox.Posts(target)[0].Text, "Вознаграждение!")

	// Many authors write the happy end into the post itself.
	s.edit(first, func(post *sandbox.Post) { post.Text = rexIsHome })
	s.edited(first, 2)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "Питомец снова дома")

	require.NoError(t, s.sandbox.DeletePost(source, first.PostID))
	require.Equal(t, 1, s.deletedAt().Deleted)
	require.Equal(t, "deleted", s.edited(first, 3).Cause)
	require.Equal(t, protocol.EditDone, s.edited(onWall, 3).Status)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "удалена автором")
	require.Contains(t, s.sandbox.Posts(target)[0].Text, "удалена автором")
	require.Len(t, s.sandbox.Messages(chatID), 1)
	require.Zero(t, s.scan().Walls[0].Deleted, "once")
}

func TestAToldPostIsLookedAfterWhenNewerOnesHavePushedItDown(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	second := s.ended(s.send(chat, lost(1)))
	var news []sandbox.Post
	for range 30 {
		news = append(news, sandbox.Post{Text: "Спасибо всем, кто пришёл на субботник в приют!"})
	}
	s.publish(news...)
	s.scan()
	require.NoError(t, s.sandbox.DeletePost(source, first.PostID))
	require.NoError(t, s.sandbox.EditPost(source, second.PostID, func(post *sandbox.Post) { post.Text += " Вознаграждение!" }))
	result := s.scan()
	require.Zero(t, result.Walls[0].Deleted+result.Walls[0].Edited, "the page does not reach down to them")

	_, err := s.pool.Exec(s.ctx, "UPDATE relay.posts SET stored_at = now() - interval '1 hour'")
	require.NoError(t, err)
	require.Equal(t, 1, s.scan().Walls[0].Edited)
	s.minutesPass()
	require.Equal(t, 1, s.scan().Walls[0].Deleted)
	s.edited(first, 1)
	s.edited(second, 1)
	messages := s.sandbox.Messages(chatID)
	require.Contains(t, messages[0].Text, "удалена автором")
	require.Contains(t, messages[1].Text, "Вознаграждение!")
	s.scan()
	require.Len(t, s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.getById"}), 2, "once in half an hour")
}

func TestWhatACopyAddsEditsTheFirstMessageAndASightingAnswersIt(t *testing.T) {
	s := newHarness(t, toBoth)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	onWall := s.ended(s.delivery(wall, first.PostID))

	copied := s.send(chat, sandbox.Post{Text: rexAgain + " Или 8 900 000-72-72, вознаграждение!"})
	require.Equal(t, protocol.StatusSuppressed, copied.Status)
	require.Equal(t, "added", s.edited(first, 1).Cause)
	require.Equal(t, protocol.EditDone, s.edited(onWall, 1).Status)
	const added = "➕ Дополнение: 📞 +7 900 000-72-72, 💰 вознаграждение"
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, added)
	require.Contains(t, s.sandbox.Posts(target)[0].Text, "+7 900 000-72-72, 💰 вознаграждение")

	// The author goes on in a post of its own.
	s.publish(sandbox.Post{Text: "И по номеру 8 900 000-73-73"})
	s.scan()
	s.edited(first, 2)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "+7 900 000-73-73")

	seen := s.ended(s.send(chat, sandbox.Post{Text: rexAgain + " Сегодня утром видели у ТЦ «Парус»!"}))
	require.Equal(t, first.ID, *seen.ReplyTo)
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 2)
	require.Equal(t, first.MessageIDs[0], messages[1].ReplyTo)
	require.True(t, strings.HasPrefix(messages[1].Text, "👀 Новое в поисках"))
	require.NotContains(t, messages[1].Text, "Дополнение", "that stands in the first message")
	require.Equal(t, protocol.StatusSuppressed, s.send(chat, sandbox.Post{Text: rexAgain + " Видели сегодня у ТЦ Парус"}).Status, "once")

	story, err := s.starter.Cases.Story(s.ctx, *first.Case)
	require.NoError(t, err)
	var adds []string
	for _, member := range story.Members {
		adds = append(adds, member.Adds.String())
	}
	require.Equal(t, []string{"", "phone, reward", "phone", "sighting", ""}, adds)
}

func TestACaptionOfAnAlbumIsEdited(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	post := withPhotos(1, 2)
	post.Text = rexIsLost
	first := s.ended(s.send(chat, post))
	require.Equal(t, protocol.StatusSent, first.Status)
	s.edit(first, func(post *sandbox.Post) { post.Text += " Он боится людей." })
	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 2)
	require.Contains(t, messages[0].Caption, "боится людей")
	require.Empty(t, messages[1].Caption)
}

func TestAnEditThatCanNotBeMadeIsRecordedAndLeft(t *testing.T) {
	t.Run("a community's key may not edit", func(t *testing.T) {
		s := newHarness(t, toWall)
		s.work()
		first := s.ended(s.send(wall, sandbox.Post{Text: rexIsLost}))
		s.edit(first, func(post *sandbox.Post) { post.Text += " Он боится людей." })
		edit := s.edited(first, 1)
		require.Equal(t, protocol.EditRefused, edit.Status)
		require.Contains(t, edit.Reason, "VK 27")
		require.Equal(t, protocol.LaneOpen, s.lane(wall).State)
		require.Equal(t, protocol.StatusSent, s.ended(s.send(wall, lost(1))).Status, "deliveries go on")
	})
	for name, row := range map[string]struct {
		fault  sandbox.Fault
		status string
	}{
		"the message is gone":          {sandbox.Fault{Code: 400, Description: "Bad Request: message to edit not found"}, protocol.EditGone},
		"the message is so already":    {sandbox.Fault{Code: 400, Description: "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"}, protocol.EditDone},
		"Telegram asks to wait":        {sandbox.Fault{Code: 429, RetryAfter: 1, Description: "Too Many Requests: retry after 1"}, protocol.EditDone},
		"Telegram is in trouble":       {sandbox.Fault{Code: 502, Description: "Bad Gateway"}, protocol.EditDone},
		"the answer got lost":          {sandbox.Fault{AcceptThenFail: true, Reset: true}, protocol.EditDone},
		"Telegram refuses it for good": {sandbox.Fault{Code: 400, Description: "Bad Request: BUTTON_URL_INVALID"}, protocol.EditFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
			row.fault.Platform, row.fault.Method, row.fault.Times = sandbox.Telegram, "editMessageText", 1
			s.fault(row.fault)
			s.edit(first, func(post *sandbox.Post) { post.Text += " Он боится людей." })
			edit := s.edited(first, 1)
			require.Equal(t, row.status, edit.Status)
			require.Equal(t, protocol.LaneOpen, s.lane(chat).State)
			if row.fault.RetryAfter > 0 {
				s.keepHistory("Destination/edit_told_to_wait", protocol.DestinationWorkflowID(chat))
			}
		})
	}
}

func TestAShortOutagePutsAnEditOffForMinutes(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "editMessageText", Times: 4, Code: 502})
	s.edit(first, func(post *sandbox.Post) { post.Text += " Он боится людей." })
	s.until("its turn is over", func() bool { return s.logs.holds("message not edited: it is due again later") })
	var again time.Duration
	require.NoError(t, s.pool.QueryRow(s.ctx, "SELECT due_at - now() FROM relay.amendments").Scan(&again))
	require.Less(t, again, 21*time.Minute)
	s.dueNow()
	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
}

func TestAnEditThatVKsQuotaForbidsHoldsUpNoDelivery(t *testing.T) {
	t.Parallel()
	for _, code := range []int{9, 29} {
		t.Run(fmt.Sprintf("error %d", code), func(t *testing.T) {
			s := newHarness(t, toWall, map[string]string{"VK_OUT_MEDIA_TOKEN": mediaKey})
			s.work()
			first := s.ended(s.send(wall, sandbox.Post{Text: rexIsLost}))
			s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.edit", Code: code})
			s.edit(first, func(post *sandbox.Post) { post.Text += " Он боится людей." })
			s.calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.edit"}, 1)
			require.Equal(t, protocol.StatusSent, s.ended(s.send(wall, lost(1))).Status)
		})
	}
}

func TestAnOperatorPartsWhatWasTakenForOneAnimal(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	again := s.send(chat, sandbox.Post{Text: rexAgain})
	require.Equal(t, protocol.StatusSuppressed, again.Status)

	parted, released, err := s.starter.SplitCase(s.ctx, *first.Case, []post.ID{{OwnerID: again.OwnerID, PostID: again.PostID}}, false, "другой пёс")
	require.NoError(t, err)
	require.Equal(t, []int64{again.ID}, released)
	again = s.ended(again)
	require.Equal(t, protocol.StatusSent, again.Status)
	require.Equal(t, parted, *again.Case)
	require.Len(t, s.sandbox.Messages(chatID), 2)

	joined, err := s.starter.JoinCases(s.ctx, *first.Case, []int64{parted}, "всё-таки он")
	require.NoError(t, err)
	require.Equal(t, *first.Case, joined)
	row, posts, err := s.starter.Cases.Get(s.ctx, parted)
	require.NoError(t, err)
	require.Equal(t, *first.Case, row.ID, "the old number leads to the case")
	require.Len(t, posts, 2)

	home := s.ended(s.send(chat, sandbox.Post{Text: rexIsHome}))
	require.Equal(t, first.ID, *home.ReplyTo)
	s.edited(first, 1)
	s.edited(again, 1)
	for _, message := range s.sandbox.Messages(chatID) {
		require.Contains(t, message.Text, "Питомец снова дома")
	}
}

// edit changes a delivery's source post and scans.
func (s *harness) edit(d db.DeliveryRow, change func(*sandbox.Post)) {
	s.t.Helper()
	require.NoError(s.t, s.sandbox.EditPost(source, d.PostID, change))
	result := s.scan()
	require.Equal(s.t, 1, result.Walls[0].Edited)
}
