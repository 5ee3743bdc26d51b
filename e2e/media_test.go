package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// withPhotos is a lost pet with so many photos, named photo-0, photo-1…
func withPhotos(number, photos int) sandbox.Post {
	post := lost(number)
	for i := range photos {
		post.Photos = append(post.Photos, sandbox.WallPhoto{Drawing: fmt.Sprintf("photo-%d", i), Width: 480, Height: 360})
	}
	return post
}

// rungs are how the photos went at each attempt.
func (s *harness) rungs(d db.DeliveryRow) []string {
	s.t.Helper()
	attempts := s.history(d)
	rungs := make([]string, len(attempts))
	for i, attempt := range attempts {
		rungs[i] = attempt.Rung
	}
	return rungs
}

// methods are what calls asked for, in order.
func methods(calls []sandbox.Call) []string {
	methods := make([]string, len(calls))
	for i, call := range calls {
		methods[i] = call.Method
	}
	return methods
}

// routesFile is a ROUTES_FILE with such a text.
func routesFile(t *testing.T, text string) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "routes.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return map[string]string{"ROUTES_FILE": path, "TG_ENABLED": "false", "VK_OUT_ENABLED": "false"}
}

// routes is a ROUTES_FILE with one chat that takes many photos.
func routes(t *testing.T, destination string) map[string]string {
	t.Helper()
	return routesFile(t, "destinations:\n  - id: "+destination+"\n    max_media: 40\n    rate_per_sec: 30\n    per_minute: 0\nrules:\n  - name: lost\n    types: [lost]\n    to: ["+destination+"]\n")
}

func TestPhotosGoAsACarefulPersonWouldSendThem(t *testing.T) {
	t.Parallel()
	t.Run("one photo has the text as its caption", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		delivery := s.ended(s.send(chat, withPhotos(1, 1)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 1)
		require.Contains(t, messages[0].Caption, "Мурка-1")
		require.False(t, messages[0].Photo.Uploaded)
		require.Equal(t, []string{"url"}, s.rungs(delivery))
		s.keepHistory("DeliverPost/one_photo", delivery.WorkflowID)
	})
	t.Run("several are an album with the caption on the first", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		delivery := s.ended(s.send(chat, withPhotos(1, 4)))
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 4)
		require.Equal(t, messageIDs(messages), delivery.MessageIDs, "the id of every item is kept")
		require.Contains(t, messages[0].Caption, "Мурка-1")
		for i, message := range messages {
			require.Equal(t, messages[0].Album, message.Album)
			require.Equal(t, i == 0, message.Caption != "")
		}
	})
	for photos, albums := range map[int][]int{10: {10}, 11: {6, 5}, 12: {6, 6}, 19: {10, 9}, 20: {10, 10}, 21: {7, 7, 7}, 31: {8, 8, 8, 7}} {
		t.Run(fmt.Sprintf("%d are albums of like size, none with a single photo", photos), func(t *testing.T) {
			s := newHarness(t, toChat, routes(t, chat))
			s.work()
			delivery := s.ended(s.send(chat, withPhotos(1, photos)))
			require.Equal(t, protocol.StatusSent, delivery.Status)
			require.Equal(t, repeat(len(albums), "sendMediaGroup"), methods(s.sandbox.Calls(toTelegram)))
			messages := s.sandbox.Messages(chatID)
			require.Len(t, messages, photos)
			require.Equal(t, messageIDs(messages), delivery.MessageIDs)
			for _, size := range albums {
				for i, message := range messages[:size] {
					require.Equal(t, messages[0].Album, message.Album)
					require.Equal(t, i == 0 && len(messages) == photos, message.Caption != "", "the very first has the caption")
				}
				messages = messages[size:]
			}
			if photos == 11 {
				s.keepHistory("DeliverPost/two_albums", delivery.WorkflowID)
				s.keepHistory("Destination/two_parts", protocol.DestinationWorkflowID(chat))
			}
		})
	}
	t.Run("more than the chat is to show are told of, not sent", func(t *testing.T) {
		s := newHarness(t, toChat, map[string]string{"TG_MAX_MEDIA": "11"})
		s.work()
		s.ended(s.send(chat, withPhotos(1, 14)))
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 11)
		require.Contains(t, messages[0].Caption, "3 фото")
	})
	t.Run("none are shown where none are wanted", func(t *testing.T) {
		s := newHarness(t, toChat, map[string]string{"TG_MAX_MEDIA": "0"})
		s.work()
		s.ended(s.send(chat, withPhotos(1, 2)))
		require.Equal(t, []string{"sendMessage"}, methods(s.sandbox.Calls(toTelegram)))
		require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "2 фото")
	})
	t.Run("a text too long for a caption goes first and the album answers it", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		post := withPhotos(1, 3)
		post.Text += strings.Repeat(" Очень просим откликнуться всех, кто был в парке вечером.", 25)
		s.ended(s.send(chat, post))
		messages := s.sandbox.Messages(chatID)
		require.Equal(t, []string{"sendMessage", "sendMediaGroup"}, methods(s.sandbox.Calls(toTelegram)))
		require.Len(t, messages, 4)
		require.Contains(t, messages[0].Text, "Мурка-1")
		require.Equal(t, messages[0].ID, messages[1].ReplyTo)
		require.Empty(t, messages[1].Caption)
	})
	t.Run("a text too long for a message goes in parts, in order", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		post := lost(1)
		post.Text += strings.Repeat(" Очень просим откликнуться всех, кто был в парке вечером.", 160) + " Конец рассказа."
		delivery := s.ended(s.send(chat, post))
		messages := s.sandbox.Messages(chatID)
		require.Greater(t, len(messages), 1)
		require.Equal(t, messageIDs(messages), delivery.MessageIDs)
		require.Contains(t, messages[0].Text, "Мурка-1")
		require.Contains(t, messages[len(messages)-1].Text, "Конец рассказа.")
	})
}

