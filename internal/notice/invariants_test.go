package notice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
)

// requireSoundPlan holds a plan against everything Telegram demands and
// everything readers are promised.
func requireSoundPlan(t testing.TB, post petpost.Post, options notice.Options, plan []notice.Step) {
	t.Helper()
	require.NotEmpty(t, plan)
	linked := slices.DeleteFunc(slices.Clone(post.Photos), func(p picture) bool { return len(p.Sizes) == 0 })
	shown := min(len(linked), max(options.MaxMedia, 0))
	whole := notice.Compose(post, options.Frame, len(post.Photos)-shown).Text()

	var told []string
	var links []parsedEntity
	next := 0
	for i, step := range plan {
		at := fmt.Sprintf("step %d (%s)", i, step.Kind)
		most := bound(options.TextLimit, 4096)
		switch step.Kind {
		case notice.Message:
			require.Empty(t, step.Photos, at)
			require.True(t, visible(step.Unmarked), "%s: nothing to be seen in %q", at, step.Unmarked)
			require.Equal(t, 1, step.Weight, at)
		case notice.SinglePhoto, notice.Animation:
			require.Len(t, step.Photos, 1, at)
			require.Equal(t, 1, step.Weight, at)
			most = bound(options.CaptionLimit, 1024)
		case notice.Album:
			require.GreaterOrEqual(t, len(step.Photos), 2, at)
			require.LessOrEqual(t, len(step.Photos), 10, at)
			require.Equal(t, len(step.Photos), step.Weight, at)
			most = bound(options.CaptionLimit, 1024)
		default:
			require.Fail(t, "unknown kind", at)
		}
		for _, photo := range step.Photos {
			for len(post.Photos[next].Sizes) == 0 {
				next++
			}
			require.Equal(t, next, photo, "%s: photos come in order, each once", at)
			next++
		}
		require.Less(t, step.ReplyTo, i, at)
		if step.Preview != "" {
			require.Zero(t, shown, "%s: a preview beside photos", at)
		}

		parsed, err := parseAs(step.ParseMode, step.Text)
		require.NoError(t, err, "%s: %q", at, step.Text)
		require.Equal(t, step.Unmarked, parsed.Text, at)
		require.True(t, utf8.ValidString(step.Text), at)
		requireNobodyCalled(t, step.Unmarked, telegramCall)
		require.LessOrEqual(t, len(utf16.Encode([]rune(parsed.Text))), most, "%s: UTF-16 units", at)
		require.LessOrEqual(t, utf8.RuneCountInString(parsed.Text), most, "%s: code points", at)
		require.LessOrEqual(t, len(parsed.Entities), 100, "%s: entities", at)
		size := 0
		for _, entity := range parsed.Entities {
			size += len(entity.Text) + len(entity.URL)
		}
		require.LessOrEqual(t, size, 10_000, "%s: bytes of entities", at)
		require.Less(t, len(step.Text), 32_768, "%s: raw bytes", at)
		links = append(links, parsed.Entities...)
		if step.Unmarked != "" {
			told = append(told, step.Unmarked)
		}
	}
	require.Equal(t, shown, next, "every photo is shown")

	source := post.URL()
	require.True(t, strings.HasSuffix(told[len(told)-1], source), "the last words are the source link: %q", told[len(told)-1])
	if options.ParseMode != notice.Unmarked {
		require.Contains(t, links, parsedEntity{"link", source, source})
	}
	require.Equal(t, withoutBlanks(whole.String()), withoutBlanks(strings.Join(told, "")), "nothing the author wrote is lost or moved")
	requireCutsBetweenLetters(t, whole.String(), told)
	if options.ParseMode != notice.Unmarked {
		for _, span := range whole {
			if span.Link != "" && visible(span.Text) && utf8.RuneCountInString(span.Text) < 50 {
				require.Contains(t, links, parsedEntity{"link", span.Text, span.Link}, "a link was cut")
			}
		}
	}
}

func bound(asked, most int) int {
	if asked <= 0 || asked > most {
		return most
	}
	return max(asked, 128)
}

// requireCutsBetweenLetters finds each part in the whole text and asks an
// independent question: is there a letter boundary where it ends? Letters that
// are longer than a message cannot be kept.
func requireCutsBetweenLetters(t testing.TB, whole string, parts []string) {
	t.Helper()
	boundary := map[int]bool{0: true}
	clusters := uniseg.NewGraphemes(whole)
	for clusters.Next() {
		from, to := clusters.Positions()
		boundary[to] = true
		if to-from > 100 {
			for i := from; i < to; i++ {
				boundary[i] = true
			}
		}
	}
	at := 0
	for i, part := range parts {
		start := strings.Index(whole[at:], part)
		require.GreaterOrEqual(t, start, 0, "part %d is not in the text in order", i)
		at += start + len(part)
		require.True(t, boundary[at], "part %d ends inside a letter: %q", i, whole[max(0, at-12):min(len(whole), at+12)])
	}
}

func withoutBlanks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Cf) || strings.ContainsRune("\u2800\u3164\uFFA0\u115F\u1160", r) {
			return -1
		}
		return r
	}, s)
}

func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
