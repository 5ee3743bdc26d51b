package markup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox/markup"
)

const link = `<a href="https://vk.com/wall-1_2?a=1&amp;b=2" rel="noreferrer" target="_blank" title="https://vk.com/wall-1_2?a=1&amp;b=2">пост</a>`

func TestMarkupIsReadAsTheServerReadsIt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ mode, source, plain, page string }{
		{"", " <b>просто</b> текст\n", "<b>просто</b> текст", "&lt;b&gt;просто&lt;/b&gt; текст"},
		{"HTML", "<b>Пропал</b> кот", "Пропал кот", "<b>Пропал</b> кот"},
		{"HTML", "<b>a<i>b</i></b>", "ab", "<b>a<i>b</i></b>"},
		{"html", "<STRONG>a</STRONG><em>b</em><u>c</u><s>d</s><code>e</code>", "abcde", "<b>a</b><i>b</i><u>c</u><s>d</s><code>e</code>"},
		{"HTML", "a &lt;b&gt; &amp; &quot;c&quot; &#33; &#x1F43E;", `a <b> & "c" ! 🐾`, `a &lt;b&gt; &amp; &#34;c&#34; ! 🐾`},
		{"HTML", "&nbsp; 5 > 3 & 2", "&nbsp; 5 > 3 & 2", "&amp;nbsp; 5 &gt; 3 &amp; 2"},
		{"HTML", `<a href="https://vk.com/wall-1_2?a=1&amp;b=2">пост</a>`, "пост", link},
		{"HTML", `<a href="javascript:alert(1)">x</a>`, "x", "x"},
		{"MarkdownV2", "*Пропал* кот", "Пропал кот", "<b>Пропал</b> кот"},
		{"MarkdownV2", `8 900 000\-12\-34\.`, "8 900 000-12-34.", `<span class="link">8 900 000-12-34</span>.`},
		{"MarkdownV2", "_a_ __b__ ~c~ `d.`", "a b c d.", "<i>a</i> <u>b</u> <s>c</s> <code>d.</code>"},
		{"MarkdownV2", `[пост](https://vk.com/wall-1\_2?a=1&b=2)`, "пост", link},
		{"MarkdownV2", "*жирный _и курсив_*", "жирный и курсив", "<b>жирный <i>и курсив</i></b>"},
	} {
		text, err := markup.Parse(row.source, row.mode)
		require.NoError(t, err, row.source)
		require.Equal(t, row.plain, text.Plain, row.source)
		require.Equal(t, row.page, text.HTML, row.source)
	}
}

func TestBrokenMarkupIsRefusedWithTheServersWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ mode, source, want string }{
		{"HTML", "a<br>b", `Unsupported start tag "br" at byte offset 1`},
		{"HTML", "<b>a", `Can't find end tag corresponding to start tag "b"`},
		{"HTML", "a</b>", "Unexpected end tag at byte offset 1"},
		{"HTML", "<b><i>a</b>", `Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`},
		{"HTML", "кот <3 собака", `Unsupported start tag "3" at byte offset 7`},
		{"HTML", "<b", "Unclosed start tag"},
		{"HTML", `<a href="x>y`, "Unclosed start tag"},
		{"MarkdownV2", "конец.", `Character '.' is reserved and must be escaped with the preceding '\'`},
		{"MarkdownV2", "a > b", `Character '>' is reserved`},
		{"MarkdownV2", "*кот", "Can't find end of Bold entity at byte offset 0"},
		{"MarkdownV2", "a _b", "Can't find end of Italic entity at byte offset 2"},
		{"MarkdownV2", "[x](y", "Character ']' is reserved"},
		{"MarkdownV2", "#тег", `Character '#' is reserved`},
		{"Markdown", "a", "unsupported parse_mode"},
	} {
		_, err := markup.Parse(row.source, row.mode)
		require.ErrorContains(t, err, row.want, row.source)
	}
}

func TestTheFirstLinkOfATextIsFound(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`см. <a href="https://b.ru">пост</a> https://a.ru`: "https://b.ru",
		`https://a.ru <a href="https://b.ru">пост</a>`:     "https://a.ru",
		"нет": "",
	} {
		text, err := markup.Parse(source, "HTML")
		require.NoError(t, err)
		require.Equal(t, want, text.Link)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"<b>a</b>", "&#x1F43E;", "<a href=\"x\">", "*a*", "[a](b)", `\*`, "\\", "__", "\xff", "https://a.ru<script"} {
		f.Add(seed, "HTML")
		f.Add(seed, "MarkdownV2")
	}
	f.Fuzz(func(t *testing.T, source, mode string) {
		text, err := markup.Parse(source, mode)
		if err == nil {
			require.NotContains(t, strings.ToLower(text.HTML), "<script")
		}
	})
}