// notPicture is what Telegram says of a photo that it can't use.
const (
	fetchFailed = "Bad Request: failed to get HTTP URL content"
	badPicture  = "Bad Request: IMAGE_PROCESS_FAILED"
)

func TestAPhotoComesDownTheLadderRungByRung(t *testing.T) {
	t.Parallel()
	refuse := func(times int, description string) sandbox.Fault {
		return sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Times: times, Code: 400, Description: description}
	}
	for _, row := range []struct {
		name   string
		fault  sandbox.Fault
		rungs  []string
		method string // of the call that arrived
	}{
		{"Telegram can't get the URL: the bytes are uploaded", refuse(1, fetchFailed), []string{"url", "upload"}, "sendPhoto"},
		{"the bytes won't do: a smaller size", refuse(2, badPicture), []string{"url", "upload", "smaller"}, "sendPhoto"},
		{"nor will that: text alone", refuse(3, badPicture), []string{"url", "upload", "smaller", "text"}, "sendMessage"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			s.fault(row.fault)
			delivery := s.ended(s.send(chat, withPhotos(1, 1)))
			require.Equal(t, protocol.StatusSent, delivery.Status)
			require.Equal(t, row.rungs, s.rungs(delivery))
			calls := s.sandbox.Calls(toTelegram)
			last := calls[len(calls)-1]
			require.Equal(t, row.method, last.Method)
			messages := s.sandbox.Messages(chatID)
			require.Len(t, messages, 1)
			require.Contains(t, messages[0].Text+messages[0].Caption, "Мурка-1")
			if row.method == "sendPhoto" {
				require.True(t, messages[0].Photo.Uploaded)
			}
			for _, call := range calls[1:] {
				require.NotContains(t, call.Text("photo"), "http", "a URL that was refused is not tried again")
			}
			s.keepHistory("DeliverPost/photo_"+row.rungs[len(row.rungs)-1], delivery.WorkflowID)
		})
	}
}

