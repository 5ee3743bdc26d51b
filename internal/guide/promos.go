package guide

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// PromoList is a page of the promos that hold now.
func PromoList(list Listing[PromoLine], now time.Time) Screen {
	head := "Промокоды и акции"
	if list.Total == 0 {
		head += "\n\nСейчас акций нет. Загляните позже."
	}
	return listOf(head, list, func(promo PromoLine) line {
		note := tidy(promo.Venue, 80)
		if promo.Until != nil {
			note = joinNotes(note, until(*promo.Until, now))
		}
		return line{title: promo.Title, note: note, opens: open(Promo, promo.ID, "")}
	}, func(page int) Action {
		return Action{Verb: Page, Entity: Promo, Extra: strconv.Itoa(page)}
	}, []Button{press(labelBack, backTo(Main))})
}

// PromoCard shows a promo with its venue's photo. It is the same for
// everybody, and nobody notes who has seen it.
func PromoCard(promo PromoView, full bool, now time.Time) Screen {
	text := lines(
		name(promo.Title, 200),
		field("Место", promo.Venue),
		field("Адрес", promo.Address),
		field("Описание акции", promo.Description),
		field("Промокод", promo.Code),
		field("Срок действия", validity(promo, now)))
	// A long description must not push the code and the term out of the
	// caption: it is the part that is cut.
	caption := text
	if over := len([]rune(text)) - CaptionLimit; over > 0 {
		keep := max(len([]rune(promo.Description))-over, 1)
		caption = clip(lines(
			name(promo.Title, 200),
			field("Место", promo.Venue),
			field("Адрес", promo.Address),
			field("Описание акции", clip(promo.Description, keep)),
			field("Промокод", promo.Code),
			field("Срок действия", validity(promo, now))), CaptionLimit)
	}
	photo, missing := photoURL(promo.Photo)
	screen := Screen{Text: clip(text, TextLimit), NoPhoto: missing}
	if full {
		screen.NoPhoto = ""
	} else if photo != "" {
		screen.Photo, screen.Caption = photo, caption
	}
	if promo.PlaceID != 0 {
		screen.Keyboard = append(screen.Keyboard, []Button{press("Подробнее о месте", open(Place, promo.PlaceID, ""))})
	}
	if code := strings.TrimSpace(promo.Code); code != "" && utf8.RuneCountInString(code) <= CopyLimit {
		screen.Keyboard = append(screen.Keyboard, []Button{{Text: "Скопировать промокод", Copy: code}})
	}
	screen.Keyboard = append(screen.Keyboard, []Button{press(labelBack, backTo(Promos))})
	return screen
}

func validity(promo PromoView, now time.Time) string {
	begins := ""
	if promo.Starts != nil && promo.Starts.After(now) {
		begins = "начнётся " + Moment(promo.Starts.In(now.Location()), now)
	}
	switch {
	case promo.Until != nil && begins != "":
		return begins + ", " + until(*promo.Until, now)
	case promo.Until != nil:
		return until(*promo.Until, now)
	case begins != "":
		return begins
	}
	return "бессрочно"
}

// until is the last day on which a promo holds, "по 24 ноября", and the hour if
// it ends in the middle of one. What ends at midnight holds the day before, and
// so does what ends in a day's last minute.
func until(end, now time.Time) string {
	end = end.In(now.Location())
	if end.Hour() == 0 && end.Minute() == 0 {
		end = end.Add(-time.Minute)
	}
	if end.Hour() == 23 && end.Minute() == 59 {
		return "по " + date(end, now)
	}
	return "до " + date(end, now) + ", " + end.Format("15:04")
}
