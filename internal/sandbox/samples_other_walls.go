package sandbox

// samplesPawHelp: volunteers; homes wanted, money for treatment, and whoever
// has a curator's phone under a dozen different animals.
var samplesPawHelp = []samplePost{
	{age: 90 * minutes, photos: []string{"dog-fawn-tosya", "dog-fawn-tosya-2"}, text: `🏠 Тося ищет дом!
Тося — собака-солнышко, 2 года, среднего размера (по колено). Стерилизована, привита, чип. Ладит с детьми и кошками, гуляет на поводке, в квартире не шкодит.
Отдаём по договору, с отслеживанием судьбы. Куратор Марина 8 900 000-50-50`},
	{age: 6 * hours, photos: []string{"cat-black-uglik"}, text: `Уголёк ждёт свою семью. Чёрный кот, 1 год, кастрирован, привит, лоток на отлично. Молчаливый и очень тёплый 🖤 Куратор Марина 8 900 000-50-50`},
	{age: 12 * hours, photos: []string{"cat-ginger-treat", "leaflet-bill"}, text: `💥 Срочный сбор! Кот Персик попал под машину, перелом таза. Операция 28 400 ₽, собрано 11 250 ₽. Карта и чеки в первом комментарии. Любая сумма важна 🙏 Клиника «Доктор Лапкин». Вопросы: 8 900 000-50-50`},
	{age: 21 * hours, photos: []string{"dog-black-lada"}, text: `Пропала наша подопечная! Сорвалась с поводка, новая хозяйка не удержала… Собака Лада, чёрная с белой грудкой, 1,5 года, пугливая, в руки не пойдёт. Красная шлейка, за ней поводок-рулетка 😔
Район: ул. Речная — набережная — мост. Не гонитесь, сразу звоните: 8 900 000-50-50 Марина. Репост!`},
	{age: 30 * hours, text: `Отчёт за прошлый сбор. Собрали 34 100 ₽, потратили 32 870 ₽, остаток перешёл Персику. Фото чеков в альбоме. Низкий вам поклон!`, photos: []string{"leaflet-bill-2", "leaflet-bill-3"}},
	{age: 34 * hours, photos: []string{"dog-brown-kids-1", "dog-brown-kids-2", "dog-brown-kids-3", "dog-brown-kids-4", "dog-brown-kids-5", "dog-brown-kids-6", "dog-brown-kids-7"}, text: `Семеро щенков под гаражами! 1,5 месяца, будут средними. Ищем дома и передержки, корм дадим. Пишите [club900000002|в группу] или 8-900-000-51-51`},
	{age: 40 * hours, photos: []string{"cat-grey-granny"}, text: `Бабушку забрали в больницу, кошка осталась одна. Муся, 9 лет, серая, спокойная. Нужна передержка или дом насовсем. 8 900 000 52 52`},
	{age: 46 * hours, text: `В субботу субботник в приюте, с 11:00, ул. Промышленная, 1. С собой перчатки и хорошее настроение. Чай и пироги наши 🥧`},
	{age: 3 * days, photos: []string{"dog-white-belka"}, text: `Белка дома! 🎉 Ещё одна счастливая история: вчера нашу Белку забрали в семью, будет жить в частном доме с братом-алабаем.`},
	{age: 4 * days, text: ``, repost: []samplePost{{age: 5 * days, owner: pawHelp, photos: []string{"dog-fawn-tosya"}, text: `Тося ищет дом! 2 года, стерилизована, привита. Куратор Марина 8 900 000-50-50`}}},
	{age: 5 * days, text: `Нужны: старые одеяла, пелёнки 60×90, консервы для кошек. Привезти можно в пункт на пр. Строителей 12 (вход со двора), с 10 до 19.`},
	{age: 7 * days, photos: []string{"cat-tabby-sick"}, text: `Собираем на анализы для тройняшек. Нужно 6 000 ₽. Номер карты в комментариях, отчёт будет. #сбор`},
	{age: 8 * days, text: `Коллеги из соседнего города просят: ищут волонтёра с машиной, отвезти клетку-ловушку в Малые Ключи.`},
	{age: 9 * days, photos: []string{"dog-grey-old-2"}, text: `Старичок Граф, 11 лет, ищет тихий дом, где можно спать у батареи. Слышит плохо, любит сильно. Куратор Марина 8 900 000-50-50`, extra: map[string]any{"geo": map[string]any{"type": "point", "coordinates": map[string]any{"latitude": 56.8, "longitude": 53.2}}}},
	{age: 13 * days, photos: []string{"cat-white-blind"}, text: `Слепая кошечка Нюта ищет ручки. Ориентируется отлично, лоток, когтеточка — всё знает.`},
	{age: 2100 * minutes, ads: true, text: `Груминг «Облако» — стрижка, мытьё, когти. По слову «лапа» скидка 10 %. Часть выручки идёт приюту.`, photos: []string{"shop-groom"}},
}

