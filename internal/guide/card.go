package guide

import (
	"unicode/utf8"

	"vestnik/internal/words"
)

// Links are what the buttons of a card need besides the card.
type Links struct {
	// City stands before an address on the map; empty if the addresses name it.
	City string
	// Share opens Telegram's "share" window with a link to the card; empty for
	// none, see [ShareURL].
	Share string
}

// card is what places and events have in common.
type card struct {
	texts *Texts
	title string
	// facts and description are for the photo's caption; the whole text says
	// more besides.
	facts, description, more string

	photo     string
	entity    string
	id        int64
	section   string
	extra     CardExtra
	favourite bool
	links     []Button
}

func (c card) screen() Screen {
	favourite := c.texts.favouriteButton(c.entity, c.id, c.favourite, c.extra.Origin)
	back := press(c.texts.Buttons.Back, c.extra.back(c.entity, c.section))
	photo, missing := photoURL(c.photo)
	caption := lines(c.title, c.facts, paragraph(c.description))
	screen := Screen{Text: c.text(), NoPhoto: missing}
	if c.extra.Full {
		screen.NoPhoto, screen.Preview = "", photo // asked for as text, so no photo is amiss
	}
	if photo == "" || c.extra.Full {
		screen.Keyboard = append(Keyboard{{favourite, back}}, oneToARow(c.links)...)
		return screen
	}
	screen.Photo, screen.Caption = photo, clip(caption, words.CaptionLimit)
	row := []Button{favourite}
	if c.more != "" || screen.Caption != caption {
		// The data of "more" is the data that opened the card, as the
		// specification's example has it: on a photo it means the whole text.
		more := open(c.entity, c.id, "")
		if c.extra.Origin != "" {
			more.Extra = CardExtra{Full: true, Origin: c.extra.Origin}.String()
		}
		row = append([]Button{press(c.texts.Buttons.More, more)}, row...)
	}
	screen.Keyboard = append(append(Keyboard{row}, oneToARow(c.links)...), []Button{back})
	return screen
}

// text is the whole card. Of a description that is too long the end is cut, not
// what follows it.
func (c card) text() string {
	head, more := c.texts.Fields.Name+": "+lines(c.title, c.facts), paragraph(c.more)
	room := words.MessageLimit - utf8.RuneCountInString(head) - utf8.RuneCountInString(more) - 4 // the line breaks between
	return clip(lines(head, paragraph(clip(c.description, max(room, 1))), more), words.MessageLimit)
}

func oneToARow(buttons []Button) (rows Keyboard) {
	for _, button := range buttons {
		rows = append(rows, []Button{button})
	}
	return rows
}

func (t *Texts) favouriteButton(entity string, id int64, favourite bool, origin string) Button {
	if favourite {
		return press(t.Buttons.Remove, Action{Verb: FavRemove, Entity: entity, ID: id, Extra: origin})
	}
	return press(t.Buttons.Add, Action{Verb: FavAdd, Entity: entity, ID: id, Extra: origin})
}

// FavouriteChanged confirms that something was added to the favourites or
// taken from them; title may be empty.
func (t *Texts) FavouriteChanged(action Action, title string) Screen {
	added := action.Verb == FavAdd
	text := t.Lists.Added
	if !added {
		text = t.Lists.Removed
	}
	if title = tidy(title, 200); title != "" {
		text += ": " + title
	}
	section := Places
	if action.Entity == Event {
		section = Events
	}
	extra := ParseCardExtra(action.Extra)
	return Screen{Text: text, Keyboard: Keyboard{
		{t.favouriteButton(action.Entity, action.ID, added, extra.Origin), press(t.Buttons.Favourites, OpenMenu(Favourites))},
		{press(t.Buttons.Back, extra.back(action.Entity, section))},
	}}
}
