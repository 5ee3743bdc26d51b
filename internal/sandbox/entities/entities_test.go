package entities_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox/entities"
)

type E = entities.Entity

func TestHTMLIsReadAsTheServerReadsIt(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct {
		text string
		list []E
	}{
		"просто текст":                                    {"просто текст", nil},
		"<b>Пропал</b> кот":                               {"Пропал кот", []E{{Type: entities.Bold, Length: 6}}},
		"😭<i>x</i>":                                       {"😭x", []E{{Type: entities.Italic, Offset: 2, Length: 1}}},
		"<b>a<i>b</i></b>":                                {"ab", []E{{Type: entities.Bold, Length: 2}, {Type: entities.Italic, Offset: 1, Length: 1}}},
		"a &lt;b&gt; &amp; &quot;c&quot; &#33; &#x1F43E;": {`a <b> & "c" ! 🐾`, nil},
		"&nbsp; &copy;":                                   {"&nbsp; &copy;", nil},
		"5 > 3 & 2":                                       {"5 > 3 & 2", nil},
		`<a href="https://vk.com/wall-1_2?a=1&amp;b=2">пост</a>`: {"пост", []E{{Type: entities.TextLink, Length: 4, URL: "https://vk.com/wall-1_2?a=1&b=2"}}},
		`<a href="javascript:alert(1)">x</a>`:                    {"x", nil},
		"<b></b>x":                                               {"x", nil},
		`<span class="tg-spoiler">тайна</span>`:                  {"тайна", []E{{Type: entities.Spoiler, Length: 5}}},
		`<pre><code class="language-go">x</code></pre>`:          {"x", []E{{Type: entities.Code, Length: 1}, {Type: entities.Pre, Length: 1}}},
		`<blockquote expandable>цитата</blockquote>`:             {"цитата", []E{{Type: entities.Blockquote, Length: 6}}},
		"<STRONG>a</STRONG><em>b</em><u>c</u><ins>d</ins><s>e</s><del>f</del>": {"abcdef", []E{
			{Type: entities.Bold, Length: 1}, {Type: entities.Italic, Offset: 1, Length: 1}, {Type: entities.Underline, Offset: 2, Length: 1},
			{Type: entities.Underline, Offset: 3, Length: 1}, {Type: entities.Strikethrough, Offset: 4, Length: 1}, {Type: entities.Strikethrough, Offset: 5, Length: 1}}},
	} {
		text, list, err := entities.ParseHTML(source)
		require.NoError(t, err, source)
		require.Equal(t, want.text, text, source)
		require.Equal(t, want.list, list, source)
	}
}

func TestBrokenHTMLIsRefusedWithTheServersWords(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a<br>b":         `Unsupported start tag "br" at byte offset 1`,
		"<p>a</p>":       `Unsupported start tag "p" at byte offset 0`,
		"<b>a":           `Can't find end tag corresponding to start tag "b"`,
		"a</b>":          "Unexpected end tag at byte offset 1",
		"<b><i>a</b>":    `Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`,
		"кот <3 собака":  `Unsupported start tag "3" at byte offset 7`,
		"<b":             "Unclosed start tag",
		`<a href="x>y`:   "Unclosed start tag",
		"<span>x</span>": `Tag "span" must have class "tg-spoiler"`,
		"<a href>x</a>":  "Expected equal sign",
		"<b>x</b":        "Unclosed end tag",
	} {
		_, _, err := entities.ParseHTML(source)
		require.ErrorContains(t, err, want, source)
	}
}

func TestMarkdownV2IsReadAsTheServerReadsIt(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct {
		text string
		list []E
	}{
		"*Пропал* кот":                     {"Пропал кот", []E{{Type: entities.Bold, Length: 6}}},
		`8 900 000\-12\-34\.`:              {"8 900 000-12-34.", nil},
		"_a_ __b__ ~c~ ||d||":              {"a b c d", []E{{Type: entities.Italic, Length: 1}, {Type: entities.Underline, Offset: 2, Length: 1}, {Type: entities.Strikethrough, Offset: 4, Length: 1}, {Type: entities.Spoiler, Offset: 6, Length: 1}}},
		`[пост](https://vk.com/wall-1\_2)`: {"пост", []E{{Type: entities.TextLink, Length: 4, URL: "https://vk.com/wall-1_2"}}},
		"`a.b` и ```go\nx := 1```":         {"a.b и x := 1", []E{{Type: entities.Code, Length: 3}, {Type: entities.Pre, Offset: 6, Length: 6}}},
		">цитата\n>дальше\nтекст":          {"цитата\nдальше\nтекст", []E{{Type: entities.Blockquote, Length: 14}}},
		"*жирный _и курсив_*":              {"жирный и курсив", []E{{Type: entities.Bold, Length: 15}, {Type: entities.Italic, Offset: 7, Length: 8}}},
	} {
		text, list, err := entities.ParseMarkdownV2(source)
		require.NoError(t, err, source)
		require.Equal(t, want.text, text, source)
		require.Equal(t, want.list, list, source)
	}
}

