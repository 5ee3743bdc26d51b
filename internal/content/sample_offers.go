package content

func sampleCollections() []Collection {
	places := func(ids ...string) []CollectionItem {
		items := make([]CollectionItem, 0, len(ids))
		for _, id := range ids {
			items = append(items, CollectionItem{Place: id})
		}
		return items
	}
	events := func(ids ...string) []CollectionItem {
		items := make([]CollectionItem, 0, len(ids))
		for _, id := range ids {
			items = append(items, CollectionItem{Event: id})
		}
		return items
	}
	return []Collection{
		{ID: "warm", Title: "Тёплые места", Description: "Куда зайти, когда на улице минус двадцать и ветер с реки.", Items: places("zimniy-sad", "otkos", "bani", "bukinist", "dom-kuptsa", "vtoroe-zerno")},
		{ID: "first-day", Title: "Ольховск за один день", Description: "Маршрут для тех, кто приехал утренним поездом и уезжает вечерним.", Items: append(places("tramvai", "pozharnaya", "muzey-splava", "naberezhnaya", "shchuka", "lysaya-gora"), events("evening-walk")...)},
		{ID: "with-kids", Title: "С детьми в выходной", Description: "Ни одной минуты скуки с одиннадцати до пяти.", Items: append(events("shishka", "boats", "sunday-reading"), places("skazka", "planetariy", "gorsad", "ulitka")...)},
		{ID: "date", Title: "Свидание без пробок", Description: "Всё в пятнадцати минутах ходьбы.", Items: append(places("naberezhnaya", "alazani", "podval"), events("organ", "jam")...)},
		{ID: "free", Title: "Бесплатно и хорошо", Description: "Вход свободный, впечатления полные.", Items: append(events("brass", "saturday-market", "sunday-reading"), places("lysaya-gora", "ovrag", "skver-pechatnikov")...)},
		{ID: "slow-food", Title: "Где долго обедают", Description: "", Items: places("sosedi", "dvor-i-sad", "alazani", "chaihona", "pelmennaya")},
	}
}

func (c sampleCity) promos() []Promo {
	promo := func(id, title, place, code, description string, from, to int) Promo {
		return Promo{ID: id, Title: title, Place: place, Code: code, Description: description, StartsAt: c.at(from, 0, 0), EndsAt: c.at(to, 23, 59)}
	}
	always := Promo{ID: "book-for-book", Title: "Книга за книгу", Place: "bukinist", Description: "Принесите прочитанную и заберите любую с нижней полки. Действует всегда."}
	return []Promo{
		promo("otkos-filter", "−10 % на фильтр", "otkos", "РЕЧНАЯ10", "Назовите код на кассе. Не суммируется с утренней скидкой.", -10, 30),
		promo("bulka-evening", "Вторая булка в подарок", "bulka", "КОРКА", "С пяти до семи вечера, пока есть булки.", -3, 14),
		promo("shchuka-lunch", "Уха за 190 ₽ в будни", "shchuka", "УХА190", "С двенадцати до четырёх, по одной на гостя.", -1, 20),
		promo("splav-two", "Двое по одному билету", "muzey-splava", "ПЛОТ", "Во вторник и среду, кроме праздников.", -5, 45),
		promo("depo-friday", "Вход −30 % до 21:00", "depo", "СЕМАФОР", "По пятницам при входе со стороны путей.", -2, 26),
		promo("bassejn-morning", "Утренний абонемент −20 %", "bassejn", "ВОЛНА20", "Сеансы с шести до девяти утра.", -7, 10),
		promo("glina-mug", "Обжиг бесплатно", "glina", "ОБЖИГ", "За вторую кружку, слепленную в тот же день.", 0, 7),
		promo("lyzhi-rent", "Час проката в подарок", "lyzhi", "ЛЫЖНЯ", "При прокате от двух часов в будний день.", -4, 60),
		promo("kukly-family", "Третий билет ребёнку", "kukly", "ШИШКА3", "На утренние спектакли для семей из трёх и больше.", -1, 12),
		promo("chaihona-tea", "Чай к плову", "chaihona", "УРЮК", "Чайник на двоих к любому плову.", 3, 33),
		promo("tramvai-autumn", "Осенний тыквенный трамвай", "tramvai", "ТЫКВА", "Тыквенный латте по цене обычного.", -60, -3),
		always,
	}
}
