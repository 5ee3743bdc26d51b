package vk_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/post"
	"vestnik/internal/sandbox"
	"vestnik/internal/vk"
)

const ownWall = int64(-7007)

// country is a sandbox with one wall and a key of each kind.
func country(t *testing.T) (s *sandbox.Server, service, community, user *vk.Client) {
	t.Helper()
	s, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.AddWall(sandbox.Wall{OwnerID: ownWall, ScreenName: "lost_pets", Name: "Потеряшки", Writers: []string{"user"}}))
	key := func(name string, kind sandbox.TokenKind, owner int64) *vk.Client {
		require.NoError(t, s.AddVKToken(sandbox.VKToken{Name: name, Value: name + "-SECRET", Kind: kind, Owner: owner, PerSecond: -1}))
		client, err := vk.New(vk.Config{Token: name + "-SECRET", BaseURL: s.VKURL()})
		require.NoError(t, err)
		return client
	}
	return s, key("service", sandbox.ServiceToken, 0), key("community", sandbox.CommunityToken, -ownWall), key("user", sandbox.UserToken, 501)
}

func TestAWallOfTheSandboxIsFoundReadAndDecoded(t *testing.T) {
	t.Parallel()
	s, service, _, _ := country(t)
	ctx := t.Context()
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	_, err := s.AddPost(ownWall, sandbox.Post{Date: at, Text: "Пропал кот", Pinned: true,
		Photos: []sandbox.WallPhoto{{Drawing: "cat", OwnerID: ownWall}},
		Extra:  map[string]any{"views": 5, "is_favorite": nil, "friends_only": "0"}})
	require.NoError(t, err)
	_, err = s.AddPost(ownWall, sandbox.Post{Date: at, Ads: true, Text: "Корм со скидкой"})
	require.NoError(t, err)
	_, err = s.AddPost(ownWall, sandbox.Post{Date: at, Reposts: []sandbox.Post{{OwnerID: -8, ID: 3, Date: at, Text: "Сбежала такса"}}})
	require.NoError(t, err)

	owner, err := service.ResolveWall(ctx, "https://vk.com/lost_pets")
	require.NoError(t, err)
	require.Equal(t, ownWall, owner)
	page, err := service.WallGet(ctx, owner, 10, 0)
	require.NoError(t, err)
	require.Equal(t, 3, page.Total)

	byText, ids := map[string]vk.Post{}, []post.ID{}
	for _, raw := range page.Items {
		post, err := vk.DecodePost(raw)
		require.NoError(t, err)
		byText[post.Text] = post
		ids = append(ids, post.ID)
	}
	cat := byText["Пропал кот"]
	require.True(t, cat.Pinned)
	require.Equal(t, at.UTC(), cat.PostedAt)
	require.NotEmpty(t, cat.Photos[0].Sizes)
	require.Equal(t, vk.SkipAds, byText["Корм со скидкой"].Skip())
	require.Equal(t, "Сбежала такса", byText[""].Reposts[0].Text)

	again, err := service.WallGetByID(ctx, ids...)
	require.NoError(t, err)
	require.Len(t, again, 3)
	_, err = service.ResolveWall(ctx, "nobody_is_called_so")
	require.Equal(t, "screen_name_not_found", refused(t, err).Reason())
}

func TestAPostReachesTheSandboxsWallOnceForOneGuid(t *testing.T) {
	t.Parallel()
	s, _, community, _ := country(t)
	post := vk.WallPost{OwnerID: ownWall, FromGroup: true, Message: "Пропал кот", GUID: "one"}
	_, err := s.SetFault(sandbox.Fault{Method: "wall.post", Times: 1, AcceptThenFail: true, Reset: true})
	require.NoError(t, err)

	_, err = community.WallPost(t.Context(), post)
	fault := refused(t, err)
	require.Equal(t, vk.OutcomeUnknown, fault.Class)
	require.True(t, fault.MayHaveHappened())
	require.Equal(t, vk.Retry, fault.Action())

	_, err = community.WallPost(t.Context(), post)
	require.NoError(t, err)
	require.Len(t, s.Posts(ownWall), 1)
}

