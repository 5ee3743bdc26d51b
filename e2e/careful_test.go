package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// toAny sends whatever is written to the chat, with more settings of it.
func toAny(t *testing.T, settings string) map[string]string {
	t.Helper()
	return merged(toChat, routesFile(t, "destinations: [{id: '"+chat+"', rate_per_sec: 30, per_minute: 0"+settings+"}]\n"+
		"rules: [{name: all, types: [any], to: ['"+chat+"']}]\n"))
}

func TestWhatAMessageSaysOfItsPost(t *testing.T) {
	s := newHarness(t, toAny(t, ", replace: [{find: 'Подпишитесь.*'}, {find: 'хвост(ик)?', with: 'ХВОСТ'}]"))
	s.work()
	for name, row := range map[string]struct {
		post     sandbox.Post
		has, not []string
	}{
		"who signed it is its author": {
			post: sandbox.Post{Text: "Пропала кошка Дымка, пишите в личные сообщения", SignerID: 5014},
			has:  []string{"✍️ Автор", "Пропала кошка Дымка"},
		},
		"VK's escapes are read": {
			post: sandbox.Post{Text: "Пропал кот &quot;Буран&quot; &#10071; ул. Ткацкая, 3"},
			has:  []string{`кот "Буран" ❗`, "📍 ул. Ткацкая, 3"},
		},
		"a photo without a link is counted, a caption is told, a repost's place is shown": {
			post: sandbox.Post{Text: "Посмотрите", Extra: map[string]any{"copy_history": []any{map[string]any{
				"id": 5, "owner_id": -500000077, "from_id": 77, "date": time.Now().Unix(), "text": "Пропал пёс Гром, чёрный терьер",
				"geo":         map[string]any{"coordinates": "56.85 53.2", "place": map[string]any{"title": "Мельница"}},
				"attachments": []any{map[string]any{"type": "photo", "photo": map[string]any{"id": 2, "owner_id": -500000077, "text": "Рваное ухо", "sizes": []any{}}}},
			}}}},
			has: []string{"1 фото в оригинале", "🖼 Рваное ухо", "Мельница", "Из репоста:"},
		},
		"a number for money is no contact beside another, and is labelled alone": {
			post: sandbox.Post{Text: "Сбор на операцию собаке Лорду! Сбер 8 900 000-61-61, вопросы: 8 900 000-62-62"},
			has:  []string{"📞 +7 900 000-62-62"}, not: []string{"+7 900 000-61-61"},
		},
		"of a bank alone": {
			post: sandbox.Post{Text: "Сбор на лечение кошки Плюши, нужен корм! СБП 8 900 000-63-63"},
			has:  []string{"💳 для перевода: +7 900 000-63-63"},
		},
		"no place rather than a wrong one": {
			post: sandbox.Post{Text: "Щенок Топа ищет дом! По Удмуртии привозим. Гарант Маклакова. 8 900 000-64-64"},
			has:  []string{"Топа"}, not: []string{"📍"},
		},
		"a village goes before the roadside": {
			post: sandbox.Post{Text: "Малая Пурга. Пропала собака Искра, бежала вдоль дороги. 8 900 000-65-65"},
			has:  []string{"📍 Малая Пурга"},
		},
		"words are replaced and cut": {
			post: sandbox.Post{Text: "Пропал кот Веник, рыжий хвостик. 8 900 000-66-66\nПодпишитесь на нас и друзей!"},
			has:  []string{"рыжий ХВОСТ."}, not: []string{"Подпишитесь"},
		},
	} {
		before := len(s.sandbox.Messages(chatID))
		s.ended(s.send(chat, row.post))
		message := s.afterMessages(before + 1)[before]
		for _, words := range row.has {
			require.Contains(t, message.Text+message.Caption, words, name)
		}
		for _, words := range row.not {
			require.NotContains(t, message.Text+message.Caption, words, name)
		}
	}
}

func TestAnAnimalThatGrewOlderIsTheSame(t *testing.T) {
	s := newHarness(t, toAny(t, ""), map[string]string{"DELIVER_MAX_AGE": "2000h", "CASE_WINDOW": "2000h"})
	s.work()
	const text = "Кошечка Нюша ищет дом, %s, трёхцветная, к лотку приучена. Тел. 8 900 000-71-71"
	younger := s.ended(s.send(chat, sandbox.Post{Text: fmt.Sprintf(text, "6 мес."), Date: time.Now().Add(-31 * 24 * time.Hour)}))
	older := s.send(chat, sandbox.Post{Text: fmt.Sprintf(text, "7 мес.")})
	require.Equal(t, younger.Case, older.Case)
	require.Equal(t, protocol.StatusSuppressed, older.Status)
}

func TestALinkToAnotherPostIsFollowedOnEitherOfVKsNames(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	const elsewhere = int64(-500000009)
	require.NoError(t, s.sandbox.AddWall(sandbox.Wall{OwnerID: elsewhere, ScreenName: "e2e_elsewhere", Name: "Соседний город"}))
	for i, address := range []string{"https://vk.com/wall%d_%d", "vk.ru/wall%d_%d", "https://m.vk.ru/e2e_elsewhere?w=wall%d_%d"} {
		ad, err := s.sandbox.AddPost(elsewhere, lost(i+1))
		require.NoError(t, err)
		s.publish(sandbox.Post{Text: fmt.Sprintf(address, elsewhere, ad.ID)})
		s.scan()
		require.Equal(t, int64(i+1), numbersIn(t, s.afterMessages(i + 1)[i:])[0])
	}
}

func TestFreshSearchesGoFirstAndNothingStarves(t *testing.T) {
	s := newHarness(t, toAny(t, ""))
	s.work()
	s.pauseLane(chat, "", "")
	for i := range 9 {
		post := lost(i + 1)
		post.Date = time.Now().Add(-time.Minute)
		if i < 3 {
			post.Date = time.Now().Add(-7 * time.Hour)
		}
		s.publish(post)
	}
	s.scan()
	s.openLane(chat)
	require.Equal(t, []int64{4, 5, 6, 7, 1, 8, 9, 2, 3}, numbersIn(t, s.afterMessages(9)))
}
