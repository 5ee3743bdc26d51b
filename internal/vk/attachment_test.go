package vk_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/post"
)

func attachment(t *testing.T, raw string) post.Attachment {
	t.Helper()
	read := decode(t, `{"id":1,"owner_id":-1,"attachments":[`+raw+`]}`)
	require.Len(t, read.Attachments, 1)
	return read.Attachments[0]
}

// picture is the one that an attachment is, or shows as.
func picture(t *testing.T, raw string) post.Photo {
	t.Helper()
	read := decode(t, `{"id":1,"owner_id":-1,"attachments":[`+raw+`]}`)
	require.Len(t, read.Photos, 1)
	return read.Photos[0]
}

func photo(t *testing.T, body string) post.Photo {
	t.Helper()
	return picture(t, `{"type":"photo","photo":{"id":1,"owner_id":-1,`+body+`}}`)
}

func letters(p post.Photo) string {
	order := ""
	for _, size := range p.Sizes {
		letter, _, _ := strings.Cut(path.Base(size.URL), ".")
		order += letter + " "
	}
	return order
}

func size(letter string, width, height int) string {
	return fmt.Sprintf(`{"type":%q,"url":"https://cdn.example/%s.jpg?sign=1","width":%d,"height":%d}`, letter, letter, width, height)
}

func TestTheBestSizeIsTheOriginalThenTheLargestUncroppedOne(t *testing.T) {
	t.Parallel()
	p := photo(t, `"sizes":[`+size("o", 130, 87)+","+size("s", 75, 50)+","+size("z", 1280, 853)+","+size("r", 510, 340)+","+
		size("w", 2560, 1707)+","+size("x", 604, 403)+`],"orig_photo":{"type":"base","url":"https://cdn.example/orig.jpg","width":4000,"height":2667}`)
	require.Equal(t, "orig w z x s r o ", letters(p))
	require.Equal(t, post.Size{URL: "https://cdn.example/w.jpg?sign=1", Width: 2560, Height: 1707}, p.Sizes[1])
}

func TestACroppedSizeNeverBeatsAnUncroppedOneHoweverLarge(t *testing.T) {
	t.Parallel()
	require.Equal(t, "m r ", letters(photo(t, `"sizes":[`+size("r", 510, 765)+","+size("m", 130, 195)+`]`)))
}

func TestLettersDecideWhereThereAreNoMeasures(t *testing.T) {
	t.Parallel()
	p := photo(t, `"sizes":[`+size("s", 0, 0)+","+size("y", 0, 0)+","+size("w", 0, 0)+","+size("m", 0, 0)+","+size("z", 0, 0)+","+size("x", 0, 0)+","+size("p", 0, 0)+`]`)
	require.Equal(t, "w z y x m s p ", letters(p))
	require.Equal(t, "w z x ", letters(photo(t, `"sizes":[`+size("x", 604, 604)+","+size("w", 0, 0)+","+size("z", 1280, 1280)+`]`)))
}

func TestSizesWithoutAnAddressAreLeftOutAndDoublesKeptOnce(t *testing.T) {
	t.Parallel()
	p := photo(t, `"sizes":[{"type":"w"},{"type":"z","url":"javascript:alert(1)"},{"type":"y","src":"https://cdn.example/y.jpg"},null,7,`+size("x", 10, 10)+","+size("x", 10, 10)+`]`)
	require.Equal(t, "y x ", letters(p))
	require.Empty(t, photo(t, `"sizes":[]`).Sizes)
	require.Empty(t, photo(t, `"sizes":{}`).Sizes)
}

