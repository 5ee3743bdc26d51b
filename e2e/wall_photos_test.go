package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// withAlbum relays to the wall with photos, and a key that may upload them.
var withAlbum = map[string]string{"VK_OUT_ATTACH_MEDIA": "true", "VK_OUT_MEDIA_TOKEN": mediaKey}

// newWallHarness is a relay to a wall that drops photos of others.
func newWallHarness(t *testing.T, settings ...map[string]string) *harness {
	t.Helper()
	s := newHarness(t, append([]map[string]string{toWall, withAlbum}, settings...)...)
	s.dropForeignPhotos()
	return s
}

func (s *harness) dropForeignPhotos() {
	s.t.Helper()
	require.NoError(s.t, s.sandbox.ChangeWall(target, func(w *sandbox.Wall) { w.DropForeignPhotos = true }))
}

// workAndAsk runs a worker and waits until it has found out, at its start,
// whether it may upload; the call is taken out of the record.
func (s *harness) workAndAsk() {
	s.t.Helper()
	s.work()
	s.calls(sandbox.CallFilter{Platform: sandbox.VK, Method: askServer}, 1)
	s.sandbox.ClearCalls()
}

// namesRefused lets the relay know of the wall what it would find out with its
// first post there.
func (s *harness) namesRefused() {
	s.t.Helper()
	_, err := s.pool.Exec(s.ctx, "INSERT INTO relay.destinations (name, names_refused) VALUES ($1, true)", wall)
	require.NoError(s.t, err)
}

const (
	askServer = "photos.getWallUploadServer"
	upload    = "upload"
	savePhoto = "photos.saveWallPhoto"
)

// photoCalls are the calls about photos and posts on the wall, in order.
func (s *harness) photoCalls() []string {
	return methods(s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Match: func(call sandbox.Call) bool {
		switch call.Method {
		case askServer, upload, savePhoto, "wall.post", "wall.edit", "wall.getById":
			return true
		}
		return false
	}}))
}

// times is how many calls of a method there were.
func (s *harness) times(method string) int {
	return len(s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: method}))
}

// onTheWall is the only post on the destination's wall.
func (s *harness) onTheWall() sandbox.Post {
	s.t.Helper()
	posts := s.sandbox.Posts(target)
	require.Len(s.t, posts, 1)
	return posts[0]
}

// repeat is a list over and over again.
func repeat(n int, list ...string) []string {
	var all []string
	for range n {
		all = append(all, list...)
	}
	return all
}

func TestPhotosThatAWallTakesByTheirNamesAreNotUploaded(t *testing.T) {
	s := newHarness(t, toWall, withAlbum)
	s.workAndAsk()
	delivery := s.ended(s.send(wall, withPhotos(1, 3)))
	require.Equal(t, protocol.StatusSent, delivery.Status)
	require.Equal(t, []string{"named"}, s.rungs(delivery))
	require.Equal(t, []string{"wall.post", "wall.getById"}, s.photoCalls(), "posted, and read back")
	post := s.onTheWall()
	require.Len(t, post.Photos, 3)
	require.Equal(t, source, post.Photos[0].OwnerID)
	attachments := s.sandbox.Calls(toVK)[0].Text("attachments")
	require.Regexp(t, `^photo-500000001_\d+_[0-9a-z]+,photo-500000001_\d+_[0-9a-z]+,photo-500000001_\d+_[0-9a-z]+$`, attachments, "with their access keys")
}

func TestAWallThatDropsNamedPhotosGetsThemUploadedAndIsRemembered(t *testing.T) {
	s := newWallHarness(t)
	s.workAndAsk()
	first := s.ended(s.send(wall, withPhotos(1, 3)))
	require.Equal(t, protocol.StatusSent, first.Status)
	var want []string
	want = append(want, "wall.post", "wall.getById")
	want = append(want, repeat(3, askServer, upload, savePhoto)...)
	want = append(want, "wall.edit")
	s.until("the post is edited", func() bool { return s.times("wall.edit") == 1 })
	require.Equal(t, want, s.photoCalls())
	post := s.onTheWall()
	require.Len(t, post.Photos, 3, "the post has its photos after all")
	for _, photo := range post.Photos {
		require.Equal(t, target, photo.OwnerID)
	}
	require.Contains(t, post.Text, "Мурка-1")
	require.True(t, s.logs.holds("the wall dropped photos that were named"))

	other := setHarnessBeside(t, s)
	s.sandbox.ClearCalls()
	other.workAndAsk()
	second := s.ended(s.send(wall, withPhotos(2, 2)))
	require.Equal(t, []string{"upload"}, s.rungs(second), "whoever sends the next one does not name photos")
	require.Equal(t, append(repeat(2, askServer, upload, savePhoto), "wall.post"), s.photoCalls(), "and need not read it back")
	require.Len(t, s.sandbox.Posts(target)[1].Photos, 2)
}

