package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// another is a photo that no post has had so far.
func another(drawing string) sandbox.WallPhoto {
	return sandbox.WallPhoto{Drawing: drawing, Width: 480, Height: 360}
}

var mediaEdits = sandbox.CallFilter{Platform: sandbox.Telegram, Method: "editMessageMedia"}

// illustrated sends a post with photos and returns its delivery and messages.
func (s *harness) illustrated(photos int) (db.DeliveryRow, []sandbox.Message) {
	s.t.Helper()
	post := withPhotos(1, photos)
	post.Text = rexIsLost
	d := s.ended(s.send(chat, post))
	require.Equal(s.t, protocol.StatusSent, d.Status)
	messages := s.sandbox.Messages(chatID)
	require.Len(s.t, messages, photos)
	return d, messages
}

func TestAPhotoThatTheAuthorExchangesIsExchangedInItsMessage(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first, before := s.illustrated(1)
	s.edit(first, func(post *sandbox.Post) {
		post.Text += " Он боится людей."
		post.Photos = []sandbox.WallPhoto{another("collar")}
	})
	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
	after := s.sandbox.Messages(chatID)
	require.Len(t, after, 1)
	require.NotEqual(t, before[0].Photo.FileID, after[0].Photo.FileID)
	require.Contains(t, after[0].Caption, "боится людей")

	s.edit(first, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
	s.edited(first, 2)
	last := s.sandbox.Messages(chatID)[0]
	require.Equal(t, after[0].Photo.FileID, last.Photo.FileID)
	require.Contains(t, last.Caption, "Вознаграждение!")
	require.Len(t, s.sandbox.Calls(mediaEdits), 1, "words alone leave the photo alone")
}

func TestOnlyThePhotoOfAnAlbumThatIsGoneIsExchanged(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first, before := s.illustrated(3)
	s.edit(first, func(post *sandbox.Post) {
		post.Photos = []sandbox.WallPhoto{post.Photos[2], post.Photos[0], another("collar"), another("leash")}
	})
	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
	after := s.sandbox.Messages(chatID)
	require.Len(t, after, 3)
	require.Equal(t, before[0].Photo.FileID, after[0].Photo.FileID)
	require.NotEqual(t, before[1].Photo.FileID, after[1].Photo.FileID)
	require.Equal(t, before[2].Photo.FileID, after[2].Photo.FileID)
	require.Contains(t, after[0].Caption, "Рекс")
	require.Contains(t, after[0].Caption, "Ещё 1 фото в оригинале", "the one for which there is no message is counted")
	require.Len(t, s.sandbox.Calls(mediaEdits), 1)
}

func TestAPhotoThatIsTakenAwayWithoutAnotherStaysWhereItWasSent(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first, before := s.illustrated(2)
	s.edit(first, func(post *sandbox.Post) { post.Photos = post.Photos[:1] })
	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
	after := s.sandbox.Messages(chatID)
	require.Equal(t, before[1].Photo.FileID, after[1].Photo.FileID)
	require.Empty(t, s.sandbox.Calls(mediaEdits))
}

func TestAPhotoThatTelegramWillNotGetIsUploadedAndAtWorstTheOldOneStays(t *testing.T) {
	for name, row := range map[string]struct {
		refused   int
		exchanged bool
	}{
		"its URL is refused":        {1, true},
		"its bytes are refused too": {2, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			first, before := s.illustrated(1)
			s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "editMessageMedia", Times: row.refused, Code: 400, Description: fetchFailed})
			s.edit(first, func(post *sandbox.Post) {
				post.Text += " Он боится людей."
				post.Photos = []sandbox.WallPhoto{another("collar")}
			})
			require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
			after := s.sandbox.Messages(chatID)[0]
			require.Equal(t, row.exchanged, before[0].Photo.FileID != after.Photo.FileID)
			require.Equal(t, row.exchanged, after.Photo.Uploaded)
			require.Contains(t, after.Caption, "боится людей", "the words are edited all the same")
		})
	}
}

