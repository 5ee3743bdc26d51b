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

	"vestnik/internal/alerts"
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
func (s *stage) listenTo() {
	s.t.Helper()
	require.NoError(s.t, s.sandbox.AddChat(sandbox.Chat{ID: opsChatID, Type: sandbox.Supergroup, Title: "Операторы"}))
	bot, err := telegram.New(telegram.Config{Token: botToken, BaseURL: s.sandbox.TelegramURL(), Timeout: 10 * time.Second})
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(s.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		alerts.Watch(ctx, s.relay.Ledger, alerts.Chat{
			Bot: func() (*telegram.Client, error) { return bot, nil }, Target: telegram.Target{Chat: telegram.Chat(strconv.FormatInt(opsChatID, 10))}, Zone: time.UTC,
			Users: map[int64]string{vera.ID: "Вера"}, Desk: s.starter, Log: s.relay.Log,
		}, s.starter.Problems)
	}()
	s.t.Cleanup(func() { cancel(); <-ended })
}

// opsMessage waits for the message in the operators' chat that holds a text.
func (s *stage) opsMessage(text string) (found sandbox.Message) {
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
func (s *stage) pressed(by sandbox.Person, message int64, data string) string {
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
	s := newStage(t, approving(t), map[string]string{"TG_TOKEN": botToken})
	s.work()
	asked := s.send(chat, lost(1))
	s.listenTo()
	message := s.opsMessage("Публиковать?")
	require.Contains(t, message.Text, "https://vk.com/"+protocol.WallPost(asked.OwnerID, asked.PostID))
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
	decisions, err := s.relay.Ledger.Decisions(s.ctx, fmt.Sprintf("delivery/%d", asked.ID), 0, 10)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	require.Equal(t, "Вера", decisions[0].Who)
	require.Equal(t, "telegram", decisions[0].Via)
}

func TestAPostOfAnotherTypeIsNotPublishedAfterAButtonHasSaidSo(t *testing.T) {
	s := newStage(t, approving(t), map[string]string{"TG_TOKEN": botToken})
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

func TestACaptchaIsAnsweredByAReplyAndTheLaneGoesOn(t *testing.T) {
	s := newStage(t, toWall)
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
	s := newStage(t, toChat)
	s.work()
	s.pauseLane(chat, "ремонт", "Иван")
	delivery := s.send(chat, lost(1))
	s.listenTo()
	message := s.opsMessage("Отправка на паузе")
	require.Equal(t, "отправка продолжена", s.pressed(vera, message.ID, "resume"))
	require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
	require.Equal(t, "Уже решено", s.pressed(vera, message.ID, "resume"))
}