func TestOnePhotoThatVanishesSaysNothingAboutItsWall(t *testing.T) {
	s := newHarness(t, toWall, map[string]string{"VK_OUT_ATTACH_MEDIA": "true"})
	s.work()
	post := withPhotos(1, 1)
	post.Attachments = []json.RawMessage{json.RawMessage(`{"type":"photo","photo":{"owner_id":71,"id":900100,"sizes":[{"type":"x","url":"https://photos.example/private.jpg","width":604,"height":453}]}}`)}
	first := s.ended(s.send(wall, post))
	require.Equal(t, []string{"named"}, s.rungs(first))
	s.until("it is read back", func() bool { return s.logs.holds("the wall dropped photos that were named") })
	second := s.ended(s.send(wall, withPhotos(2, 2)))
	require.Equal(t, []string{"named"}, s.rungs(second))
	require.Len(t, s.sandbox.Posts(target)[1].Photos, 2)
}

func TestEachStepOfAnUploadHasItsOwnTroubles(t *testing.T) {
	t.Parallel()
	fault := func(method string, times int, fault sandbox.Fault) sandbox.Fault {
		fault.Platform, fault.Method, fault.Times = sandbox.VK, method, times
		return fault
	}
	once := func(method string, code int) sandbox.Fault { return fault(method, 1, sandbox.Fault{Code: code}) }
	always := func(method string, code int) sandbox.Fault { return fault(method, 0, sandbox.Fault{Code: code}) }
	body := func(text string) sandbox.Fault {
		return fault(upload, 1, sandbox.Fault{Body: text, ContentType: "application/json"})
	}
	const photos = 3
	for _, row := range []struct {
		name  string
		fault sandbox.Fault
		rung  string
		shown int
		// calls of each step beyond one for each photo that is shown
		servers, uploads, saves int
	}{
		// photos.getWallUploadServer: troubles that pass.
		{"server, 6", once(askServer, 6), "upload", 3, 1, 0, 0},
		{"server, 1", once(askServer, 1), "upload", 3, 1, 0, 0},
		{"server, 10", once(askServer, 10), "upload", 3, 1, 0, 0},
		{"server, 502", fault(askServer, 1, sandbox.Fault{Status: 502}), "upload", 3, 1, 0, 0},
		{"server, no answer", fault(askServer, 1, sandbox.Fault{Hang: true}), "upload", 3, 1, 0, 0},
		{"server, an empty answer", fault(askServer, 1, sandbox.Fault{Body: `{"response":{}}`, ContentType: "application/json"}), "upload", 3, 1, 0, 0},
		// Troubles that hold for every photo: it is asked once, and the text goes.
		{"server, 5: the key is wrong", always(askServer, 5), "text: key_invalid", 0, 1, 0, 0},
		{"server, 7: the right is missing", always(askServer, 7), "text: permission_denied", 0, 1, 0, 0},
		{"server, 15: not in this community", always(askServer, 15), "text: access_denied", 0, 1, 0, 0},
		{"server, 27: a community's key", always(askServer, 27), "text: community_key_not_allowed", 0, 1, 0, 0},
		{"server, 1051: a key of VK ID", always(askServer, 1051), "text: vk_id_key_not_allowed", 0, 1, 0, 0},
		{"server, 17: a person must validate", always(askServer, 17), "text: validation_required", 0, 1, 0, 0},
		{"server, 14: captcha", always(askServer, 14), "text: captcha", 0, 1, 0, 0},
		{"server, 9: flood control", always(askServer, 9), "text: flood_control", 0, 1, 0, 0},
		{"server, 29: quota", always(askServer, 29), "text: method_quota", 0, 1, 0, 0},
		{"server, 125", always(askServer, 125), "text: invalid_group_id", 0, 1, 0, 0},
		// The upload host: whatever it is, a new address mends it.
		{"upload, refused", fault(upload, 1, sandbox.Fault{Description: "ERR_UPLOAD_BAD_IMAGE"}), "upload", 3, 1, 1, 0},
		{"upload, photo: []", body(`{"server":1,"photo":"[]","hash":"x"}`), "upload", 3, 1, 1, 0},
		{"upload, an empty photo", body(`{"server":1,"photo":"","hash":"x"}`), "upload", 3, 1, 1, 0},
		{"upload, no hash", body(`{"server":1,"photo":"[{}]","hash":""}`), "upload", 3, 1, 1, 0},
		{"upload, an empty body", body(" "), "upload", 3, 1, 1, 0},
		{"upload, Security Breach", fault(upload, 1, sandbox.Fault{Body: "Security Breach2"}), "upload", 3, 1, 1, 0},
		{"upload, 502", fault(upload, 1, sandbox.Fault{Status: 502}), "upload", 3, 1, 1, 0},
		{"upload, no answer", fault(upload, 1, sandbox.Fault{Hang: true}), "upload", 3, 1, 1, 0},
		{"upload, a reset", fault(upload, 1, sandbox.Fault{Reset: true}), "upload", 3, 1, 1, 0},
		{"upload, taken but never said", fault(upload, 1, sandbox.Fault{AcceptThenFail: true, Reset: true}), "upload", 3, 1, 1, 0},
		{"upload, one photo in vain: the others go", fault(upload, 4, sandbox.Fault{Status: 502}), "upload 2/3: upload_host", 2, 4, 4, 0},
		// photos.saveWallPhoto: these begin again at the server.
		{"save, 22", once(savePhoto, 22), "upload", 3, 1, 1, 1},
		{"save, 105", once(savePhoto, 105), "upload", 3, 1, 1, 1},
		{"save, 114", once(savePhoto, 114), "upload", 3, 1, 1, 1},
		{"save, 118", once(savePhoto, 118), "upload", 3, 1, 1, 1},
		{"save, 121", once(savePhoto, 121), "upload", 3, 1, 1, 1},
		{"save, 1", once(savePhoto, 1), "upload", 3, 1, 1, 1},
		{"save, no answer", fault(savePhoto, 1, sandbox.Fault{Hang: true, AcceptThenFail: true}), "upload", 3, 1, 1, 1},
		{"save, an empty list", fault(savePhoto, 1, sandbox.Fault{Body: `{"response":[]}`, ContentType: "application/json"}), "upload", 3, 1, 1, 1},
		{"save, 6: only that step is repeated", once(savePhoto, 6), "upload", 3, 0, 0, 1},
		// These are about the photo.
		{"save, 122", once(savePhoto, 122), "upload 2/3: invalid_photos", 2, 1, 1, 1},
		{"save, 129", once(savePhoto, 129), "upload 2/3: invalid_photo", 2, 1, 1, 1},
		{"save, 300: the album is full", once(savePhoto, 300), "upload 2/3: album_full", 2, 1, 1, 1},
		{"save, 100: a bad photo", fault(savePhoto, 1, sandbox.Fault{Code: 100, Description: "One of the parameters specified was missing or invalid: photo is undefined"}), "upload 2/3: bad_attachment", 2, 1, 1, 1},
		{"save, 129 always: the text goes", always(savePhoto, 129), "text: invalid_photo", 0, 3, 3, 3},
		{"save, 27 after all", always(savePhoto, 27), "text: community_key_not_allowed", 0, 1, 1, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newWallHarness(t, map[string]string{"VK_OUT_HTTP_TIMEOUT": "1s"})
			s.namesRefused()
			s.workAndAsk()
			s.fault(row.fault)
			delivery := s.ended(s.send(wall, withPhotos(1, photos)))
			require.Equal(t, protocol.StatusSent, delivery.Status)
			require.Equal(t, []string{row.rung}, s.rungs(delivery), "how the photos went is on record")
			require.Equal(t, row.shown+row.servers, s.times(askServer), "asked for an address")
			require.Equal(t, row.shown+row.uploads, s.times(upload), "uploaded")
			require.Equal(t, row.shown+row.saves, s.times(savePhoto), "saved")
			for _, call := range s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: upload}) {
				require.NotContains(t, call.Answer, "ERR_UPLOAD_TOKEN_EXPIRED", "no address is used twice")
			}
			post := s.onTheWall()
			require.Len(t, post.Photos, row.shown)
			require.Contains(t, post.Text, "Мурка-1")
			if row.shown < photos {
				require.Contains(t, post.Text, "фото", "readers are told where the others are")
			} else {
				require.NotContains(t, post.Text, "фото")
			}
		})
	}
}

