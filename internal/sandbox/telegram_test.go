package sandbox_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"strings"
	"testing"

	tgbot "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

func TestTheTelegramLibrarySendsTextThatTheChatShows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.bot.SendMessage(t.Context(), &tgbot.SendMessageParams{ChatID: groupChat, Text: "Пропала <b>кошка</b>", ParseMode: models.ParseModeHTML})
	require.NoError(t, err)
	require.Equal(t, "Пропала кошка", m.Text)
	shown := b.Messages(groupChat)
	require.Len(t, shown, 1)
	require.Equal(t, "Пропала <b>кошка</b>", shown[0].Formatted)
	calls, err := b.WaitForCalls(soon(t), sandbox.CallFilter{Method: "sendMessage"}, 1)
	require.NoError(t, err)
	require.Equal(t, sandbox.Accepted, calls[0].Outcome)
	require.Equal(t, []int64{shown[0].ID}, calls[0].Stored)
	require.Equal(t, "-1009000000001", calls[0].Chat)
	require.Equal(t, "Пропала <b>кошка</b>", calls[0].Text("text"))
}

func TestTheTelegramLibraryUsesEveryMethod(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	picture := b.PictureURL("cat-tabby-1") + "?size=320x240"

	me, err := b.bot.GetMe(ctx)
	require.NoError(t, err)
	require.Equal(t, botID, me.ID)

	photo, err := b.bot.SendPhoto(ctx, &tgbot.SendPhotoParams{ChatID: groupChat, Photo: &models.InputFileString{Data: picture}, Caption: "кот",
		ReplyMarkup: &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "Да", CallbackData: "yes:a:1"}}}}})
	require.NoError(t, err)
	require.Equal(t, 320, photo.Photo[len(photo.Photo)-1].Width)

	again, err := b.bot.SendPhoto(ctx, &tgbot.SendPhotoParams{ChatID: groupChat, Photo: &models.InputFileString{Data: photo.Photo[0].FileID}})
	require.NoError(t, err, "a file id can be used again")
	require.NotEqual(t, photo.ID, again.ID)

	file := download(t, picture)
	album, err := b.bot.SendMediaGroup(ctx, &tgbot.SendMediaGroupParams{ChatID: groupChat, Media: []models.InputMedia{
		&models.InputMediaPhoto{Media: picture, Caption: "<i>два</i>", ParseMode: models.ParseModeHTML},
		&models.InputMediaPhoto{Media: "attach://second.jpg", MediaAttachment: bytes.NewReader(file)},
	}, ReplyParameters: &models.ReplyParameters{MessageID: photo.ID}})
	require.NoError(t, err)
	require.Len(t, album, 2)
	require.Equal(t, album[0].MediaGroupID, album[1].MediaGroupID)
	require.Equal(t, photo.ID, album[0].ReplyToMessage.ID)

	_, err = b.bot.EditMessageCaption(ctx, &tgbot.EditMessageCaptionParams{ChatID: groupChat, MessageID: photo.ID, Caption: "дома"})
	require.NoError(t, err)
	_, err = b.bot.EditMessageReplyMarkup(ctx, &tgbot.EditMessageReplyMarkupParams{ChatID: groupChat, MessageID: again.ID,
		ReplyMarkup: &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "a", URL: "https://vk.com"}}}}})
	require.NoError(t, err)
	text, err := b.bot.SendMessage(ctx, &tgbot.SendMessageParams{ChatID: groupChat, Text: "меню"})
	require.NoError(t, err)
	_, err = b.bot.EditMessageText(ctx, &tgbot.EditMessageTextParams{ChatID: groupChat, MessageID: text.ID, Text: "меню 2"})
	require.NoError(t, err)
	_, err = b.bot.EditMessageMedia(ctx, &tgbot.EditMessageMediaParams{ChatID: groupChat, MessageID: text.ID, Media: &models.InputMediaPhoto{Media: picture, Caption: "фото"}})
	require.NoError(t, err)
	chat, err := b.bot.GetChat(ctx, &tgbot.GetChatParams{ChatID: groupChat})
	require.NoError(t, err)
	require.Equal(t, "Потеряшки", chat.Title)
	for _, call := range b.Calls(sandbox.CallFilter{}) {
		require.Equal(t, sandbox.Accepted, call.Outcome, call.Method)
	}
}

func TestTelegramRefusesWhatTelegramRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.AddChat(sandbox.Chat{ID: 42, Type: sandbox.PrivateChat, Title: "Аня", Limits: &sandbox.NoLimits}))
	require.True(t, b.say("sendMessage", `{"chat_id":42,"text":"первое"}`).OK)
	require.True(t, b.say("sendPhoto", `{"chat_id":42,"photo":"`+b.PictureURL("cat")+`?size=40x30"}`).OK)
	b.SetPictureFault("html", sandbox.PictureFault{As: "html"})
	b.SetPictureFault("text", sandbox.PictureFault{As: "text"})
	b.SetPictureFault("heavy", sandbox.PictureFault{Bytes: 5_300_000})
	long := func(n int) string { return strings.Repeat("я", n) }
	button := func(fields string) string {
		return `{"chat_id":42,"text":"a","reply_markup":{"inline_keyboard":[[{` + fields + `}]]}}`
	}
	album := func(n int) string {
		return `{"chat_id":42,"media":[` + strings.TrimSuffix(strings.Repeat(`{"type":"photo","media":"`+b.PictureURL("dog")+`?size=40x30"},`, n), ",") + `]}`
	}
	for _, row := range []struct{ method, params, want string }{
		{"sendMessage", `{"text":"a"}`, "Bad Request: chat_id is empty"},
		{"sendMessage", `{"chat_id":42}`, "Bad Request: message text is empty"},
		{"sendMessage", `{"chat_id":42,"text":""}`, "Bad Request: message text is empty"},
		{"sendMessage", `{"chat_id":42,"text":" \n "}`, "Bad Request: text must be non-empty"},
		{"sendMessage", `{"chat_id":42,"text":"<b></b>","parse_mode":"HTML"}`, "Bad Request: text must be non-empty"},
		{"sendMessage", `{"chat_id":43,"text":"a"}`, "Bad Request: chat not found"},
		{"sendMessage", `{"chat_id":"@nobody","text":"a"}`, "Bad Request: chat not found"},
		{"sendMessage", `{"chat_id":42,"text":"a","parsemode":"HTML"}`, `Bad Request: sandbox: unknown field "parsemode" in sendMessage`},
		{"sendMessage", `{"chat_id":42,"text":"a","disable_notification":"yes"}`, `can't parse disable_notification`},
		{"sendMessage", `{"chat_id":42,"text":"a","message_thread_id":"x"}`, `can't parse message_thread_id`},
		{"sendMessage", `{"chat_id":42,"text":"a","link_preview_options":{"disabled":true}}`, `can't parse link_preview_options: json: unknown field "disabled"`},
		{"sendMessage", `{"chat_id":42,"text":"a","parse_mode":"Html5"}`, "unsupported parse_mode"},
		{"sendMessage", `{"chat_id":42,"text":"<br>","parse_mode":"HTML"}`, `Bad Request: can't parse entities: Unsupported start tag "br" at byte offset 0`},
		{"sendMessage", `{"chat_id":42,"text":"раз.","parse_mode":"MarkdownV2"}`, `Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\'`},
		{"sendMessage", `{"chat_id":42,"text":"` + long(4097) + `"}`, "Bad Request: message is too long"},
		{"sendMessage", `{"chat_id":42,"text":"` + long(17000) + `"}`, "Bad Request: text is too long"},
		{"sendMessage", `{"chat_id":42,"text":"a","message_thread_id":1}`, "Bad Request: message thread not found"},
		{"sendMessage", `{"chat_id":42,"text":"a","message_thread_id":7}`, "Bad Request: message thread not found"},
		{"sendMessage", `{"chat_id":42,"text":"a","reply_parameters":{"message_id":999}}`, "Bad Request: message to be replied not found"},
		{"sendMessage", `{"chat_id":42,"text":"a","reply_parameters":{"id":1}}`, `can't parse reply_parameters: json: unknown field "id"`},
		{"sendMessage", `{"chat_id":42,"text":"a","reply_markup":{"inline_keyboard":null}}`, "must be of type Array"},
		{"sendMessage", button(`"text":"a"`), "Text buttons are unallowed in the inline keyboard"},
		{"sendMessage", button(`"text":" ","callback_data":"x"`), "button text must be non-empty"},
		{"sendMessage", button(`"text":"a","callback_data":"` + strings.Repeat("x", 65) + `"`), "Bad Request: BUTTON_DATA_INVALID"},
		{"sendMessage", button(`"text":"a","callback_data":"` + strings.Repeat("я", 33) + `"`), "Bad Request: BUTTON_DATA_INVALID"},
		{"sendMessage", button(`"text":"a","callback_data":"x","url":"https://vk.com"`), "exactly one is allowed"},
		{"sendMessage", button(`"text":"a","copy_text":{"text":""}`), "Text buttons are unallowed"},
		{"sendMessage", button(`"text":"a","url":"https://vk"`), "is invalid: Wrong HTTP URL"},
		{"sendMessage", button(`"text":"a","colour":"red","url":"https://vk.com"`), `unknown field "colour"`},
		{"sendPhoto", `{"chat_id":42}`, "Bad Request: there is no photo in the request"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + b.PictureURL("cat") + `?size=40x30","caption":"` + long(1025) + `"}`, "Bad Request: message caption is too long"},
		{"sendPhoto", `{"chat_id":42,"photo":"ftp://a.ru/x.jpg"}`, "Bad Request: invalid file HTTP URL specified: Unsupported URL protocol"},
		{"sendPhoto", `{"chat_id":42,"photo":"https:///x.jpg"}`, "Bad Request: invalid file HTTP URL specified: URL host is empty"},
		{"sendPhoto", `{"chat_id":42,"photo":"AgACAgbad"}`, "Bad Request: wrong file identifier/HTTP URL specified"},
		{"sendPhoto", `{"chat_id":42,"photo":"photo.jpg"}`, "Bad Request: wrong file identifier/HTTP URL specified"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + b.PictureURL("x") + `?status=404"}`, "Bad Request: failed to get HTTP URL content"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + b.PictureURL("html") + `"}`, "Bad Request: wrong type of the web page content"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + b.PictureURL("text") + `"}`, "Bad Request: wrong type of the web page content"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + b.PictureURL("heavy") + `?size=40x30"}`, "Bad Request: failed to get HTTP URL content"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + blank(t, 9700, 520) + `"}`, "Bad Request: PHOTO_INVALID_DIMENSIONS"},
		{"sendPhoto", `{"chat_id":42,"photo":"` + blank(t, 2100, 100) + `"}`, "Bad Request: PHOTO_INVALID_DIMENSIONS"},
		{"sendMediaGroup", `{"chat_id":42,"media":[]}`, "Bad Request: there are no messages to send"},
		{"sendMediaGroup", album(1), "an album has 2-10 items"},
		{"sendMediaGroup", album(11), "Bad Request: too much messages to send as an album"},
		{"sendMediaGroup", `{"chat_id":42,"media":[{"type":"photo","media":"` + b.PictureURL("dog") + `?size=40x30"},{"type":"photo","media":"` + b.PictureURL("html") + `"}]}`,
			`Bad Request: failed to send message #2 with the error message "WEBPAGE_MEDIA_EMPTY"`},
		{"sendMediaGroup", `{"chat_id":42,"media":[{"type":"photo","media":"x","title":"y"}]}`, `can't parse media: json: unknown field "title"`},
		{"sendMediaGroup", strings.Replace(album(2), `"chat_id":42`, `"chat_id":42,"reply_markup":{"inline_keyboard":[]}`, 1), `unknown field "reply_markup"`},
		{"editMessageText", `{"chat_id":42,"message_id":999,"text":"a"}`, "Bad Request: message to edit not found"},
		{"editMessageText", `{"chat_id":42,"message_id":1,"text":"первое"}`, "Bad Request: message is not modified"},
		{"editMessageText", `{"chat_id":42,"message_id":2,"text":"a"}`, "Bad Request: there is no text in the message to edit"},
		{"editMessageCaption", `{"chat_id":42,"message_id":1,"caption":"a"}`, "there is no caption in the message to edit"},
		{"answerCallbackQuery", `{"callback_query_id":"1"}`, "Bad Request: query is too old and response timeout expired or query ID is invalid"},
		{"answerCallbackQuery", `{"callback_query_id":"1","text":"` + long(201) + `"}`, "Bad Request: MESSAGE_TOO_LONG"},
		{"setWebhook", `{"url":"http://bot.example.org/x"}`, "An HTTPS URL must be provided for webhook"},
		{"setWebhook", `{"url":"https://bot.example.org:8080/x"}`, "only on ports 80, 88, 443 or 8443"},
		{"setWebhook", `{"url":"https://bot.example.org/x","secret_token":"a b"}`, "secret token contains unallowed characters"},
		{"setWebhook", `{"url":"https://bot.example.org/x","secret_token":"` + strings.Repeat("a", 257) + `"}`, "secret token contains unallowed characters"},
	} {
		answer := b.say(row.method, row.params)
		require.False(t, answer.OK, row.want)
		require.Equal(t, 400, answer.Status, row.want)
		require.Equal(t, 400, answer.Code, row.want)
		require.Contains(t, answer.Description, row.want, row.params[:min(len(row.params), 120)])
	}
	require.Len(t, b.Messages(42), 2, "nothing that was refused is shown")
}

