package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// document is a document of VK's whose file the sandbox serves; one with a still is a GIF that has a preview.
func (s *harness) document(id int64, name string, bytes int64, still string) json.RawMessage {
	s.t.Helper()
	stem, extension, _ := strings.Cut(name, ".")
	preview := ""
	if still != "" {
		preview = `,"preview":{"photo":{"sizes":[{"src":"` + s.sandbox.PictureURL(still) + `?size=640x480","width":640,"height":480,"type":"x"}]}}`
	}
	return s.attachment(`{"type":"doc","doc":{"id":%d,"owner_id":55,"ext":%q,"title":%q,"size":%d,"url":%q`+preview+`}}`,
		id, extension, "Файл "+name, bytes, s.sandbox.FileURL(stem+"."+extension, bytes))
}

// withFiles is a lost pet with documents.
func withFiles(number int, documents ...json.RawMessage) sandbox.Post {
	post := lost(number)
	post.Attachments = documents
	return post
}

// followNow makes due what follows a minute after its words, and leaves alone what is being uploaded.
func (s *harness) followNow() {
	s.t.Helper()
	_, err := s.pool.Exec(s.ctx, "UPDATE relay.deliveries SET due_at = now() WHERE due_at > now() AND due_at < now() + interval '75 s'")
	require.NoError(s.t, err)
	_, err = s.starter.NudgeOwing(s.ctx)
	require.NoError(s.t, err)
}

// followed waits until all of a delivery has arrived.
func (s *harness) followed(d db.DeliveryRow) db.DeliveryRow {
	s.t.Helper()
	s.until("the files follow", func() bool {
		s.followNow()
		return s.delivery(chat, d.PostID).Status == protocol.StatusSent
	})
	return s.ended(s.delivery(chat, d.PostID))
}

func TestDocumentsArriveAsFilesInAnswerToTheWords(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	const large = 30_000_000 // by URL Telegram takes 20 MB, uploaded 50 MB
	delivery := s.send(chat, withFiles(1,
		s.document(1, "small.pdf", 100_000, ""), s.document(2, "note.docx", 200_000, ""), s.document(3, "large.zip", large, "")))
	s.until("its words are there", func() bool { return len(s.sandbox.Messages(chatID)) > 0 })
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "📄 Документ: Файл small.pdf")
	delivery = s.followed(delivery)
	require.Equal(t, []string{"text", "url", "upload", "upload"}, s.rungs(delivery))
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 4)
	require.Equal(t, messageIDs(messages), delivery.MessageIDs)
	for i, want := range []struct {
		name     string
		bytes    int64
		uploaded bool
	}{{"small.pdf", 100_000, false}, {"Файл note.docx", 200_000, true}, {"Файл large.zip", large, true}} {
		require.Equal(t, want.name, messages[i+1].Document.Name)
		require.Equal(t, want.bytes, messages[i+1].Document.Bytes)
		require.Equal(t, want.uploaded, messages[i+1].Document.Uploaded)
		require.Equal(t, messages[0].ID, messages[i+1].ReplyTo)
	}

	s.edit(delivery, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
	s.until("the words are edited", func() bool {
		return strings.Contains(s.sandbox.Messages(chatID)[0].Text, "Вознаграждение!")
	})
	for _, message := range s.sandbox.Messages(chatID)[1:] {
		require.NotNil(t, message.Document, "its files stay what they are")
		require.Empty(t, message.Caption)
	}
	s.keepHistory("DeliverPost/files", delivery.WorkflowID)
}

func TestAnUploadHoldsNobodyUp(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendDocument", Times: 1, Hang: true})
	delivery := s.send(chat, withFiles(1, s.document(1, "note.docx", 1000, "")))
	s.until("its file is on its way", func() bool {
		s.followNow()
		return len(s.history(delivery)) == 2
	})
	others := s.publish(lost(2), lost(3))
	s.scan()
	for _, other := range others {
		require.Equal(t, protocol.StatusSent, s.ended(s.delivery(chat, other.ID)).Status)
	}
	require.Equal(t, protocol.StatusSending, s.delivery(chat, delivery.PostID).Status, "and it is under way still")
}