func TestOneBadPhotoCostsAnAlbumNothingButItself(t *testing.T) {
	t.Parallel()
	t.Run("the URL of one fails: that one is uploaded", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", Times: 1, Code: 400,
			Description: `Bad Request: failed to send message #2 with the error message "WEBPAGE_CURL_FAILED"`})
		delivery := s.ended(s.send(chat, withPhotos(1, 3)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 3)
		for i, message := range messages {
			require.Equal(t, i == 1, message.Photo.Uploaded, "photo %d", i)
		}
	})
	t.Run("one is no picture at all: the others go without it", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.sandbox.SetPictureFault("photo-1", sandbox.PictureFault{As: "html"})
		s.work()
		delivery := s.ended(s.send(chat, withPhotos(1, 3)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 2)
		require.Contains(t, messages[0].Caption, "Мурка-1")
		for _, message := range messages {
			require.False(t, message.Photo.Uploaded, "the good ones go by URL as before")
		}
	})
	t.Run("of two, one is left: it goes as a single photo", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.sandbox.SetPictureFault("photo-0", sandbox.PictureFault{Truncate: true, As: "text"})
		s.work()
		delivery := s.ended(s.send(chat, withPhotos(1, 2)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 1)
		require.Contains(t, messages[0].Caption, "Мурка-1")
	})
	t.Run("one is too large for Telegram to get: it is uploaded, made to fit", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.sandbox.SetPictureFault("photo-0", sandbox.PictureFault{Bytes: 6 << 20})
		s.work()
		delivery := s.ended(s.send(chat, withPhotos(1, 2)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 2)
		require.True(t, messages[0].Photo.Uploaded)
	})
	t.Run("Telegram does not say which: all are uploaded", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", Times: 1, Code: 400, Description: "Bad Request: WEBPAGE_MEDIA_EMPTY"})
		delivery := s.ended(s.send(chat, withPhotos(1, 3)))
		require.Equal(t, []string{"url", "upload"}, s.rungs(delivery))
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 3)
		for _, message := range messages {
			require.True(t, message.Photo.Uploaded)
		}
	})
	t.Run("Telegram does not say which, and one is no picture: the others are uploaded", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.sandbox.SetPictureFault("photo-1", sandbox.PictureFault{As: "html"})
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", Times: 1, Code: 400, Description: "Bad Request: WEBPAGE_MEDIA_EMPTY"})
		s.ended(s.send(chat, withPhotos(1, 3)))
		require.Len(t, s.sandbox.Messages(chatID), 2)
	})
	t.Run("all are gone: the text goes alone", func(t *testing.T) {
		s := newHarness(t, toChat)
		for i := range 3 {
			s.sandbox.SetPictureFault(fmt.Sprintf("photo-%d", i), sandbox.PictureFault{Status: 404})
		}
		s.work()
		delivery := s.ended(s.send(chat, withPhotos(1, 3)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		messages := s.sandbox.Messages(chatID)
		require.Len(t, messages, 1)
		require.Contains(t, messages[0].Text, "Мурка-1")
		require.Nil(t, messages[0].Photo)
	})
}

func TestAHungPhotoHostDoesNotHoldTheLane(t *testing.T) {
	hang := func(s *harness, delay int) {
		for i := range 3 {
			s.sandbox.SetPictureFault(fmt.Sprintf("photo-%d", i), sandbox.PictureFault{DelayMS: delay})
		}
	}
	for name, fault := range map[string]sandbox.Fault{
		"the platform does not get them, and says so": {Platform: sandbox.Telegram, Method: "sendMediaGroup", Times: 1, Code: 400, Description: "Bad Request: WEBPAGE_MEDIA_EMPTY"},
		"the platform does not get them, and hangs":   {Platform: sandbox.Telegram, Method: "sendMediaGroup", Times: 1, Hang: true},
	} {
		t.Run("of a chat: "+name, func(t *testing.T) {
			s := newHarness(t, toChat)
			hang(s, 120_000)
			stop := s.work()
			s.fault(fault)
			posts := s.publish(withPhotos(1, 3), withPhotos(2, 3), lost(3))
			began := time.Now()
			s.scan()
			require.Equal(t, []int64{1, 2, 3}, numbersIn(t, s.afterMessages(3)))
			require.Less(t, time.Since(began), 20*time.Second, "one time-out for all of them")
			for _, message := range s.sandbox.Messages(chatID) {
				require.NotContains(t, message.Text, "Фото в оригинале")
			}

			// Later the host answers again: the photos follow, in answer to the words.
			stop()
			hang(s, 0)
			setHarnessBeside(t, s).work()
			s.dueNow()
			messages := s.afterMessages(9)
			for i, post := range posts[:2] {
				require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, post.ID)).Status)
				for _, photo := range messages[3+3*i : 6+3*i] {
					require.NotNil(t, photo.Photo)
					require.Equal(t, messages[i].ID, photo.ReplyTo)
				}
			}
		})
	}
	t.Run("of a wall", func(t *testing.T) {
		s := newHarness(t, toWall, withAlbum)
		hang(s, 120_000)
		_, err := s.pool.Exec(s.ctx, "INSERT INTO relay.destinations (name, names_refused) VALUES ($1, true)", wall)
		require.NoError(t, err)
		stop := s.work()
		s.publish(withPhotos(1, 3), withPhotos(2, 3), lost(3))
		began := time.Now()
		s.scan()
		s.until("posts on the wall", func() bool { return len(s.sandbox.Posts(target)) == 3 })
		require.Less(t, time.Since(began), 15*time.Second)

		stop()
		hang(s, 0)
		setHarnessBeside(t, s).work()
		s.until("the photos follow", func() bool {
			s.dueNow()
			shown := 0
			for _, post := range s.sandbox.Posts(target) {
				shown += len(post.Photos)
			}
			return shown == 6
		})
	})
}