func TestBrokenMarkdownV2IsRefusedWithTheServersWords(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"конец.":    `Character '.' is reserved and must be escaped with the preceding '\'`,
		"раз-два":   `Character '-' is reserved`,
		"вот!":      `Character '!' is reserved`,
		"a > b":     `Character '>' is reserved`,
		"a | b":     `Character '|' is reserved`,
		"*кот":      "Can't find end of Bold entity at byte offset 0",
		"a _b":      "Can't find end of Italic entity at byte offset 2",
		"[x](y":     "Can't find end of a URL at byte offset 3",
		"```x":      "Can't find end of Pre entity",
		"#тег":      `Character '#' is reserved`,
		"a + b = c": `Character '+' is reserved`,
	} {
		_, _, err := entities.ParseMarkdownV2(source)
		require.ErrorContains(t, err, want, source)
	}
}

func TestTrimmingMovesEntities(t *testing.T) {
	t.Parallel()
	text, list := entities.Trim("\n  Кот \n", []E{{Type: entities.Bold, Offset: 1, Length: 6}, {Type: entities.Italic, Offset: 0, Length: 2}})
	require.Equal(t, "Кот", text)
	require.Equal(t, []E{{Type: entities.Bold, Offset: 0, Length: 3}}, list)
}

func TestPagesShowFormattingAndNeverScript(t *testing.T) {
	t.Parallel()
	text, list, err := entities.ParseHTML(`<b>Кот</b> &lt;script&gt; <a href="https://vk.com/wall-1_2">тут</a> 8 900 000-11-22 https://a.ru/x.`)
	require.NoError(t, err)
	require.Equal(t, `<b>Кот</b> &lt;script&gt; <a href="https://vk.com/wall-1_2" rel="noreferrer" target="_blank" title="https://vk.com/wall-1_2">тут</a>`+
		` <span class="link">8 900 000-11-22</span> <a href="https://a.ru/x" rel="noreferrer" target="_blank">https://a.ru/x</a>.`, entities.HTML(text, list))
	require.Contains(t, entities.HTML("x", []E{{Type: entities.TextLink, Length: 1, URL: "javascript:alert(1)"}}), `href="#"`)
}

func TestTheFirstLinkOfATextIsFound(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://b.ru", entities.FirstLink("см. пост https://a.ru", []E{{Type: entities.TextLink, Offset: 4, Length: 4, URL: "https://b.ru"}}))
	require.Equal(t, "https://a.ru", entities.FirstLink("https://a.ru пост", []E{{Type: entities.TextLink, Offset: 13, Length: 4, URL: "https://b.ru"}}))
	require.Empty(t, entities.FirstLink("нет", nil))
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{"<b>a</b>", "&#x1F43E;", "<a href='x'>", "</b>", "<pre><code class=language-x>y", "&", "<", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) { checkBounds(t, source, entities.ParseHTML) })
}

func FuzzMarkdownV2(f *testing.F) {
	for _, seed := range []string{"*a*", "||x||", "[a](b)", "```go\nx```", ">q\n>r", `\*`, "![x](tg://emoji?id=1)", "\\", "__", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) { checkBounds(t, source, entities.ParseMarkdownV2) })
}

// checkBounds: whatever comes in, entities stay within the text, and a page
// can show it.
func checkBounds(t *testing.T, source string, parse func(string) (string, []E, error)) {
	if !utf8.ValidString(source) {
		return // refused before it is parsed
	}
	text, list, err := parse(source)
	if err != nil {
		require.NotContains(t, err.Error(), "%!")
		return
	}
	text, list = entities.Trim(text, list)
	width := entities.UTF16Length(text)
	for _, e := range list {
		require.GreaterOrEqual(t, e.Offset, 0)
		require.Positive(t, e.Length)
		require.LessOrEqual(t, e.Offset+e.Length, width)
	}
	require.NotContains(t, strings.ToLower(entities.HTML(text, list)), "<script")
}
