package guide

// card is what places and events have in common.
type card struct {
	text, caption string
	photo         string
	entity        string
	id            int64
	section       string
	extra         CardExtra
	favourite     bool
	shareURL      string
	links         []Button
}

func (c card) screen() Screen {
	photo, missing := photoURL(c.photo)
	if c.extra.Full {
		photo, missing = "", "" // asked for as text, so no photo is amiss
	}
	screen := Screen{Text: clip(c.text, TextLimit), NoPhoto: missing}
	if photo == "" {
		screen.Keyboard = Keyboard{{c.favouriteButton(), c.backButton()}}
		c.addLinks(&screen)
		return screen
	}
	screen.Photo, screen.Caption = photo, clip(c.caption, CaptionLimit)
	// The data of "more" is the data that opened the card, as the
	// specification's example has it: on a photo it means the whole text.
	more := open(c.entity, c.id, "")
	if c.extra.Origin != "" {
		more.Extra = CardExtra{Full: true, Origin: c.extra.Origin}.String()
	}
	screen.Keyboard = Keyboard{{press(labelMore, more), c.favouriteButton()}}
	c.addLinks(&screen)
	screen.Keyboard = append(screen.Keyboard, []Button{c.backButton()})
	return screen
}

func (c card) addLinks(screen *Screen) {
	for _, button := range c.links {
		screen.Keyboard = append(screen.Keyboard, []Button{button})
	}
	if share := webURL(c.shareURL); share != "" {
		screen.Keyboard = append(screen.Keyboard, []Button{link("Поделиться", share)})
	}
}

func (c card) backButton() Button { return press(labelBack, c.extra.back(c.entity, c.section)) }

func (c card) favouriteButton() Button {
	return favouriteButton(c.entity, c.id, c.favourite, c.extra.Origin)
}

func favouriteButton(entity string, id int64, favorite bool, origin string) Button {
	if favorite {
		return press(labelRemove, Action{Verb: FavRemove, Entity: entity, ID: id, Extra: origin})
	}
	return press(labelAdd, Action{Verb: FavAdd, Entity: entity, ID: id, Extra: origin})
}

// FavouriteChanged confirms that something was added to the favourites or
// taken from them; title may be empty.
func FavouriteChanged(action Action, title string) Screen {
	added := action.Verb == FavAdd
	text := "Добавлено в избранное"
	if !added {
		text = "Убрано из избранного"
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
		{favouriteButton(action.Entity, action.ID, added, extra.Origin), press(labelFavourites, openMenu(Favourites))},
		{press(labelBack, extra.back(action.Entity, section))},
	}}
}