func TestAPhotoThatIsNoneCostsAWallPostNothingButItself(t *testing.T) {
	s := newWallHarness(t)
	s.namesRefused()
	s.sandbox.SetPictureFault("photo-1", sandbox.PictureFault{As: "html"})
	s.workAndAsk()
	delivery := s.ended(s.send(wall, withPhotos(1, 3)))
	require.Equal(t, []string{"upload 2/3: photo_not_picture"}, s.rungs(delivery))
	require.Len(t, s.onTheWall().Photos, 2)
}

func TestLinksThatHaveDiedAreReadAgainForTheWallToo(t *testing.T) {
	s := newWallHarness(t)
	s.namesRefused()
	s.workAndAsk()
	s.pauseLane(wall, "", "")
	delivery := s.send(wall, withPhotos(1, 2))
	s.sandbox.ExpirePhotoLinks()
	s.openLane(wall)
	require.Equal(t, []string{"upload"}, s.rungs(s.ended(delivery)))
	require.Len(t, s.onTheWall().Photos, 2)
	require.Equal(t, 1, s.times("wall.getById"))
}

func TestNoMorePhotosAreUploadedThanTheWallIsToShow(t *testing.T) {
	s := newWallHarness(t, map[string]string{"VK_OUT_MAX_MEDIA": "2"})
	s.namesRefused()
	s.workAndAsk()
	delivery := s.ended(s.send(wall, withPhotos(1, 5)))
	require.Equal(t, []string{"upload"}, s.rungs(delivery))
	require.Equal(t, append(repeat(2, askServer, upload, savePhoto), "wall.post"), s.photoCalls())
	post := s.onTheWall()
	require.Len(t, post.Photos, 2)
	require.Contains(t, post.Text, "3 фото")
}