func TestTelegramAcceptsWhatFitsExactly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, row := range []struct{ method, params string }{
		{"sendMessage", `{"chat_id":-1009000000001,"text":"` + strings.Repeat("🐾", 4096) + `"}`},
		{"sendMessage", `{"chat_id":"-1009000000001","parse_mode":"HTML","text":"<b>` + strings.Repeat("я", 4096) + `</b>&amp;"}`},
		{"sendPhoto", `{"chat_id":-1009000000001,"photo":"` + b.PictureURL("cat") + `?size=40x30","caption":"` + strings.Repeat("я", 1024) + `"}`},
		{"sendMessage", `{"chat_id":-1009000000001,"text":"a","reply_markup":{"inline_keyboard":[[{"text":"a","callback_data":"` + strings.Repeat("x", 64) + `"}]]}}`},
		{"SENDMESSAGE", `{"chat_id":-1009000000001,"text":"метод пишут как угодно"}`},
		{"sendMessage", `{"chat_id":-1009000000001,"text":"a","reply_parameters":{"message_id":999,"allow_sending_without_reply":true}}`},
		{"setWebhook", `{"url":""}`},
	} {
		if strings.Contains(row.params, "&amp;") {
			row.params = strings.Replace(row.params, "я", "", 1)
		}
		answer := b.say(row.method, row.params)
		require.True(t, answer.OK, answer.Description)
	}
}

func TestEveryEncodingOfARequestIsRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	address := b.URL() + "/bot" + botToken + "/sendMessage"
	require.True(t, b.post(address, "application/x-www-form-urlencoded", strings.NewReader("chat_id=-1009000000001&text=%D0%B0")).OK)
	require.True(t, b.post(address+"?chat_id=-1009000000001&text=query", "", strings.NewReader("")).OK)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("chat_id", "-1009000000001"))
	require.NoError(t, w.WriteField("text", "[1]"))
	require.NoError(t, w.Close())
	require.True(t, b.post(address, w.FormDataContentType(), &form).OK)
	require.Equal(t, []string{"а", "query", "[1]"}, texts(b.Messages(groupChat)))
	require.Equal(t, 400, b.post(address, "application/json", strings.NewReader("{")).Status)
	require.Equal(t, 400, b.post(address, "text/plain", strings.NewReader("x")).Status)
}

func texts(messages []sandbox.Message) []string {
	list := make([]string, len(messages))
	for i, m := range messages {
		list[i] = m.Text + m.Caption
	}
	return list
}

func TestTokensAndMethodsAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, want := range map[string]struct {
		code        int
		description string
	}{
		"/bot123:unknown/getMe":                       {401, "Unauthorized"},
		"/bot0123:x/getMe":                            {401, "Unauthorized: invalid token specified"},
		"/botnocolon/getMe":                           {401, "Unauthorized: invalid token specified"},
		"/bot1:" + strings.Repeat("x", 90) + "/getMe": {401, "Unauthorized: invalid token specified"},
		"/bot" + botToken:                             {404, "Not Found"},
		"/bot" + botToken + "/sendMassage":            {404, "Not Found: method not found"},
		"/bot" + botToken + "/sendMessage/and/more":   {404, "Not Found"},
	} {
		answer := b.post(b.URL()+path, "application/json", strings.NewReader("{}"))
		require.Equal(t, want.code, answer.Status, path)
		require.Equal(t, want.description, answer.Description, path)
	}
	for _, call := range b.Calls(sandbox.CallFilter{}) {
		require.NotContains(t, fmt.Sprint(call), "AAtest")
	}
}

