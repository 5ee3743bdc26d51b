package content

import "fmt"

// samplePlace is a place of Ольховск; its position is in thousandths of a
// degree from the city's centre.
type samplePlace struct {
	id, name, address, district string
	types, subcategories        []string
	rating                      float64
	north, east                 int
	phone, photos               int // number of the telephone, 0 for none; how many photos
	description                 string
}

func (c sampleCity) places() []Place {
	const centreLat, centreLon = 57.301, 44.102
	places := make([]Place, 0, len(samplePlaces))
	for _, s := range samplePlaces {
		rating, lat, lon := s.rating, centreLat+float64(s.north)/1000, centreLon+float64(s.east)/1000
		place := Place{
			ID: s.id, Name: s.name, Address: "Ольховск, " + s.address, Rating: &rating, Description: s.description,
			District: s.district, Types: s.types, Subcategories: s.subcategories, Lat: &lat, Lon: &lon,
		}
		if s.phone > 0 {
			place.Phone = fmt.Sprintf("+7 900 000-%02d-%02d", s.phone, (s.phone*7)%100)
			place.Site = "https://" + s.id + ".example.com"
		}
		place.Photos = c.photos(s.id, s.photos)
		places = append(places, place)
	}
	return places
}

var samplePlaces = []samplePlace{
	{
		id: "otkos", name: "Кофейня «Откос»", address: "ул. Речная, 4", district: "center",
		types: []string{"coffee"}, subcategories: []string{"roasters"}, rating: 4.8, north: 10, east: -12, phone: 1, photos: 2,
		description: "Маленькая обжарка с окном на реку. Зерно жарят по вторникам, и тогда пахнет на всю улицу. Шесть мест внутри и скамейка снаружи.",
	},
	{
		id: "vtoroe-zerno", name: "Второе зерно", address: "ул. Ямская, 17", district: "yamskaya",
		types: []string{"coffee"}, subcategories: []string{"roasters"}, rating: 4.6, north: -22, east: 31, phone: 2, photos: 1,
		description: "Фильтр-кофе без спешки: бариста сначала спросит, что вы любите, и только потом смолет. По утрам каша на топлёном молоке.",
	},
	{
		id: "bulka", name: "Пекарня «Булка да корка»", address: "пр. Мира, 52", district: "center",
		types: []string{"coffee", "food"}, subcategories: []string{"bakeries"}, rating: 4.7, north: 4, east: 9, phone: 3, photos: 1,
		description: "Ржаной на закваске, слойки с брусникой и пирог дня. После семи вечера вся выпечка за полцены.",
	},
	{
		id: "tramvai", name: "Кофейня «Трамвай №5»", address: "ул. Вокзальная, 1", district: "vokzalny",
		types: []string{"coffee"}, subcategories: []string{"bakeries"}, rating: 4.3, north: -35, east: -28, phone: 0, photos: 1,
		description: "В настоящем вагоне 1971 года. Сиденья жёсткие, кофе мягкий, кондуктор выдаёт чек-билетик.",
	},
	{
		id: "zimniy-sad", name: "Зимний сад", address: "ул. Оранжерейная, 8", district: "sosnovka",
		types: []string{"coffee", "parks"}, subcategories: []string{"gardens"}, rating: 4.5, north: 52, east: 40, phone: 4, photos: 1,
		description: "Кофейня внутри оранжереи: пальмы, лимонные деревья и запах земли даже в январе.",
	},
	{
		id: "sosedi", name: "Кафе «Соседи»", address: "ул. Ткачей, 23", district: "zarechye",
		types: []string{"food"}, subcategories: []string{"home-cooking"}, rating: 4.6, north: -8, east: -55, phone: 5, photos: 1,
		description: "Обеды как у бабушки через стенку: щи, котлеты, компот. Меню пишут мелом и стирают, когда кончилось.",
	},
	{
		id: "shchuka", name: "Ресторан «Щука»", address: "наб. Сплавщиков, 12", district: "zarechye",
		types: []string{"food"}, subcategories: []string{"veranda"}, rating: 4.4, north: -2, east: -40, phone: 6, photos: 2,
		description: "Речная рыба во всех видах. Летом веранда стоит на сваях прямо над водой, зимой топят камин.",
	},
	{
		id: "alazani", name: "Алазани", address: "ул. Садовая, 30", district: "center",
		types: []string{"food"}, subcategories: []string{"caucasian", "veranda"}, rating: 4.7, north: 14, east: 3, phone: 7, photos: 1,
		description: "Хинкали лепят при вас, хачапури приносят с пылу. По пятницам поют, и лучше заказать стол заранее.",
	},
	{
		id: "pelmennaya", name: "Пельменная на Ямской", address: "ул. Ямская, 2", district: "yamskaya",
		types: []string{"food"}, subcategories: []string{"home-cooking"}, rating: 4.1, north: -18, east: 25, phone: 0, photos: 1,
		description: "Пять видов пельменей и стоячие столики, всё как в 1986-м, только чище.",
	},
	{
		id: "lozhka", name: "Столовая «Ложка»", address: "пр. Мира, 118", district: "yolochki",
		types: []string{"food"}, subcategories: []string{"home-cooking"}, rating: 4.0, north: 38, east: -44, phone: 0, photos: 0,
		description: "Быстро, просто, недорого. С двенадцати до часа очередь из двух заводов и одного училища.",
	},
	{
		id: "dvor-i-sad", name: "Двор и сад", address: "ул. Липовая, 9", district: "sosnovka",
		types: []string{"food"}, subcategories: []string{"veranda"}, rating: 4.5, north: 47, east: 33, phone: 8, photos: 1,
		description: "Гриль во дворе старой дачи. Можно с собаками: миска и подстилка найдутся.",
	},
	{
		id: "chaihona", name: "Чайхана «Урюк»", address: "ул. Рыночная, 5", district: "vokzalny",
		types: []string{"food"}, subcategories: nil, rating: 4.2, north: -30, east: -20, phone: 9, photos: 1,
		description: "Плов с утра, лагман весь день, чай без счёта.",
	},
	{
		id: "naberezhnaya", name: "Набережная Сплавщиков", address: "наб. Сплавщиков", district: "zarechye",
		types: []string{"parks"}, subcategories: []string{"embankments"}, rating: 4.9, north: -4, east: -38, phone: 0, photos: 2,
		description: "Три километра деревянного настила вдоль Ольховки. Качели смотрят на закат, в середине пути спасательная станция с книжным шкафом.",
	},
	{
		id: "gorsad", name: "Городской сад", address: "пл. Соборная, 1", district: "center",
		types: []string{"parks", "kids"}, subcategories: []string{"gardens"}, rating: 4.6, north: 8, east: 0, phone: 0, photos: 1,
		description: "Липовая аллея 1894 года, колесо обозрения на двенадцать кабинок и оркестр по воскресеньям.",
	},
	{
		id: "lysaya-gora", name: "Лысая гора", address: "ул. Верхняя, тупик", district: "sosnovka",
		types: []string{"parks"}, subcategories: []string{"viewpoints"}, rating: 4.8, north: 66, east: 51, phone: 0, photos: 2,
		description: "Лучший вид на город. Наверх ведут 312 ступеней, на двухсотой скамейка, на трёхсотой ещё одна.",
	},
	{
		id: "ovrag", name: "Экотропа «Соловьиный овраг»", address: "ул. Родниковая, 40", district: "yolochki",
		types: []string{"parks", "kids"}, subcategories: []string{"gardens"}, rating: 4.7, north: 44, east: -60, phone: 0, photos: 1,
		description: "Настил, роднички и таблички о птицах. В мае здесь правда соловьи, приходите к пяти утра.",
	},
	{
		id: "ostrov", name: "Остров Долгий", address: "причал у Речного вокзала", district: "zarechye",
		types: []string{"parks", "sport"}, subcategories: []string{"embankments"}, rating: 4.5, north: -14, east: -70, phone: 0, photos: 1,
		description: "Пляж, сосны и прокат лодок. Паром ходит каждый час с мая по сентябрь, последний в 20:30.",
	},
	{
		id: "skver-pechatnikov", name: "Сквер Печатников", address: "ул. Типографская, 6", district: "center",
		types: []string{"parks"}, subcategories: []string{"gardens"}, rating: 4.3, north: 2, east: 14, phone: 0, photos: 0,
		description: "Тихий двор с шахматными столами и памятником букве «Ё».",
	},
	{
		id: "muzey-splava", name: "Музей сплава", address: "наб. Сплавщиков, 3", district: "zarechye",
		types: []string{"museums"}, subcategories: []string{"history"}, rating: 4.8, north: -6, east: -35, phone: 10, photos: 2,
		description: "Музей о том, как лес гнали по Ольховке два века подряд. В первом зале макет реки длиной девять метров: по нему до сих пор пускают воду, и щепки-брёвна плывут до запани. Во втором стоит настоящая плотогонская изба, которую перевезли с верховьев; в печи по субботам пекут шаньги и угощают всех, кто дослушал экскурсию. Третий зал отдан людям: сто двенадцать портретов сплавщиков с их словами, записанными в семидесятых. Почти у каждого портрета можно снять трубку и услышать голос. На втором этаже мастерская узлов, где за двадцать минут учат вязать пять морских и три плотогонских, и библиотека лоций. Во дворе лежит топляк, поднятый со дна в 2009 году: дереву больше трёхсот лет, и его разрешено трогать. Летом отсюда же отправляется лодка «Анна», на которой водят вечерние прогулки до острова Долгого. Вход для детей до семи лет и для тех, кто принёс старую фотографию реки, бесплатный. Фотографию отсканируют и вернут, а под копией напишут ваше имя. Закрыто по понедельникам и в последний четверг месяца.",
	},
	{
		id: "dom-kuptsa", name: "Дом купца Лаптева", address: "ул. Садовая, 11", district: "center",
		types: []string{"museums"}, subcategories: []string{"history"}, rating: 4.4, north: 12, east: 5, phone: 11, photos: 1,
		description: "Изразцовые печи, потайной ход в погреб и чай из самовара по субботам.",
	},
	{
		id: "pozharnaya", name: "Пожарная каланча", address: "пл. Соборная, 7", district: "center",
		types: []string{"museums", "kids"}, subcategories: []string{"history", "viewpoints"}, rating: 4.6, north: 9, east: 2, phone: 12, photos: 1,
		description: "Маленький музей пожарного дела и смотровая площадка на высоте 32 метра. Детям дают примерить каску.",
	},
	{
		id: "gal-ceh", name: "Галерея «Цех №3»", address: "ул. Ткачей, 41", district: "zarechye",
		types: []string{"museums"}, subcategories: []string{"modern-art"}, rating: 4.5, north: -12, east: -58, phone: 13, photos: 1,
		description: "Выставки в бывшем ткацком цехе: высокие окна, станки вместо скамеек, вход свободный по средам.",
	},
	{
		id: "kvartira", name: "Квартира-музей поэта Ильи Верхова", address: "ул. Типографская, 14, кв. 6", district: "center",
		types: []string{"museums"}, subcategories: nil, rating: 4.2, north: 3, east: 16, phone: 14, photos: 1,
		description: "Три комнаты, печатная машинка и кот Ямб, который встречает гостей. Только по записи.",
	},
	{
		id: "planetariy", name: "Планетарий", address: "ул. Звёздная, 2", district: "yolochki",
		types: []string{"museums", "kids"}, subcategories: []string{"workshops"}, rating: 4.7, north: 40, east: -52, phone: 15, photos: 1,
		description: "Купол на сорок мест и телескоп на крыше. В ясные вечера показывают кольца Сатурна.",
	},
	{
		id: "dramteatr", name: "Ольховский драматический театр", address: "пл. Театральная, 1", district: "center",
		types: []string{"stage"}, subcategories: []string{"drama"}, rating: 4.7, north: 6, east: 6, phone: 16, photos: 2,
		description: "Сцена 1911 года и молодая труппа. Дешёвые места на галёрке продают за час до начала.",
	},
	{
		id: "kukly", name: "Театр кукол «Шишка»", address: "ул. Липовая, 22", district: "sosnovka",
		types: []string{"stage", "kids"}, subcategories: []string{"drama"}, rating: 4.8, north: 50, east: 36, phone: 17, photos: 1,
		description: "Спектакли для детей от двух лет, а раз в месяц для взрослых, с шампанским.",
	},
	{
		id: "filarmoniya", name: "Филармония", address: "ул. Садовая, 2", district: "center",
		types: []string{"stage"}, subcategories: nil, rating: 4.6, north: 13, east: 1, phone: 18, photos: 1,
		description: "Орган, камерный оркестр и хорошая акустика на любом ряду.",
	},
	{
		id: "depo", name: "Клуб «Депо»", address: "ул. Паровозная, 9", district: "vokzalny",
		types: []string{"stage", "food"}, subcategories: []string{"clubs"}, rating: 4.3, north: -38, east: -33, phone: 19, photos: 1,
		description: "Концерты по пятницам и субботам, в будни репетиции за стеклом. Вход со стороны путей.",
	},
	{
		id: "podval", name: "Джаз-подвал «Нота Бене»", address: "пр. Мира, 8", district: "center",
		types: []string{"stage"}, subcategories: []string{"clubs"}, rating: 4.7, north: 5, east: 4, phone: 20, photos: 1,
		description: "Сорок мест, рояль и правило не разговаривать во время соло.",
	},
	{
		id: "rynok", name: "Ямской рынок", address: "пл. Ямская, 1", district: "yamskaya",
		types: []string{"shops"}, subcategories: []string{"farm"}, rating: 4.4, north: -20, east: 28, phone: 21, photos: 1,
		description: "Сыр, мёд, соленья и ряд, где чинят всё. По субботам с шести утра.",
	},
	{
		id: "bukinist", name: "Букинист «Закладка»", address: "ул. Типографская, 3", district: "center",
		types: []string{"shops"}, subcategories: []string{"books"}, rating: 4.8, north: 1, east: 13, phone: 22, photos: 1,
		description: "Двадцать тысяч книг и лесенка на колёсах. Хозяйка помнит, где какая.",
	},
	{
		id: "ulitka", name: "Книжная лавка «Улитка»", address: "ул. Липовая, 15", district: "sosnovka",
		types: []string{"shops", "kids"}, subcategories: []string{"books"}, rating: 4.6, north: 49, east: 35, phone: 23, photos: 1,
		description: "Детские книги, кресла по росту и чтение вслух каждое воскресенье в одиннадцать.",
	},
	{
		id: "glina", name: "Лавка «Глина и огонь»", address: "ул. Ремесленная, 7", district: "yamskaya",
		types: []string{"shops", "kids"}, subcategories: []string{"workshops"}, rating: 4.5, north: -24, east: 34, phone: 24, photos: 1,
		description: "Ольховская керамика. Можно слепить кружку самому и забрать через неделю обожжённой.",
	},
	{
		id: "syrovarnya", name: "Сыроварня «Белая тропа»", address: "пр. Мира, 140", district: "yolochki",
		types: []string{"shops"}, subcategories: []string{"farm"}, rating: 4.4, north: 42, east: -47, phone: 25, photos: 1,
		description: "Девять сортов и окно в цех. Пробовать можно всё.",
	},
	{
		id: "masterskaya", name: "Мастерская «Стружка»", address: "ул. Ткачей, 18", district: "zarechye",
		types: []string{"kids"}, subcategories: []string{"workshops"}, rating: 4.7, north: -10, east: -50, phone: 26, photos: 1,
		description: "Деревянные кораблики, скворечники и лук со стрелами. Дети от шести лет, родители по желанию.",
	},
	{
		id: "skazka", name: "Детский парк «Сказка»", address: "ул. Лесная, 3", district: "yolochki",
		types: []string{"kids", "parks"}, subcategories: []string{"gardens"}, rating: 4.3, north: 46, east: -49, phone: 27, photos: 1,
		description: "Верёвочный городок, пони и пруд с утками. Корм для уток в автоматах у входа.",
	},
	{
		id: "bassejn", name: "Бассейн «Волна»", address: "ул. Спортивная, 10", district: "vokzalny",
		types: []string{"sport"}, subcategories: []string{"pools"}, rating: 4.2, north: -33, east: -15, phone: 28, photos: 1,
		description: "50 метров, восемь дорожек, утром с шести. Справка не нужна.",
	},
	{
		id: "bani", name: "Ямские бани", address: "ул. Банная, 4", district: "yamskaya",
		types: []string{"sport"}, subcategories: []string{"pools"}, rating: 4.6, north: -26, east: 22, phone: 29, photos: 1,
		description: "Парная на дровах с 1903 года. Веники вяжут сами, квас свой.",
	},
	{
		id: "lyzhi", name: "Лыжная база «Сосновка»", address: "ул. Лесная, 60", district: "sosnovka",
		types: []string{"sport", "kids"}, subcategories: nil, rating: 4.5, north: 70, east: 44, phone: 30, photos: 1,
		description: "Освещённые трассы 2, 5 и 10 км, прокат и тёплая столовая. Летом роликовые лыжи и велосипеды.",
	},
	{
		id: "katok", name: "Каток на пруду", address: "ул. Парковая, 1", district: "center",
		types: []string{"sport", "kids"}, subcategories: nil, rating: 4.4, north: 11, east: -4, phone: 0, photos: 1,
		description: "Зимой лёд и музыка до десяти вечера, летом лодки. Коньки напрокат есть от 26-го размера.",
	},
}
