package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

// steer makes a control request that must be answered with 200, and decodes the result.
func steer[T any](b *harness, method, path string, in any) (out T) {
	b.t.Helper()
	sent, err := json.Marshal(in)
	require.NoError(b.t, err)
	status, body := b.request(method, path, "application/json", bytes.NewReader(sent))
	require.Equal(b.t, http.StatusOK, status, "%s %s: %s", method, path, body)
	require.NoError(b.t, json.Unmarshal([]byte(body), &out))
	return out
}

func TestTheControlAPISteersASandboxOfAnotherProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type nothing struct{}
	const token = "7000000077:AAcontrol"
	steer[nothing](b, http.MethodPost, "/sandbox/telegram/bots", sandbox.Bot{Token: token})
	steer[nothing](b, http.MethodPost, "/sandbox/telegram/chats", sandbox.Chat{ID: -1007, Type: sandbox.Supergroup, Title: "Чат"})
	steer[nothing](b, http.MethodPut, "/sandbox/telegram/chats/-1007/limits", sandbox.NoLimits)
	steer[nothing](b, http.MethodPost, "/sandbox/vk/tokens", sandbox.VKToken{Name: "k", Value: "k-key", Kind: sandbox.CommunityToken, Owner: 700})
	steer[nothing](b, http.MethodPost, "/sandbox/vk/walls", sandbox.Wall{OwnerID: -700, Name: "Стена"})
	p := steer[sandbox.Post](b, http.MethodPost, "/sandbox/vk/walls/-700/posts", sandbox.Post{Text: "пост", Photos: []sandbox.WallPhoto{{Drawing: "cat"}}})
	require.Positive(t, p.ID)
	steer[nothing](b, http.MethodPatch, "/sandbox/vk/walls/-700/posts/1", map[string]any{"text": "другой"})
	require.Equal(t, "другой", steer[[]sandbox.Post](b, http.MethodGet, "/sandbox/vk/walls/-700/posts", nil)[0].Text)

	id := steer[struct{ ID string }](b, http.MethodPost, "/sandbox/faults", sandbox.Fault{Platform: sandbox.Telegram, Code: 500, Times: 1}).ID
	require.Equal(t, id, steer[[]sandbox.Fault](b, http.MethodGet, "/sandbox/faults", nil)[0].ID)
	send := func() telegramAnswer {
		return b.post(b.URL()+"/bot"+token+"/sendMessage", "application/json", strings.NewReader(`{"chat_id":-1007,"text":"a"}`))
	}
	require.Equal(t, 500, send().Status)
	require.True(t, send().OK)
	require.Len(t, steer[[]sandbox.Call](b, http.MethodGet, "/sandbox/calls?method=sendMessage&outcome=ok&wait=1", nil), 1)
	require.Equal(t, "a", steer[[]sandbox.Message](b, http.MethodGet, "/sandbox/telegram/chats/-1007/messages", nil)[0].Text)
	steer[nothing](b, http.MethodPut, "/sandbox/telegram/chats/-1007/members/7000000077", sandbox.Member{Status: sandbox.Kicked})
	require.Equal(t, 403, send().Status)
	steer[sandbox.Update](b, http.MethodPost, "/sandbox/telegram/say", map[string]any{"bot": "7000000077", "from": anya, "text": "/start"})
	steer[sandbox.Update](b, http.MethodPost, "/sandbox/telegram/press", map[string]any{"bot": token, "from": anya, "message_id": 1, "data": "a:b:1"})
	steer[nothing](b, http.MethodPut, "/sandbox/telegram/webhook", map[string]any{"bot": token, "url": ""})
	steer[nothing](b, http.MethodDelete, "/sandbox/faults", nil)
	steer[nothing](b, http.MethodDelete, "/sandbox/vk/walls/-700/posts/1", nil)
	steer[nothing](b, http.MethodDelete, "/sandbox/calls", nil)
	require.Empty(t, steer[[]sandbox.Call](b, http.MethodGet, "/sandbox/calls", nil))
	status, _ := b.request(http.MethodGet, "/sandbox/calls?wait=1&timeout_ms=20", "", nil)
	require.Equal(t, http.StatusRequestTimeout, status)
}

