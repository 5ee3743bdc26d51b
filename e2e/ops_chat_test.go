package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/api/console"
	"vestnik/internal/alerts"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
)

const opsChatID = int64(-1001500000099)

var (
	vera     = sandbox.Person{ID: 900001, Name: "Вера"}
	stranger = sandbox.Person{ID: 900002, Name: "Прохожий"}
)

// listenTo has Vera decide in the operators' chat, until the test ends.
func (s *harness) listenTo() {
	s.t.Helper()
	require.NoError(s.t, s.sandbox.AddChat(sandbox.Chat{ID: opsChatID, Type: sandbox.Supergroup, Title: "Операторы"}))
	bot, err := telegram.New(telegram.Config{Token: botToken, BaseURL: s.sandbox.TelegramURL(), Timeout: 10 * time.Second})
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(s.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		alerts.Watch(ctx, alerts.Chat{
			Bot: func() (*telegram.Client, error) { return bot, nil }, Target: telegram.Target{Chat: telegram.Chat(strconv.FormatInt(opsChatID, 10))}, Zone: time.UTC,
			Users: map[int64]string{vera.ID: "Вера"}, Reason: console.ReasonInRussian, Failure: console.FailureInRussian, Ledger: s.starter.Ledger, Desk: s.starter, Log: s.starter.Log,
		}, s.starter.Problems)
	}()
	s.t.Cleanup(func() { cancel(); <-ended })
}

// opsMessage waits for the message in the operators' chat that holds a text.
func (s *harness) opsMessage(text string) (found sandbox.Message) {
	s.t.Helper()
	s.until("the operators' chat says "+text, func() bool {
		for _, message := range s.sandbox.Messages(opsChatID) {
			if strings.Contains(message.Text, text) {
				found = message
				return true
			}
		}
		return false
	})
	return found
}

// pressed lets a person press a button of a message, and returns the toast.
func (s *harness) pressed(by sandbox.Person, message int64, data string) string {
	s.t.Helper()
	before := len(s.sandbox.Queries(opsChatID))
	_, err := s.sandbox.Press(botToken, by, opsChatID, message, data)
	require.NoError(s.t, err)
	var toast string
	s.until("the press is answered", func() bool {
		query := s.sandbox.Queries(opsChatID)[before]
		toast = query.Toast
		return query.Answered
	})
	return toast
}

func approving(t *testing.T) map[string]string {
	return routesFile(t, "destinations:\n  - id: "+chat+"\n    rate_per_sec: 30\n    approve: true\nrules:\n  - {types: [lost], to: ["+chat+"]}\n")
}

func TestAPostIsApprovedByAButtonOnceAndByThoseAlone(t *testing.T) {
	s := newHarness(t, approving(t), map[string]string{"TG_TOKEN": botToken})
	s.work()
	asked := s.send(chat, lost(1))
	_, err := s.pool.Exec(s.ctx, "DELETE FROM relay.titles")
	require.NoError(t, err)
	require.NoError(t, s.clients.LearnTitles(s.ctx))
	s.listenTo()
	message := s.opsMessage("Публиковать?")
	require.Contains(t, message.Text, "Куда: Ищем питомцев\nИсточник: Потеряшки https://vk.com/"+protocol.WallPost(asked.OwnerID, asked.PostID)+"\n")
	require.Contains(t, message.Text, "Пропал", "the message is shown as readers will see it")
	var kept string
	s.until("the alert is on record", func() bool {
		return s.pool.QueryRow(s.ctx, "SELECT said FROM relay.alerts").Scan(&kept) == nil
	})
	require.NotContains(t, kept, "Пропал", "and kept nowhere")

	require.Contains(t, s.pressed(stranger, message.ID, "retry"), "OPS_USERS")
	require.Equal(t, protocol.StatusParked, s.again(asked).Status)
	require.Equal(t, "опубликовать", s.pressed(vera, message.ID, "retry"))
	require.Len(t, s.afterMessages(1), 1)
	require.Equal(t, "Уже решено", s.pressed(vera, message.ID, "skip"), "no button acts twice")
	s.until("it is recorded", func() bool { return s.again(asked).Status == protocol.StatusSent })
	require.Contains(t, s.opsMessage("Вера: опубликовать").Text, "✅ Решено")
	require.Len(t, s.sandbox.Messages(opsChatID), 1)
	decisions, err := s.starter.Ledger.Decisions(s.ctx, fmt.Sprintf("delivery/%d", asked.ID), 0, 10)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	require.Equal(t, "Вера", decisions[0].Who)
	require.Equal(t, "telegram", decisions[0].Via)
}