func TestAnEditDoesNotWaitForPhotosThatAreLate(t *testing.T) {
	hang := func(s *harness, delay int) {
		s.sandbox.SetPictureFault("photo-0", sandbox.PictureFault{DelayMS: delay})
	}
	t.Run("in a chat", func(t *testing.T) {
		s := newHarness(t, toChat)
		hang(s, 120_000)
		stop := s.work()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Times: 1, Code: 400, Description: "Bad Request: WEBPAGE_MEDIA_EMPTY"})
		s.publish(lost(2)) // else the wall is empty when the post is deleted
		d := s.send(chat, withPhotos(1, 1))
		words := func(text string) {
			s.until(text, func() bool { return strings.Contains(s.afterMessages(2)[1].Text, text) })
		}
		words("Мурка-1")
		s.edit(d, func(post *sandbox.Post) {
			post.Text += " Вознаграждение!"
			post.Photos = []sandbox.WallPhoto{another("collar")}
		})
		words("Вознаграждение!")
		require.NotContains(t, s.sandbox.Messages(chatID)[1].Text, "в оригинале", "the photo is still to follow")
		require.NoError(t, s.sandbox.DeletePost(source, d.PostID))
		s.deletedAt()
		words("удалена автором")

		stop()
		hang(s, 0)
		setHarnessBeside(t, s).work()
		s.dueNow()
		require.Equal(t, protocol.StatusSent, s.ended(d).Status)
		require.Equal(t, protocol.EditDone, s.edited(d, 1).Status)
		require.Len(t, s.sandbox.Messages(chatID), 3)
		require.Len(t, s.sandbox.Calls(mediaEdits), 1, "the photo that came late is exchanged, too")
	})
	t.Run("on a wall", func(t *testing.T) {
		s := newHarness(t, toWall, withAlbum)
		s.namesRefused()
		hang(s, 120_000)
		s.work()
		d := s.ended(s.send(wall, withPhotos(1, 1)))
		s.edit(d, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
		s.until("the words are edited", func() bool { return strings.Contains(s.onTheWall().Text, "Вознаграждение!") })
		require.Empty(t, s.onTheWall().Photos)
	})
}

// dueNow lets the time pass for which deliveries and edits are put off.
func (s *harness) dueNow() {
	s.t.Helper()
	for _, table := range []string{"deliveries", "amendments"} {
		_, err := s.pool.Exec(s.ctx, "UPDATE relay."+table+" SET due_at = now() WHERE due_at > now()")
		require.NoError(s.t, err)
	}
	_, err := s.starter.NudgeOwing(s.ctx)
	require.NoError(s.t, err)
}

func TestARefusedURLIsNotTriedAgainAfterAPauseOrAnotherTrouble(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Times: 1, Code: 400, Description: fetchFailed})
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Times: 1, Status: 500})
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendPhoto", Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
	delivery := s.waits(s.send(chat, withPhotos(1, 1)))
	_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeRetry})
	require.NoError(t, err)
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, []string{"url", "upload", "upload", "upload"}, s.rungs(delivery))
}