func TestAnEditedPostGetsItsNewPhotoOnAWallThatWantsPhotosUploaded(t *testing.T) {
	s := newHarness(t, merged(toWall, map[string]string{"VK_OUT_MEDIA_TOKEN": mediaKey, "VK_OUT_ATTACH_MEDIA": "true"}))
	_, err := s.pool.Exec(s.ctx, "INSERT INTO relay.destinations (name, names_refused) VALUES ($1, true)", wall)
	require.NoError(t, err)
	s.work()
	post := withPhotos(1, 2)
	post.Text = rexIsLost
	first := s.ended(s.send(wall, post))
	before := s.sandbox.Posts(target)[0].Photos
	require.Len(t, before, 2)
	s.edit(first, func(post *sandbox.Post) { post.Photos[0] = another("collar") })
	require.Equal(t, protocol.EditDone, s.edited(first, 1).Status)
	after := s.sandbox.Posts(target)[0].Photos
	require.Len(t, after, 2)
	require.NotEqual(t, before[0].ID, after[0].ID, "not the one that was uploaded for the first place before")
	require.Equal(t, before[1].ID, after[1].ID)
}

func TestThePhotoOfASearchIsKnownAgainOnAnotherWallUnderOtherWords(t *testing.T) {
	const otherWall = int64(-500000004)
	s := newHarness(t, toChat, map[string]string{"VK_WALLS": sourceRef + ",e2e_other_pets"})
	require.NoError(t, s.sandbox.AddWall(sandbox.Wall{OwnerID: otherWall, ScreenName: "e2e_other_pets", Name: "Ищем друзей"}))
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost, Photos: []sandbox.WallPhoto{{Drawing: "dog-rex", Width: 1280, Height: 960}}}))
	require.Equal(t, protocol.StatusSent, first.Status)

	again, err := s.sandbox.AddPost(otherWall, sandbox.Post{
		Date: time.Now(), Text: "Пропала собака! Сорвалась с поводка и убежала, помогите найти, очень ждём дома. " + privateWords,
		Photos: []sandbox.WallPhoto{another("flyer"), {Drawing: "dog-rex", Width: 640, Height: 480}},
	})
	require.NoError(t, err)
	s.scan()
	rows := s.deliveries(chat)
	require.Len(t, rows, 2)
	second := rows[slices.IndexFunc(rows, func(row db.DeliveryRow) bool { return row.OwnerID == otherWall })]
	require.Equal(t, protocol.StatusSuppressed, second.Status)
	require.Equal(t, first.ID, *second.DuplicateOf)
	stored, err := s.starter.Posts.Get(s.ctx, otherWall, again.ID)
	require.NoError(t, err)
	require.Equal(t, *first.Case, stored.CaseID)
	require.Contains(t, stored.CaseReason, "same photo, dog")
	require.Len(t, s.sandbox.Messages(chatID), 1)
}

func TestABannerUnderTenPostsJoinsNothing(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	var posts []sandbox.Post
	for number := range 10 {
		post := lost(number + 1)
		post.Photos = []sandbox.WallPhoto{another("banner")}
		posts = append(posts, post)
	}
	s.publish(posts...)
	s.scan()
	for _, row := range s.deliveries(chat) {
		require.NotEqual(t, protocol.StatusSuppressed, row.Status, row.Reason)
	}
	require.Len(t, s.deliveries(chat), 10)
}

func TestAReadingDoesNotWaitForPhotosThatDoNotCome(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.sandbox.SetPictureFault("hanging", sandbox.PictureFault{DelayMS: int(time.Hour / time.Millisecond)})
	post := lost(1)
	post.Photos = []sandbox.WallPhoto{another("hanging")}
	s.publish(post)
	require.Equal(t, 1, wallOf(t, s.scan()).Owed)
	stored, err := s.starter.Posts.Get(s.ctx, source, s.sandbox.Posts(source)[0].ID)
	require.NoError(t, err)
	require.Empty(t, stored.Fingerprint.Photos)
}