func TestAPostOfAnotherTypeIsNotPublishedAfterAButtonHasSaidSo(t *testing.T) {
	s := newHarness(t, approving(t), map[string]string{"TG_TOKEN": botToken})
	s.work()
	asked, dropped := s.send(chat, lost(1)), s.send(chat, lost(2))
	s.listenTo()
	message := s.opsMessage(protocol.WallPost(asked.OwnerID, asked.PostID))
	s.pressed(vera, message.ID, "types")
	require.Contains(t, s.pressed(vera, message.ID, "type:adoption"), "тип исправлен")
	s.until("it is not sent", func() bool { return s.again(asked).Status == protocol.StatusSuppressed })
	message = s.opsMessage(protocol.WallPost(dropped.OwnerID, dropped.PostID))
	require.Equal(t, "не публиковать", s.pressed(vera, message.ID, "skip"))
	s.until("it is not sent", func() bool { return s.again(dropped).Status == protocol.StatusSuppressed })
	require.Contains(t, s.again(dropped).Reason, "не публиковать")
	require.Empty(t, s.sandbox.Messages(chatID))
}

func TestAPostThatMayBeASearchIsAskedAboutAndGoesWhenAPersonSaysThatItIs(t *testing.T) {
	s := newHarness(t, routesFile(t, "destinations:\n  - id: "+chat+"\n    rate_per_sec: 30\nrules:\n  - {types: [lost], min_confidence: 1, to: ["+chat+"]}\n"),
		map[string]string{"TG_TOKEN": botToken})
	s.work()
	asked := s.send(chat, sandbox.Post{Text: "Собака с красным ошейником опять у магазина на Речной, не её ли искали?"})
	require.Equal(t, string(petpost.Sighting), asked.Type)
	require.Equal(t, protocol.StatusParked, asked.Status)
	require.Equal(t, protocol.ReasonUnsure, asked.Reason)
	s.listenTo()
	message := s.opsMessage(protocol.WallPost(asked.OwnerID, asked.PostID))
	require.Contains(t, message.Text, "Тип: видели, но в нём нет уверенности")
	s.pressed(vera, message.ID, "types")
	require.Contains(t, s.pressed(vera, message.ID, "type:lost"), "тип исправлен: пропало")
	require.Equal(t, protocol.StatusSent, s.ended(asked).Status, "the question was the type, and it is answered")
	require.Contains(t, s.afterMessages(1)[0].Text, "Пропал")
}

func TestACaptchaIsAnsweredByAReplyAndTheLaneGoesOn(t *testing.T) {
	s := newHarness(t, toWall)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.post", Code: 14, Description: "Captcha needed", Times: 1,
		Extra: map[string]any{"captcha_sid": "774455", "captcha_img": "https://vk.example/captcha.php?sid=774455"}})
	delivery := s.waits(s.send(wall, lost(1)))
	s.until("its lane is paused", func() bool { return s.lane(wall).PausedDelivery == delivery.ID })
	s.listenTo()
	message := s.opsMessage("Капча")
	require.Contains(t, message.Text, "https://vk.example/captcha.php?sid=774455")

	reply := func(by sandbox.Person, text string) {
		content, err := json.Marshal(map[string]any{
			"message_id": 100_000, "from": map[string]any{"id": by.ID}, "chat": map[string]any{"id": opsChatID}, "text": text,
			"reply_to_message": map[string]any{"message_id": message.ID},
		})
		require.NoError(t, err)
		_, err = s.sandbox.Push(botToken, "message", content)
		require.NoError(t, err)
	}
	reply(stranger, "чужой")
	reply(vera, " zq4f ")
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	calls := s.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.post"})
	require.Equal(t, "zq4f", calls[1].Params["captcha_key"])
	require.Equal(t, protocol.LaneOpen, s.lane(wall).State)
	s.opsMessage("Вера: ответ на капчу отправлен")
}

func TestAPausedLaneGoesOnByAButton(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.pauseLane(chat, "ремонт", "Иван")
	delivery := s.send(chat, lost(1))
	s.listenTo()
	message := s.opsMessage("Отправка на паузе")
	require.Equal(t, "отправка продолжена", s.pressed(vera, message.ID, "resume"))
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	require.Equal(t, "Уже решено", s.pressed(vera, message.ID, "resume"))
}

