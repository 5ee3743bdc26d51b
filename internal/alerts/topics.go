package alerts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/rehearse"
	"vestnik/internal/telegram"
	"vestnik/internal/words"
)

// Desk carries out decisions; the starter is the one that does.
type Desk interface {
	Destination(ctx context.Context, destination string) (protocol.LaneState, error)
	ReadingKeys(ctx context.Context) ([]db.KeyState, error)
	Preview(ctx context.Context, ownerID, postID int64, destination string) ([]rehearse.Message, error)
	Resume(ctx context.Context, deliveryID int64, resume protocol.Resume) (string, error)
	ResumeDestination(ctx context.Context, destination string) (protocol.LaneState, error)
	ResumeKey(ctx context.Context, captcha string) (bool, error)
	ReadWall(ctx context.Context, name string) error
	SetType(ctx context.Context, ref post.ID, kind petpost.Type, note string) (db.TypeSet, error)
	Duplicate(ctx context.Context, deliveryID, of int64, note string) error
	TakeBack(ctx context.Context, reason string, deliveryIDs ...int64) error
}

const (
	// approvals begins the key of a post that is to be approved; the number of its
	// delivery follows.
	approvals = "approval|"
	// mostAsked bounds how many posts to be approved are looked at.
	mostAsked = 200
	// maxShown is how much of a composed message is shown, in letters: Telegram
	// takes 4,096 in all.
	maxShown = 3000
)

func isApproval(key string) bool { return strings.HasPrefix(key, approvals) }

// asksApproval reports whether a delivery with this reason has never gone out and
// waits for a person's yes.
func asksApproval(reason string) bool {
	return reason == protocol.ReasonApproval || reason == protocol.ReasonUnsure
}

// topics are what the chat is told of: the problems, and each post that is to be
// approved where somebody may do so by a button.
func (c Chat) topics(ctx context.Context, problems []protocol.Problem) ([]topic, error) {
	var topics []topic
	asked := false
	for _, problem := range problems {
		if c.decides() && problem.Kind == protocol.ProblemDeliveries && asksApproval(problem.Reason) {
			asked = true // by messages of their own
			continue
		}
		topics = append(topics, c.problemTopic(ctx, problem))
	}
	if !asked {
		return topics, nil
	}
	rows, err := c.Ledger.List(ctx, db.DeliveryFilter{Status: protocol.StatusParked, Limit: mostAsked})
	if err != nil {
		return nil, err
	}
	for _, row := range slices.Backward(rows) { // the oldest first
		if asksApproval(row.Reason) {
			topics = append(topics, c.approvalTopic(row))
		}
	}
	return topics, nil
}

func (c Chat) problemTopic(ctx context.Context, problem protocol.Problem) topic {
	t := topic{key: problem.Key(), said: c.describe(problem)}
	if !c.decides() {
		return t
	}
	t.keyboard = buttonsFor(problem)
	if captcha := c.captchaOf(ctx, problem); captcha != nil {
		t.said += "\nКапча: ответьте на это сообщение текстом с картинки или success_token со страницы"
		if captcha.SID != "" {
			t.said += " (№ " + captcha.SID + ")"
		}
		t.shows = func(context.Context) (string, string, error) {
			shown := ""
			for _, link := range []string{captcha.Picture, captcha.RedirectURI} {
				if link != "" {
					shown += "\n" + link
				}
			}
			return shown, captcha.Picture, nil
		}
	}
	return t
}

// captchaOf is what VK asks for, nil if it does not, or if nobody can say now.
func (c Chat) captchaOf(ctx context.Context, problem protocol.Problem) *protocol.Captcha {
	switch problem.Kind {
	case protocol.ProblemBlocked:
		lane, err := c.Desk.Destination(ctx, problem.Subject)
		if err != nil || lane.PausedDelivery == 0 {
			return nil
		}
		delivery, err := c.Ledger.Delivery(ctx, lane.PausedDelivery)
		if err != nil {
			return nil
		}
		return delivery.Captcha
	case protocol.ProblemReadingPaused:
		keys, err := c.Desk.ReadingKeys(ctx)
		if err != nil {
			return nil
		}
		for _, key := range keys {
			if key.Paused() && key.Captcha != nil {
				return key.Captcha
			}
		}
	}
	return nil
}

