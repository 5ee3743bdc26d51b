package vk_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/post"
	"vestnik/internal/vk"
)

func TestAKeyIsTrimmedAndABadOneIsRefusedWithoutBeingPrinted(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"response":{"count":0,"items":[]}}`))
	client := newClient(t, s.URL, func(c *vk.Config) { c.Token = "\t" + token + "\r\n" })
	_, err := client.WallGet(t.Context(), -7, 5, 0)
	require.NoError(t, err)
	require.Equal(t, "Bearer "+token, s.last(t).Authorization)

	for _, bad := range []string{"", " \n", "SECRET\nkey", "SECRET key", `"SECRET"`, "SECRETключ", "SECRET\x7f"} {
		_, err := vk.New(vk.Config{Token: bad})
		require.ErrorContains(t, err, "access key")
		require.NotContains(t, err.Error(), "SECRET")
	}
	for _, bad := range []string{"api.vk.com/method/", "ftp://x", "http://", "http://user:SECRET@x", "http://x?key=SECRET", "://SECRET", "http://%zzSECRET"} {
		_, err := vk.New(vk.Config{Token: token, BaseURL: bad})
		require.ErrorContains(t, err, "API address")
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestNothingThatPrintsAClientOrItsConfigurationPrintsTheKey(t *testing.T) {
	t.Parallel()
	config := vk.Config{Token: token, BaseURL: "http://localhost:1"}
	client := newClient(t, config.BaseURL)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "config", config, "client", client)
	for _, printed := range []string{
		fmt.Sprint(config), fmt.Sprintf("%+v", config), fmt.Sprintf("%#v", config), fmt.Sprintf("%+v", &config),
		fmt.Sprint(client), fmt.Sprintf("%+v", client), fmt.Sprintf("%#v", client), log.String(),
	} {
		require.NotContains(t, printed, "SECRET")
	}
}

func TestAWallIsReadByPagesOfRawPosts(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"response":{"count":"1234","items":[{"id":1,"owner_id":-7,"views":5},null,{"odd":[]}],"profiles":7}}`))
	client := newClient(t, s.URL)
	page, err := client.WallGet(t.Context(), -7, 5, 20)
	require.NoError(t, err)
	require.Equal(t, vk.Page{Total: 1234, Items: []json.RawMessage{json.RawMessage(`{"id":1,"owner_id":-7,"views":5}`), json.RawMessage(`{"odd":[]}`)}}, page)
	require.Equal(t, "/method/wall.get", s.last(t).Path)
	require.Equal(t, url.Values{"owner_id": {"-7"}, "count": {"5"}, "offset": {"20"}, "filter": {"all"}, "v": {"5.199"}}, s.last(t).Form)

	_, err = client.WallGet(t.Context(), -7, 1000, -1)
	require.NoError(t, err)
	require.Equal(t, "100", s.last(t).Form.Get("count"))
	require.Equal(t, "0", s.last(t).Form.Get("offset"))
}

func TestAnEmptyWallIsAPageWithoutPostsAndAWallWithoutAListIsAnError(t *testing.T) {
	t.Parallel()
	page, err := newClient(t, serve(t, answer(200, `{"response":{"count":0,"items":[]}}`)).URL).WallGet(t.Context(), -7, 5, 0)
	require.NoError(t, err)
	require.Empty(t, page.Items)
	for _, body := range []string{`{"response":{}}`, `{"response":[]}`, `{"response":false}`, `{"response":{"count":5}}`} {
		_, err = newClient(t, serve(t, answer(200, body)).URL).WallGet(t.Context(), -7, 5, 0)
		fault := refused(t, err)
		require.Equal(t, vk.OutcomeUnknown, fault.Class)
		require.Equal(t, vk.Retry, fault.Action())
		require.False(t, fault.MayHaveHappened(), "a read changes nothing")
	}
}

