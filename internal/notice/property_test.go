package notice_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// Fragments that have broken reposters before, and ordinary words between them.
var hostile = []string{
	"собака ", "Пропал кот. ", "ул. Речная, 5 ", "\n", "\n\n", "\n\n\n\n\n", "  ", "!", "…", "?! ",
	"[id1|Анна Речная]", "[club12|Приют «Лапа»]", "[https://vk.com/wall-1_2?w=a&b=(c)|пост_*]", "[#alias|сайт|https://example.com/a_(b)]",
	"@id5 (Оля)", "*club7 (Группа)", "#пропала@club9", "#lost@pets_demo", "[важно]", "[id1|", "|]", "[]", "[[id2|a]b]",
	"<b>", "</a>", "&amp;", "<", ">", "&", `"`, "_", "*", "__", "**", "~~", "`", "```", "\\", "(", ")", ".", "-", "=", "|", "{}", "#", "+",
	"https://example.com/очень/длинный/путь?x=1&y=2_3 ", "vk.com/wall-1_2 ", "+7 900 000-12-34 ", "89000001234 ",
	"👨‍👩‍👧‍👦", "🇷🇺", "🏳️‍🌈", "👍🏽", "🐕", "e\u0301", "и\u0306", "z\u0335\u0321\u033e", "\u200d", "\u2800\u2800\u2800\n", "\u00a0", "\u00ad",
	"שלום עולם ", "مرحبا بالعالم ", "\u202eabc ", "สุนัขหาย", "走失的猫", "\xff\xfe", "\x00\x07", "\r\n", "\u2028", "ё", "\ufeff",
	"оченьдлинноесловобезединогопробелавнутри", "😀😀😀😀😀😀😀😀",
}

func hostileText(random *rand.Rand, fragments int) string {
	var b strings.Builder
	for range random.IntN(fragments + 1) {
		fragment := hostile[random.IntN(len(hostile))]
		repeats := 1
		if random.IntN(12) == 0 {
			repeats = 1 + random.IntN(60)
		}
		b.WriteString(strings.Repeat(fragment, repeats))
	}
	return b.String()
}

func hostilePost(random *rand.Rand) petpost.Post {
	p := about(
		petpost.Types[random.IntN(len(petpost.Types))],
		post.ID{OwnerID: -1 - random.Int64N(1_000_000_000), PostID: 1 + random.Int64N(10_000_000)},
		hostileText(random, 1<<random.IntN(11)), random.IntN(35)*random.IntN(2))
	if random.IntN(3) == 0 {
		p.Reposts = []repost{{Text: hostileText(random, 300)}}
		p.Origin = post.ID{OwnerID: -5, PostID: 6}
	}
	if random.IntN(2) == 0 {
		p.Reading.Phones = []string{"+79000001234", "+375290000000"}
		p.Reading.Location = hostileText(random, 20)
	}
	for range random.IntN(6) {
		kinds := []string{"video", "doc", "link", "poll", "geo", "sticker", "что-то новое"}
		p.Attachments = append(p.Attachments, attachment{
			Kind: kinds[random.IntN(len(kinds))], Title: hostileText(random, 30), URL: hostile[random.IntN(len(hostile))],
		})
	}
	return p
}

func hostileOptions(random *rand.Rand) notice.Options {
	options := notice.DefaultOptions()
	options.ParseMode = []notice.ParseMode{notice.HTML, notice.MarkdownV2, notice.Unmarked}[random.IntN(3)]
	options.MaxMedia = random.IntN(32)
	options.LinkPreview = random.IntN(2) == 0
	if random.IntN(2) == 0 {
		options.TextLimit = 1 + random.IntN(5000)
		options.CaptionLimit = random.IntN(1200)
	}
	if random.IntN(3) == 0 {
		options.Frame = notice.Frame{Header: hostileText(random, 10), Footer: hostileText(random, 10)}
	}
	return options
}

