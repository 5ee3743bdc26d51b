package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/SevereCloud/vksdk/v2/api"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

func TestTheVKLibraryReadsAWallNewestFirstWithThePinnedPostAtTheTop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 5 {
		_, err := b.AddPost(ownWall, sandbox.Post{Text: fmt.Sprint("пост ", i), Date: b.clock.now().Add(time.Duration(i) * time.Hour), Pinned: i == 1,
			Photos: []sandbox.WallPhoto{{Drawing: "cat-1"}}})
		require.NoError(t, err)
	}
	got, err := b.vk("service-key").WallGet(api.Params{"owner_id": ownWall, "count": 3})
	require.NoError(t, err)
	require.Equal(t, 5, got.Count)
	require.Len(t, got.Items, 3)
	require.Equal(t, []string{"пост 1", "пост 4", "пост 3"}, []string{got.Items[0].Text, got.Items[1].Text, got.Items[2].Text})
	require.True(t, bool(got.Items[0].IsPinned))
	require.False(t, bool(got.Items[1].IsPinned))
	photo := got.Items[0].Attachments[0].Photo
	require.NotEmpty(t, photo.AccessKey)
	require.NotEmpty(t, download(t, photo.MaxSize().URL))

	second, err := b.vk("service-key").WallGet(api.Params{"owner_id": ownWall, "count": 3, "offset": 3})
	require.NoError(t, err)
	require.Equal(t, []string{"пост 2", "пост 0"}, []string{second.Items[0].Text, second.Items[1].Text})
}

func TestTheVKLibraryResolvesReadsAndPosts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	client := b.vk("community-key")
	found, err := client.UtilsResolveScreenName(api.Params{"screen_name": "test_wall"})
	require.NoError(t, err)
	require.Equal(t, -int(ownWall), found.ObjectID)
	require.Equal(t, "group", found.Type)
	nobody, err := client.UtilsResolveScreenName(api.Params{"screen_name": "nobody"})
	require.NoError(t, err)
	require.Zero(t, nobody.ObjectID)
	posted, err := client.WallPost(api.Params{"owner_id": ownWall, "from_group": 1, "message": "Пропал кот", "guid": "g1"})
	require.NoError(t, err)
	read, err := b.vk("service-key").Request("wall.getById", api.Params{"posts": fmt.Sprintf("%d_%d", ownWall, posted.PostID)})
	require.NoError(t, err)
	require.Contains(t, string(read), "Пропал кот")
	require.Equal(t, ownWall, b.Posts(ownWall)[0].FromID)
}

func TestVKRefusesWhatVKRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for owner, state := range map[int64]sandbox.WallState{-81: sandbox.ClosedWall, -82: sandbox.BannedWall, -83: sandbox.DeletedWall} {
		require.NoError(t, b.AddWall(sandbox.Wall{OwnerID: owner, State: state}))
	}
	require.NoError(t, b.AddWall(sandbox.Wall{OwnerID: -84, Name: "Чужая"}))
	require.NoError(t, b.AddVKToken(sandbox.VKToken{Name: "service", Value: "service-key", Kind: sandbox.ServiceToken, PerSecond: -1}))
	for _, row := range []struct {
		token, method, params string
		code                  int
		want                  string
	}{
		{"", "wall.get", "owner_id=-77", 15, "no access_token"},
		{"nonsense-key", "wall.get", "owner_id=-77", 5, "invalid access_token"},
		{"service-key", "wall.getAll", "", 3, "Unknown method passed"},
		{"service-key", "wall.get", "owner_id=-77&v=", 8, "v (version) is required"},
		{"community-key", "wall.get", "owner_id=-77", 27, "unavailable with group auth"},
		{"community-key", "photos.getWallUploadServer", "group_id=77", 27, "unavailable with group auth"},
		{"service-key", "wall.post", "owner_id=-77&message=a", 28, "unavailable with service token"},
		{"service-key", "photos.getWallUploadServer", "group_id=77", 28, "unavailable with service token"},
		{"mute-key", "wall.post", "owner_id=-77&message=a", 15, "no access to call this method"},
		{"service-key", "wall.get", "owner_id=-81", 15, "only for community members"},
		{"service-key", "wall.get", "owner_id=-82", 19, "Content blocked"},
		{"service-key", "wall.get", "owner_id=-83", 15, "deleted"},
		{"service-key", "wall.get", "owner_id=-9999", 100, "no such wall"},
		{"service-key", "wall.get", "owner_id=9999", 113, "Invalid user id"},
		{"service-key", "wall.get", "", 100, "owner_id is undefined"},
		{"service-key", "wall.get", "owner_id=abc", 100, "can't parse owner_id"},
		{"service-key", "wall.get", "owner_id=-77&count=101", 100, "count should be between 0 and 100"},
		{"service-key", "wall.get", "owner_id=-77&offset=-1", 100, "offset should be positive"},
		{"service-key", "wall.get", "owner_id=-77&cuont=5", 100, `sandbox: unknown parameter "cuont"`},
		{"service-key", "wall.getById", "", 100, "posts is undefined"},
		{"service-key", "wall.getById", "posts=abc", 100, "posts is invalid"},
		{"community-key", "wall.post", "owner_id=-77", 100, "message is undefined"},
		{"community-key", "wall.post", "owner_id=-84&message=a", 214, "can't add posts on this wall"},
		{"user-key", "wall.post", "owner_id=-81&message=a", 214, "wall is closed"},
		{"user-key", "wall.post", "owner_id=-82&message=a", 15, "blocked or deleted"},
		{"user-key", "wall.post", "owner_id=-77&message=" + strings.Repeat("a", 16385), 100, "message is too long"},
		{"user-key", "wall.post", "owner_id=-77&attachments=photo-1", 100, "invalid attachment"},
		{"user-key", "wall.post", "owner_id=-77&message=a&attachments=https://a.ru", 100, "link_photo_sizing_rule"},
		{"user-key", "wall.post", "owner_id=-77&attachments=https://vk.com/a,https://vk.com/b", 100, "more than one link"},
		{"user-key", "wall.post", "owner_id=-77&attachments=photo-1_2", 100, "message is undefined"},
		{"user-key", "wall.post", "owner_id=-77&message=a&copyright=https://vk.com/wall-77_999", 3102, "can't find source"},
		{"user-key", "wall.edit", "owner_id=-77&post_id=999&message=a", 100, "not found"},
		{"community-key", "wall.edit", "owner_id=-77&post_id=1&message=a", 27, "group auth"},
		{"user-key", "photos.getWallUploadServer", "group_id=84", 15, "Access denied"},
		{"user-key", "photos.getWallUploadServer", "group_id=9999", 125, "Invalid group id"},
		{"user-key", "photos.saveWallPhoto", "photo=[1]&server=1&hash=x", 121, "Invalid hash"},
		{"user-key", "photos.saveWallPhoto", "photo=[]&server=1&hash=x", 100, "photo is undefined"},
	} {
		answer := b.ask(row.token, row.method, row.params)
		require.NotNil(t, answer.Error, row)
		require.Equal(t, row.code, answer.Error.Code, "%v: %s", row, answer.Error.Message)
		require.Contains(t, answer.Error.Message, row.want, row.params[:min(len(row.params), 80)])
	}
	require.Empty(t, b.Posts(ownWall))
}

func TestRequestParamsRepeatEverythingButTheToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answer := b.ask("", "wall.get", "owner_id=-77&access_token=service-key&count=500")
	require.Equal(t, 100, answer.Error.Code)
	require.Equal(t, []map[string]string{{"key": "count", "value": "500"}, {"key": "owner_id", "value": "-77"}, {"key": "v", "value": "5.199"}}, answer.Error.Params)
	require.NotContains(t, b.Calls(sandbox.CallFilter{})[0].Params, "access_token")
	require.Equal(t, "service", b.Calls(sandbox.CallFilter{})[0].Key)
}