// What a button does; the message that it stands under says with what.
const (
	doResume    = "resume"     // let the lane go on
	doRetry     = "retry"      // send, or approve
	doSkip      = "skip"       // do not send
	doMarkSent  = "mark_sent"  // it did arrive
	doResumeKey = "resume_key" // read the walls again
	doReadWall  = "read_wall"  // try one wall again
	doTypes     = "types"      // show the types to choose from
	doType      = "type:"      // the post is of the type that follows
	doCases     = "cases"      // show the animals that were told there, to choose from
	doCase      = "case:"      // it is about the case that follows
	doUndo      = "undo"       // show the reasons to take back what was sent, to choose from
	doTakeBack  = "undo:"      // take it back, for the reason that follows
)

func row(buttons ...string) []telegram.Button {
	var row []telegram.Button
	for i := 0; i < len(buttons); i += 2 {
		row = append(row, telegram.Button{Text: buttons[i], CallbackData: buttons[i+1]})
	}
	return row
}

func buttonsFor(p protocol.Problem) telegram.Keyboard {
	switch {
	case p.Kind == protocol.ProblemBlocked:
		return telegram.Keyboard{row("Продолжить отправку", doResume), row("Пропустить пост и продолжить", doSkip)}
	case p.Kind == protocol.ProblemPaused, p.Kind == protocol.ProblemCooling:
		return telegram.Keyboard{row("Продолжить отправку", doResume)}
	case p.Kind == protocol.ProblemReadingPaused:
		return telegram.Keyboard{row("Читать снова", doResumeKey)}
	case p.Kind == protocol.ProblemWallClosed, p.Kind == protocol.ProblemWallFailing:
		return telegram.Keyboard{row("Прочитать сейчас", doReadWall)}
	case p.Kind == protocol.ProblemDeliveries && p.Status == protocol.StatusUnknown:
		return telegram.Keyboard{row("Дошло", doMarkSent, "Отправить снова", doRetry), row("Не отправлять", doSkip)}
	case p.Kind == protocol.ProblemDeliveries:
		return telegram.Keyboard{row("Отправить снова", doRetry, "Не отправлять", doSkip)}
	}
	return nil
}

var approvalButtons = telegram.Keyboard{row("Опубликовать", doRetry, "Не публиковать", doSkip), row("Не тот тип…", doTypes, "Это уже было…", doCases)}

// publishedButtons stand under what was published from the chat, for as long as its
// message is known: a day.
var (
	publishedButtons = telegram.Keyboard{row("Убрать…", doUndo)}
	undoButtons      = telegram.Keyboard{
		row("Ошибка", doTakeBack+"ошибка", "Уже дома", doTakeBack+"уже дома"), row("Просьба автора", doTakeBack+"просьба автора"),
	}
)

const (
	// mostCases is how many cases are offered, of the latest messages to a chat,
	// of which mostTold are looked at.
	mostCases, mostTold = 8, 200
	// maxButton is how much of a case a button has, in letters.
	maxButton = 60
)

