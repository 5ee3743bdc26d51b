package alerts

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/internal/telegram"
	"vestnik/internal/testenv"
)

func TestTheChatIsToldOnceAndItsMessageFollowsTheProblem(t *testing.T) {
	t.Parallel()
	platforms, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, platforms.Close()) })
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	bot, err := telegram.New(telegram.Config{Token: sandbox.TelegramToken, BaseURL: platforms.TelegramURL(), Timeout: 5 * time.Second})
	require.NoError(t, err)
	ledger := db.NewLedger(pool)
	chat := Chat{Bot: func() (*telegram.Client, error) { return bot, nil }, Target: telegram.Target{Chat: telegram.Chat(strconv.FormatInt(sandbox.ChatID, 10))}, Ledger: ledger, Zone: time.UTC, Reason: strings.ToUpper}
	since := time.Date(2026, 3, 1, 3, 15, 0, 0, time.UTC)
	problem := protocol.Problem{Kind: protocol.ProblemBlocked, Subject: "vk:-5", Reason: "captcha", Count: 1, Since: &since}
	round := func(problems ...protocol.Problem) []string {
		_, err := turn(t.Context(), chat, func(context.Context) ([]protocol.Problem, error) { return problems, nil })
		require.NoError(t, err)
		var texts []string
		for _, message := range platforms.Messages(sandbox.ChatID) {
			texts = append(texts, message.Text)
		}
		return texts
	}

	require.Empty(t, round())
	require.Equal(t, []string{"⚠️ Площадка отказала, отправка остановлена. Ждут: 1 публикация\nГде: vk:-5\nПричина: CAPTCHA\nС какого времени: 01.03 03:15\n" +
		"Что делать: Исправьте причину и продолжите: vestnik destination resume vk:-5"}, round(problem))
	sends := len(platforms.Calls(sandbox.CallFilter{Platform: sandbox.Telegram}))
	round(problem)
	require.Len(t, platforms.Calls(sandbox.CallFilter{Platform: sandbox.Telegram}), sends, "nothing has changed")
	require.NoError(t, ledger.KeepTitle(t.Context(), "vk:-5", "Вестник потеряшек"))
	problem.Count = 3
	texts := round(problem)
	require.Len(t, texts, 1)
	require.Contains(t, texts[0], "Ждут: 3 публикации\nГде: Вестник потеряшек\n")
	require.Contains(t, texts[0], "vestnik destination resume vk:-5", "a command needs the name")
	texts = round()
	require.Len(t, texts, 1)
	require.Regexp(t, `^✅ Решено \d\d\.\d\d \d\d:\d\d\nПлощадка отказала`, texts[0])
	require.NotContains(t, texts[0], "Что делать")
	texts = round(problem)
	require.Len(t, texts, 1, "a problem that comes and goes takes its message again")
	require.Contains(t, texts[0], "⚠️")

	problem.Subject, problem.Reason = "vk:-6", strings.Repeat("ремонт ", 600)
	require.Len(t, round(problem), 2, "an operator's words may be long: they are cut")
	require.Len(t, round(problem), 2)
	problem.Reason = "ремонт окончен"
	texts = round(problem)
	require.Len(t, texts, 2, "other words are no other problem")
	require.Contains(t, texts[1], "РЕМОНТ ОКОНЧЕН")
	round()
	problem.Subject, problem.Reason = "vk:-5", "captcha"
	round(problem)

	_, late, err := ledger.BeginAlertRound(t.Context(), -time.Second)
	require.NoError(t, err)
	_, until, err := ledger.BeginAlertRound(t.Context(), time.Minute)
	require.NoError(t, err)
	require.NotZero(t, until)
	require.NoError(t, ledger.EndAlertRound(t.Context(), late), "it took too long, and ends nobody else's")
	problem.Count = 7
	require.NotContains(t, strings.Join(round(problem), ""), "Ждут: 7", "another process is at it")
	require.NoError(t, ledger.EndAlertRound(t.Context(), until))
	require.Contains(t, strings.Join(round(problem), ""), "Ждут: 7")

	_, err = pool.Exec(t.Context(), "UPDATE relay.alerts SET told_at = told_at - interval '2 hours', over_at = now()")
	require.NoError(t, err)
	require.Len(t, round(problem), 3, "after an hour it is news")
}

func TestAStormOfProblemsIsAFewMessagesAnHour(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var problems []topic
	for wall := range 20 {
		problems = append(problems, Chat{Zone: time.UTC, Reason: strings.ToUpper}.problemTopic(t.Context(), protocol.Problem{Kind: protocol.ProblemWallClosed, Subject: strconv.Itoa(wall)}))
	}
	require.Len(t, plan(problems, nil, now, time.UTC), anHour)
	told := []db.Alert{{Problem: problems[0].key, Said: problems[0].said, ToldAt: now.Add(-30 * time.Minute)}}
	require.Len(t, plan(problems, told, now, time.UTC), anHour-1)
	told[0].ToldAt = now.Add(-2 * time.Hour)
	require.Len(t, plan(problems, told, now, time.UTC), anHour)
}

func TestWhatWasDecidedIsGivenAMinuteBeforeItIsToldAnew(t *testing.T) {
	t.Parallel()
	now := time.Now()
	problem := Chat{Zone: time.UTC, Reason: strings.ToUpper}.problemTopic(t.Context(), protocol.Problem{Kind: protocol.ProblemDeliveries, Subject: "vk:-5", Count: 1})
	told := func(ago time.Duration, decided bool) []db.Alert {
		over := now.Add(-ago)
		return []db.Alert{{Problem: problem.key, Said: "✅ Решено\nВера: отправить снова", ToldAt: now.Add(-10 * time.Minute), OverAt: &over, Decided: decided}}
	}
	require.Empty(t, plan([]topic{problem}, told(10*time.Second, true), now, time.UTC))
	require.Len(t, plan([]topic{problem}, told(10*time.Second, false), now, time.UTC), 1)
	again := plan([]topic{problem}, told(2*every, true), now, time.UTC)
	require.Len(t, again, 1)
	require.False(t, again[0].alert.Decided)
}

func TestEveryKindOfProblemHasItsWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range protocol.ProblemKinds {
		text := Chat{Zone: time.UTC, Reason: strings.ToUpper}.describe(protocol.Problem{Kind: kind})
		require.False(t, seen[text], kind)
		seen[text] = true
	}
}

func TestWhatAnOperatorWritesStaysOutOfTheLog(t *testing.T) {
	t.Parallel()
	pool, err := db.Open(t.Context(), testenv.Database(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	var log bytes.Buffer
	chat := Chat{
		Ledger: db.NewLedger(pool), Zone: time.UTC, Failure: func(error) string { return "нет её" },
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	}
	require.NoError(t, chat.Ledger.SaveAlert(t.Context(), db.Alert{Problem: approvals + "17", MessageID: 5, ToldAt: time.Now()}))
	_, toast, err := chat.decide(t.Context(), "Вера", 5, doTakeBack+"хозяйка +7 900 000-00-00 просит", "")
	require.NoError(t, err)
	require.Equal(t, "Не сделано: нет её", toast)
	require.Contains(t, log.String(), `"action":"undo"`)
	require.NotContains(t, log.String(), "хозяйка")
}