// buttons are the callback data of the buttons under a message of the operators' chat.
func (s *harness) buttons(message int64) (data []string) {
	s.t.Helper()
	for _, shown := range s.sandbox.Messages(opsChatID) {
		if shown.ID != message {
			continue
		}
		for _, row := range shown.Keyboard {
			for _, button := range row {
				data = append(data, button.Data)
			}
		}
	}
	return data
}

// say lets a person write in the operators' chat, in answer to a message or (0) to none.
func (s *harness) say(by sandbox.Person, text string, answers int64) {
	s.t.Helper()
	said := map[string]any{"message_id": 100_000, "from": map[string]any{"id": by.ID}, "chat": map[string]any{"id": opsChatID}, "text": text}
	if answers != 0 {
		said["reply_to_message"] = map[string]any{"message_id": answers}
	}
	content, err := json.Marshal(said)
	require.NoError(s.t, err)
	_, err = s.sandbox.Push(botToken, "message", content)
	require.NoError(s.t, err)
}

func TestAPostThatWasToldAlreadyJoinsItsCaseByAButtonOrAReply(t *testing.T) {
	s := newHarness(t, approving(t), map[string]string{"TG_TOKEN": botToken})
	s.work()
	told := s.send(chat, lost(1))
	s.until("it is approved", func() bool { // a run that begins just now may not wait yet
		_, err := s.starter.Resume(s.ctx, told.ID, protocol.Resume{Action: protocol.ResumeRetry})
		return err == nil
	})
	told = s.ended(told)
	asked, other := s.send(chat, lost(2)), s.send(chat, lost(3))
	s.listenTo()
	message := s.opsMessage(protocol.WallPost(asked.OwnerID, asked.PostID))
	s.pressed(vera, message.ID, "cases")
	button := fmt.Sprintf("case:%d", *told.Case)
	require.Equal(t, []string{button, "retry", "skip"}, s.buttons(message.ID))
	require.Contains(t, s.pressed(vera, message.ID, button), "это уже было")
	s.until("it is a duplicate", func() bool { return s.again(asked).Status == protocol.StatusSuppressed })
	asked = s.again(asked)
	require.Equal(t, told.ID, *asked.DuplicateOf)
	require.Equal(t, *told.Case, *asked.Case)

	message = s.opsMessage(protocol.WallPost(other.OwnerID, other.PostID))
	s.say(vera, "думаю", message.ID)
	s.say(stranger, protocol.WallPost(told.OwnerID, told.PostID), message.ID)
	s.say(vera, "https://vk.com/"+protocol.WallPost(told.OwnerID, told.PostID), message.ID)
	s.until("it is a duplicate, too", func() bool { return s.again(other).Status == protocol.StatusSuppressed })
	require.Equal(t, told.ID, *s.again(other).DuplicateOf)
	require.Len(t, s.sandbox.Messages(chatID), 1)
	decisions, err := s.starter.Ledger.Decisions(s.ctx, fmt.Sprintf("delivery/%d", other.ID), 0, 10)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	require.Equal(t, fmt.Sprintf("duplicate of case %d", *told.Case), decisions[0].Action)
}

