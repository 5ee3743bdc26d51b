package notice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/notice"
	"vestnik/internal/post"
)

func TestDocumentsFollowTheWordsAsFiles(t *testing.T) {
	t.Parallel()
	about := lostPost("Пропал кот Сёма.", 2)
	about.Photos[1].Kind, about.Photos[1].Animation, about.Photos[1].Bytes = "doc", "https://vk.com/doc5_7", 900
	about.Attachments = []post.Attachment{
		{Kind: "doc", Title: "Листовка", URL: "https://vk.com/doc5_8", Extension: "pdf", Bytes: 1000, Ref: "doc5_8"},
		{Kind: "doc", Title: "Запись.mp4", URL: "https://vk.com/doc5_9", Extension: "mp4", Bytes: 1001},
		{Kind: "link", Title: "Сайт", URL: "https://example.com"},
		{Kind: "doc", Title: "a/b.zip", URL: "https://vk.com/doc5_10"},
	}
	var names []string
	for _, file := range about.Media()[2:] {
		names = append(names, file.Title+" "+file.File)
	}
	require.Equal(t, []string{"file.gif https://vk.com/doc5_7", "Листовка.pdf https://vk.com/doc5_8", "Запись.mp4 https://vk.com/doc5_9",
		"a_b.zip https://vk.com/doc5_10"}, names)

	options := notice.DefaultOptions()
	options.MaxFile = 1000
	steps := notice.PlanTelegram(about, options)
	var files [][]int
	for _, step := range steps[1:] {
		require.Equal(t, notice.Document, step.Kind)
		require.Zero(t, step.ReplyTo)
		require.Empty(t, step.Text)
		files = append(files, step.Photos)
	}
	require.Equal(t, [][]int{{2}, {3}, {5}}, files, "one is too large")
	for _, title := range []string{"Листовка", "Запись.mp4", "b.zip", "Анимация"} {
		require.Contains(t, steps[0].Text, title, "all are named")
	}
	require.Equal(t, "📄 Документ в оригинале\n\nhttps://vk.com/wall-77_8", steps[2].WithoutPhotos(3).Unmarked)

	options.MaxMedia = 1
	require.Len(t, notice.PlanTelegram(about, options), 2, "as many as photos")
	options.MaxMedia = 0
	require.Len(t, notice.PlanTelegram(about, options), 1, "nothing but words is wanted")
	options.MaxMedia, options.MaxFile = 10, 0
	require.Len(t, notice.PlanTelegram(about, options), 1, "no files are wanted")
}

func TestAnAnimationThatCannotBeHadIsItsStillWithALink(t *testing.T) {
	t.Parallel()
	about := lostPost("Пропал кот Сёма.", 1)
	about.Photos[0].Animation = "https://vk.com/doc5_7?hash=a"
	still := notice.PlanTelegram(about, notice.DefaultOptions())[0].Still(about.Photos[0].Animation)
	require.Equal(t, notice.SinglePhoto, still.Kind)
	require.Contains(t, still.Text, `🎞 <a href="https://vk.com/doc5_7?hash=a">Анимация</a>`)
}