func TestControlErrorsNameTheFault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, row := range []struct{ method, path, body, want string }{
		{http.MethodPost, "/sandbox/telegram/bots", `{"token":"nonsense"}`, "must look like 7000000001:letters"},
		{http.MethodPost, "/sandbox/telegram/chats", `{"id":5,"type":"group"}`, "must be negative"},
		{http.MethodPost, "/sandbox/telegram/chats", `{"id":5,"type":"club"}`, `chat type \"club\"`},
		{http.MethodPost, "/sandbox/vk/tokens", `{"value":"x","kind":"magic"}`, `kind \"magic\"`},
		{http.MethodPost, "/sandbox/vk/walls/-5/posts", `{}`, "no wall -5"},
		{http.MethodPost, "/sandbox/vk/walls/five/posts", `{}`, "no wall 0"},
		{http.MethodPost, "/sandbox/faults", `{"cod":5}`, `unknown field \"cod\"`},
		{http.MethodPost, "/sandbox/faults", `{"platform":"mail"}`, `platform \"mail\"`},
	} {
		status, body := b.request(row.method, row.path, "application/json", strings.NewReader(row.body))
		require.Equal(t, 400, status, row)
		require.Contains(t, body, row.want)
	}
}

// request is any request, with its status and body.
func (b *harness) request(method, path, contentType string, body io.Reader) (int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.URL()+path, body)
	require.NoError(b.t, err)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	require.NoError(b.t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	return response.StatusCode, string(content)
}

func (b *harness) rawMethod(ctx context.Context, method, params string) (*http.Response, string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL()+"/bot"+botToken+"/"+method, strings.NewReader(params))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return response, string(content), err
}

func TestPagesOfOtherOriginsCannotSteerTheSandbox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/sandbox/faults", "/sandbox/page/fault"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.URL()+path, strings.NewReader(`{}`))
		require.NoError(t, err)
		r.Header.Set("Origin", "https://evil.example.org")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusForbidden, response.StatusCode, path)
	}
}

func withSamples(o *sandbox.Options) { o.Samples = true }

func TestTheSamplesAreDozensOfPostsOfWhichSomeAreFresh(t *testing.T) {
	t.Parallel()
	b := setup(t, withSamples)
	total, fresh := 0, 0
	for _, name := range sandbox.WallNames() {
		answer := b.ask(sandbox.VKReadToken, "utils.resolveScreenName", "screen_name="+name)
		require.Nil(t, answer.Error)
		var found struct {
			ID int64 `json:"object_id"`
		}
		require.NoError(t, json.Unmarshal(answer.Response, &found))
		b.clock.advance(time.Second)
		read := b.ask(sandbox.VKReadToken, "wall.get", fmt.Sprintf("owner_id=-%d&count=100", found.ID))
		require.Nil(t, read.Error, name)
		b.clock.advance(time.Second)
		for _, p := range b.Posts(-found.ID) {
			total++
			if b.clock.now().Sub(p.Date) < 48*time.Hour {
				fresh++
			}
			require.True(t, json.Valid(b.RawPost(-found.ID, p.ID)))
			if _, address, links := strings.Cut(p.Text, "https://vk.com/wall"); links {
				var owner, id int64
				_, err := fmt.Sscanf(address, "%d_%d", &owner, &id)
				require.NoError(t, err)
				require.NotNil(t, b.RawPost(owner, id), p.Text)
			}
		}
	}
	require.Greater(t, total, 60)
	require.Greater(t, fresh, 30)
	b.clock.advance(time.Second)
	require.Equal(t, 15, b.ask(sandbox.VKReadToken, "wall.get", "owner_id=-900000006").Error.Code)
	require.NotZero(t, b.vkPosted(sandbox.VKWriteToken, fmt.Sprintf("owner_id=%d&from_group=1&message=a", sandbox.DestinationOwnerID)))
	require.NotZero(t, b.vkPosted(sandbox.VKMediaToken, fmt.Sprintf("owner_id=%d&from_group=1&message=a", sandbox.DestinationOwnerID)))
	answer := b.post(b.URL()+"/bot"+sandbox.TelegramToken+"/sendMessage", "application/json", strings.NewReader(fmt.Sprintf(`{"chat_id":%d,"text":"a"}`, sandbox.ChatID)))
	require.True(t, answer.OK)
	member := b.post(b.URL()+"/bot"+sandbox.GuideBotToken+"/getChatMember", "application/json",
		strings.NewReader(fmt.Sprintf(`{"chat_id":%q,"user_id":%d}`, sandbox.GuideChannel, sandbox.SamplePerson.ID)))
	require.Contains(t, string(member.Result), `"status":"member"`)
}