func TestEveryKindOfAttachmentHasATitleAndALinkAsFarAsItCan(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]post.Attachment{
		`{"type":"video","video":{"id":5,"owner_id":-7,"title":"Щенок","access_key":"k"}}`:                                {Kind: "video", Title: "Щенок", URL: "https://vk.com/video-7_5?list=k"},
		`{"type":"clip","clip":{"id":5,"owner_id":-7}}`:                                                                   {Kind: "clip", URL: "https://vk.com/clip-7_5"},
		`{"type":"doc","doc":{"id":5,"owner_id":7,"title":"Листовка.pdf","url":"https://vk.com/doc7_5?hash=1"}}`:          {Kind: "doc", Title: "Листовка.pdf", URL: "https://vk.com/doc7_5?hash=1", Ref: "doc7_5"},
		`{"type":"link","link":{"url":"https://pets.example","title":"Приют"}}`:                                           {Kind: "link", Title: "Приют", URL: "https://pets.example"},
		`{"type":"link","link":{"url":"https://pets.example","caption":"pets.example"}}`:                                  {Kind: "link", Title: "pets.example", URL: "https://pets.example"},
		`{"type":"poll","poll":{"id":5,"owner_id":-7,"question":"Чей пёс?"}}`:                                             {Kind: "poll", Title: "Чей пёс?", URL: "https://vk.com/poll-7_5", Ref: "poll-7_5"},
		`{"type":"audio","audio":{"id":5,"owner_id":7,"artist":"Хор","title":"Песня","url":"https://cs.example/stream"}}`: {Kind: "audio", Title: "Хор — Песня", URL: "https://vk.com/audio7_5"},
		`{"type":"audio_playlist","audio_playlist":{"id":5,"owner_id":7,"title":"Подборка"}}`:                             {Kind: "audio_playlist", Title: "Подборка", URL: "https://vk.com/music/playlist/7_5"},
		`{"type":"article","article":{"id":5,"owner_id":-7,"title":"Как искать","url":"https://vk.com/@pets-kak"}}`:       {Kind: "article", Title: "Как искать", URL: "https://vk.com/@pets-kak"},
		`{"type":"note","note":{"id":5,"owner_id":7,"title":"Заметка","view_url":"https://m.vk.com/note7_5"}}`:            {Kind: "note", Title: "Заметка", URL: "https://m.vk.com/note7_5"},
		`{"type":"album","album":{"id":"5","owner_id":-7,"title":"Пристроены"}}`:                                          {Kind: "album", Title: "Пристроены", URL: "https://vk.com/album-7_5"},
		`{"type":"market","market":{"id":5,"owner_id":-7,"title":"Ошейник"}}`:                                             {Kind: "market", Title: "Ошейник", URL: "https://vk.com/market-7?w=product-7_5"},
		`{"type":"group","group":{"id":7,"name":"Приют"}}`:                                                                {Kind: "group", Title: "Приют", URL: "https://vk.com/club7"},
		`{"type":"hologram","hologram":{"id":5,"owner_id":-7,"beam":[1]}}`:                                                {Kind: "hologram"},
		`{"type":"photos_list","photos_list":["-7_5"]}`:                                                                   {Kind: "photos_list"},
		`{"type":"donut_link"}`: {Kind: "donut_link"},
		`{"type":7}`:            {Kind: "7"},
		`5`:                     {Kind: "unknown"},
	} {
		require.Equal(t, want, attachment(t, raw), raw)
	}
}

func TestWhatIsAPhotoInAllButNameIsAPhoto(t *testing.T) {
	t.Parallel()
	posted := picture(t, `{"type":"posted_photo","posted_photo":{"id":5,"owner_id":7,"photo_130":"https://cdn.example/130.jpg","photo_604":"https://cdn.example/604.jpg"}}`)
	require.Equal(t, "https://cdn.example/604.jpg", posted.Sizes[0].URL)
	graffiti := picture(t, `{"type":"graffiti","graffiti":{"id":5,"owner_id":7,"url":"https://cdn.example/g.png"}}`)
	require.Equal(t, "https://cdn.example/g.png", graffiti.Sizes[0].URL)
}

func TestAPreviewIsTheLargestPictureWithoutBars(t *testing.T) {
	t.Parallel()
	video := picture(t, `{"type":"video","video":{"id":5,"owner_id":-7,"image":[{"url":"https://cdn.example/p.jpg","width":4000,"height":2000,"with_padding":1},
		{"url":"https://cdn.example/s.jpg","width":320,"height":180},{"url":"https://cdn.example/l.jpg","width":1280,"height":720}]}}`)
	require.Equal(t, "https://cdn.example/l.jpg", video.Sizes[0].URL)
	require.Len(t, video.Sizes, 2)
	doc := picture(t, `{"type":"doc","doc":{"ext":"png","preview":{"photo":{"sizes":[{"src":"https://cdn.example/d.jpg","type":"m"}]}}}}`)
	require.Equal(t, "https://cdn.example/d.jpg", doc.Sizes[0].URL)
}

