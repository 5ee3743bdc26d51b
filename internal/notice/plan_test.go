package notice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

func lostPost(text string, photos int) petpost.Post {
	return about(petpost.Lost, post.ID{OwnerID: -77, PostID: 8}, text, photos)
}

func indexes(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

func TestPhotosAreShownAsACarefulPersonWould(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Помогите найти собаку. ", 60)
	for _, c := range []struct {
		name     string
		post     petpost.Post
		maxMedia int
		want     []notice.Shape
	}{
		{"no photo is a message", lostPost("а", 0), 10, []notice.Shape{{notice.Message, nil, notice.NoReply, 1}}},
		{"one photo has the caption", lostPost("а", 1), 10, []notice.Shape{{notice.SinglePhoto, indexes(0, 1), notice.NoReply, 1}}},
		{"two are an album", lostPost("а", 2), 10, []notice.Shape{{notice.Album, indexes(0, 2), notice.NoReply, 2}}},
		{"ten are one album", lostPost("а", 10), 10, []notice.Shape{{notice.Album, indexes(0, 10), notice.NoReply, 10}}},
		{"eleven are six and five", lostPost("а", 11), 20, []notice.Shape{
			{notice.Album, indexes(0, 6), notice.NoReply, 6}, {notice.Album, indexes(6, 11), 0, 5},
		}},
		{"twenty-one are three sevens", lostPost("а", 21), 30, []notice.Shape{
			{notice.Album, indexes(0, 7), notice.NoReply, 7}, {notice.Album, indexes(7, 14), 0, 7}, {notice.Album, indexes(14, 21), 0, 7},
		}},
		{"the limit of media is kept", lostPost("а", 12), 10, []notice.Shape{{notice.Album, indexes(0, 10), notice.NoReply, 10}}},
		{"a limit of one is one photo", lostPost("а", 12), 1, []notice.Shape{{notice.SinglePhoto, indexes(0, 1), notice.NoReply, 1}}},
		{"no media wanted is a message", lostPost("а", 12), 0, []notice.Shape{{notice.Message, nil, notice.NoReply, 1}}},
		{"a long text goes before its photo", lostPost(long, 1), 10, []notice.Shape{
			{notice.Message, nil, notice.NoReply, 1}, {notice.SinglePhoto, indexes(0, 1), 0, 1},
		}},
		{"a long text goes before its albums", lostPost(long, 11), 20, []notice.Shape{
			{notice.Message, nil, notice.NoReply, 1}, {notice.Album, indexes(0, 6), 0, 6}, {notice.Album, indexes(6, 11), 0, 5},
		}},
		{"a very long text goes in parts and the album answers the first", lostPost(strings.Repeat(long, 4), 3), 10, []notice.Shape{
			{notice.Message, nil, notice.NoReply, 1}, {notice.Message, nil, notice.NoReply, 1}, {notice.Album, indexes(0, 3), 0, 3},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			options := notice.DefaultOptions()
			options.MaxMedia = c.maxMedia
			plan := notice.PlanTelegram(c.post, options)
			shapes := make([]notice.Shape, len(plan))
			for i, step := range plan {
				shapes[i] = step.Shape
			}
			require.Equal(t, c.want, shapes)
			requireSoundPlan(t, c.post, options, plan)
		})
	}
}

func TestTheCaptionIsOnTheFirstItemOnly(t *testing.T) {
	t.Parallel()
	options := notice.DefaultOptions()
	options.MaxMedia = 20
	plan := notice.PlanTelegram(lostPost("Пропал кот", 15), options)
	require.Contains(t, plan[0].Text, "Пропал кот")
	require.Empty(t, plan[1].Text)
}

// filled returns a post whose whole notice has exactly so many UTF-16 units.
func filled(t *testing.T, total int, letter string, photos int) petpost.Post {
	t.Helper()
	bare := notice.Compose(lostPost("", photos), notice.Frame{}, 0).Text().Units()
	size := notice.Plain(letter).Units()
	room := total - bare - len("\n\n")
	post := lostPost(strings.Repeat(letter, room/size)+strings.Repeat("а", room%size), photos)
	require.Equal(t, total, notice.Compose(post, notice.Frame{}, 0).Text().Units())
	return post
}

func TestLimitsHoldToTheUnit(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"а", "😀", "<", "_", "e\u0301"} {
		for _, mode := range []notice.ParseMode{notice.HTML, notice.MarkdownV2} {
			options := notice.DefaultOptions()
			options.ParseMode = mode
			require.Len(t, notice.PlanTelegram(filled(t, 4096, letter, 0), options), 1, "4096 of %q is one message", letter)
			require.Len(t, notice.PlanTelegram(filled(t, 4097, letter, 0), options), 2, "4097 of %q is two", letter)
			require.Len(t, notice.PlanTelegram(filled(t, 1024, letter, 1), options), 1, "1024 of %q is a caption", letter)
			require.Len(t, notice.PlanTelegram(filled(t, 1025, letter, 1), options), 2, "1025 of %q is not", letter)
		}
	}
}

