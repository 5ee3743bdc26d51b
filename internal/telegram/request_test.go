package telegram_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/telegram"
)

func TestCallsWithoutFilesAreJSONWithTheTypesOfTheBotAPI(t *testing.T) {
	t.Parallel()
	menu := telegram.Keyboard{
		{{Text: "Места", CallbackData: "open:menu:places"}, {Text: "Афиша", CallbackData: "open:menu:events"}},
		{{Text: "На карте", URL: "https://yandex.ru/maps/?text=a&z=1"}},
	}
	done := `{"ok":true,"result":true}`
	for name, c := range map[string]struct {
		call   func(context.Context, *telegram.Client) error
		answer string
		method string
		want   string
	}{
		"a menu": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.SendMessage(ctx, telegram.TextMessage{Target: telegram.Target{Chat: telegram.ChatOf(555000111)}, Text: "Выберите раздел:", Keyboard: menu})
			return err
		}, sentMessage, "sendMessage", `{"chat_id":555000111,"text":"Выберите раздел:","reply_markup":{"inline_keyboard":[
			[{"text":"Места","callback_data":"open:menu:places"},{"text":"Афиша","callback_data":"open:menu:events"}],
			[{"text":"На карте","url":"https://yandex.ru/maps/?text=a&z=1"}]]}}`},
		"a text that looks like a number, in a topic": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.SendMessage(ctx, telegram.TextMessage{Target: telegram.Target{Chat: "@lost_pets", Thread: 12, Silent: true, ReplyTo: 3}, Text: "123", ParseMode: telegram.HTML, Preview: telegram.Preview{Off: true}})
			return err
		}, sentMessage, "sendMessage", `{"chat_id":"@lost_pets","message_thread_id":12,"text":"123","parse_mode":"HTML","disable_notification":true,
			"link_preview_options":{"is_disabled":true},"reply_parameters":{"message_id":3,"allow_sending_without_reply":true}}`},
		"the topic General is no topic": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.SendMessage(ctx, telegram.TextMessage{Target: telegram.Target{Chat: "-100123", Thread: 1}, Text: `true "<b>&"`, Preview: telegram.Preview{URL: "https://vk.com/wall-1_2"}})
			return err
		}, sentMessage, "sendMessage", `{"chat_id":-100123,"text":"true \"<b>&\"","link_preview_options":{"url":"https://vk.com/wall-1_2"}}`},
		"a photo by URL": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.SendPhoto(ctx, telegram.PhotoMessage{Target: telegram.Target{Chat: "5"}, Photo: telegram.Photo{URL: "https://cdn.example/1.jpg?a=1&b=2"}, Caption: "Кофейня\nАдрес", Keyboard: menu[1:]})
			return err
		}, sentMessage, "sendPhoto", `{"chat_id":5,"photo":"https://cdn.example/1.jpg?a=1&b=2","caption":"Кофейня\nАдрес","reply_markup":{"inline_keyboard":[[{"text":"На карте","url":"https://yandex.ru/maps/?text=a&z=1"}]]}}`},
		"an album by URL": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.SendMediaGroup(ctx, telegram.AlbumMessage{Target: telegram.Target{Chat: "5"}, Items: []telegram.AlbumItem{
				{Photo: telegram.Photo{URL: "https://cdn.example/1.jpg"}, Caption: "<b>Мурка</b>", ParseMode: telegram.HTML}, {Photo: telegram.Photo{URL: "https://cdn.example/2.jpg"}}}})
			return err
		}, `{"ok":true,"result":[{"message_id":8,"chat":{"id":5}},{"message_id":9,"chat":{"id":5}}]}`, "sendMediaGroup",
			`{"chat_id":5,"media":[{"type":"photo","media":"https://cdn.example/1.jpg","caption":"<b>Мурка</b>","parse_mode":"HTML"},{"type":"photo","media":"https://cdn.example/2.jpg"}]}`},
		"an edited text": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.EditMessageText(ctx, telegram.MessageRef{Chat: "5", ID: 7}, telegram.TextMessage{Text: "42", Keyboard: menu[1:]})
			return err
		}, sentMessage, "editMessageText", `{"chat_id":5,"message_id":7,"text":"42","reply_markup":{"inline_keyboard":[[{"text":"На карте","url":"https://yandex.ru/maps/?text=a&z=1"}]]}}`},
		"an edited caption": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.EditMessageCaption(ctx, telegram.MessageRef{Chat: "5", ID: 7}, "Найдена", telegram.MarkdownV2, nil)
			return err
		}, sentMessage, "editMessageCaption", `{"chat_id":5,"message_id":7,"caption":"Найдена","parse_mode":"MarkdownV2"}`},
		"an exchanged photo": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.EditMessageMedia(ctx, telegram.MessageRef{Chat: "5", ID: 7}, telegram.PhotoMessage{Photo: telegram.Photo{URL: "https://cdn.example/2.jpg"}, Caption: "<b>Мурка</b>", ParseMode: telegram.HTML})
			return err
		}, sentMessage, "editMessageMedia", `{"chat_id":5,"message_id":7,"media":{"type":"photo","media":"https://cdn.example/2.jpg","caption":"<b>Мурка</b>","parse_mode":"HTML"}}`},
		"a keyboard taken away": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.EditMessageReplyMarkup(ctx, telegram.MessageRef{Chat: "5", ID: 7}, telegram.Keyboard{})
			return err
		}, sentMessage, "editMessageReplyMarkup", `{"chat_id":5,"message_id":7,"reply_markup":{"inline_keyboard":[]}}`},
		"a member": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.GetChatMember(ctx, "@channel_username", 555000111)
			return err
		}, `{"ok":true,"result":{"status":"member"}}`, "getChatMember", `{"chat_id":"@channel_username","user_id":555000111}`},
		"a chat": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.GetChat(ctx, "-100123")
			return err
		}, `{"ok":true,"result":{"id":-100123,"type":"channel","available_reactions":[{"type":"of the future"}]}}`, "getChat", `{"chat_id":-100123}`},
		"a silent answer": {func(ctx context.Context, c *telegram.Client) error {
			return c.AnswerCallbackQuery(ctx, telegram.CallbackAnswer{QueryID: "123"})
		}, done, "answerCallbackQuery", `{"callback_query_id":"123"}`},
		"an alert": {func(ctx context.Context, c *telegram.Client) error {
			return c.AnswerCallbackQuery(ctx, telegram.CallbackAnswer{QueryID: "abc", Text: "Устарело"})
		}, done, "answerCallbackQuery", `{"callback_query_id":"abc","text":"Устарело"}`},
		"a webhook": {func(ctx context.Context, c *telegram.Client) error {
			return c.SetWebhook(ctx, telegram.Webhook{URL: "https://guide.example/hook", SecretToken: "s-1", Updates: []string{"message", "callback_query"}, MaxConnections: 10})
		}, done, "setWebhook", `{"url":"https://guide.example/hook","secret_token":"s-1","allowed_updates":["message","callback_query"],"max_connections":10}`},
		"no webhook": {func(ctx context.Context, c *telegram.Client) error { return c.DeleteWebhook(ctx) },
			done, "deleteWebhook", `{}`},
		"what about the webhook": {func(ctx context.Context, c *telegram.Client) error { _, err := c.GetWebhookInfo(ctx); return err },
			`{"ok":true,"result":{"url":""}}`, "getWebhookInfo", `{}`},
		"updates": {func(ctx context.Context, c *telegram.Client) error {
			_, err := c.GetUpdates(ctx, telegram.Poll{Offset: 10, Wait: 1500 * time.Millisecond, Updates: []string{"message"}})
			return err
		}, `{"ok":true,"result":[]}`, "getUpdates", `{"offset":10,"timeout":1,"allowed_updates":["message"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answer(http.StatusOK, c.answer))
			require.NoError(t, c.call(t.Context(), newClient(t, s.URL)))
			got := s.last(t)
			require.Equal(t, "/bot"+token+"/"+c.method, got.Path)
			require.Equal(t, "application/json", got.ContentType)
			require.Equal(t, int64(len(got.Body)), got.Length, "the length is known")
			require.JSONEq(t, c.want, got.Body)
		})
	}
}

func TestBytesAreUploadedAsFiles(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, `{"ok":true,"result":{"message_id":7,"chat":{"id":5}}}`))
	client := newClient(t, s.URL)
	sent, err := client.SendPhoto(t.Context(), telegram.PhotoMessage{Target: telegram.Target{Chat: "5"}, Photo: telegram.Photo{Bytes: []byte("\xff\xd8кот")}, Caption: "Кот"})
	require.NoError(t, err)
	require.Equal(t, telegram.Message{ID: 7}, sent)
	require.Equal(t, map[string]string{"photo": "\xff\xd8кот"}, s.last(t).Files)
	require.Contains(t, s.last(t).Body, "chat_id=5\n")
	require.Contains(t, s.last(t).Body, "caption=Кот\n")
}

func TestAnAlbumMixesURLsAndFilesAndReturnsAllIds(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, `{"ok":true,"result":[{"message_id":8,"chat":{"id":5}},{"message_id":9,"chat":{"id":5}},{"message_id":10,"chat":{"id":5}}]}`))
	client := newClient(t, s.URL)
	sent, err := client.SendMediaGroup(t.Context(), telegram.AlbumMessage{Target: telegram.Target{Chat: "5"}, Items: []telegram.AlbumItem{
		{Photo: telegram.Photo{Bytes: []byte("one")}, Caption: "Мурка"}, {Photo: telegram.Photo{URL: "https://cdn.example/2.jpg"}}, {Photo: telegram.Photo{Bytes: []byte("three")}},
	}})
	require.NoError(t, err)
	require.Equal(t, []telegram.Message{{ID: 8}, {ID: 9}, {ID: 10}}, sent)
	require.Equal(t, map[string]string{"photo1.jpg": "one", "photo3.jpg": "three"}, s.last(t).Files)
	require.Contains(t, s.last(t).Body, `media=[{"type":"photo","media":"attach://photo1.jpg","caption":"Мурка"},{"type":"photo","media":"https://cdn.example/2.jpg"},{"type":"photo","media":"attach://photo3.jpg"}]`)
}

func TestMembershipIsReadFromAnyStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer            string
		subscribed, known bool
	}{
		{`{"ok":true,"result":{"status":"creator","user":{"id":1}}}`, true, true},
		{`{"ok":true,"result":{"status":"administrator"}}`, true, true},
		{`{"ok":true,"result":{"status":"member","until_date":1}}`, true, true},
		{`{"ok":true,"result":{"status":"restricted","is_member":true}}`, true, true},
		{`{"ok":true,"result":{"status":"restricted","is_member":false}}`, false, true},
		{`{"ok":true,"result":{"status":"left"}}`, false, true},
		{`{"ok":true,"result":{"status":"kicked"}}`, false, true},
		{`{"ok":true,"result":{"status":"hovering"}}`, false, false},
		{`{"ok":false,"error_code":400,"description":"Bad Request: member not found"}`, false, true},
		{`{"ok":false,"error_code":400,"description":"Bad Request: user not found"}`, false, true},
		{`{"ok":false,"error_code":400,"description":"Bad Request: PARTICIPANT_ID_INVALID"}`, false, true},
	} {
		s := serve(t, answer(http.StatusOK, c.answer))
		member, err := newClient(t, s.URL).GetChatMember(t.Context(), "@guide", 1)
		require.NoError(t, err, c.answer)
		require.Equal(t, c.subscribed, member.IsSubscribed(), c.answer)
		require.Equal(t, c.known, member.Known(), c.answer)
	}
	s := serve(t, answer(400, `{"ok":false,"error_code":400,"description":"Bad Request: member list is inaccessible"}`))
	_, err := newClient(t, s.URL).GetChatMember(t.Context(), "@guide", 1)
	require.Equal(t, telegram.Forbidden, refused(t, err).Class)
}

func TestUpdatesComeRawSoThatOneOddOneCostsNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, answer(http.StatusOK, `{"ok":true,"result":[{"update_id":1,"message":{"paid_media":{"type":"live_photo"}}},{"update_id":2},5]}`))
	updates, err := newClient(t, s.URL).GetUpdates(t.Context(), telegram.Poll{})
	require.NoError(t, err)
	require.Equal(t, []json.RawMessage{json.RawMessage(`{"update_id":1,"message":{"paid_media":{"type":"live_photo"}}}`), json.RawMessage(`{"update_id":2}`), json.RawMessage(`5`)}, updates)
}

func TestALongPollOutlivesTheClientsTimeout(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(300 * time.Millisecond): // the server's long poll, longer than the client's own timeout
		case <-r.Context().Done():
		}
		answer(200, `{"ok":true,"result":[]}`)(w, r)
	})
	client := newClient(t, s.URL, func(c *telegram.Config) { c.Timeout = 100 * time.Millisecond })
	_, err := client.GetUpdates(t.Context(), telegram.Poll{Wait: time.Second})
	require.NoError(t, err)
}