func TestAFileThatCannotBeBroughtStaysALink(t *testing.T) {
	t.Run("larger than this server takes", func(t *testing.T) {
		s := newHarness(t, toChat, map[string]string{"TG_MAX_FILE_MB": "1"})
		s.work()
		delivery := s.ended(s.send(chat, withFiles(1, s.document(1, "film.mp4", 1_000_001, ""))))
		require.Equal(t, []string{"text"}, s.rungs(delivery))
		require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "Файл film.mp4")
	})
	t.Run("larger than the server says that it takes", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		delivery := s.followed(s.send(chat, withFiles(1, s.document(1, "film.mp4", 60_000_000, ""))))
		require.Equal(t, []string{"text", "upload", "text"}, s.rungs(delivery))
		require.Contains(t, s.sandbox.Messages(chatID)[1].Text, "📄 Документ в оригинале")
	})
	t.Run("larger than VK says that it is", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.work()
		longer := s.attachment(`{"type":"doc","doc":{"id":1,"owner_id":55,"ext":"docx","title":"a.docx","size":10,"url":%q}}`, s.sandbox.FileURL("a.docx", 1000))
		delivery := s.followed(s.send(chat, withFiles(1, longer)))
		require.Equal(t, []string{"text", "text"}, s.rungs(delivery))
		require.Empty(t, s.sandbox.Calls(sandbox.CallFilter{Method: "sendDocument"}))
	})
	t.Run("gone, or a page to log in at", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.sandbox.SetPictureFault("gone", sandbox.PictureFault{Status: 404})
		s.sandbox.SetPictureFault("page", sandbox.PictureFault{As: "html"})
		s.work()
		s.followed(s.send(chat, withFiles(1, s.document(1, "gone.docx", 1000, ""), s.document(2, "page.docx", 1000, ""))))
		require.Empty(t, s.sandbox.Calls(sandbox.CallFilter{Method: "sendDocument"}))
	})
	t.Run("its chat takes none", func(t *testing.T) {
		s := newHarness(t, toChat)
		s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendDocument", Code: 400, Description: "Bad Request: not enough rights to send documents to the chat"})
		s.work()
		s.followed(s.send(chat, withFiles(1, s.document(1, "a.pdf", 1000, ""))))
		require.Equal(t, protocol.StatusSent, s.ended(s.send(chat, lost(2))).Status, "the lane goes on")
	})
}

func TestOnesOwnServerTakesLargerFiles(t *testing.T) {
	s := newHarness(t, toChat)
	s.sandbox.SetMaxUpload(2_000_000_000)
	s.work()
	s.followed(s.send(chat, withFiles(1, s.document(1, "film.mp4", 60_000_000, ""))))
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 2)
	require.Equal(t, int64(60_000_000), messages[1].Document.Bytes)
}

func TestAFileWhoseHostBreaksItOffFollowsLater(t *testing.T) {
	s := newHarness(t, toChat)
	s.sandbox.SetPictureFault("note", sandbox.PictureFault{Truncate: true})
	s.work()
	delivery := s.send(chat, withFiles(1, s.document(1, "note.docx", 10_000_000, "")))
	s.until("it was broken off", func() bool {
		s.followNow()
		return len(s.rungs(delivery)) == 2
	})
	s.until("the attempt is over", func() bool {
		attempts := s.history(delivery)
		return attempts[1].Outcome == db.OutcomeDegraded
	})
	require.Len(t, s.sandbox.Messages(chatID), 1)
	s.sandbox.SetPictureFault("note", sandbox.PictureFault{})
	delivery = s.followed(delivery)
	require.Zero(t, delivery.Uncertain, "nobody can have had half a file")
	require.Equal(t, int64(10_000_000), s.sandbox.Messages(chatID)[1].Document.Bytes)
}

func TestAGIFGoesByItsAddressOrIsUploadedOrIsItsStill(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"TG_MAX_FILE_MB": "40"})
	s.work()
	last := func() sandbox.Message {
		messages := s.sandbox.Messages(chatID)
		return messages[len(messages)-1]
	}
	s.followed(s.send(chat, withFiles(1, s.document(1, "one.gif", 1000, "still"))))
	require.True(t, last().Animation)
	require.False(t, last().Photo.Uploaded)
	require.Contains(t, last().Caption, "Мурка-1")

	words := s.send(chat, withFiles(2, s.document(2, "two.gif", 25_000_000, "still")))
	require.Equal(t, []string{"text", "upload"}, s.rungs(s.followed(words)), "its words do not wait")
	require.True(t, last().Animation && last().Photo.Uploaded)

	s.sandbox.SetPictureFault("three", sandbox.PictureFault{Status: 500})
	s.followed(s.send(chat, withFiles(3, s.document(3, "three.gif", 1000, "still"))))
	require.False(t, last().Animation)
	require.NotNil(t, last().Photo)
	require.Contains(t, last().Caption, "Анимация")

	s.ended(s.send(chat, withFiles(4, s.document(4, "four.gif", 41_000_000, "still"))))
	require.NotNil(t, last().Photo, "too large: its still, with the words")
	require.Contains(t, last().Caption, "Мурка-4")

	among := withFiles(5, s.document(5, "five.gif", 1000, "still"))
	among.Photos = withPhotos(5, 1).Photos
	s.followed(s.send(chat, among))
	require.Equal(t, "five.gif", last().Document.Name, "among photos it follows as a file")
}