func TestAGuidPostsOnceAnHour(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.vkPosted("community-key", "owner_id=-77&message=a&guid=x")
	b.clock.advance(59 * time.Minute)
	require.Equal(t, first, b.vkPosted("community-key", "owner_id=-77&message=b&guid=x"), "the same guid within the hour")
	require.NotEqual(t, first, b.vkPosted("community-key", "owner_id=-77&message=b&guid=y"), "another guid")
	require.NotEqual(t, first, b.vkPosted("user-key", "owner_id=-77&message=b&guid=x"), "another token")
	b.clock.advance(2 * time.Minute)
	require.NotEqual(t, first, b.vkPosted("community-key", "owner_id=-77&message=a&guid=x"), "after the hour")
	require.Len(t, b.Posts(ownWall), 4)
}

func TestAcceptThenFailWithAGuidIsSafeToRepeat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", AcceptThenFail: true, Code: 10, Times: 1})
	require.Equal(t, 10, b.ask("community-key", "wall.post", "owner_id=-77&message=a&guid=x").Error.Code)
	require.Equal(t, b.Posts(ownWall)[0].ID, b.vkPosted("community-key", "owner_id=-77&message=a&guid=x"))
	require.Len(t, b.Posts(ownWall), 1)
}

func TestFromGroupDecidesWhoSpeaks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.vkPosted("user-key", "owner_id=-77&message=person")
	b.vkPosted("user-key", "owner_id=-77&message=group&from_group=1")
	b.vkPosted("community-key", "owner_id=-77&message=community")
	posts := b.Posts(ownWall)
	require.Equal(t, []int64{501, ownWall, ownWall}, []int64{posts[0].FromID, posts[1].FromID, posts[2].FromID})
}

func TestRatesOfTokensFollowTheirKind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	burst := func(token, method, params string, n int) (passed int) {
		for range n {
			if b.ask(token, method, params).Error == nil {
				passed++
			}
		}
		return passed
	}
	require.Equal(t, 3, burst("service-key", "utils.resolveScreenName", "screen_name=x", 10))
	require.Equal(t, 20, burst("community-key", "utils.resolveScreenName", "screen_name=x", 30))
	require.Equal(t, 6, b.ask("service-key", "utils.resolveScreenName", "screen_name=x").Error.Code)
	b.clock.advance(time.Second)
	require.Equal(t, 3, burst("service-key", "utils.resolveScreenName", "screen_name=x", 10))
	require.Equal(t, 30, burst("user-key", "utils.resolveScreenName", "screen_name=x", 30), "a token without limit")
}

func TestWallGetHasADailyQuota(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.AddVKToken(sandbox.VKToken{Name: "service", Value: "service-key", Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: 5}))
	for range 5 {
		require.Nil(t, b.ask("service-key", "wall.get", "owner_id=-77").Error)
	}
	require.Equal(t, 29, b.ask("service-key", "wall.get", "owner_id=-77").Error.Code)
	require.Nil(t, b.ask("service-key", "wall.getById", "posts=-77_1").Error, "only wall.get counts")
	b.clock.advance(24 * time.Hour)
	require.Nil(t, b.ask("service-key", "wall.get", "owner_id=-77").Error)
}

func TestWallsForbidLinks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.ChangeWall(ownWall, func(w *sandbox.Wall) { w.LinksForbidden = true }))
	require.Equal(t, 222, b.ask("user-key", "wall.post", "owner_id=-77&message=https://a.ru/x").Error.Code)
	b.vkPosted("user-key", "owner_id=-77&message=https://vk.com/wall-1_2")
}

func TestPostsKnownToFewAreShownToFew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, p := range []sandbox.Post{
		{Text: "обычный"}, {Text: "отложенный", Type: "postpone"}, {Text: "предложенный", Type: "suggest", FromID: 9}, {Text: "для донов", DonutOnly: true},
		{Text: "гость", FromID: 9},
	} {
		_, err := b.AddPost(ownWall, p)
		require.NoError(t, err)
	}
	read := func(token, params string) string {
		return string(b.ask(token, "wall.get", "owner_id=-77"+params).Response)
	}
	all := read("service-key", "")
	require.Contains(t, all, "обычный")
	require.Contains(t, all, "гость")
	require.NotContains(t, all, "отложенный")
	require.NotContains(t, all, "предложенный")
	require.NotContains(t, all, "для донов")
	require.Contains(t, all, "placeholder")
	require.Contains(t, read("user-key", ""), "для донов", "an administrator")
}