func TestTheSourceLinkDoesNotGoOutAlone(t *testing.T) {
	t.Parallel()
	post := lostPost(strings.Repeat("Собаку видели у реки. ", 184), 0)
	plan := notice.PlanTelegram(post, notice.DefaultOptions())
	require.Len(t, plan, 2)
	require.Greater(t, len(plan[1].Unmarked), 1000)
	requireSoundPlan(t, post, notice.DefaultOptions(), plan)
}

func TestTextsAreCutWhereReadersPause(t *testing.T) {
	t.Parallel()
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("слово ", n)) }
	for _, c := range []struct{ name, text, endsWith string }{
		{"at a paragraph", words(500) + " конец абзаца\n\n" + words(600), "конец абзаца"},
		{"at a line", words(500) + " конец строки\n" + words(600), "конец строки"},
		{"at a sentence", words(500) + " конец мысли. " + words(600), "конец мысли."},
		{"not at an abbreviation", words(500) + " ул. " + words(600), "слово"},
		{"at a word", words(1200), "слово"},
		{"before a phone", words(675) + " +7 900 000-12-34 " + words(100), "слово"},
		{"before a web address", words(670) + " https://example.com/" + strings.Repeat("a", 90) + " " + words(200), "слово"},
		{"before a link of several words", words(670) + " [id1|" + words(20) + "] " + words(200), "слово"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			post := lostPost(c.text, 0)
			plan := notice.PlanTelegram(post, notice.DefaultOptions())
			require.Len(t, plan, 2)
			require.True(t, strings.HasSuffix(plan[0].Unmarked, c.endsWith), "ends with %q", plan[0].Unmarked[len(plan[0].Unmarked)-60:])
			requireSoundPlan(t, post, notice.DefaultOptions(), plan)
		})
	}
}

func TestMoreThanAHundredLinksGoInSeveralMessages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("[id1|Аня], ", 150),
		strings.Repeat("#собака ", 150),
		strings.Repeat("[#a|сайт|https://example.com/"+strings.Repeat("a", 300)+"], ", 60),
	} {
		post := lostPost(text, 0)
		plan := notice.PlanTelegram(post, notice.DefaultOptions())
		require.Greater(t, len(plan), 1)
		requireSoundPlan(t, post, notice.DefaultOptions(), plan)
	}
}

func TestThePreviewIsTheSourcesAndNeverBesidePhotos(t *testing.T) {
	t.Parallel()
	options := notice.DefaultOptions()
	long := notice.PlanTelegram(lostPost(strings.Repeat("слово ", 1000), 0), options)
	require.Empty(t, long[0].Preview)
	require.Equal(t, "https://vk.com/wall-77_8", long[len(long)-1].Preview)

	for _, step := range notice.PlanTelegram(lostPost(strings.Repeat("слово ", 1000), 2), options) {
		require.Empty(t, step.Preview)
	}
	options.LinkPreview = false
	require.Empty(t, notice.PlanTelegram(lostPost("а", 0), options)[0].Preview)
}

func TestEveryStepIsSilentWhereTheDestinationIs(t *testing.T) {
	t.Parallel()
	options := notice.DefaultOptions()
	options.Silent = true
	for _, step := range notice.PlanTelegram(lostPost(strings.Repeat("слово ", 1000), 12), options) {
		require.True(t, step.Silent)
	}
}

