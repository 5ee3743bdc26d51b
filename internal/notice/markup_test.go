package notice_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
)

func link(text, url string) notice.Span { return notice.Span{Text: text, Link: url} }

func plain(text string) notice.Span { return notice.Span{Text: text} }

func TestMarkupOfVKBecomesLinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, raw string
		want      notice.Text
	}{
		{"a person", "Пишите [id17|Анне Речной].", notice.Text{plain("Пишите "), link("Анне Речной", "https://vk.com/id17"), plain(".")}},
		{"a club", "[club5|Приют]", notice.Text{link("Приют", "https://vk.com/club5")}},
		{"a public page", "[public5|Приют]", notice.Text{link("Приют", "https://vk.com/public5")}},
		{"an event", "[event5|Субботник]", notice.Text{link("Субботник", "https://vk.com/event5")}},
		{"a screen name", "[lapa_demo|Лапа]", notice.Text{link("Лапа", "https://vk.com/lapa_demo")}},
		{"a screen name with a dot", "[lapa.demo|Лапа]", notice.Text{link("Лапа", "https://vk.com/lapa.demo")}},
		{"a mention in an answer", "[id17:bp-5_33|Анна], да", notice.Text{link("Анна", "https://vk.com/id17"), plain(", да")}},
		{"a wall post by its name", "[wall-5_33|тут]", notice.Text{link("тут", "https://vk.com/wall-5_33")}},
		{"an address", "[https://vk.com/wall-5_33?w=a&b=c|тут]", notice.Text{link("тут", "https://vk.com/wall-5_33?w=a&b=c")}},
		{"an address without scheme", "[vk.com/topic-5_33|тут]", notice.Text{link("тут", "https://vk.com/topic-5_33")}},
		{"an address on vk.ru", "[https://vk.ru/lapa|тут]", notice.Text{link("тут", "https://vk.ru/lapa")}},
		{"an address for phones", "[m.vk.com/lapa|тут]", notice.Text{link("тут", "https://m.vk.com/lapa")}},
		{"a short link", "[vk.cc/abc1|тут]", notice.Text{link("тут", "https://vk.cc/abc1")}},
		{"a labelled link", "[#alias|Сайт приюта|https://example.com/a?b=1]", notice.Text{link("Сайт приюта", "https://example.com/a?b=1")}},
		{"a labelled link without scheme", "[#alias|example.com|example.com/a]", notice.Text{link("example.com", "https://example.com/a")}},
		{"a bar in the label", "[id1|Аня | кураторка]", notice.Text{link("Аня | кураторка", "https://vk.com/id1")}},
		{"brackets around a link", "[[id1|Аня]]", notice.Text{plain("["), link("Аня", "https://vk.com/id1"), plain("]")}},
		{"two side by side", "[id1|Аня][id2|Оля]", notice.Text{link("Аня", "https://vk.com/id1"), link("Оля", "https://vk.com/id2")}},
		{"a mention by at sign", "Звонить @id17 (Анне)", notice.Text{plain("Звонить "), link("Анне", "https://vk.com/id17")}},
		{"a mention by star", "*club5 (Приют)", notice.Text{link("Приют", "https://vk.com/club5")}},
		{"a mention without a space", "@public5(Приют)!", notice.Text{link("Приют", "https://vk.com/public5"), plain("!")}},
		{"a bare mention", "спасибо @id17, очень", notice.Text{plain("спасибо "), link("@id17", "https://vk.com/id17"), plain(", очень")}},
		{"a latin hashtag of a group", "#lost@lapa_demo", notice.Text{link("#lost@lapa_demo", "https://vk.com/lapa_demo/lost")}},
		{"a Russian hashtag of a numbered group", "#пропала@club5", notice.Text{link("#пропала@club5", "https://vk.com/wall-5?q=%23%D0%BF%D1%80%D0%BE%D0%BF%D0%B0%D0%BB%D0%B0")}},
		{"a Russian hashtag of a named group", "#кот@lapa.demo.", notice.Text{link("#кот@lapa.demo", "https://vk.com/feed?q=%23%D0%BA%D0%BE%D1%82%40lapa.demo&section=search"), plain(".")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, notice.ParseMarkup(c.raw))
		})
	}
}

func TestWhatIsNoMarkupStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"[важно]", "[]", "[|]", "[id1|]", "[id1| ]", "[id1", "[id1|Аня", "id1|Аня]", "[пёс|кот]", "[a|b]", "[1|2]",
		"[id1|Аня\nРечная]", "[https://example.com|чужой сайт]", "[javascript:alert(1)|x]", "[https://vk.com.example.org/x|x]",
		"[https://user@vk.com/x|x]", "[#alias|label|]", "[#alias|label]", "[#alias|label|ftp://example.com]", "[#alias| |example.com]",
		"почта@id1", "mail@club5.ru", "@anna_demo", "*важно (да)", "* id1", "*id1", "@idea (мысль)", "#пропала", "а#b@club", "@", "*", "#", "[",
		"5*id1 (x)", "(см. [схему])",
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, notice.Text{plain(raw)}, notice.ParseMarkup(raw))
		})
	}
	require.Empty(t, notice.ParseMarkup(""))
}

func TestCleanKeepsTheWordsAndTidiesTheBlanks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, raw, want string }{
		{"line breaks of every kind", "а\r\nб\rв\u2028г", "а\nб\nв\nг"},
		{"blanks at line ends", "а  \nб\u00a0\t\n", "а\nб"},
		{"many empty lines", "\n\nа\n\n\n\n\nб\n\nв\n\n", "а\n\n\nб\n\nв"},
		{"empty lines made of fillers", "а\n\u2800\n \u3164\n\u200b\nб", "а\n\n\nб"},
		{"indents stay", "список:\n  — раз", "список:\n  — раз"},
		{"broken bytes and controls", "а\xff\x00\x07б\ufeff\u202e", "аб"},
		{"family emoji stay whole", "👨‍👩‍👧", "👨‍👩‍👧"},
		{"nothing", " \n \n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, notice.Clean(c.raw))
		})
	}
}

func FuzzParseMarkup(f *testing.F) {
	for _, fragment := range hostile {
		f.Add(fragment)
	}
	f.Add("[#a|б|https://example.com/%zz]")
	f.Add("[[[[id1|a]]]|b]@id1 (@id2 (x))#a@b#c@club1.")
	f.Fuzz(func(t *testing.T, raw string) {
		raw = notice.Clean(raw)
		text := notice.ParseMarkup(raw)
		at := 0
		for _, span := range text {
			// Words keep their order, and nothing is made up. Links side by side
			// that lead to one place are one, so markup may lie within.
			for _, r := range span.Text {
				found := strings.IndexRune(raw[at:], r)
				require.GreaterOrEqual(t, found, 0, "%q is not in %q", span.Text, raw)
				at += found + utf8.RuneLen(r)
			}
			if span.Link == "" {
				continue
			}
			address, err := url.Parse(span.Link)
			require.NoError(t, err)
			require.Contains(t, []string{"http", "https"}, address.Scheme)
			require.NotEmpty(t, address.Host)
		}
		if !strings.ContainsAny(raw, "[@*#") {
			require.Equal(t, raw, text.String())
		}
	})
}
