package guide

// MenuScreen is the main menu. notice, if any, stands above it: "Больше
// недоступно." when what was asked for is gone. It is the document's own menu:
// what goes beyond it has its buttons on other screens.
func (t *Texts) MenuScreen(notice string) Screen {
	keyboard := Keyboard{
		{press(t.Buttons.Places, OpenMenu(Places)), press(t.Buttons.Events, OpenMenu(Events))},
		{press(t.Buttons.Collections, OpenMenu(Collections)), press(t.Buttons.Favourites, OpenMenu(Favourites))},
		{press(t.Buttons.Promos, OpenMenu(Promos)), press(t.Buttons.Help, OpenMenu(Help))},
	}
	text := t.Screens.Menu
	if notice != "" {
		text = notice + "\n\n" + text
	}
	return Screen{Text: text, Keyboard: keyboard}
}

// GateScreen asks to subscribe to the channel. channelURL may be empty, when
// the channel is known by its number only. wanted is done when the check
// succeeds.
func (t *Texts) GateScreen(channelURL string, wanted Action, again bool) Screen {
	text := t.Screens.Gate
	if again {
		text = t.Screens.GateAgain
	}
	check := OpenMenu(Check)
	if wanted.Route() != ToMenu && wanted.Route() != ToCheck {
		check.Extra = wanted.String()
	}
	var keyboard Keyboard
	if address := webURL(channelURL); address != "" {
		keyboard = append(keyboard, []Button{link(t.Buttons.Subscribe, address)})
	}
	keyboard = append(keyboard,
		[]Button{press(t.Buttons.Check, check)},
		[]Button{press(t.Buttons.Help, OpenMenu(Help))})
	return Screen{Text: text, Keyboard: keyboard}
}

// HelpScreen explains how to use the guide and where to write: to the contact, or
// in the channel if there is none. Nothing that a person writes to the bot is
// kept, and the screen says so.
func (t *Texts) HelpScreen(contactURL, channelURL string) Screen {
	text, address := t.Screens.Help, webURL(contactURL)
	if address == "" {
		text += "\n\n" + t.Screens.HelpChannel
	} else {
		text += "\n\n" + fill(t.Screens.HelpContact, "address", address)
	}
	keyboard := Keyboard{}
	if address != "" {
		keyboard = append(keyboard, []Button{link(t.Buttons.Contact, address)})
	} else if channel := webURL(channelURL); channel != "" {
		keyboard = append(keyboard, []Button{link(t.Buttons.Channel, channel)})
	}
	return Screen{Text: text, Keyboard: append(keyboard, t.findRow(), t.back(Main))}
}

func (t *Texts) findRow() []Button {
	return []Button{press(t.Buttons.Near, OpenMenu(Near)), press(t.Buttons.Find, OpenMenu(Find))}
}

// NearScreen asks for a location.
func (t *Texts) NearScreen() Screen {
	return Screen{Text: t.Screens.Near, Keyboard: Keyboard{t.back(Main)}}
}

// FindScreen explains how to search.
func (t *Texts) FindScreen() Screen {
	return Screen{Text: t.Screens.Find, Keyboard: Keyboard{t.back(Main)}}
}

// ChannelURL is the public address of a channel given as @name; "" for a
// numeric id, which has none.
func ChannelURL(channel string) string {
	if len(channel) > 1 && channel[0] == '@' {
		return "https://t.me/" + channel[1:]
	}
	return ""
}