func TestPhotosThatCannotBeSentChangeTheirStepOnly(t *testing.T) {
	t.Parallel()
	album := notice.PlanTelegram(lostPost("Пропал кот", 3), notice.DefaultOptions())[0]

	two := album.WithoutPhotos(1)
	require.Equal(t, notice.Shape{Kind: notice.Album, Photos: []int{0, 2}, ReplyTo: notice.NoReply, Weight: 2}, two.Shape)
	require.Equal(t, album.Unmarked+"\n\n🖼 1 фото в оригинале", two.Unmarked)
	require.Contains(t, two.Text, `🖼 <a href="https://vk.com/wall-77_8">1 фото в оригинале</a>`)

	one := album.WithoutPhotos(0, 1)
	require.Equal(t, notice.Shape{Kind: notice.SinglePhoto, Photos: []int{2}, ReplyTo: notice.NoReply, Weight: 1}, one.Shape)
	require.Contains(t, one.Text, "2 фото в оригинале")
	full := notice.PlanTelegram(lostPost(strings.Repeat("слово ", 160), 2), notice.DefaultOptions())[0]
	require.Equal(t, full.Text, full.WithoutPhotos(1).Text, "no room, and the source's link is there")

	none := album.WithoutPhotos(0, 1, 2)
	require.Equal(t, notice.Shape{Kind: notice.Message, ReplyTo: notice.NoReply, Weight: 1}, none.Shape)
	require.Contains(t, none.Unmarked, "https://vk.com/wall-77_8")
	require.Equal(t, "https://vk.com/wall-77_8", none.Preview, "a text alone shows the source's preview")

	require.Equal(t, album, album.WithoutPhotos(9))

	long := notice.PlanTelegram(lostPost(strings.Repeat("слово ", 300), 2), notice.DefaultOptions())[1]
	require.Empty(t, long.Text)
	bare := long.WithoutPhotos(0, 1)
	require.Equal(t, notice.Message, bare.Kind)
	require.Equal(t, 0, bare.ReplyTo)
	require.Equal(t, "🖼 Фото в оригинале\n\nhttps://vk.com/wall-77_8", bare.Unmarked)
	_, err := parseHTML(bare.Text)
	require.NoError(t, err)
}

func TestPhonesAreWrittenTheWayPeopleReadThem(t *testing.T) {
	t.Parallel()
	for e164, nice := range map[string]string{
		"+79000001234": "+7 900 000-12-34", "79000001234": "+7 900 000-12-34", "+375290001234": "+375 29 000-12-34",
		"+442000000000": "+442000000000", "+7": "+7", "": "", "не телефон": "не телефон",
	} {
		require.Equal(t, nice, notice.NicePhone(e164), e164)
	}
}

func TestAWallPostLosesTheAuthorsLastWordsBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	post := lostPost(strings.Repeat("Собаку видели у реки. ", 200), 3)
	post.Reading.Phones, post.Reading.Location = []string{"+79000001234"}, "Речная, 4"
	wallPost := notice.PlanVK(post, notice.VKOptions{TextLimit: 600, MaxMedia: 10})
	require.True(t, strings.HasPrefix(wallPost.Text, "🔎 Пропал питомец\n\nСобаку видели"))
	require.Contains(t, wallPost.Text, "реки. …\n\n📞 +7 900 000-12-34\n📍 Речная, 4\n\nИсточник: https://vk.com/wall-77_8")
	require.LessOrEqual(t, notice.Plain(wallPost.Text).Units(), 600)
	require.Equal(t, []int{0, 1, 2}, wallPost.Photos)
	requireSoundWallPost(t, post, notice.VKOptions{TextLimit: 600, MaxMedia: 10}, wallPost)
}

func TestAWallPostSpellsEachAddressOnce(t *testing.T) {
	t.Parallel()
	post := lostPost("[id17|Анна], @id18, #кот@club5, [vk.com/lapa|vk.com/lapa]", 2)
	post.Attachments = []attachment{{Kind: "poll", Title: "Кто идёт?"}}
	require.Equal(t, "🔎 Пропал питомец\n\nАнна (https://vk.com/id17), https://vk.com/id18, #кот@club5, vk.com/lapa\n\n"+
		"📊 Опрос: Кто идёт?\n🖼 2 фото в оригинале\n\nИсточник: https://vk.com/wall-77_8",
		notice.PlanVK(post, notice.VKOptions{}).Text)
}

func TestAWallPostThatBringsNewsNamesTheOneItAnswers(t *testing.T) {
	t.Parallel()
	post := lostPost("Рекс дома!", 0)
	post.Reading.Type, post.DeletedAt = petpost.Reunited, time.Now()
	wallPost := notice.PlanVK(post, notice.VKOptions{Answers: "https://vk.com/wall-5_12"})
	require.Equal(t, "🎉 Питомец снова дома\n🗑 Запись удалена автором.\n↩️ Первое объявление: https://vk.com/wall-5_12\n\nРекс дома!\n\nИсточник: https://vk.com/wall-77_8", wallPost.Text)
	require.NotContains(t, wallPost.Linkless, "Первое объявление", "without its address it says nothing")
}
