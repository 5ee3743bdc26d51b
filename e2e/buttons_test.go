package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

func TestContactsStandUnderAMessageAsButtons(t *testing.T) {
	s := newHarness(t, toChat, routesFile(t, "destinations: [{id: '"+chat+"', per_minute: 0, contact_buttons: true}]\n"+
		"rules: [{name: lost, types: [lost], to: ['"+chat+"']}]\n"))
	s.work()
	under := func(message int) (buttons []sandbox.Button) {
		for _, row := range s.afterMessages(message + 1)[message].Keyboard {
			buttons = append(buttons, row...)
		}
		return buttons
	}
	post := withPhotos(1, 1)
	post.Text = rexIsLost + " Пишите: https://wa.me/79000007171 или [id77|Анне]"
	post.FromID = 71
	d := s.ended(s.send(chat, post))
	contacts := []sandbox.Button{
		{Text: "📞 +7 900 000-71-71", Copy: &sandbox.CopyText{Text: "+79000007171"}},
		{Text: "💬 WhatsApp", URL: "https://wa.me/79000007171"},
		{Text: "✍️ Автор", URL: "https://vk.com/id71"},
		{Text: "✍️ Написать", URL: "https://vk.com/id77"},
		{Text: "📄 Оригинал", URL: "https://vk.com/wall-500000001_1"},
	}
	require.Equal(t, contacts, under(0))

	s.edit(d, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
	require.Equal(t, protocol.EditDone, s.edited(d, 1).Status)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Caption, "Вознаграждение!")
	require.Equal(t, contacts, under(0), "an edit of the words keeps them")
	s.edit(d, func(post *sandbox.Post) { post.Photos = []sandbox.WallPhoto{another("collar")} })
	require.Equal(t, protocol.EditDone, s.edited(d, 2).Status)
	require.Equal(t, contacts, under(0), "and one of the photo")

	d = s.ended(s.send(chat, lost(2)))
	require.Len(t, under(1), 2, "a phone and the original")
	s.edit(d, func(post *sandbox.Post) { post.Text += " Звоните и сюда: 8 900 000-99-99." })
	require.Equal(t, protocol.EditDone, s.edited(d, 1).Status)
	require.Len(t, under(1), 3)

	d = s.ended(s.send(chat, withPhotos(3, 2)))
	require.Empty(t, under(2), "Telegram gives an album none: its contacts are in the caption")
	s.edit(d, func(post *sandbox.Post) { post.Text += " Вознаграждение!" })
	require.Equal(t, protocol.EditDone, s.edited(d, 1).Status)
}