func TestALinkThatOneChatWasRefusedIsNotTriedForAnother(t *testing.T) {
	const other = "telegram:-1001500000002"
	s := newHarness(t, toChat, routesFile(t, "destinations: [{id: '"+chat+"', per_minute: 0}, {id: '"+other+"', per_minute: 0}]\n"+
		"rules: [{name: lost, types: [lost], to: ['"+chat+"', '"+other+"']}]\n"))
	require.NoError(t, s.sandbox.AddChat(sandbox.Chat{ID: -1001500000002, Type: sandbox.Supergroup, Title: "Соседний чат"}))
	s.work()
	s.pauseLane(other, "", "")
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", Times: 1, Code: 400,
		Description: `Bad Request: failed to send message #2 with the error message "WEBPAGE_CURL_FAILED"`})
	first := s.ended(s.send(chat, withPhotos(1, 3)))
	require.Equal(t, []string{"url", "upload"}, s.rungs(first))
	s.openLane(other)
	second := s.ended(s.delivery(other, first.PostID))
	require.Equal(t, protocol.StatusSent, second.Status)
	require.Equal(t, []string{"upload"}, s.rungs(second))
	for i, message := range s.sandbox.Messages(-1001500000002) {
		require.Equal(t, i == 1, message.Photo.Uploaded, "only the one that was refused")
	}
}

func TestLinksThatHaveDiedAreReadAgainFromVK(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.pauseLane(chat, "", "")
	delivery := s.send(chat, withPhotos(1, 3))
	s.sandbox.ExpirePhotoLinks()
	s.openLane(chat)
	delivery = s.ended(delivery)
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Len(t, s.sandbox.Messages(chatID), 3, "the photos are there after all")
	require.Len(t, s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.getById"}), 1)
}

func TestADeliveryThatStoppedBetweenItsPartsGoesOnWithTheNext(t *testing.T) {
	t.Parallel()
	t.Run("its worker was killed", func(t *testing.T) {
		s := newHarness(t, toChat, routes(t, chat))
		worker := s.spawn()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", After: 1, Times: 1, DelayMS: 60_000})
		delivery := s.send(chat, withPhotos(1, 11))
		s.arrived(toTelegram, 2)
		worker.kill()
		s.spawn()
		delivery = s.ended(delivery)
		require.Equal(t, protocol.StatusSent, delivery.Status)
		require.Len(t, s.sandbox.Messages(chatID), 11)
		require.Equal(t, []int{0, 1, 1}, s.partsOf(delivery), "the first part went once")
		require.Equal(t, messageIDs(s.sandbox.Messages(chatID)), delivery.MessageIDs)
	})
	t.Run("it waited for a person", func(t *testing.T) {
		s := newHarness(t, toChat, routes(t, chat))
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", After: 1, Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
		delivery := s.waits(s.send(chat, withPhotos(1, 11)))
		_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeRetry})
		require.NoError(t, err)
		delivery = s.ended(delivery)
		require.Equal(t, protocol.StatusSent, delivery.Status)
		require.Equal(t, []int{0, 1, 1}, s.partsOf(delivery))
		require.Len(t, s.sandbox.Messages(chatID), 11)
		s.keepHistory("DeliverPost/parked_between_parts", delivery.WorkflowID)
	})
	t.Run("its ledger was restored from before the first", func(t *testing.T) {
		s := newHarness(t, toChat, routes(t, chat))
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMediaGroup", After: 2, Times: 1, Code: 403, Description: "Forbidden: bot was kicked from the supergroup chat"})
		delivery := s.waits(s.send(chat, withPhotos(1, 21)))
		_, err := s.pool.Exec(s.ctx, "DELETE FROM relay.delivery_parts WHERE part = 0") // what arrived meanwhile was recorded after that
		require.NoError(t, err)
		_, err = s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeRetry})
		require.NoError(t, err)
		delivery = s.ended(delivery)
		require.Equal(t, protocol.StatusSent, delivery.Status)
		require.Equal(t, []int{0, 1, 2, 2}, s.partsOf(delivery))
		require.Equal(t, messageIDs(s.sandbox.Messages(chatID)), delivery.MessageIDs)
		require.Len(t, delivery.MessageIDs, 21)
	})
}