func TestAnUploadThatStoppedBetweenPhotosGoesOnWithTheNext(t *testing.T) {
	t.Parallel()
	t.Run("its worker was killed", func(t *testing.T) {
		s := newWallHarness(t, map[string]string{"VK_OUT_HTTP_TIMEOUT": "15s"})
		s.namesRefused()
		worker := s.spawn()
		s.calls(sandbox.CallFilter{Platform: sandbox.VK, Method: askServer}, 1)
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: upload, After: 2, Times: 1, Hang: true})
		delivery := s.send(wall, withPhotos(1, 4))
		s.arrived(sandbox.CallFilter{Platform: sandbox.VK, Method: upload}, 3)
		worker.kill()
		s.spawn()
		delivery = s.ended(delivery)
		require.Equal(t, protocol.StatusSent, delivery.Status)
		require.Zero(t, delivery.Uncertain, "nothing was posted yet")
		require.Len(t, s.onTheWall().Photos, 4)
		require.Equal(t, 2+5, s.times(askServer), "once at the start of each worker, once for each photo, once more for the third")
		require.Equal(t, 4, s.times(savePhoto), "the first two were not uploaded again")
	})
	t.Run("the post waited for a person", func(t *testing.T) {
		s := newWallHarness(t)
		s.namesRefused()
		s.workAndAsk()
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 1, Code: 14})
		delivery := s.waits(s.send(wall, withPhotos(1, 3)))
		_, err := s.starter.Resume(s.ctx, delivery.ID, protocol.Resume{Action: protocol.ResumeCaptcha, CaptchaKey: "зл7к"})
		require.NoError(t, err)
		delivery = s.ended(delivery)
		require.Equal(t, []string{"upload", "upload"}, s.rungs(delivery))
		require.Len(t, s.onTheWall().Photos, 3)
		require.Equal(t, 3, s.times(savePhoto))
	})
	t.Run("one photo had failed: the retry takes it up again", func(t *testing.T) {
		s := newWallHarness(t)
		s.namesRefused()
		s.workAndAsk()
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: savePhoto, Times: 1, Code: 129})
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 1, Code: 10})
		delivery := s.ended(s.send(wall, withPhotos(1, 3)))
		require.Equal(t, []string{"upload 2/3: invalid_photo", "upload"}, s.rungs(delivery))
		require.Len(t, s.onTheWall().Photos, 3)
		require.Equal(t, 4, s.times(savePhoto))
	})
}