// samplesFoundCats: found cats, and those who were seen.
var samplesFoundCats = []samplePost{
	{age: 55 * minutes, photos: []string{"cat-cream-found"}, text: `Найден кот! Кремовый, вислоухий, очень худой. Сидел в подъезде на ул. Гагарина, 31, третий день. Ласковый, домашний. Забрали в тепло. Кто потерял? 8 900 000-80-80`},
	{age: 3 * hours, photos: []string{"cat-white-eye"}, text: `Замечена белая кошка с разными глазами, район ж/д вокзала, бегает у киосков. Не даётся. Может, кто-то ищет именно её — видела похожее объявление про Бусю.`},
	{age: 11 * hours, text: `Пропал котик Марсик!!! повторяю объявление, ещё не нашли. Ул. Садовая 14, полосатый, белое пятно на груди, ухо надорвано. 8 900 000-12-34 Ирина`, photos: []string{"cat-tabby-marsik"}},
	{age: 16 * hours, photos: []string{"cat-tabby-box"}, text: `Подкинули коробку к подъезду: мама-кошка и трое. Ул. Мира, 17. Забрать домой не могу, есть аллергик. Помогите пристроить! Лена 8-900-000-81-81`},
	{age: 20 * hours, text: `Кошка Буся нашлась!!! Сняли с дерева за вокзалом 🙌 Хозяйка уже обнимает.`, photos: []string{"cat-white-busya"}},
	{age: 28 * hours, photos: []string{"cat-grey-vet"}, text: `В ветклинику на Пушкинской принесли кота после ДТП. Серый, гладкий, кастрат, около 5 лет. Прооперирован, жив. Ищем хозяина: 8 900 000-82-82`},
	{age: 33 * hours, repost: []samplePost{
		{age: 34 * hours, owner: 700808, from: 700808, text: `Девочки, посмотрите, не ваша?`},
		{age: 38 * hours, owner: 700909, from: 700909, text: `Найдена трёхцветная кошка, ул. Лесная, 8. Ждёт хозяев. +7-900-000-83-83`, photos: []string{"cat-ginger-calico"}},
	}, text: `Репост от подписчицы 👇`},
	{age: 39 * hours, photos: []string{"cat-ginger-cafe"}, text: `У кофейни на набережной живёт рыжий кот, с синим ошейником! Явно чей-то. Сотрудники кормят. Похож на Рыжика с Полевой.`},
	{age: 47 * hours, photos: []string{"cat-black-roof"}, text: `Кот на крыше гаража, ул. Промышленная, третий день орёт, снять не можем. Чёрный, белые носочки. МЧС сказали ждать. Чей?`},
	{age: 53 * hours, text: `Рыжик дома ✅ Павел забрал, ошейник его. Спасибо кофейне!`},
	{age: 4 * days, photos: []string{"cat-siamese-found"}, text: `Найдена сиамская кошка, ул. Гагарина, в подвале дома 29. Пугливая, в руки не идёт, кормим. Хозяйка Ляли, это не она? 8 900 000-84-84`, edited: 3 * hours},
	{age: 6 * days, text: `Сколько дней карантин для найдёныша, если дома есть своя кошка? Делитесь опытом.`, from: 701010},
	{age: 8 * days, photos: []string{"cat-tabby-twins-1", "cat-tabby-twins-2"}, text: `Два брата-акробата в добрые руки, 4 месяца, лоток, когтеточка, привиты первой прививкой. 8 900 000-85-85`},
	{age: 14 * days, text: `Напоминание: найденного кота покажите врачу и проверьте чип. Считать чип можно бесплатно: клиника «Доктор Лапкин», «Айболит на Мира».`},
}

