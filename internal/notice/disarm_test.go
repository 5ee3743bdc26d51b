package notice_test

import (
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// draft is what of a post may try to call somebody.
type draft struct {
	Text, Location string
	Attachments    []post.Attachment
}

func (d draft) post() petpost.Post {
	return petpost.Post{
		Post:    post.Post{ID: post.ID{OwnerID: -1, PostID: 2}, Text: d.Text, Attachments: d.Attachments},
		Reading: petpost.Reading{Type: petpost.Lost, Location: d.Location},
	}
}

func TestNobodyIsCalledToAWallByAPost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		post draft
		want string // what stands there instead
	}{
		{"a link in the brackets of a link", draft{Text: "[[id1|id2|Имя]]"}, "[id2/Имя (https://vk.com/id1)]"},
		{"a mention in a label", draft{Text: "[id1| @id2 (Имя)]"}, "@ id2 (Имя) (https://vk.com/id1)"},
		{"a community in a label", draft{Text: "[id1|x *club2 (Клуб)]"}, "x * club2 (Клуб) (https://vk.com/id1)"},
		{"an attachment's title", draft{Attachments: []post.Attachment{{Kind: "doc", Title: "[id3|Имя]"}}}, "[id3/Имя]"},
		{"a place", draft{Location: "ул. [id2|x]"}, "📍 ул. [id2/x]"},
		{"an override in a name", draft{Text: "@\u202edurov (Паша)"}, "@ durov (Паша)"},
		{"a name of another network", draft{Text: "наш инстаграм @anna_demo."}, "инстаграм @ anna_demo."},
		{"a full-width at sign", draft{Text: "＠ｄｕｒｏｖ"}, "＠ ｄｕｒｏｖ"},
		{"after a letter that is none of an address", draft{Text: "почта@id1"}, "почта@ id1"},
		{"in pieces of a link", draft{Text: "@[id1|durov]"}, "@ durov (https://vk.com/id1)"},
		{"in an address", draft{Text: "https://example.com/@durov и https://example.com/[важно|x]"}, "https://example.com/%40durov и https://example.com/[важно%7Cx]"},
		{"written as a character reference", draft{Text: "&#64;durov &#x5b;id1&#124;x] &amp;#64;id1"}, "& #64;durov & #x5b;id1& #124;x] &amp;#64;id1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wallPost := notice.PlanVK(c.post.post(), notice.VKOptions{})
			require.Contains(t, wallPost.Text, c.want)
			requireNobodyCalled(t, wallPost.Text, vkCall)
			requireNobodyCalled(t, wallPost.Linkless, vkCall)
		})
	}
}

func TestWhatCallsNobodyStaysAsWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"пишите на lapa.help@example.com!", "*важно*", "клетка 60*40*30", "USSD *100#", "[важно]", "а | б", "[схема] а | б",
		"#пропала@club9 #lost@lapa_demo", "в 5 @ у дома", "кот & пёс", "список:\n* раз\n* два", "*️⃣ номер",
	} {
		written := draft{Text: text}.post()
		require.Contains(t, notice.PlanVK(written, notice.VKOptions{}).Text, text)
		require.Contains(t, notice.PlanTelegram(written, notice.DefaultOptions())[0].Unmarked, text)
	}
}

func TestNoMemberOfAChatIsCalledByAPost(t *testing.T) {
	t.Parallel()
	for _, mode := range []notice.ParseMode{notice.HTML, notice.MarkdownV2, notice.Unmarked} {
		written := draft{
			Text:        "@all, спасите! Хозяйка @anna_demo, [id1|@durov], @[id1|durov], ＠ａｎｎａ, @\u200banna_demo, приют*@lapa_demo",
			Attachments: []post.Attachment{{Kind: "doc", Title: "@anna_demo"}}, Location: "у @anna_demo",
		}.post()
		options := notice.DefaultOptions()
		options.ParseMode = mode
		for _, step := range notice.PlanTelegram(written, options) {
			requireNobodyCalled(t, step.Unmarked, telegramCall)
			requireNobodyCalled(t, step.Text, telegramCall)
			require.Contains(t, step.Unmarked, "@ all, спасите! Хозяйка @ anna_demo")
		}
		for _, revision := range notice.Revise(written, options, []notice.Kind{notice.Message}, 0) {
			requireNobodyCalled(t, revision.Text, telegramCall)
		}
	}
}