func TestPhotosAreUploadedSavedAndAttached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	picture := download(t, b.PictureURL("cat")+"?size=64x48")
	var server struct {
		URL string `json:"upload_url"`
	}
	require.NoError(t, json.Unmarshal(b.ask("user-key", "photos.getWallUploadServer", "group_id=77").Response, &server))
	type answer struct {
		Server int    `json:"server"`
		Photo  string `json:"photo"`
		Hash   string `json:"hash"`
		Error  string `json:"error"`
	}
	upload := func(address, fieldName string, content []byte) answer {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, err := w.CreateFormFile(fieldName, "photo.jpg")
		require.NoError(t, err)
		_, err = part.Write(content)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, &form)
		require.NoError(t, err)
		r.Header.Set("Content-Type", w.FormDataContentType())
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		var a answer
		require.NoError(t, json.NewDecoder(response.Body).Decode(&a))
		return a
	}
	sent := upload(server.URL, "photo", picture)
	require.Empty(t, sent.Error)
	require.Contains(t, upload(server.URL, "photo", picture).Error, "ERR_UPLOAD_TOKEN_EXPIRED", "an address is good once")
	save := fmt.Sprintf("group_id=77&server=%d&hash=%s&photo=%s", sent.Server, sent.Hash, strings.ReplaceAll(sent.Photo, "+", "%2B"))
	var saved []struct {
		ID, OwnerID int64
		AccessKey   string `json:"access_key"`
		Owner       int64  `json:"owner_id"`
	}
	require.Equal(t, 121, b.ask("user-key", "photos.saveWallPhoto", strings.Replace(save, "server=8", "server=9", 1)).Error.Code)
	require.NoError(t, json.Unmarshal(b.ask("user-key", "photos.saveWallPhoto", save).Response, &saved))
	require.Equal(t, 121, b.ask("user-key", "photos.saveWallPhoto", save).Error.Code, "a hash is good once")
	name := fmt.Sprintf("photo%d_%d", saved[0].Owner, saved[0].ID)
	b.vkPosted("user-key", "owner_id=-77&attachments="+name+"_"+saved[0].AccessKey)
	require.Equal(t, picture, download(t, b.Posts(ownWall)[0].Photos[0].URL))

	id := b.vkPosted("user-key", "owner_id=-77&message=a&attachments="+name+"_wrong")
	require.Empty(t, b.Posts(ownWall)[id-1].Photos, "a wrong key drops the photo in silence")

	fresh := func() string {
		require.NoError(t, json.Unmarshal(b.ask("user-key", "photos.getWallUploadServer", "group_id=77").Response, &server))
		return server.URL
	}
	require.Contains(t, upload(fresh(), "file", picture).Error, "ERR_UPLOAD_NO_FILE")
	require.Equal(t, "[]", upload(fresh(), "photo", []byte("no picture")).Photo)
	b.fault(sandbox.Fault{Platform: sandbox.VK, Method: "upload", Description: "ERR_UPLOAD_FAULT", Times: 1})
	require.Equal(t, "ERR_UPLOAD_FAULT", upload(fresh(), "photo", picture).Error)
}

func TestTheVKLibraryUploadsAWallPhoto(t *testing.T) {
	t.Parallel()
	b := setup(t)
	photos, err := b.vk("user-key").UploadGroupWallPhoto(-int(ownWall), bytes.NewReader(download(t, b.PictureURL("dog")+"?size=64x48")))
	require.NoError(t, err)
	require.Len(t, photos, 1)
	require.NotEmpty(t, photos[0].Sizes)
}

func TestPhotosOfOtherWallsMayBeAttachedUnlessTheWallDropsThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.AddWall(sandbox.Wall{OwnerID: -84}))
	source, err := b.AddPost(-84, sandbox.Post{Text: "a", Photos: []sandbox.WallPhoto{{Drawing: "cat"}}})
	require.NoError(t, err)
	photo := fmt.Sprintf("photo%d_%d_%s", source.Photos[0].OwnerID, source.Photos[0].ID, source.Photos[0].AccessKey)
	b.vkPosted("community-key", "owner_id=-77&message=a&attachments="+photo)
	require.NoError(t, b.ChangeWall(ownWall, func(w *sandbox.Wall) { w.DropForeignPhotos = true }))
	b.vkPosted("community-key", "owner_id=-77&message=b&attachments="+photo)
	posts := b.Posts(ownWall)
	require.Len(t, posts[0].Photos, 1)
	require.Empty(t, posts[1].Photos)
}

func TestPostsCanBeEditedAndDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.vkPosted("user-key", "owner_id=-77&message=a&from_group=1")
	b.clock.advance(time.Minute)
	require.Nil(t, b.ask("user-key", "wall.edit", fmt.Sprintf("owner_id=-77&post_id=%d&message=b", id)).Error)
	require.Equal(t, "b", b.Posts(ownWall)[0].Text)
	require.Contains(t, string(b.RawPost(ownWall, id)), fmt.Sprintf(`"edited":%d`, b.clock.now().Unix()))
	require.NoError(t, b.EditPost(ownWall, id, func(p *sandbox.Post) { p.Text = "c" }))
	require.NoError(t, b.DeletePost(ownWall, id))
	require.Empty(t, b.Posts(ownWall))
	require.Equal(t, `{"items":[]}`, string(b.ask("service-key", "wall.getById", fmt.Sprintf("posts=-77_%d", id)).Response))
	require.Greater(t, b.vkPosted("user-key", "owner_id=-77&message=d"), id, "ids are not given again")
	require.ErrorContains(t, b.DeletePost(ownWall, 999), "no post 999")
}

func TestOddFieldsReachTheReader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.AddPost(ownWall, sandbox.Post{Text: "a", Extra: map[string]any{"views": 5, "is_pinned": nil}, Reposts: []sandbox.Post{{OwnerID: -5, ID: 6, Text: "исходный"}},
		Attachments: []json.RawMessage{json.RawMessage(`{"type":"clip","clip":{"id":1}}`)}})
	require.NoError(t, err)
	var raw map[string]any
	require.NoError(t, json.Unmarshal(b.RawPost(ownWall, p.ID), &raw))
	require.EqualValues(t, 5, raw["views"])
	require.Contains(t, raw, "is_pinned")
	require.Nil(t, raw["is_pinned"])
	require.Equal(t, "исходный", raw["copy_history"].([]any)[0].(map[string]any)["text"])
	require.Equal(t, "clip", raw["attachments"].([]any)[0].(map[string]any)["type"])
}

func TestACommunityTellsItsNewPostsToItsServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	events, refuse := make(chan map[string]any, 10), atomic.Bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event map[string]any
		_ = json.NewDecoder(r.Body).Decode(&event)
		events <- event
		switch {
		case refuse.Swap(false):
			w.WriteHeader(http.StatusInternalServerError)
		case event["type"] == "confirmation":
			_, _ = io.WriteString(w, "c0de")
		default:
			_, _ = io.WriteString(w, "ok")
		}
	}))
	t.Cleanup(server.Close)
	const owner = int64(-900100)
	require.NoError(t, b.AddWall(sandbox.Wall{OwnerID: owner, Name: "Свои"}))
	require.Error(t, b.SetCallback(sandbox.Callback{GroupID: 1, URL: server.URL}), "no such community")
	refuse.Store(true)
	require.NoError(t, b.SetCallback(sandbox.Callback{GroupID: -owner, URL: server.URL, Confirmation: "c0de", Secret: "a secret"}))
	for range 2 { // refused, and asked again
		require.Equal(t, map[string]any{"type": "confirmation", "group_id": float64(-owner)}, <-events)
	}
	refuse.Store(true)
	_, err := b.AddPost(owner, sandbox.Post{Text: "Пропал пёс"})
	require.NoError(t, err)
	first, again := <-events, <-events
	require.Equal(t, first, again, "an event that was refused comes again, under its id")
	require.Equal(t, "wall_post_new", first["type"])
	require.Equal(t, "a secret", first["secret"])
	require.NotEmpty(t, first["event_id"])
	require.Equal(t, "Пропал пёс", first["object"].(map[string]any)["text"])

	require.NoError(t, b.SetCallback(sandbox.Callback{GroupID: -owner}))
	_, err = b.AddPost(owner, sandbox.Post{Text: "Никому"})
	require.NoError(t, err)
	require.Empty(t, events)
}