func TestAMediaKeyThatWasToldToStopIsLeftAloneByTheNextPostsToo(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int{"captcha": 14, "flood_control": 9, "method_quota": 29} {
		t.Run(name, func(t *testing.T) {
			s := newWallHarness(t)
			s.namesRefused()
			s.workAndAsk()
			s.fault(sandbox.Fault{Platform: sandbox.VK, Method: askServer, Times: 1, Code: code})
			for number := 1; number <= 3; number++ {
				delivery := s.ended(s.send(wall, withPhotos(number, 2)))
				require.Equal(t, protocol.StatusSent, delivery.Status)
				require.Equal(t, []string{"text: " + name}, s.rungs(delivery))
			}
			require.Equal(t, 1, s.times(askServer))
			require.Equal(t, protocol.LaneOpen, s.lane(wall).State, "posts go on without photos")
		})
	}
}

func TestWithoutAKeyThatMayUploadThePostGoesAsText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, key, rung string
	}{
		{"no key at all", "", "text: no_media_key"},
		{"a community's key", writeKey, "text: community_key_not_allowed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newWallHarness(t, map[string]string{"VK_OUT_MEDIA_TOKEN": row.key})
			s.work()
			s.until("the notice at the start", func() bool { return s.logs.holds("VK_OUT_MEDIA_TOKEN") })
			first := s.ended(s.send(wall, withPhotos(1, 2)))
			require.Equal(t, protocol.StatusSent, first.Status)
			require.Equal(t, []string{"named"}, s.rungs(first))
			second := s.ended(s.send(wall, withPhotos(2, 2)))
			require.Equal(t, protocol.StatusSent, second.Status)
			require.Equal(t, []string{row.rung}, s.rungs(second))
			posts := s.sandbox.Posts(target)
			require.Len(t, posts, 2)
			require.Empty(t, posts[1].Photos)
			require.Contains(t, posts[1].Text, "2 фото", "readers are told where the photos are")
			require.Equal(t, protocol.LaneOpen, s.lane(wall).State)
		})
	}
}

func TestASourceThatVKRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	t.Run("the copyright mark names the source", func(t *testing.T) {
		s := newHarness(t, toWall)
		s.work()
		delivery := s.ended(s.send(wall, lost(1)))
		require.Equal(t, fmt.Sprintf("https://vk.com/wall%d_%d", delivery.OwnerID, delivery.PostID), s.onTheWall().Copyright)
	})
	t.Run("3102 drops it and nothing else", func(t *testing.T) {
		s := newHarness(t, toWall, withAlbum)
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 1, Code: 3102})
		delivery := s.ended(s.send(wall, withPhotos(1, 2)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		post := s.onTheWall()
		require.Empty(t, post.Copyright)
		require.Contains(t, post.Text, "https://vk.com/wall-500000001_")
		require.Len(t, post.Photos, 2)
	})
	t.Run("3102 without a mark fails with its text", func(t *testing.T) {
		s := newHarness(t, toWall)
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 2, Code: 3102})
		delivery := s.ended(s.send(wall, lost(1)))
		require.Equal(t, protocol.StatusFailed, delivery.Status)
		require.Contains(t, delivery.Reason, "3102")
	})
	t.Run("222 strips the links and keeps the words and photos", func(t *testing.T) {
		s := newHarness(t, toWall, withAlbum)
		require.NoError(t, s.sandbox.ChangeWall(target, func(w *sandbox.Wall) { w.LinksForbidden = true }))
		s.work()
		post := withPhotos(1, 2)
		post.Text += " Больше снимков: https://pets.example/murka"
		delivery := s.ended(s.send(wall, post))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		shown := s.onTheWall()
		require.NotContains(t, shown.Text, "http")
		require.NotContains(t, shown.Text, "pets.example")
		require.Contains(t, shown.Text, "Мурка-1")
		require.Contains(t, shown.Text, fmt.Sprintf("wall%d_%d", delivery.OwnerID, delivery.PostID), "the source is still named")
		require.Len(t, shown.Photos, 2)
	})
	t.Run("222 without links waits for a person", func(t *testing.T) {
		s := newHarness(t, toWall)
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 2, Code: 222})
		delivery := s.waits(s.send(wall, lost(1)))
		require.Equal(t, protocol.StatusParked, delivery.Status)
		require.Equal(t, "links_forbidden", delivery.Reason)
		require.Equal(t, protocol.LanePaused, s.lane(wall).State)
	})
	t.Run("a link without a picture (100) is taken for the mark's", func(t *testing.T) {
		s := newHarness(t, toWall)
		s.work()
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Times: 1, Code: 100, Description: "One of the parameters specified was missing or invalid: link_photo_sizing_rule"})
		delivery := s.ended(s.send(wall, lost(1)))
		require.Equal(t, protocol.StatusSent, delivery.Status)
		require.Empty(t, s.onTheWall().Copyright)
	})
}

func TestAttachmentsThatVKRefusesAreUploadedAndThenLeftOut(t *testing.T) {
	refused := sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Code: 100, Description: "One of the parameters specified was missing or invalid: attachments is invalid"}
	for _, row := range []struct {
		times  int
		rungs  []string
		status string
		shown  int
	}{
		{1, []string{"named", "upload"}, protocol.StatusSent, 2},
		{2, []string{"named", "upload", "text: bad_attachment"}, protocol.StatusSent, 0},
		{9, []string{"named", "upload", "text: bad_attachment", "text: bad_attachment"}, protocol.StatusFailed, 0},
	} {
		t.Run(fmt.Sprint(row.times), func(t *testing.T) {
			s := newHarness(t, toWall, withAlbum)
			s.workAndAsk()
			fault := refused
			fault.Times = row.times
			s.fault(fault)
			delivery := s.ended(s.send(wall, withPhotos(1, 2)))
			require.Equal(t, row.status, delivery.Status, "and never in between")
			require.Equal(t, row.rungs, s.rungs(delivery))
			if row.status == protocol.StatusSent {
				require.Len(t, s.onTheWall().Photos, row.shown)
			}
		})
	}
}

func TestAVKWallThatIsToBeSilentDoesNotNotifyItsSubscribers(t *testing.T) {
	s := newHarness(t, toWall, routesFile(t, "destinations: [{id: '"+wall+"', silent: true}]\nrules: [{name: lost, types: [lost], to: ['"+wall+"']}]\n"))
	s.work()
	s.ended(s.send(wall, lost(1)))
	require.Equal(t, "1", s.sandbox.Calls(toVK)[0].Text("mute_notifications"))
}

func TestAPostIsAsLongAsTheWallTakesIt(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]map[string]string{
		"VK_OUT_MAX_TEXT":         {"VK_OUT_MAX_TEXT": "700"},
		"max_text in ROUTES_FILE": routesFile(t, "destinations: [{id: '"+wall+"', max_text: 700}]\nrules: [{name: lost, types: [lost], to: ['"+wall+"']}]\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toWall, settings)
			require.NoError(t, s.sandbox.ChangeWall(target, func(w *sandbox.Wall) { w.TextLimit = 700 }))
			s.work()
			delivery := s.ended(s.send(wall, story()))
			require.Equal(t, protocol.StatusSent, delivery.Status)
			text := s.onTheWall().Text
			require.Greater(t, len([]rune(text)), 500)
			require.Contains(t, text, "Мурка-1")
			require.Contains(t, text, "…")
			require.Contains(t, text, fmt.Sprintf("https://vk.com/wall%d_%d", delivery.OwnerID, delivery.PostID), "the source is never cut")
		})
	}
}
