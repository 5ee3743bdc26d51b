package guide

import (
	"strconv"
	"time"
)

// PromoList is a page of the promos that hold now.
func PromoList(list Listing[PromoLine], now time.Time) Screen {
	head := "Промокоды и акции"
	if list.Total == 0 {
		head += "\n\nСейчас акций нет. Загляните позже."
	}
	return listOf(head, list, func(promo PromoLine) (string, string, Action) {
		note := tidy(promo.Venue, 80)
		if promo.Until != nil {
			note = joinNotes(note, "до "+date(promo.Until.In(now.Location()), now))
		}
		return promo.Title, note, open(Promo, promo.ID, "")
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
	screen.Keyboard = append(screen.Keyboard, []Button{press(labelBack, backTo(Promos))})
	return screen
}

func validity(promo PromoView, now time.Time) string {
	zone := now.Location()
	switch {
	case promo.Until == nil:
		return "бессрочно"
	case promo.Starts != nil && promo.Starts.After(now):
		return "с " + date(promo.Starts.In(zone), now) + " по " + date(promo.Until.In(zone), now)
	}
	return "до " + date(promo.Until.In(zone), now)
}