func TestMembershipAndRightsAnswerAsTheyDo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	channel := int64(-1009000000002)
	require.NoError(t, b.AddChat(sandbox.Chat{ID: channel, Type: sandbox.Channel, Title: "К", Username: "chan"}))
	require.NoError(t, b.AddChat(sandbox.Chat{ID: 42, Type: sandbox.PrivateChat, Title: "Аня"}))
	require.NoError(t, b.AddChat(sandbox.Chat{ID: -55, Type: sandbox.Group, Title: "Старая", MigratedTo: groupChat}))
	for _, row := range []struct {
		chat, user int64
		member     sandbox.Member
		code       int
		want       string
	}{
		{groupChat, botID, sandbox.Member{Status: sandbox.Kicked}, 403, "Forbidden: bot was kicked from the supergroup chat"},
		{groupChat, botID, sandbox.Member{Status: sandbox.Left}, 403, "Forbidden: bot is not a member of the supergroup chat"},
		{channel, botID, sandbox.Member{Status: sandbox.Ordinary}, 400, "Bad Request: need administrator rights in the channel chat"},
		{42, botID, sandbox.Member{Status: sandbox.Left}, 403, "Forbidden: bot can't initiate conversation with a user"},
		{42, 42, sandbox.Member{Status: sandbox.Blocked}, 403, "Forbidden: bot was blocked by the user"},
	} {
		require.NoError(t, b.SetMember(row.chat, row.user, row.member))
		answer := b.say("sendMessage", fmt.Sprintf(`{"chat_id":%d,"text":"a"}`, row.chat))
		require.Equal(t, row.code, answer.Status, row.want)
		require.Equal(t, row.want, answer.Description)
	}
	moved := b.say("sendMessage", `{"chat_id":-55,"text":"a"}`)
	require.Equal(t, groupChat, moved.Parameters.MigrateTo)
	require.Equal(t, "Bad Request: group chat was upgraded to a supergroup chat", moved.Description)
}

func TestTopicsAreCheckedAndGeneralIsNotNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.ChangeChat(groupChat, func(c *sandbox.Chat) {
		c.Forum, c.Topics = true, []sandbox.Topic{{ID: 1, Name: "General"}, {ID: 10, Name: "Кошки"}, {ID: 11, Name: "Закрытая", Closed: true}}
	}))
	for thread, want := range map[int]string{1: "Bad Request: message thread not found", 11: "Bad Request: TOPIC_CLOSED", 12: "Bad Request: message thread not found", 10: ""} {
		require.Equal(t, want, b.say("sendMessage", fmt.Sprintf(`{"chat_id":-1009000000001,"text":"a","message_thread_id":%d}`, thread)).Description)
	}
	require.Equal(t, int64(10), b.Messages(groupChat)[0].Topic)
}

func TestGetChatMemberAnswersAsOnAChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	channel := int64(-1009000000002)
	require.NoError(t, b.AddChat(sandbox.Chat{ID: channel, Type: sandbox.Channel, Title: "К", Username: "chan"}))
	for status, want := range map[sandbox.MemberStatus]string{
		sandbox.Creator: "creator", sandbox.Administrator: "administrator", sandbox.Ordinary: "member", sandbox.Restricted: "restricted",
		sandbox.Left: "left", sandbox.Kicked: "kicked",
	} {
		require.NoError(t, b.SetMember(channel, 42, sandbox.Member{Status: status, IsMember: true}))
		m, err := b.bot.GetChatMember(t.Context(), &tgbot.GetChatMemberParams{ChatID: "@chan", UserID: 42})
		require.NoError(t, err)
		require.EqualValues(t, want, m.Type)
	}
	stranger, err := b.bot.GetChatMember(t.Context(), &tgbot.GetChatMemberParams{ChatID: channel, UserID: 43})
	require.NoError(t, err)
	require.EqualValues(t, "left", stranger.Type)
	ask := func(params string) string { return b.say("getChatMember", params).Description }
	require.NoError(t, b.SetMember(channel, 42, sandbox.Member{Status: sandbox.NotFound}))
	require.Equal(t, "Bad Request: member not found", ask(`{"chat_id":"@chan","user_id":42}`))
	require.Equal(t, "Bad Request: chat not found", ask(`{"chat_id":"@chen","user_id":42}`))
	require.NoError(t, b.SetMember(channel, botID, sandbox.Member{Status: sandbox.Ordinary}))
	require.Equal(t, "Bad Request: member list is inaccessible", ask(`{"chat_id":"@chan","user_id":42}`))
	require.NoError(t, b.SetMember(channel, botID, sandbox.Member{Status: sandbox.Kicked}))
	require.Equal(t, "Forbidden: bot was kicked from the channel chat", ask(`{"chat_id":"@chan","user_id":42}`))
}

func TestLinkPreviewsFollowTheirOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for options, want := range map[string]string{
		``: "https://vk.com/wall-1_2",
		`,"link_preview_options":{"is_disabled":true}`:      "",
		`,"link_preview_options":{"url":"https://vk.com/"}`: "https://vk.com/",
	} {
		require.NoError(t, b.ClearChat(groupChat))
		require.True(t, b.say("sendMessage", `{"chat_id":-1009000000001,"text":"пост https://vk.com/wall-1_2"`+options+`}`).OK)
		require.Equal(t, want, b.Messages(groupChat)[0].Preview)
	}
}