func TestNoPlanExceedsALimitBreaksATagOrLosesAWord(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 7))
		post, options := hostilePost(random), hostileOptions(random)
		plan := notice.PlanTelegram(post, options)
		requireSoundPlan(t, post, options, plan)
		require.Equal(t, plan, notice.PlanTelegram(post, options), "seed %d: the plan is the same when made again", seed)
	}
}

func TestNoWallPostExceedsItsLimitOrLosesTheSourceLink(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 8))
		post := hostilePost(random)
		options := notice.VKOptions{MaxMedia: random.IntN(14), TextLimit: random.IntN(6000)}
		requireSoundWallPost(t, post, options, notice.PlanVK(post, options))
	}
}

func requireSoundWallPost(t testing.TB, post petpost.Post, options notice.VKOptions, wallPost notice.VKPost) {
	t.Helper()
	most := options.TextLimit
	if most <= 0 {
		most = notice.DefaultVKUnits
	}
	most = max(most, 256)
	for _, text := range []string{wallPost.Text, wallPost.Linkless} {
		requireNobodyCalled(t, text, vkCall)
		require.True(t, utf8.ValidString(text))
		require.LessOrEqual(t, len(utf16.Encode([]rune(text))), most)
		require.True(t, strings.HasPrefix(text, notice.Title(post.Reading.Type)) || options.Frame.Header != "", text)
	}
	require.True(t, strings.HasSuffix(wallPost.Text, post.URL()), wallPost.Text)
	require.NotContains(t, wallPost.Linkless, "https://")
	require.Contains(t, wallPost.Linkless, post.String())
	require.LessOrEqual(t, len(wallPost.Photos), min(len(post.Photos), 10))
	require.Equal(t, post.URL(), wallPost.Copyright)
}

func FuzzTelegramPlan(f *testing.F) {
	f.Add("Пропала собака. [id1|Анна]", "", "ул. Речная", "", uint8(3), uint8(10), uint8(0), uint16(0))
	f.Add("🏳️‍🌈<b>&amp;_*[", "Оригинал\n\n\nс (скобками)", "", "Шапка", uint8(12), uint8(20), uint8(1), uint16(300))
	f.Add(strings.Repeat("слово ", 900), "", "", "", uint8(0), uint8(0), uint8(1), uint16(4096))
	f.Add(strings.Repeat("e\u0301", 3000), "", "", "", uint8(1), uint8(1), uint8(2), uint16(128))
	f.Add("https://example.com/"+strings.Repeat("a", 5000), "", "", "", uint8(2), uint8(2), uint8(0), uint16(500))
	f.Add(" \u0301"+strings.Repeat(" \u0301", 300), "\u200d\u200d", "\u2800", "#", uint8(2), uint8(2), uint8(1), uint16(130))
	f.Fuzz(func(t *testing.T, text, original, place, header string, photos, maxMedia, mode uint8, textLimit uint16) {
		if len(text)+len(original)+len(place)+len(header) > 40_000 {
			t.Skip("longer than any post on VK")
		}
		post := lostPost(text, int(photos%40))
		post.Reposts, post.Attachments = []repost{{Text: original}}, []attachment{{Kind: "doc", Title: header, URL: place}, {Kind: header}}
		post.Reading.Location, post.Reading.Phones = place, []string{place, "+79000001234"}
		options := notice.Options{
			ParseMode: []notice.ParseMode{notice.HTML, notice.MarkdownV2, notice.Unmarked}[mode%3],
			MaxMedia:  int(maxMedia), TextLimit: int(textLimit), CaptionLimit: int(textLimit) / 2, LinkPreview: mode%2 == 0,
			Frame: notice.Frame{Header: header, Footer: place},
		}
		requireSoundPlan(t, post, options, notice.PlanTelegram(post, options))
		vkOptions := notice.VKOptions{MaxMedia: int(maxMedia), TextLimit: int(textLimit), Frame: options.Frame}
		requireSoundWallPost(t, post, vkOptions, notice.PlanVK(post, vkOptions))
	})
}
