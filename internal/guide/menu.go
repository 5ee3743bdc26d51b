package guide

// MenuScreen is the main menu. notice, if any, stands above it: "Больше
// недоступно." when what was asked for is gone. It is the document's own menu:
// what goes beyond it has its buttons on other screens.
func MenuScreen(notice string) Screen {
	keyboard := Keyboard{
		{press("Места", openMenu(Places)), press("Афиша", openMenu(Events))},
		{press("Подборки", openMenu(Collections)), press("Избранное", openMenu(Favourites))},
		{press("Промокоды", openMenu(Promos)), press("Помощь", openMenu(Help))},
	}
	text := "Выберите раздел:"
	if notice != "" {
		text = notice + "\n\n" + text
	}
	return Screen{Text: text, Keyboard: keyboard}
}

// Notices above a menu.
const (
	NoticeGone    = "Больше недоступно."
	NoticeStale   = "Эта кнопка устарела."
	NoticeExpired = "Акция завершена."
	NoticeHello   = "Здравствуйте! Напишите, что ищете, например: кофе у реки."
	NoticeNoHits  = "По этим словам ничего не нашлось. Попробуйте назвать место или событие иначе."
)

// Toasts of answerCallbackQuery, at most 200 code points.
const (
	ToastStale   = "Кнопка устарела"
	ToastOpenBot = "Откройте чат с ботом"
)

// GateScreen asks to subscribe to the channel. channelURL may be empty, when
// the channel is known by its number only. wanted is done when the check
// succeeds.
func GateScreen(channelURL string, wanted Action, again bool) Screen {
	text := "Здравствуйте! Это путеводитель по городу: места, афиша, подборки и промокоды.\n\n" +
		"Он открыт подписчикам нашего канала. Подпишитесь и нажмите «Проверить подписку»."
	if again {
		text = "Подписки пока не видно. Подпишитесь на канал и нажмите «Проверить подписку» ещё раз. " +
			"Если вы только что подписались, подождите несколько секунд."
	}
	check := openMenu(Check)
	if wanted.Route() != ToMenu && wanted.Route() != ToCheck {
		check.Extra = wanted.String()
	}
	var keyboard Keyboard
	if address := webURL(channelURL); address != "" {
		keyboard = append(keyboard, []Button{link("Подписаться на канал", address)})
	}
	keyboard = append(keyboard,
		[]Button{press("Проверить подписку", check)},
		[]Button{press("Помощь", openMenu(Help))})
	return Screen{Text: text, Keyboard: keyboard}
}

// HelpScreen tells how to use the guide and where to write: to the contact, or
// in the channel if there is none. Nothing that a person writes to the bot is
// kept, and the screen says so.
func HelpScreen(contactURL, channelURL string) Screen {
	text := "Помощь\n\n" +
		"• Места: кафе, музеи, парки; фильтры по району, типу и подкатегории.\n" +
		"• Афиша: что будет в городе, по дням и темам.\n" +
		"• Подборки: места и события, собранные редакцией.\n" +
		"• Избранное: то, что вы отметили; его видите только вы.\n" +
		"• Промокоды: действующие акции, одинаковые для всех.\n" +
		"• Поиск: напишите, что ищете, например: кофе у реки."
	address := webURL(contactURL)
	if address == "" {
		text += "\n\nВопросы и пожелания передайте редакции через канал: здесь сообщения не сохраняются."
	} else {
		text += "\n\nВопрос, ошибка или пожелание? Напишите нам: " + address + "\nСообщения, отправленные сюда, мы не читаем и не храним."
	}
	keyboard := Keyboard{}
	if address != "" {
		keyboard = append(keyboard, []Button{link("Написать нам", address)})
	} else if channel := webURL(channelURL); channel != "" {
		keyboard = append(keyboard, []Button{link("Открыть канал", channel)})
	}
	keyboard = append(keyboard, findRow())
	return Screen{Text: text, Keyboard: append(keyboard, []Button{press(labelBack, backTo(Main))})}
}

func findRow() []Button {
	return []Button{press("Рядом со мной", openMenu(Near)), press("Поиск", openMenu(Find))}
}

// NearScreen asks for a location; FindScreen for words.
func NearScreen() Screen {
	return Screen{
		Text:     "Отправьте своё местоположение: скрепка → «Геопозиция». Покажем места рядом; сама точка нигде не сохраняется.",
		Keyboard: Keyboard{{press(labelBack, backTo(Main))}},
	}
}

// FindScreen tells how to search.
func FindScreen() Screen {
	return Screen{
		Text:     "Напишите, что ищете, например: кофе у реки. Ищем в названиях, адресах и описаниях; сами слова нигде не сохраняются.",
		Keyboard: Keyboard{{press(labelBack, backTo(Main))}},
	}
}

// ChannelURL is the public address of a channel given as @name; "" for a
// numeric id, which has none.
func ChannelURL(channel string) string {
	if len(channel) > 1 && channel[0] == '@' {
		return "https://t.me/" + channel[1:]
	}
	return ""
}