// samplesZarechny: a district's news, in which pets are a small part.
var samplesZarechny = []samplePost{
	{age: 70 * minutes, text: `Завтра с 9 до 17 отключат горячую воду: ул. Речная, 2–40, Садовая, 1–19. Запасайтесь тазиками.`},
	{age: 5*hours + 20*minutes, photos: []string{"park-winter"}, text: `В парке Победы залили каток 🎉 Прокат с 10:00 до 21:00, 150 рублей час. Тёплая раздевалка, собак на лёд не пускают :)`},
	{age: 14 * hours, from: 701111, photos: []string{"dog-tabby-yard", "dog-grey-yard"}, text: `Соседи, потерялась собака! Двортерьер Тузик, серый, лохматый, одно ухо висит. Живёт у магазина «Продукты» на Речной 12, его все знают. Два дня не видно. Кто встречал, напишите @id701111 (Вере) или звоните 8 900 000-95-95`},
	{age: 18 * hours, text: `Автобус № 7 с понедельника пойдёт через мост. Расписание на остановках.`, attach: []string{`{"type":"link","link":{"url":"https://example.org/bus7","title":"Расписание № 7","caption":"example.org","description":""}}`}},
	{age: 24 * hours, ads: true, photos: []string{"shop-bread"}, text: `Пекарня «Горячий хлеб» ищет продавца. График 2/2, 38 000 ₽. Реклама.`},
	{age: 33 * hours, photos: []string{"dog-ginger-buch"}, text: `Пропала собака! Район Заречный, ТЦ «Парус». Рыжий кобель, похож на шиба-ину, зовут Буч. +7 (900) 000-45-67`},
	{age: 37 * hours, text: `Опрос: что построить на пустыре у школы?`, attach: []string{`{"type":"poll","poll":{"id":9001,"owner_id":-900000004,"question":"Что построить?","votes":214,"anonymous":true,"multiple":false,"answers":[{"id":1,"text":"Площадку для собак","votes":120,"rate":56},{"id":2,"text":"Парковку","votes":94,"rate":44}]}}`}},
	{age: 43 * hours, photos: []string{"river-evening"}, text: `Закат на набережной. Красиво живём 🌇`, from: 701212},
	{age: 49 * hours, attach: []string{`{"type":"video","video":{"id":456239017,"owner_id":-900000004,"title":"Как спасали утку","duration":74,"access_key":"0a1b2c3d4e5f","image":[{"url":"","width":320,"height":240,"with_padding":1}]}}`}, text: `Видео дня: сотрудники МЧС достали утку из полыньи.`},
	{age: 3 * days, text: `Опять кто-то разбросал у гаражей колбасу с иголками! Хозяева собак, гуляйте в намордниках и следите, что едят ваши питомцы.`},
	{age: 4 * days, photos: []string{"hall-concert"}, text: `В ДК «Заречный» в воскресенье концерт хора ветеранов, 15:00, вход свободный.`},
	{age: 5 * days, from: 701313, text: `Найдены ключи с брелоком-мишкой у подъезда Садовая, 8. Висят на доске объявлений.`},
	{age: 6 * days, text: `Новый участковый: приём по вторникам и четвергам с 17 до 19, ул. Садовая, 3.`},
	{age: 7 * days, text: `Потерялся ребёнок — НАШЁЛСЯ, всё хорошо! Гулял с дедушкой. Спасибо неравнодушным.`},
	{age: 90 * days, kind: "reply", text: `Спасибо, очень полезно`, from: 701414, extra: map[string]any{"reply_post_id": 1}},
}

// sampleReserve are posts that the page publishes one by one at the press of
// a button, for those who want to watch one go through.
var sampleReserve = []samplePost{
	{owner: lostPets, photos: []string{"dog-brown-bim"}, text: `Пропал спаниель Бим! Коричневый, белая звёздочка на лбу, левое ухо с сединой. Сегодня в 10 утра убежал на набережной за утками. Тел. 8 900 000-64-64, Лариса`},
	{owner: foundCats, photos: []string{"cat-grey-tisha"}, text: `Пропал кот Тиша, серый, зелёные глаза, хвост короткий от рождения. Ул. Мира, 40, вчера вечером. Очень ждём домой! 8 900 000-65-65`},
	{owner: zarechny, photos: []string{"dog-white-umka", "dog-white-umka-2"}, text: `Потерялась собака Умка, самоед, белая, 4 года. Испугалась петарды у школы на Садовой, убежала к реке. Вознаграждение! +7 900 000 66 66 Антон`},
	{owner: lostPets, photos: []string{"cat-tabby-fenya"}, text: `Пропала кошка Феня, полосатая, в розовом ошейнике с колокольчиком, ул. Лесная, 15. Беременная, очень переживаем! 8(900)000-67-67 Света`},
	{owner: pawHelp, photos: []string{"cat-white-sugar"}, text: `Сахар ищет дом. Белый кот, 2 года, кастрирован, привит, обожает сидеть на подоконнике. Куратор Марина 8 900 000-50-50`},
	{owner: foundCats, photos: []string{"cat-black-tram"}, text: `Найдена чёрная кошка в трамвае № 3! Сошла на конечной, сейчас у диспетчера. Домашняя, с ошейником. 8 900 000-68-68`},
}

// PublishSample puts the next of some lifelike posts on its sample wall, as if somebody had just written it, and returns
// it.
func (s *Server) publishSample() error {
	s.sampleMutex.Lock()
	sample := sampleReserve[s.nextSample%len(sampleReserve)]
	s.nextSample++
	s.sampleMutex.Unlock()
	_, err := s.AddPost(sample.owner, sample.post(0, s.Now()))
	return err
}
