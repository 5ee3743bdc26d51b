package content

import "time"

// sampleEvent is an event of Ольховск: days after today, at an hour, for some
// hours (0 if nobody knows). One that belongs to a day of the week waits for
// the next such day.
type sampleEvent struct {
	id, title, place, category, source string
	day, hour, minute, hours           int
	on                                 string // as time.Weekday has it; empty: whatever day it is
	price                              string
	photo                              bool
	description                        string
}

func (c sampleCity) events() []Event {
	events := make([]Event, 0, len(sampleEvents))
	for _, s := range sampleEvents {
		day := s.day
		for s.on != "" && c.today.AddDate(0, 0, day).Weekday().String() != s.on {
			day++
		}
		event := Event{
			ID: s.id, Title: s.title, StartsAt: c.at(day, s.hour, s.minute), Place: s.place,
			Categories: []string{s.category}, Source: s.source, Price: s.price, Description: s.description,
			URL: "https://afisha.example.com/" + s.id,
		}
		if s.hours > 0 {
			end := event.StartsAt.Add(time.Duration(s.hours) * time.Hour)
			event.EndsAt = &end
		}
		if s.photo {
			event.Photos = c.photos("event-"+s.id, 1)
		}
		events = append(events, event)
	}
	return events
}

var sampleEvents = []sampleEvent{
	{id: "organ", title: "Бах при свечах", place: "filarmoniya", category: "music", source: "philharmonic", day: 0, hour: 19, hours: 2, price: "от 500 ₽", photo: true, description: "Органные прелюдии и фуги. В зале выключают свет, и слышно, как дышит инструмент."},
	{id: "jam", title: "Джем до последнего трамвая", place: "podval", category: "music", source: "city", day: 0, hour: 21, hours: 3, price: "300 ₽", photo: true, description: "Сцена открыта для всех, кто держит ритм. Рояль, контрабас и барабаны на месте."},
	{id: "evening-walk", title: "Вечерний обход с фонарщиком", place: "pozharnaya", category: "walks", source: "city", day: 0, hour: 20, hours: 2, price: "350 ₽", photo: true, description: "Полтора километра по центру с керосиновым фонарём и городскими байками."},
	{id: "shishka", title: "Спектакль «Как ёж искал зиму»", place: "kukly", category: "family", source: "city", day: 1, hour: 11, hours: 1, price: "400 ₽", photo: true, description: "Куклы размером с ладонь и настоящий снег из бумаги. Для детей от трёх лет."},
	{id: "telescope", title: "Ночь открытой крыши", place: "planetariy", category: "lectures", source: "city", day: 1, hour: 21, hours: 2, price: "250 ₽", photo: true, description: "Смотрим на Юпитер и четыре его спутника. Если облачно, лекция под куполом."},
	{id: "chaika", title: "«Чайка» в прямом эфире", place: "dramteatr", category: "theatre", source: "city", day: 1, hour: 18, minute: 30, hours: 3, price: "от 600 ₽", photo: true, description: "Чехов с камерами на сцене: зритель сам выбирает, за кем смотреть."},
	{id: "knots", title: "Пять узлов за двадцать минут", place: "muzey-splava", category: "family", source: "museum", day: 1, hour: 14, hours: 1, price: "150 ₽", description: "Мастер-класс в верхней мастерской. Верёвку можно забрать с собой."},
	{id: "saturday-market", title: "Большая суббота на Ямском", place: "rynok", category: "fairs", source: "city", on: "Saturday", hour: 7, hours: 8, price: "вход свободный", photo: true, description: "Семьдесят хозяйств области, сидр прямо из бочки и ряд, где чинят всё."},
	{id: "brass", title: "Духовой оркестр в Городском саду", place: "gorsad", category: "music", source: "philharmonic", day: 2, hour: 16, hours: 2, price: "вход свободный", photo: true, description: "Вальсы и марши. Танцуют те, кому за шестьдесят, остальные подтягиваются."},
	{id: "boats", title: "Кораблики из коры", place: "masterskaya", category: "family", source: "neighbours", day: 2, hour: 12, hours: 2, price: "450 ₽", description: "Выстругать, поставить парус и спустить на воду. Нож выдают круглый."},
	{id: "poet", title: "Вечер у Верхова", place: "kvartira", category: "lectures", source: "museum", day: 2, hour: 18, hours: 2, price: "200 ₽", description: "Письма поэта жене, прочитанные вслух на кухне, где они были написаны."},
	{id: "sunday-reading", title: "Воскресное чтение вслух", place: "ulitka", category: "family", source: "neighbours", on: "Sunday", hour: 11, hours: 1, price: "вход свободный", photo: true, description: "Читаем про капитана, который боялся воды. Подушки есть."},
	{id: "old-photos", title: "Ольховск, которого нет", place: "muzey-splava", category: "exhibitions", source: "museum", day: -20, hour: 10, hours: 24*60 + 8, price: "300 ₽", photo: true, description: "Сто фотографий с 1880 по 1960 год. К половине до сих пор не знают адреса: помогите узнать."},
	{id: "looms", title: "Станок помнит", place: "gal-ceh", category: "exhibitions", source: "city", day: -5, hour: 12, hours: 24*30 + 8, price: "250 ₽, в среду бесплатно", photo: true, description: "Звуковая инсталляция: двадцать станков играют одну пьесу."},
	{id: "ceramics", title: "Чашка к чашке", place: "glina", category: "exhibitions", source: "neighbours", day: -2, hour: 10, hours: 24*14 + 8, price: "вход свободный", description: "Двести чашек двадцати мастеров. Понравившуюся можно унести, оставив свою."},
	{id: "rock", title: "«Стрелка и Семафор», большой концерт", place: "depo", category: "music", source: "city", day: 4, hour: 20, hours: 3, price: "700 ₽", photo: true, description: "Презентация альбома. Первые сто пришедших получают кондукторский билет."},
	{id: "chamber", title: "Квартет в библиотеке", place: "bukinist", category: "music", source: "philharmonic", day: 5, hour: 19, hours: 1, price: "400 ₽", description: "Бородин и Шостакович между полками. Тридцать стульев, остальные стоят на лесенке."},
	{id: "puppets-adults", title: "«Шишка» для взрослых: «Нос»", place: "kukly", category: "theatre", source: "city", day: 6, hour: 20, hours: 2, price: "600 ₽", photo: true, description: "Гоголь, куклы и шампанское. Только 18+."},
	{id: "sledges", title: "Гонка на чём попало", place: "lysaya-gora", category: "fairs", source: "neighbours", day: 9, hour: 12, hours: 4, price: "участие 100 ₽", photo: true, description: "Корыта, ватрушки, кресла на лыжах. Приз за скорость и приз за красоту падения."},
	{id: "birds", title: "Утро с орнитологом", place: "ovrag", category: "walks", source: "city", day: 3, hour: 6, minute: 30, hours: 2, price: "200 ₽", description: "Слушаем, кто проснулся первым. Бинокли дают."},
	{id: "island", title: "Лодкой на Долгий", place: "ostrov", category: "walks", source: "museum", day: 10, hour: 17, hours: 3, price: "900 ₽", photo: true, description: "Прогулка на «Анне» с чаем и рассказом о последнем сплаве."},
	{id: "organ-kids", title: "Орган для самых маленьких", place: "filarmoniya", category: "family", source: "philharmonic", day: 9, hour: 11, hours: 1, price: "300 ₽", photo: true, description: "Можно заглянуть внутрь и нажать самую низкую ноту."},
	{id: "cheese", title: "Сыр и мёд: слепая проба", place: "syrovarnya", category: "fairs", source: "neighbours", day: 8, hour: 15, hours: 2, price: "500 ₽", description: "Девять сыров, пять медов и повязка на глаза."},
	{id: "ski-race", title: "Ночная лыжня", place: "lyzhi", category: "fairs", source: "city", day: 12, hour: 19, hours: 2, price: "вход свободный", photo: true, description: "Пять километров при факелах. Прокат работает до полуночи."},
	{id: "stove", title: "Как растопить изразцовую печь", place: "dom-kuptsa", category: "lectures", source: "museum", day: 7, hour: 13, hours: 1, price: "250 ₽", description: "Рассказывает печник в четвёртом поколении. В конце чай."},
	{id: "lit-quiz", title: "Книжная викторина «Закладка»", place: "bukinist", category: "lectures", source: "neighbours", day: 11, hour: 18, minute: 30, price: "вход свободный", description: "Команды до пяти человек. Подсказки стоят по одной книге из дома."},
	{id: "improv", title: "Импровизация: город диктует", place: "dramteatr", category: "theatre", source: "city", day: 13, hour: 19, hours: 2, price: "от 400 ₽", photo: true, description: "Сюжеты называют из зала, пьеса рождается на глазах."},
	{id: "bath-day", title: "День открытых дверей в Ямских банях", place: "bani", category: "fairs", source: "neighbours", day: 15, hour: 9, hours: 10, price: "вход свободный", description: "Вязка веников, лекция о паре и полок, на котором сидел сам купец Лаптев."},
	{id: "winter-garden", title: "Ночь цветения кактуса", place: "zimniy-sad", category: "exhibitions", source: "city", day: 16, hour: 20, hours: 4, price: "200 ₽", photo: true, description: "Цветёт раз в год и до утра. Если передумает, билеты действуют на следующий раз."},
	{id: "courtyards", title: "Дворами Ямской слободы", place: "", category: "walks", source: "neighbours", day: 5, hour: 15, hours: 2, price: "300 ₽", description: "Начинаем у рынка, у часов. Семь дворов, три голубятни и одна дверь, которую откроют только нам."},
}