// caseButtons are the animals of which a destination was told last, those of the
// same kind first, and the way back.
func caseButtons(ctx context.Context, ledger *db.Ledger, delivery db.DeliveryRow, zone *time.Location) (telegram.Keyboard, error) {
	rows, err := ledger.List(ctx, db.DeliveryFilter{Status: protocol.StatusSent, Destination: delivery.Destination, Limit: mostTold})
	if err != nil {
		return nil, err
	}
	var told []db.DeliveryRow
	known := map[int64]bool{}
	for _, sent := range rows {
		if sent.Case != nil && sent.TakenBackAt == nil && !known[*sent.Case] {
			known[*sent.Case] = true
			told = append(told, sent)
		}
	}
	slices.SortStableFunc(told, func(a, b db.DeliveryRow) int {
		return cmp.Compare(unlike(a, delivery), unlike(b, delivery))
	})
	var keyboard telegram.Keyboard
	for _, last := range told[:min(len(told), mostCases)] {
		about := []string{animalNames[last.About.Animal], last.About.Name, last.About.Location}
		about = slices.DeleteFunc(about, func(word string) bool { return word == "" })
		text := last.About.PostedAt.In(zone).Format("02.01") + " " + cmp.Or(strings.Join(about, ", "), typeName(last.About.Type))
		keyboard = append(keyboard, row(cut(text, maxButton), doCase+strconv.FormatInt(*last.Case, 10)))
	}
	return append(keyboard, approvalButtons[0]), nil
}

// unlike is 0 for a delivery about an animal of the same kind.
func unlike(row, delivery db.DeliveryRow) int {
	if row.About.Animal == delivery.About.Animal {
		return 0
	}
	return 1
}

var animalNames = map[petpost.Animal]string{petpost.Dog: "собака", petpost.Cat: "кошка"}

// typeNames are the types as buttons have them.
var typeNames = map[petpost.Type]string{
	petpost.Lost: "Пропало", petpost.Found: "Нашли", petpost.Sighting: "Видели", petpost.Adoption: "Отдают", petpost.Fundraising: "Сбор",
	petpost.Reunited: "Уже дома", petpost.News: "Другое",
}

// typeButtons are the types to choose from, and the way back.
func typeButtons() telegram.Keyboard {
	var keyboard telegram.Keyboard
	for _, kind := range petpost.Types {
		name, named := typeNames[kind]
		if !named {
			continue
		}
		button := row(name, doType+string(kind))
		if last := len(keyboard) - 1; last >= 0 && len(keyboard[last]) < 3 {
			keyboard[last] = append(keyboard[last], button...)
		} else {
			keyboard = append(keyboard, button)
		}
	}
	return append(keyboard, approvalButtons[0])
}

func (c Chat) approvalTopic(delivery db.DeliveryRow) topic {
	var said strings.Builder
	fmt.Fprintf(&said, "❓ Публиковать?\nКуда: %s\nИсточник: %s\nТип: %s", c.titles.Of(delivery.Destination),
		strings.TrimSpace(c.titles.Wall(delivery.OwnerID, delivery.About.Wall)+" https://vk.com/"+protocol.WallPost(delivery.OwnerID, delivery.PostID)), typeName(petpost.Type(delivery.Type)))
	if delivery.Reason == protocol.ReasonUnsure {
		said.WriteString(", но в нём нет уверенности")
	}
	if delivery.AnswerBy != nil {
		then := "пост не будет опубликован"
		if delivery.Silence == "publish" {
			then = "пост будет опубликован"
		}
		fmt.Fprintf(&said, "\nЕсли не ответить до %s, %s", clock(*delivery.AnswerBy, c.Zone), then)
	}
	return topic{
		key: approvals + strconv.FormatInt(delivery.ID, 10), said: said.String(), keyboard: approvalButtons,
		shows: func(ctx context.Context) (string, string, error) {
			messages, err := c.Desk.Preview(ctx, delivery.OwnerID, delivery.PostID, delivery.Destination)
			if err != nil {
				return "", "", err
			}
			shown, photos := "", 0
			for _, message := range messages {
				shown += "\n\n" + message.Text
				photos += len(message.Photos)
			}
			shown = cut(shown, maxShown)
			if photos > 0 {
				shown += "\n\n🖼 " + words.Russian(photos, "фото", "фото", "фото")
			}
			return shown, "", nil
		},
	}
}

func typeName(kind petpost.Type) string {
	if name, named := typeNames[kind]; named {
		return strings.ToLower(name)
	}
	return string(kind)
}