func TestWhatShowsAsAPhotoBecomesOne(t *testing.T) {
	t.Parallel()
	const preview = `"preview":{"photo":{"sizes":[{"src":"https://cdn.example/m.jpg","width":130,"height":100,"type":"m"},{"src":"https://cdn.example/x.jpg","width":604,"height":453,"type":"x"}]}}`
	content := decode(t, `{"id":1,"owner_id":-1,"text":"Пропал кот &quot;Сёма&quot; &#10071;&amp;copy","attachments":[
		{"type":"video","video":{"id":7,"owner_id":-5,"access_key":"ab","title":"Сёма","duration":65,"image":[{"url":"https://cdn.example/frame.jpg","width":800,"height":450}]}},
		{"type":"photo","photo":{"id":2,"owner_id":-1,"text":"Особая примета","sizes":[`+size("x", 604, 403)+`]}},
		{"type":"doc","doc":{"id":3,"owner_id":5,"ext":"JPG","title":"фото.jpg","url":"https://vk.com/doc5_3?hash=a",`+preview+`}},
		{"type":"doc","doc":{"id":4,"owner_id":5,"ext":"gif","title":"кот.gif","url":"https://vk.com/doc5_4?hash=a",`+preview+`}},
		{"type":"doc","doc":{"id":6,"owner_id":5,"ext":"pdf","access_key":"k","title":"Листовка.pdf","size":70000,"url":"https://vk.com/doc5_6?hash=a"}},
		{"type":"poll","poll":{"id":9,"owner_id":-1,"question":"Где видели?","answers":[{"id":1,"text":"У моста","votes":3},{"id":2,"text":"В парке"}]}}],
		"copy_history":[{"id":2,"owner_id":-2,"from_id":77,"geo":{"coordinates":"56.85 53.2","place":{"title":"Мельница"}}}]}`)
	require.Equal(t, `Пропал кот "Сёма" ❗&copy`, content.Text)
	var names []string
	for _, photo := range content.Photos {
		names = append(names, photo.Ref())
	}
	require.Equal(t, []string{"photo-1_2", "doc5_3", "doc5_4", "video-5_7_ab"}, names, "frames come last")
	require.Equal(t, "Особая примета", content.Photos[0].Caption)
	require.Equal(t, "https://cdn.example/x.jpg", content.Photos[1].Sizes[0].URL)
	require.Equal(t, "https://vk.com/doc5_4?hash=a", content.Photos[2].Animation)
	require.Equal(t, []post.Attachment{
		{Kind: "video", Title: "Сёма", URL: "https://vk.com/video-5_7?list=ab", Seconds: 65},
		{Kind: "doc", Title: "Листовка.pdf", URL: "https://vk.com/doc5_6?hash=a", Ref: "doc5_6_k", Extension: "pdf", Bytes: 70000},
		{Kind: "poll", Title: "Где видели?", URL: "https://vk.com/poll-1_9", Ref: "poll-1_9", Answers: []string{"У моста", "В парке"}},
		{Kind: "geo", Title: "Мельница", URL: "https://yandex.ru/maps/?pt=53.200000,56.850000&z=16"},
	}, content.Attachments)
	require.Equal(t, int64(77), content.Reposts[0].FromID)

	silent := decode(t, `{"id":1,"owner_id":-1,"signer_id":5,"from_id":-1,"attachments":[{"type":"photo","photo":{"id":2,"owner_id":-1,"text":"Пропала собака"}}]}`)
	require.Equal(t, "Пропала собака", silent.Text, "what stands under its photos is all it says")
	require.Empty(t, silent.Photos[0].Caption)
	require.Equal(t, int64(5), silent.FromID)
}