func TestThePageShowsWhatPeopleWouldSee(t *testing.T) {
	t.Parallel()
	b := setup(t, withSamples)
	require.True(t, b.post(b.URL()+"/bot"+sandbox.TelegramToken+"/sendMessage", "application/json",
		strings.NewReader(fmt.Sprintf(`{"chat_id":%d,"text":"🔎 <b>Пропал</b> &lt;кот&gt;","parse_mode":"HTML"}`, sandbox.ChatID))).OK)
	b.vkPosted(sandbox.VKWriteToken, fmt.Sprintf("owner_id=%d&message=Пост <b>на</b> стене", sandbox.DestinationOwnerID))
	status, page := b.request(http.MethodGet, "/?chat="+fmt.Sprint(sandbox.ChatID)+"&target="+fmt.Sprint(sandbox.DestinationOwnerID), "", nil)
	require.Equal(t, 200, status)
	require.Contains(t, page, "🔎 <b>Пропал</b> &lt;кот&gt;")
	require.Contains(t, page, "Пост &lt;b&gt;на&lt;/b&gt; стене")
	require.Contains(t, page, "Потеряшки Ольховска")
	require.NotContains(t, page, sandbox.TelegramToken)
	status, page = b.request(http.MethodGet, "/guide", "", nil)
	require.Equal(t, 200, status)
	require.Contains(t, page, "Городской гид")
	for _, panel := range []string{"walls", "chat", "destination", "calls", "faults", "dialog", "person"} {
		status, _ = b.request(http.MethodGet, "/sandbox/page/"+panel, "", nil)
		require.Equal(t, 200, status, panel)
	}
	status, _ = b.request(http.MethodGet, "/sandbox/page/other", "", nil)
	require.Equal(t, 404, status)
	for _, file := range []string{"style.css", "page.js", "icon.svg"} {
		status, _ = b.request(http.MethodGet, "/sandbox/static/"+file, "", nil)
		require.Equal(t, 200, status, file)
	}
}

func TestThePageWritesPostsPlansFaultsAndTalks(t *testing.T) {
	t.Parallel()
	b := setup(t, withSamples)
	do := func(action string, fields url.Values) int {
		status, _ := b.request(http.MethodPost, "/sandbox/page/"+action, "application/x-www-form-urlencoded", strings.NewReader(fields.Encode()))
		return status
	}
	require.Equal(t, 303, do("write", url.Values{"wall": {"-77"}, "text": {"Пропал\r\nкот"}, "picture": {"cat-1", "cat-2"}}))
	require.Equal(t, "Пропал\nкот", b.Posts(ownWall)[0].Text)
	require.Len(t, b.Posts(ownWall)[0].Photos, 2)
	require.Equal(t, 400, do("write", url.Values{"wall": {"-77"}}))
	require.Equal(t, 303, do("delete", url.Values{"wall": {"-77"}, "post": {"1"}}))
	require.Empty(t, b.Posts(ownWall))
	require.Equal(t, 303, do("sample", nil))

	require.Equal(t, 303, do("fault", url.Values{"what": {"429"}, "number": {"9"}, "times": {"2"}, "method": {"sendMessage"}}))
	require.Equal(t, 9, b.Faults()[0].RetryAfter)
	require.Equal(t, 303, do("clear", url.Values{"fault": {"all"}}))
	require.Empty(t, b.Faults())

	person := fmt.Sprint(sandbox.SamplePerson.ID)
	require.Equal(t, 303, do("say", url.Values{"person": {person}, "text": {"/start"}}))
	require.Equal(t, 303, do("press", url.Values{"person": {person}, "message": {"1"}, "data": {"open:menu:places"}}))
	require.Len(t, b.Queries(sandbox.SamplePerson.ID), 1)
	require.Equal(t, 303, do("locate", url.Values{"person": {person}}))
	messages := b.Messages(sandbox.SamplePerson.ID)
	require.NotNil(t, messages[len(messages)-1].Location)
	require.Equal(t, 303, do("member", url.Values{"person": {person}, "channel": {fmt.Sprint(sandbox.GuideChannelID)}, "status": {"left"}}))
	require.Equal(t, 303, do("member", url.Values{"person": {person}, "channel": {fmt.Sprint(sandbox.GuideChannelID)}, "status": {"restricted, is_member"}}))
	member := b.post(b.URL()+"/bot"+sandbox.GuideBotToken+"/getChatMember", "application/json",
		strings.NewReader(fmt.Sprintf(`{"chat_id":%q,"user_id":%s}`, sandbox.GuideChannel, person)))
	require.Contains(t, string(member.Result), `"is_member":true`)
}

func TestThePageHearsOfChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r, err := http.NewRequestWithContext(soon(t), http.MethodGet, b.URL()+"/sandbox/events", nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	buffer := make([]byte, 4096)
	_, err = response.Body.Read(buffer) // the greeting: the reader is subscribed
	require.NoError(t, err)
	require.True(t, b.say("sendMessage", aMessage).OK)
	heard := ""
	for !strings.Contains(heard, "data: telegram") || !strings.Contains(heard, "data: calls") {
		n, err := response.Body.Read(buffer)
		require.NoError(t, err)
		heard += string(buffer[:n])
	}
}

func TestChatsAndWallsOutliveARestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "deep", "state.json")
	keep := func(o *sandbox.Options) { o.StateFile, o.Samples = file, true }
	first := setup(t, keep)
	require.True(t, first.say("sendPhoto", `{"chat_id":-1009000000001,"caption":"кот","photo":"`+first.PictureURL("cat")+`?size=64x48"}`).OK)
	post := first.vkPosted("community-key", "owner_id=-77&message=a&guid=x")
	u, err := first.Say(botToken, anya, "раз")
	require.NoError(t, err)
	samples := len(first.Posts(sandbox.DestinationOwnerID - 1))
	require.NoError(t, first.Close())

	second := setup(t, keep) // another port
	messages := second.Messages(groupChat)
	require.Equal(t, []string{"кот"}, texts(messages))
	require.Contains(t, messages[0].Photo.URL, second.URL(), "addresses follow the port")
	require.True(t, second.say("sendPhoto", `{"chat_id":-1009000000001,"photo":"`+messages[0].Photo.FileID+`"}`).OK)
	require.Equal(t, post, second.vkPosted("community-key", "owner_id=-77&message=a&guid=x"), "guids are kept")
	require.Len(t, second.Posts(sandbox.DestinationOwnerID-1), samples, "samples are not added twice")
	next, err := second.Say(botToken, anya, "два")
	require.NoError(t, err)
	require.Equal(t, u.ID+1, next.ID, "update ids go on")
	require.NoError(t, second.Close())
}

func TestWallsThatWereQuietForADayGetNewSamples(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.json")
	count := func(after time.Duration) (posts int) {
		b := setup(t, func(o *sandbox.Options) {
			clock := o.Clock
			o.StateFile, o.Samples, o.Clock = file, true, func() time.Time { return clock().Add(after) }
		})
		for _, w := range b.Walls() {
			posts += len(b.Posts(w.OwnerID))
		}
		require.NoError(t, b.Close())
		return posts
	}
	first := count(0)
	require.Equal(t, first, count(time.Hour), "the next run brings nothing new")
	require.Equal(t, first+2, count(72*time.Hour))
	require.Equal(t, first+2, count(73*time.Hour))
}

func TestAServerThatListensEverywhereIsReachedOnThisMachine(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *sandbox.Options) { o.Addr = "0.0.0.0:0" })
	require.Contains(t, b.URL(), "http://127.0.0.1:")
	require.True(t, b.say("getMe", "{}").OK)
}
