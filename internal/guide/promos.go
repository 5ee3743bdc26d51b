package guide

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vestnik/internal/words"
)

// PromoList is a page of the promos that hold now.
func (t *Texts) PromoList(list Listing[PromoLine], now time.Time) Screen {
	head := orNone(t.Lists.Promos, list.Total, t.Lists.NoPromos)
	return listOf(t, head, list, func(promo PromoLine) line {
		until := ""
		if promo.Until != nil {
			until = t.until(*promo.Until, now)
		}
		return line{title: promo.Title, note: notes(tidy(promo.Venue, 80), until), opens: open(Promo, promo.ID, "")}
	}, func(page int) Action {
		return Action{Verb: Page, Entity: Promo, Extra: strconv.Itoa(page)}
	}, t.back(Main))
}

// PromoCard shows a promo with its venue's photo. It is the same for
// everybody, and nobody notes who has seen it.
func (t *Texts) PromoCard(promo PromoView, full bool, now time.Time) Screen {
	saying := func(offer string) string {
		return lines(
			t.title(promo.Title, 200),
			field(t.Fields.Place, promo.Venue),
			field(t.Fields.Address, promo.Address),
			field(t.Fields.Offer, offer),
			field(t.Fields.Code, promo.Code),
			field(t.Fields.Valid, t.validity(promo, now)))
	}
	text := saying(promo.Description)
	// A long description must not push the code and the term out of the
	// caption: it is the part that is cut.
	caption := text
	if over := len([]rune(text)) - words.CaptionLimit; over > 0 {
		keep := max(len([]rune(promo.Description))-over, 1)
		caption = clip(saying(clip(promo.Description, keep)), words.CaptionLimit)
	}
	photo, missing := photoURL(promo.Photo)
	screen := Screen{Text: clip(text, words.MessageLimit), NoPhoto: missing}
	if full {
		screen.NoPhoto = ""
	} else if photo != "" {
		screen.Photo, screen.Caption = photo, caption
	}
	if promo.PlaceID != 0 {
		screen.Keyboard = append(screen.Keyboard, []Button{press(t.Buttons.PromoPlace, open(Place, promo.PlaceID, ""))})
	}
	if code := strings.TrimSpace(promo.Code); code != "" && utf8.RuneCountInString(code) <= copyLimit {
		screen.Keyboard = append(screen.Keyboard, []Button{{Text: t.Buttons.CopyCode, Copy: code}})
	}
	screen.Keyboard = append(screen.Keyboard, t.back(Promos))
	return screen
}

func (t *Texts) validity(promo PromoView, now time.Time) string {
	begins := ""
	if promo.Starts != nil && promo.Starts.After(now) {
		begins = fill(t.Times.Begins, "when", t.moment(promo.Starts.In(now.Location()), now))
	}
	switch {
	case promo.Until != nil && begins != "":
		return begins + ", " + t.until(*promo.Until, now)
	case promo.Until != nil:
		return t.until(*promo.Until, now)
	case begins != "":
		return begins
	}
	return t.Times.Unlimited
}

// until is the last day on which a promo holds, "по 24 ноября", and the hour if
// it ends in the middle of one. What ends at midnight holds the day before, and
// so does what ends in a day's last minute.
func (t *Texts) until(end, now time.Time) string {
	end = end.In(now.Location())
	if end.Hour() == 0 && end.Minute() == 0 {
		end = end.Add(-time.Minute)
	}
	if end.Hour() == 23 && end.Minute() == 59 {
		return fill(t.Times.ValidThrough, "date", t.date(end, now))
	}
	return fill(t.Times.ValidUntil, "when", t.date(end, now)+", "+end.Format("15:04"))
}