func TestALabelThatLooksLikeAnAddressShowsWhereItLeads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"[#a|https://vk.com/id1|https://evil.example]", `<a href="https://evil.example">https://vk.com/id1 (evil.example)</a>`},
		{"[#a|Сбор: bank.example|https://evil.example/x]", `<a href="https://evil.example/x">Сбор: bank.example (evil.example/x)</a>`},
		{"[#a|vk․com/id1|https://evil.example]", `<a href="https://evil.example">vk․com/id1 (evil.example)</a>`},
		{"[#a|v\u200bk.com|https://evil.example]", "<a href=\"https://evil.example\">v\u200bk.com (evil.example)</a>"},
		{"[id2|https://vk.com/id1]", `<a href="https://vk.com/id2">https://vk.com/id1 (vk.com/id2)</a>`},
		{"[#a|bank.example|https://bank.example.evil.example/]", `<a href="https://bank.example.evil.example/">bank.example (bank.example.evil.example)</a>`},
		{"[#a|example.com|https://www.example.com/a]", `<a href="https://www.example.com/a">example.com</a>`},
		{"[#a|https://example.com/a|http://example.com/a/]", `<a href="http://example.com/a/">https://example.com/a</a>`},
		{"[#a|Сайт приюта|https://example.com/a]", `<a href="https://example.com/a">Сайт приюта</a>`},
	} {
		plan := notice.PlanTelegram(draft{Text: c.text}.post(), notice.DefaultOptions())
		require.Contains(t, plan[0].Text, c.want)
	}
	written := draft{Attachments: []post.Attachment{{Kind: "link", Title: "bank.example", URL: "https://evil.example"}}}.post()
	require.Contains(t, notice.PlanTelegram(written, notice.DefaultOptions())[0].Text, `bank.example (evil.example)</a>`)
	require.Contains(t, notice.PlanVK(written, notice.VKOptions{}).Text, "bank.example (https://evil.example)")
}

// calling are pieces that make calls of text, put together at random below.
var calling = []string{
	"[", "]", "|", "@", "*", "id1", "club2", "durov", "(Имя)", "id1|", "[id2|Имя]", "[[", "@id1 (x)", "*club3 (x)", "all",
	"＠", "［", "］", "｜", "＊", "﹫", "﹡", "ｉｄ１", "ⓓⓤⓡⓞⓥ", "\u200b", "\u202e", "\u00ad", "\u2060", "\u0301", "\ufe0f", "\u200d", "\ufeff", "\u2066", "\u3164",
	" ", "\n", ".", "/", "a", "ж", "_", "#тег@club1", "#t@durov", "mail@example.com", "https://example.com/", "vk.com/", "://", "&#64;", "&#91;",
	"&commat;", "&#x7c;", "&amp;", "#64;", "[#a|б|https://example.com/@x]", "[https://vk.com/id1|", "%40", "1", "-", "5*5",
}

func callingText(random *rand.Rand, most int) string {
	var b strings.Builder
	for range random.IntN(most) {
		b.WriteString(calling[random.IntN(len(calling))])
	}
	return b.String()
}

func TestNoMarkupOfAnyPostCallsAnybody(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 13))
		written := draft{
			Text: callingText(random, 40), Location: callingText(random, 9),
			Attachments: []post.Attachment{
				{Kind: "doc", Title: callingText(random, 9), URL: "https://example.com/" + callingText(random, 5)},
				{Kind: "link", URL: "https://vk.com/@lapa-kak-iskat"},
			},
		}.post()
		written.Reposts, written.Origin = []repost{{Text: callingText(random, 20)}}, post.ID{OwnerID: -5, PostID: 6}
		written.Reading.Phones = []string{callingText(random, 4)}
		frame := notice.Frame{Header: callingText(random, 5), Footer: callingText(random, 5)}
		limit := []int{0, 256, 400}[random.IntN(3)]
		wallPost := notice.PlanVK(written, notice.VKOptions{Frame: frame, TextLimit: limit, Answers: "https://vk.com/wall-1_1"})
		requireNobodyCalled(t, wallPost.Text, vkCall)
		requireNobodyCalled(t, wallPost.Linkless, vkCall)

		options := notice.DefaultOptions()
		options.Frame, options.TextLimit = frame, limit
		options.ParseMode = []notice.ParseMode{notice.HTML, notice.MarkdownV2, notice.Unmarked}[random.IntN(3)]
		for _, step := range notice.PlanTelegram(written, options) {
			requireNobodyCalled(t, step.Unmarked, telegramCall)
		}
	}
}

var (
	// A mail address and a hashtag of a community are calls on neither side.
	noCall = regexp.MustCompile(`(?m)[A-Za-z0-9]@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}|(^|[^\p{L}\p{N}_])#[\p{L}\p{N}_]*\p{L}[\p{L}\p{N}_]*@`)
	vkCall = regexp.MustCompile(`\[[^\]\n]*\||@[\p{L}\p{N}_]|\*\d*[A-Za-z_]`)
	// What Unicode calls letters and no name contains.
	fillers      = strings.NewReplacer("\u3164", "", "\u2800", "", "\u115f", "", "\u1160", "", "\uffa0", "")
	telegramCall = regexp.MustCompile(`@[\p{L}\p{N}_]`)
)

// requireNobodyCalled looks at the text as it is, and as a server would read
// it that decodes references, folds wide letters and drops what can't be seen.
func requireNobodyCalled(t testing.TB, text string, call *regexp.Regexp) {
	t.Helper()
	plain := fillers.Replace(noCall.ReplaceAllString(text, "$1 "))
	decoded := plain
	if call == vkCall {
		decoded = html.UnescapeString(plain)
	}
	seen := strings.Map(func(r rune) rune {
		if r != '\n' && unicode.In(r, unicode.Cf, unicode.Cc, unicode.Mn, unicode.Me) {
			return -1
		}
		return r
	}, norm.NFKC.String(decoded))
	require.Empty(t, call.FindAllString(plain, -1), "in %q", text)
	require.Empty(t, call.FindAllString(seen, -1), "in %q, read as %q", text, seen)
}
