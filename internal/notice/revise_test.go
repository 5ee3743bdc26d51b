package notice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/words"
)

func TestARevisedPostStaysInTheMessagesThatWentOut(t *testing.T) {
	t.Parallel()
	short := "Пропал рыжий кот, ул. Речная, 4."
	long := strings.Repeat("Очень просим посмотреть в подвалах и гаражах. ", 40)    // over a caption
	longer := strings.Repeat("Очень просим посмотреть в подвалах и гаражах. ", 250) // over two messages
	for name, row := range map[string]struct {
		text  string
		slots []notice.Kind
		shown int
		cut   bool
	}{
		"a message":                           {short, []notice.Kind{notice.Message}, 0, false},
		"a caption":                           {short, []notice.Kind{notice.SinglePhoto}, 1, false},
		"a text that outgrew a caption":       {long, []notice.Kind{notice.Album}, 3, true},
		"a text that outgrew two messages":    {longer, []notice.Kind{notice.Message, notice.Message}, 2, true},
		"a long text that fits two messages":  {long + long + long, []notice.Kind{notice.Message, notice.Message}, 0, false},
		"a word longer than a caption, alone": {strings.Repeat("а", 3000), []notice.Kind{notice.SinglePhoto}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []notice.ParseMode{notice.HTML, notice.MarkdownV2, notice.Unmarked} {
				options := notice.DefaultOptions()
				options.ParseMode = mode
				revisions := notice.Revise(lostPost(row.text, row.shown), options, row.slots, row.shown)
				require.Len(t, revisions, len(row.slots))
				whole := ""
				for i, revision := range revisions {
					most := words.MessageLimit
					if row.slots[i] != notice.Message {
						most = words.CaptionLimit
					}
					require.LessOrEqual(t, notice.Plain(revision.Unmarked).Units(), most)
					require.NotEmpty(t, revision.Text)
					whole += revision.Unmarked
				}
				require.Contains(t, whole, "Пропал питомец")
				require.Contains(t, whole, "https://vk.com/wall-77_8", "the source is never lost")
				require.Equal(t, row.cut, strings.Contains(whole, "…") || !strings.Contains(whole, strings.TrimSpace(row.text[len(row.text)-30:])))
			}
		})
	}
}

func TestAMessageThatLostItsWordsSaysSo(t *testing.T) {
	t.Parallel()
	revisions := notice.Revise(lostPost("Кот нашёлся у соседей.", 0), notice.DefaultOptions(),
		[]notice.Kind{notice.Message, notice.Message}, 0)
	require.Contains(t, revisions[0].Unmarked, "Кот нашёлся")
	require.NotEmpty(t, revisions[0].Preview)
	require.Contains(t, revisions[1].Unmarked, "Автор сократил запись")
}

func TestWhatHasBecomeOfAPostStandsOnTop(t *testing.T) {
	t.Parallel()
	post := lostPost("Пропал рыжий кот.", 0)
	post.CaseClosed = true
	closed := notice.Compose(post, notice.Frame{}, 0).Lead.String()
	require.Equal(t, "🎉 Питомец снова дома\nНиже — прежнее объявление.", closed)
	post.DeletedAt = time.Now()
	require.Contains(t, notice.Compose(post, notice.Frame{}, 0).Lead.String(), "удалена автором")
	require.Contains(t, notice.PlanVK(post, notice.VKOptions{}).Text, "удалена автором")

	post.Reading.Type, post.DeletedAt = petpost.Reunited, time.Time{}
	require.Equal(t, "🎉 Питомец снова дома", notice.Compose(post, notice.Frame{}, 0).Lead.String(), "the good news itself is no old advert")
}