// partsOf are the parts at which the attempts were made, counted from 0.
func (s *harness) partsOf(d db.DeliveryRow) []int {
	s.t.Helper()
	attempts := s.history(d)
	parts := make([]int, len(attempts))
	for i, attempt := range attempts {
		parts[i] = attempt.Part
	}
	return parts
}

func (s *harness) attachment(text string, values ...any) json.RawMessage {
	s.t.Helper()
	raw := json.RawMessage(fmt.Sprintf(text, values...))
	require.True(s.t, json.Valid(raw), text)
	return raw
}

func TestMediaBeyondPhotosArriveAsWhatTheyAre(t *testing.T) {
	s := newHarness(t, toBoth, map[string]string{"VK_OUT_ATTACH_MEDIA": "true"})
	s.work()
	picture := func(name string) string { return s.sandbox.PictureURL(name) + "?size=640x480" }
	preview := func(name string) string {
		return fmt.Sprintf(`"preview":{"photo":{"sizes":[{"src":%q,"width":640,"height":480,"type":"x"}]}}`, picture(name))
	}
	gif := func(id int64, link string) json.RawMessage {
		return s.attachment(`{"type":"doc","doc":{"id":%d,"owner_id":55,"ext":"gif","title":"кот.gif","url":%q,%s}}`, id, link, preview("still"))
	}
	send := func(number int, attachments ...json.RawMessage) (db.DeliveryRow, sandbox.Message) {
		post := lost(number)
		post.Attachments = attachments
		delivery := s.ended(s.send(chat, post))
		messages := s.sandbox.Messages(chatID)
		return delivery, messages[len(messages)-1]
	}
	delivery, moving := send(2, gif(2, picture("moves")))
	require.True(t, moving.Animation)
	require.Contains(t, moving.Caption, "Мурка-2")
	s.edit(delivery, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
	s.until("its caption is edited", func() bool {
		messages := s.sandbox.Messages(chatID)
		return strings.Contains(messages[len(messages)-1].Caption, "Вознаграждение!")
	})

	_, shown := send(3, s.attachment(`{"type":"doc","doc":{"id":3,"owner_id":55,"ext":"png","title":"фото.png","url":"https://vk.com/doc55_3",%s}}`, preview("document")))
	require.NotNil(t, shown.Photo)
	require.NotContains(t, shown.Caption, "Документ")

	_, shown = send(4, s.attachment(`{"type":"video","video":{"id":4,"owner_id":55,"title":"Сёма дома","duration":65,"image":[{"url":%q,"width":640,"height":480}]}}`, picture("frame")),
		s.attachment(`{"type":"poll","poll":{"id":5,"owner_id":55,"question":"Где видели?","answers":[{"text":"У моста"},{"text":"В парке"}]}}`))
	require.NotNil(t, shown.Photo, "a frame of the video")
	require.Contains(t, shown.Caption, "🎬 Видео (1:05): Сёма дома")
	require.Contains(t, shown.Caption, "Где видели?\n  ▫️ У моста\n  ▫️ В парке")
	var named []string
	for _, call := range s.calls(toVK, 3) {
		named = append(named, call.Text("attachments"))
	}
	require.Equal(t, []string{"doc55_2", "doc55_3", "video55_4,poll55_5"}, named, "on a wall they are attached by their names")
}

func TestPhotosThatCouldNotBeBroughtAreNamed(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	post := withPhotos(1, 3)
	post.Photos[1] = sandbox.WallPhoto{URL: s.sandbox.PictureURL("gone") + "?status=404", Width: 480, Height: 360}
	delivery := s.ended(s.send(chat, post))
	require.Equal(t, protocol.StatusSent, delivery.Status)
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 2)
	require.Contains(t, messages[0].Caption, "🖼 1 фото в оригинале")

	strip := lost(2)
	strip.Photos = []sandbox.WallPhoto{{URL: s.sandbox.PictureURL("long") + "?size=300x9000", Width: 300, Height: 9000}}
	s.ended(s.send(chat, strip))
	messages = s.sandbox.Messages(chatID)
	require.Len(t, messages, 3)
	require.NotNil(t, messages[2].Photo, "a long strip is fitted")
	require.Equal(t, 9000, messages[2].Photo.Height)
	require.NotContains(t, messages[2].Caption, "в оригинале")
}
