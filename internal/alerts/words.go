package alerts

import (
	"fmt"
	"strings"
	"time"

	"vestnik/internal/protocol"
	"vestnik/internal/words"
)

// describe is a problem in plain Russian: what has happened, since when, and what
// to do.
func (c Chat) describe(p protocol.Problem) string {
	var what, remedy string
	switch p.Kind {
	case protocol.ProblemNoWorker:
		what, remedy = "Вестник не работает: никто не берёт задания", "Запустите worker и проверьте Temporal: vestnik doctor"
	case protocol.ProblemSettings:
		what, remedy = "Изменённые настройки не приняты, Вестник работает с прежними", "Исправьте файл: его перечитают сами. Что в нём не так, скажет vestnik doctor"
	case protocol.ProblemReadingPaused:
		what, remedy = "ВКонтакте не принимает ключ для чтения, стены не читаются", "Посмотрите причину: vestnik scan --plan. Когда ключ в порядке: vestnik scan --resume-key"
	case protocol.ProblemReadingOverdue:
		what, remedy = "Стены давно не читаются: "+words.Russian(p.Count, "стена", "стены", "стен"), "Проверьте worker и расписание scan-walls: vestnik doctor"
	case protocol.ProblemQuotaSpent:
		what, remedy = "Суточный запас чтений ВКонтакте исчерпан, стены не читаются", "Подождите или уменьшите число стен: vestnik scan --plan"
	case protocol.ProblemQuotaLow:
		what, remedy = "Суточный запас чтений ВКонтакте почти исчерпан", "Уменьшите число стен или увеличьте VK_DAILY_QUOTA (не больше 5000): vestnik scan --plan"
	case protocol.ProblemImportFailed:
		what, remedy = "Импорт гида не удался", "Отправьте файл ещё раз. Почему не удался: vestnik import history или «Редакция» в консоли"
	case protocol.ProblemImportHeld:
		what, remedy = "Импорт гида ждёт подтверждения: он снял бы с публикации слишком много", "Подтвердите или отклоните его в «Редакции» в консоли, или vestnik import history"
	case protocol.ProblemBlocked:
		what, remedy = "Площадка отказала, отправка остановлена. Ждут: "+posts(p.Count), "Исправьте причину и продолжите: vestnik destination resume "+p.Subject
	case protocol.ProblemPaused:
		what, remedy = "Отправка на паузе. Ждут: "+posts(p.Count), "Когда можно продолжать: vestnik destination resume "+p.Subject
	case protocol.ProblemBacklog:
		what, remedy = "Очередь не движется. Ждут: "+posts(p.Count), "Посмотрите, что её держит: vestnik destination state "+p.Subject
	case protocol.ProblemCooling:
		what, remedy = "Площадка долго не отвечает или просит подождать. Ждут: "+posts(p.Count), "Обычно проходит само. Подробнее: vestnik destination state "+p.Subject
	case protocol.ProblemWallClosed:
		what, remedy = "ВКонтакте не показывает стену", "Если она закрыта насовсем, уберите её из VK_WALLS"
	case protocol.ProblemWallFailing:
		what, remedy = "Стена давно не читается", "Посмотрите причину: vestnik scan "+p.Subject
	default:
		what = "Ждут решения: " + posts(p.Count)
		if p.Status == protocol.StatusUnknown {
			what = "Неизвестно, дошли ли до читателей: " + posts(p.Count)
		}
		remedy = "Откройте консоль, раздел «Сообщения», или vestnik deliveries --status " + p.Status
	}
	var text strings.Builder
	fmt.Fprintf(&text, "⚠️ %s\n", what)
	if p.Subject != "" {
		fmt.Fprintf(&text, "Где: %s\n", c.titles.Of(p.Subject))
	}
	if p.Reason != "" {
		fmt.Fprintf(&text, "Причина: %s\n", cut(c.Reason(p.Reason), maxReason))
	}
	if p.Since != nil {
		fmt.Fprintf(&text, "С какого времени: %s\n", clock(*p.Since, c.Zone))
	}
	fmt.Fprintf(&text, "Что делать: %s", remedy)
	return text.String()
}

// over is a message about a problem that is over.
func over(said string, at time.Time, zone *time.Location) string {
	said, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(said, "⚠️ "), "❓ "), "\nЧто делать: ")
	return "✅ Решено " + clock(at, zone) + "\n" + said
}

// maxReason is how much of an operator's words a message has, in letters.
const maxReason = 300

func cut(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}

func clock(at time.Time, zone *time.Location) string { return at.In(zone).Format("02.01 15:04") }

func posts(n int) string {
	return words.Russian(n, "публикация", "публикации", "публикаций")
}