func TestWhatWasPublishedIsTakenBackFromTheChat(t *testing.T) {
	s := newHarness(t, approving(t), map[string]string{"TG_TOKEN": botToken})
	s.work()
	first, second, third := s.send(chat, lost(1)), s.send(chat, lost(2)), s.send(chat, lost(3))
	s.listenTo()
	message := s.opsMessage(protocol.WallPost(first.OwnerID, first.PostID))
	require.Equal(t, "опубликовать", s.pressed(vera, message.ID, "retry"))
	s.ended(first)
	require.Equal(t, []string{"undo"}, s.buttons(message.ID))
	require.Contains(t, s.pressed(stranger, message.ID, "undo:ошибка"), "OPS_USERS")
	s.pressed(vera, message.ID, "undo")
	require.Contains(t, s.buttons(message.ID), "undo:уже дома")
	require.Equal(t, "убрано (уже дома)", s.pressed(vera, message.ID, "undo:уже дома"))
	s.until("readers do not see it", func() bool { return len(s.sandbox.Messages(chatID)) == 0 })
	require.Equal(t, "Уже решено", s.pressed(vera, message.ID, "undo:ошибка"))
	require.Contains(t, s.opsMessage("Вера: опубликовать").Text, "Вера: убрано (уже дома)")

	message = s.opsMessage(protocol.WallPost(second.OwnerID, second.PostID))
	s.pressed(vera, message.ID, "retry")
	s.ended(second)
	s.say(vera, "/undo", message.ID)
	s.opsMessage("напишите причину")
	s.say(vera, "/undo@e2e_bot автор просил", message.ID)
	s.until("readers do not see it", func() bool { return s.again(second).TakenBackAt != nil && len(s.sandbox.Messages(chatID)) == 0 })
	message = s.opsMessage(protocol.WallPost(third.OwnerID, third.PostID))
	s.pressed(vera, message.ID, "retry")
	s.ended(third)
	s.say(stranger, fmt.Sprintf("/undo %d шутка", third.ID), 0)
	s.say(vera, fmt.Sprintf("/undo %d не та собака", third.ID), 0)
	s.opsMessage(fmt.Sprintf("Публикация %d: убрано (не та собака)", third.ID))
	decisions, err := s.starter.Ledger.Decisions(s.ctx, fmt.Sprintf("delivery/%d", third.ID), 0, 10)
	require.NoError(t, err)
	require.Equal(t, "take back", decisions[0].Action)
	require.Equal(t, "не та собака", decisions[0].Note)
}

// A press comes again until it is confirmed, whatever becomes of who acts on it.
func TestAPressActsOnceThoughItsProcessIsKilled(t *testing.T) {
	for name, moment := range map[string]string{"before it acts": "before UpdateWorkflow", "before it is confirmed": "after UpdateWorkflow"} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, approving(t), map[string]string{
				"TG_TOKEN": botToken, "OPS_CHAT": strconv.FormatInt(opsChatID, 10), "OPS_USERS": fmt.Sprintf("%d=Вера", vera.ID),
			})
			require.NoError(t, s.sandbox.AddChat(sandbox.Chat{ID: opsChatID, Type: sandbox.Supergroup, Title: "Операторы"}))
			s.work()
			asked := s.send(chat, lost(1))
			dying := s.spawnAs(listenerRole, moment)
			message := s.opsMessage("Публиковать?")
			_, err := s.sandbox.Press(botToken, vera, opsChatID, message.ID, "retry")
			require.NoError(t, err)
			s.dies(dying)
			require.False(t, s.sandbox.Queries(opsChatID)[0].Answered)
			_, err = s.pool.Exec(s.ctx, "UPDATE relay.alert_rounds SET ends_at = now() - interval '1 second'") // the turn of who is dead is over
			require.NoError(t, err)
			s.spawnAs(listenerRole)
			s.until("the press is answered", func() bool { return s.sandbox.Queries(opsChatID)[0].Answered })
			require.Contains(t, s.opsMessage("✅ Решено").Text, protocol.WallPost(asked.OwnerID, asked.PostID))
			require.Equal(t, protocol.StatusSent, s.ended(asked).Status)
			require.Len(t, s.sandbox.Messages(chatID), 1)
			require.Len(t, s.sandbox.Messages(opsChatID), 1)
			decisions, err := s.starter.Ledger.Decisions(s.ctx, fmt.Sprintf("delivery/%d", asked.ID), 0, 10)
			require.NoError(t, err)
			require.NotEmpty(t, decisions, "whatever dies, it is on record who has decided")
			require.True(t, decisions[len(decisions)-1].Open, "and that nobody has seen the end of it")
		})
	}
}

func TestWhatCantBeDoneIsToldInTheChatInRussianWithItsRemedy(t *testing.T) {
	s := newHarness(t, toWall)
	s.work()
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Code: 15, Description: "Access denied: wall is disabled"})
	s.scan()
	s.listenTo()
	message := s.opsMessage("ВКонтакте не показывает стену")
	toast := s.pressed(vera, message.ID, "read_wall")
	require.Regexp(t, `^Не сделано: стена \S+ не прочитана: нет доступа к стене\. Посмотрите её во ВКонтакте`, toast)
	require.NotContains(t, s.opsMessage("ВКонтакте не показывает стену").Text, "✅", "it is asked about still")
	s.say(vera, "/undo 900900 не та собака", 0)
	s.opsMessage("Не сделано: такого здесь нет: проверьте номер")
}
