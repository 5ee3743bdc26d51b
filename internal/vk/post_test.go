package vk_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	wallpost "vestnik/internal/post"
	"vestnik/internal/vk"
)

func decode(t *testing.T, raw string) vk.Post {
	t.Helper()
	post, err := vk.DecodePost(json.RawMessage(raw))
	require.NoError(t, err)
	return post
}

func TestAPostIsReadWithWhatItReposts(t *testing.T) {
	t.Parallel()
	post := decode(t, `{"id":501,"owner_id":-700,"from_id":31,"signer_id":31,"date":1763900000,"edited":1763900600,"post_type":"post",
		"text":"Помогите найти хозяина!","is_pinned":1,"marked_as_ads":0,"donut":{"is_donut":false},
		"copyright":{"id":1,"link":"https://news.example/1","name":"Новости"},
		"attachments":[{"type":"photo","photo":{"id":9,"owner_id":-700,"access_key":"ab12","sizes":[{"type":"x","url":"https://cdn.example/x.jpg","width":604,"height":403}]}}],
		"copy_history":[
			{"id":77,"owner_id":-800,"from_id":-800,"date":1763800000,"text":"Пропала такса","post_type":"post",
			 "attachments":[{"type":"link","link":{"url":"https://vk.com/topic","title":"Обсуждение"}}]},
			{"id":5,"owner_id":900,"date":1763700000,"text":"Сбежал из двора на Речной"}]}`)
	require.Equal(t, "wall-700_501", post.ID.String())
	require.Equal(t, "https://vk.com/wall-700_501", post.URL())
	require.Equal(t, int64(31), post.FromID)
	require.Equal(t, time.Unix(1763900000, 0).UTC(), post.PostedAt)
	require.Equal(t, time.Unix(1763900600, 0).UTC(), post.EditedAt)
	require.True(t, post.Pinned)
	require.Equal(t, "https://news.example/1", post.Source)
	require.Equal(t, []string{"Пропала такса", "Сбежал из двора на Речной"}, post.RepostTexts())
	require.Equal(t, "wall900_5", post.Origin.String())
	require.Equal(t, []wallpost.Attachment{{Kind: "link", Title: "Обсуждение", URL: "https://vk.com/topic"}}, post.Attachments)
	require.Len(t, post.Photos, 1)
	require.Equal(t, "photo-700_9_ab12", post.Photos[0].Ref())
	require.Empty(t, post.Skip())
}

func TestALineOfTheParseCommandIsAPost(t *testing.T) {
	t.Parallel()
	post := decode(t, `{"owner_id":-1,"id":2,"date":1756000000,"text":"Потерялся кот"}`)
	require.Equal(t, "wall-1_2", post.ID.String())
	require.Equal(t, "Потерялся кот", post.Text)
	require.Empty(t, post.Reposts)
}

func TestOddFieldsCostThemselvesAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]string{
		"flags as text and null":        `"is_pinned":"1","marked_as_ads":null,"is_deleted":false`,
		"views as a number":             `"is_pinned":true,"views":5`,
		"geo as a text":                 `"is_pinned":1,"geo":"55 37"`,
		"coordinates as a list":         `"is_pinned":1,"geo":{"coordinates":[1,2]}`,
		"attachments as an object":      `"is_pinned":1,"attachments":{"type":"photo"}`,
		"attachments with rubbish":      `"is_pinned":1,"attachments":[null]`,
		"copy_history as null":          `"is_pinned":1,"copy_history":null`,
		"copy_history with rubbish":     `"is_pinned":1,"copy_history":[5,"x",[]]`,
		"donut as a flag":               `"is_pinned":1,"donut":true`,
		"donut as an empty list":        `"is_pinned":1,"donut":[]`,
		"numbers as texts":              `"is_pinned":"true","from_id":"5","edited":"0"`,
		"numbers that are none":         `"is_pinned":1,"from_id":"пять","edited":1e300,"signer_id":{}`,
		"a date beyond all time":        `"is_pinned":1,"edited":99999999999999`,
		"a copyright that is a text":    `"is_pinned":1,"copyright":"x"`,
		"fields nobody has heard of":    `"is_pinned":1,"reactions":{"items":[1]},"push_subscription":[],"web_view_token":7`,
		"a post type of another nature": `"is_pinned":1,"post_type":["post"]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			post := decode(t, `{"id":"2","owner_id":"-1",`+odd+`,"date":"1756000000","text":"Кот"}`)
			require.Equal(t, "wall-1_2", post.ID.String())
			require.Equal(t, int64(1756000000), post.PostedAt.Unix())
			require.Equal(t, "Кот", post.Text)
			require.True(t, post.Pinned)
			require.True(t, post.EditedAt.IsZero())
			require.Empty(t, post.Attachments)
			require.Empty(t, post.Reposts)
			require.Empty(t, post.Skip())
		})
	}
}

func TestWhatIsNoPostIsAnError(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `null`, `[]`, `5`, `"x"`, `{`, `{"id":1`, `{}`, `{"owner_id":-1}`, `{"id":1}`, `{"id":1,"owner_id":0}`, `{"id":1,"owner_id":-1}x`} {
		_, err := vk.DecodePost(json.RawMessage(raw))
		require.Error(t, err, raw)
	}
}

func TestATextKeepsItsLinesAndLosesItsNULs(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Мурка\n\tрыжая", decode(t, `{"id":1,"owner_id":-1,"text":"Мур\u0000ка\n\tрыжая"}`).Text)
	require.Equal(t, "5", decode(t, `{"id":1,"owner_id":-1,"text":5}`).Text)
	require.Equal(t, "�", decode(t, `{"id":1,"owner_id":-1,"text":"\ud83d"}`).Text)
	require.Equal(t, "👀", decode(t, `{"id":1,"owner_id":-1,"text":"\ud83d\udc40"}`).Text)
}

func TestARepostChainIsReadToABound(t *testing.T) {
	t.Parallel()
	chain := strings.TrimSuffix(strings.Repeat(`{"id":1,"owner_id":-1,"text":"x"},`, 500), ",")
	require.Len(t, decode(t, `{"id":1,"owner_id":-1,"copy_history":[`+chain+`]}`).Reposts, 10)

	deep := strings.Repeat(`{"id":1,"owner_id":-1,"copy_history":[`, 2000) + strings.Repeat(`]}`, 2000)
	require.Len(t, decode(t, deep).Reposts, 1)
}

func TestPostsThatMustNotBeRepostedSayWhy(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]vk.SkipReason{
		`"marked_as_ads":1`:      vk.SkipAds,
		`"post_type":"post_ads"`: vk.SkipAds,
		`"donut":{"is_donut":true,"placeholder":{"text":"Для донов"}}`: vk.SkipDonut,
		`"donut":{"is_donut":1}`:                       vk.SkipDonut,
		`"post_type":"suggest"`:                        vk.SkipSuggested,
		`"post_type":"postpone"`:                       vk.SkipPostponed,
		`"post_type":"postpone","marked_as_ads":1`:     vk.SkipPostponed,
		`"is_deleted":true`:                            vk.SkipDeleted,
		`"is_archived":true`:                           vk.SkipArchived,
		`"friends_only":1`:                             vk.SkipFriendsOnly,
		`"post_type":"reply"`:                          vk.SkipReply,
		`"post_type":"clip"`:                           vk.SkipOtherType,
		`"post_type":"post"`:                           "",
		`"post_type":"copy"`:                           "",
		`"donut":{"is_donut":false},"marked_as_ads":0`: "",
	} {
		require.Equal(t, want, decode(t, `{"id":1,"owner_id":-1,`+fields+`}`).Skip(), fields)
	}
}

func TestAPlaceIsReadInEitherForm(t *testing.T) {
	t.Parallel()
	const there = "https://yandex.ru/maps/?pt=53.200000,56.850000&z=16"
	for geo, want := range map[string][]wallpost.Attachment{
		`{"coordinates":"56.85 53.2","place":{"title":"Набережная"}}`: {{Kind: "geo", Title: "Набережная", URL: there}},
		`{"coordinates":{"latitude":56.85,"longitude":"53.2"}}`:       {{Kind: "geo", URL: there}},
		`{"place":{"city":"Ижевск"}}`:                                 {{Kind: "geo", Title: "Ижевск"}},
		`{"coordinates":"900 5"}`:                                     nil,
		`{"coordinates":"где-то"}`:                                    nil,
		`{}`:                                                          nil,
	} {
		require.Equal(t, want, decode(t, `{"id":1,"owner_id":-1,"geo":`+geo+`}`).Attachments, geo)
	}
}

func FuzzDecodePostNeverPanics(f *testing.F) {
	f.Add(`{"id":1,"owner_id":-1,"attachments":[{"type":"photo","photo":{"sizes":[{"type":"w","width":-1,"height":99999999999999}]}}]}`)
	f.Add(`{"id":1,"owner_id":-1,"attachments":[{"type":"video","video":[]},{"type":"link"},{"type":7}],"copy_history":[{"attachments":[{}]}]}`)
	f.Add(`{"id":1,"owner_id":-1,"geo":{"coordinates":"NaN Inf"}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		post, err := vk.DecodePost(json.RawMessage(raw))
		if err != nil {
			return
		}
		require.NotContains(t, post.Text, "\x00")
		require.LessOrEqual(t, len(post.Reposts), 10)
		for _, a := range post.Attachments {
			require.NotEmpty(t, a.Kind)
		}
		for _, photo := range post.Photos {
			for _, size := range photo.Sizes {
				require.True(t, strings.HasPrefix(size.URL, "http"))
				require.GreaterOrEqual(t, size.Width*size.Height, 0)
			}
		}
		_ = post.Skip()
		_ = vk.FollowLinks([]vk.Post{post}, func(...wallpost.ID) ([]json.RawMessage, error) { return []json.RawMessage{json.RawMessage(raw)}, nil })
	})
}

func TestAnAbsurdPostCostsNoMoreThanALongOne(t *testing.T) {
	t.Parallel()
	text, photo := strings.Repeat("ы8 ", 1<<20), `{"type":"photo","photo":{"id":%d,"owner_id":-1,"sizes":[]}}`
	var photos []string
	for i := range 3000 {
		photos = append(photos, fmt.Sprintf(photo, i+1))
	}
	content := decode(t, `{"id":1,"owner_id":-1,"text":"x`+text+`","attachments":[`+strings.Join(photos, ",")+`],
		"copy_history":[{"id":5,"owner_id":-2,"text":"Пропал кот"}]}`)
	require.LessOrEqual(t, len(content.Text)+len(content.Reposts[0].Text), 128<<10)
	require.True(t, utf8.ValidString(content.Text))
	require.Len(t, content.Photos, 100)
}

func TestWhatAPostShowsKeepsItsHashAcrossVersions(t *testing.T) {
	t.Parallel()
	content := decode(t, `{"id":1,"owner_id":-1,"text":"Кот","attachments":[
		{"type":"photo","photo":{"id":9,"owner_id":-1,"access_key":"ab","sizes":[{"type":"x","url":"https://cdn.example/x.jpg"}]}},
		{"type":"link","link":{"url":"https://example.org","title":"Чат"}}],
		"geo":{"coordinates":"56.85 53.2","place":{"title":"Парк"}},
		"copy_history":[{"id":5,"owner_id":-2,"text":"Пропал кот","attachments":[{"type":"photo","photo":{"id":9,"owner_id":-1,"access_key":"ab"}}]}]}`)
	require.Equal(t, []string{"Пропал кот"}, content.RepostTexts())
	require.Equal(t, "wall-2_5", content.Origin.String())
	require.Len(t, content.Photos, 1, "the same photo here and in the original is one")
	require.Equal(t, "https://yandex.ru/maps/?pt=53.200000,56.850000&z=16", content.Attachments[1].URL)
	covered := "Кот\x00Пропал кот\x00photo-1_9\x00link\x00Чат\x00geo\x00Парк\x00"
	hash := sha256.Sum256([]byte(covered))
	require.Equal(t, hash[:], content.ContentHash, "another hash would edit every message that is out")
}