func TestAPhotoIsUploadedSavedAndShownOnTheSandboxsWall(t *testing.T) {
	t.Parallel()
	s, _, community, user := country(t)
	ctx := t.Context()
	_, err := community.GetWallUploadServer(ctx, -ownWall)
	require.Equal(t, vk.MediaFallback, refused(t, err).Action(), "a community key may not upload")
	require.Equal(t, "community_key_not_allowed", refused(t, err).Reason())

	address, err := user.GetWallUploadServer(ctx, -ownWall)
	require.NoError(t, err)
	var photo bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 640, 480)), nil))
	uploaded, err := user.UploadPhoto(ctx, address, photo.Bytes())
	require.NoError(t, err)
	_, err = user.UploadPhoto(ctx, address, photo.Bytes())
	require.Equal(t, vk.RestartUpload, refused(t, err).Action(), "an address is good for one use")
	saved, err := user.SaveWallPhoto(ctx, -ownWall, uploaded)
	require.NoError(t, err)
	id, err := user.WallPost(ctx, vk.WallPost{OwnerID: ownWall, FromGroup: true, Message: "С фото", Attachments: []string{saved.Ref()}, GUID: "two"})
	require.NoError(t, err)
	post, err := vk.DecodePost(s.RawPost(ownWall, id))
	require.NoError(t, err)
	require.Len(t, post.Photos, 1)
	require.Equal(t, saved.ID, post.Photos[0].ID)
}

func TestTheSandboxsErrorsHaveTheirActions(t *testing.T) {
	t.Parallel()
	s, service, community, _ := country(t)
	for name, c := range map[string]struct {
		fault sandbox.Fault
		want  vk.Action
	}{
		"too many":     {sandbox.Fault{Code: 6}, vk.RateLimit},
		"flood":        {sandbox.Fault{Code: 9}, vk.LongCooldown},
		"captcha":      {sandbox.Fault{Code: 14, Extra: map[string]any{"captcha_sid": 123456, "captcha_img": "https://x/c.jpg"}}, vk.CaptchaNeeded},
		"a closed key": {sandbox.Fault{Code: 5}, vk.ParkKey},
		"50 a day":     {sandbox.Fault{Code: 214, Description: "Access to adding post denied: you can only add 50 posts a day"}, vk.LongCooldown},
		"closed wall":  {sandbox.Fault{Code: 214, Description: "Access to adding post denied: wall is closed"}, vk.ParkWall},
		"links":        {sandbox.Fault{Code: 222}, vk.StripLinks},
		"copyright":    {sandbox.Fault{Code: 3102}, vk.DropCopyright},
		"a page":       {sandbox.Fault{Status: 502, Body: "<html>"}, vk.Retry},
		"gzip":         {sandbox.Fault{Status: 502, GzipGarbage: true}, vk.Retry},
		"a reset":      {sandbox.Fault{Reset: true}, vk.Retry},
		"something":    {sandbox.Fault{Code: 424242}, vk.Retry},
	} {
		c.fault.Times, c.fault.Method = 1, "wall.post"
		_, err := s.SetFault(c.fault)
		require.NoError(t, err)
		require.Equal(t, c.want, refused(t, publish(t, community)).Action(), name)
	}
	for state, want := range map[sandbox.WallState]vk.Action{sandbox.ClosedWall: vk.ParkWall, sandbox.BannedWall: vk.ParkWall, sandbox.DeletedWall: vk.ParkWall} {
		require.NoError(t, s.ChangeWall(ownWall, func(w *sandbox.Wall) { w.State = state }))
		_, err := service.WallGet(t.Context(), ownWall, 5, 0)
		require.Equal(t, want, refused(t, err).Action(), state)
	}
	_, err := community.WallGet(t.Context(), ownWall, 5, 0)
	require.Equal(t, vk.ParkKey, refused(t, err).Action(), "a community key reads no walls")
}