func TestPostsAreReadByIdInEitherShape(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"response":[{"id":2,"owner_id":-7}]}`, `{"response":{"items":[{"id":2,"owner_id":-7}],"groups":[]}}`} {
		s := serve(t, answer(200, body))
		posts, err := newClient(t, s.URL).WallGetByID(t.Context(), post.ID{OwnerID: -7, PostID: 2}, post.ID{OwnerID: 5, PostID: 3})
		require.NoError(t, err)
		require.Equal(t, []json.RawMessage{json.RawMessage(`{"id":2,"owner_id":-7}`)}, posts)
		require.Equal(t, "-7_2,5_3", s.last(t).Form.Get("posts"))
	}
	s := serve(t, answer(200, `{"response":[]}`))
	posts, err := newClient(t, s.URL).WallGetByID(t.Context())
	require.NoError(t, err)
	require.Empty(t, posts)
	_, err = newClient(t, s.URL).WallGetByID(t.Context(), make([]post.ID, 101)...)
	require.Equal(t, vk.Bug, refused(t, err).Class)
	require.Zero(t, s.count())
}

func TestWallsAreToldByTheirTitles(t *testing.T) {
	t.Parallel()
	for _, groups := range []string{`{"groups":[{"id":7,"name":"Потеряшки"},{"id":8},"odd"],"profiles":[]}`, `[{"id":"7","name":"Потеряшки"}]`} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body := groups
			if strings.HasSuffix(r.URL.Path, "/users.get") {
				body = `[{"id":5,"first_name":"Ирина","last_name":"Ветрова"}]`
			}
			answer(200, `{"response":`+body+`}`)(w, r)
		})
		titles, err := newClient(t, s.URL).Titles(t.Context(), -7, 5, -8)
		require.NoError(t, err)
		require.Equal(t, map[int64]string{-7: "Потеряшки", 5: "Ирина Ветрова"}, titles)
		require.Equal(t, url.Values{"user_ids": {"5"}, "v": {"5.199"}}, s.last(t).Form)
	}
	s := serve(t, answer(200, `{"response":{"groups":[]}}`))
	titles, err := newClient(t, s.URL).Titles(t.Context(), -7, -8)
	require.NoError(t, err)
	require.Empty(t, titles)
	require.Equal(t, "7,8", s.last(t).Form.Get("group_ids"))
	require.Equal(t, 1, s.count(), "people are not asked for where there are none")
}

func TestAScreenNameIsResolvedToAnOwner(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`{"response":{"type":"group","object_id":123}}`:  -123,
		`{"response":{"type":"page","object_id":"123"}}`: -123,
		`{"response":{"type":"event","object_id":123}}`:  -123,
		`{"response":{"type":"user","object_id":5}}`:     5,
		`{"response":[]}`: 0,
		`{"response":{}}`: 0,
		`{"response":{"type":"application","object_id":5}}`: 0,
	} {
		s := serve(t, answer(200, body))
		got, err := newClient(t, s.URL).ResolveWall(t.Context(), "https://vk.com/lost_pets")
		require.Equal(t, "lost_pets", s.last(t).Form.Get("screen_name"))
		require.Equal(t, want, got)
		if want != 0 {
			require.NoError(t, err)
			continue
		}
		fault := refused(t, err)
		require.Equal(t, vk.ParkWall, fault.Action())
		require.Equal(t, "screen_name_not_found", fault.Reason())
		require.ErrorContains(t, err, "lost_pets")
	}
	s := serve(t, answer(200, `{}`))
	got, err := newClient(t, s.URL).ResolveWall(t.Context(), "club5")
	require.NoError(t, err)
	require.Equal(t, int64(-5), got)
	_, err = newClient(t, s.URL).ResolveWall(t.Context(), "пёс")
	require.ErrorContains(t, err, "names no wall")
	require.Zero(t, s.count())
}

func TestAPostIsPublishedWithWhatItHasAndNothingElse(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"response":{"post_id":77}}`))
	client := newClient(t, s.URL)
	id, err := client.WallPost(t.Context(), vk.WallPost{OwnerID: -7, FromGroup: true, Message: "Пропал кот\nРечная, 4", GUID: "abc",
		Attachments: []string{"photo-7_1_k", "https://vk.com/wall-1_2"}, Copyright: "https://vk.com/wall-1_2",
		Captcha: vk.CaptchaAnswer{SID: "99", Key: "w4r"}})
	require.NoError(t, err)
	require.Equal(t, int64(77), id)
	require.Equal(t, "/method/wall.post", s.last(t).Path)
	require.Equal(t, url.Values{"owner_id": {"-7"}, "from_group": {"1"}, "message": {"Пропал кот\nРечная, 4"}, "guid": {"abc"},
		"attachments": {"photo-7_1_k,https://vk.com/wall-1_2"}, "copyright": {"https://vk.com/wall-1_2"},
		"captcha_sid": {"99"}, "captcha_key": {"w4r"}, "v": {"5.199"}}, s.last(t).Form)

	_, err = client.WallPost(t.Context(), vk.WallPost{OwnerID: 5, FromGroup: true, Message: "x"})
	require.NoError(t, err)
	require.Equal(t, url.Values{"owner_id": {"5"}, "message": {"x"}, "v": {"5.199"}}, s.last(t).Form, "a person's wall has no group to post in the name of")
}

func TestAPostIsEdited(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"response":{"post_id":77}}`, `{"response":1}`} {
		s := serve(t, answer(200, body))
		require.NoError(t, newClient(t, s.URL).WallEdit(t.Context(), 77, vk.WallPost{OwnerID: -7, FromGroup: true, Message: "Найден", GUID: "g"}))
		require.Equal(t, url.Values{"owner_id": {"-7"}, "post_id": {"77"}, "message": {"Найден"}, "v": {"5.199"}}, s.last(t).Form)
	}
	s := serve(t, answer(200, `{"response":0}`))
	require.Equal(t, vk.OutcomeUnknown, refused(t, newClient(t, s.URL).WallEdit(t.Context(), 77, vk.WallPost{OwnerID: -7, Message: "x"})).Class)
}

func TestAPostThatCannotBeIsSentToNobody(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"response":{"post_id":77}}`))
	client := newClient(t, s.URL)
	for _, post := range []vk.WallPost{{Message: "x"}, {OwnerID: -7}} {
		_, err := client.WallPost(t.Context(), post)
		require.Equal(t, vk.Bug, refused(t, err).Class)
		require.Equal(t, vk.Fail, refused(t, err).Action())
	}
	require.Equal(t, vk.Bug, refused(t, client.WallEdit(t.Context(), 0, vk.WallPost{OwnerID: -7, Message: "x"})).Class)
	require.Zero(t, s.count())
}

func TestOneCallIsOneRequestAlsoWhenVKHasHadTooMany(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(200, `{"error":{"error_code":6,"error_msg":"Too many requests per second"}}`))
	require.Equal(t, vk.RateLimited, refused(t, publish(t, newClient(t, s.URL))).Class)
	require.Equal(t, 1, s.count(), "the library does not repeat by itself")
}
