package notice_test

import (
	"strings"

	"vestnik/internal/notice"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
)

// Short, for the samples' sake.
type (
	attachment = post.Attachment
	repost     = post.Repost
	picture    = post.Photo
	postID     = post.ID
)

// about is a post of a type with so many photos.
func about(kind petpost.Type, id post.ID, text string, photos int) petpost.Post {
	pictures := make([]post.Photo, photos)
	for i := range pictures {
		pictures[i].Sizes = []post.Size{{URL: "https://photos.example/1.jpg"}}
	}
	return petpost.Post{
		Post:    post.Post{ID: id, Text: text, Photos: pictures},
		Reading: petpost.Reading{Type: kind},
	}
}

// sample is a post as volunteers write them; the names, places and phones are invented.
type sample struct {
	name     string
	post     petpost.Post
	options  notice.Options
	linkless bool
}

func samples() []sample {
	id := int64(1000)
	post := func(kind petpost.Type, text string, photos int) petpost.Post {
		id++
		return about(kind, postID{OwnerID: -700100, PostID: id}, text, photos)
	}
	called := func(name string, p petpost.Post, changes ...func(*sample)) sample {
		s := sample{name: name, post: p, options: notice.DefaultOptions()}
		for _, change := range changes {
			change(&s)
		}
		return s
	}
	phone := func(phones ...string) func(*sample) { return func(s *sample) { s.post.Reading.Phones = phones } }
	place := func(place string) func(*sample) { return func(s *sample) { s.post.Reading.Location = place } }
	original := func(text string) func(*sample) { return func(s *sample) { s.post.Reposts = []repost{{Text: text}} } }
	chain := func(reposts ...repost) func(*sample) {
		return func(s *sample) { s.post.Reposts, s.post.Origin = reposts, reposts[len(reposts)-1].ID }
	}
	attached := func(attachments ...attachment) func(*sample) {
		return func(s *sample) { s.post.Attachments = attachments }
	}
	with := func(change func(*notice.Options)) func(*sample) { return func(s *sample) { change(&s.options) } }
	showLinkless := func(s *sample) { s.linkless = true }

	return []sample{
		called("lost_dog_one_photo", post(petpost.Lost, "Пропала собака! Девочка, рыжая, хвост кольцом, откликается на Булку.\nУшла со двора вечером 3 ноября.\n\nЕсли видели — звоните в любое время 89000001234, Мария", 1),
			phone("+79000001234"), place("пос. Заречный, ул. Речная, 14")),
		called("lost_cat_album", post(petpost.Lost, "Потерялся кот Тимофей, серый, в ошейнике с колокольчиком. Очень ждём дома 😿", 4), phone("+79000005678")),
		called("lost_text_only", post(petpost.Lost, "Пропал попугай корелла, улетел с балкона. Ручной, зовут Гоша.", 0), phone("+79000001122", "+79000003344"), place("Автозаводский район")),
		called("found_dog", post(petpost.Found, "Найдена собака, мальчик, метис овчарки. Сейчас на передержке.\nИщем хозяев или новый дом.", 2), phone("+79000007788"), place("остановка «Мебельная фабрика»")),
		called("sighting", post(petpost.Sighting, "Сейчас бегает хаски возле гаражей, людей боится, с поводком.", 1), place("ул. Лесная")),
		called("adoption", post(petpost.Adoption, "Отдам щенков в добрые руки: 2 мальчика и 1 девочка, 1,5 месяца, едят всё.", 3), phone("+79000009900")),
		called("fundraising", post(petpost.Fundraising, "Сбор на операцию Рыжику! Нужно 18 500 ₽, собрано 4 200 ₽.\nОтчёты у [id17|куратора Анны].", 2)),
		called("reunited", post(petpost.Reunited, "Нашлась! Булка дома, всем огромное спасибо ❤️", 1)),
		called("news", post(petpost.News, "Спасибо всем, кто пришёл на субботник в приют!", 0)),
		called("only_a_link", post(petpost.Link, "https://vk.com/wall-700200_15", 0)),
		called("no_text_at_all", post(petpost.Empty, "", 1)),
		called("unknown_scrap", post(petpost.Unknown, "Ап", 0)),
		called("bare_repost", post(petpost.Lost, "", 3), original("Пропал пёс Граф, чёрный с белой грудкой. Последний раз видели у школы № 5."), phone("+79000002211"), place("школа № 5")),
		called("repost_with_words", post(petpost.Lost, "Девочки, это наш район! Посмотрите у подвалов.", 2),
			chain(repost{ID: postID{OwnerID: -700300, PostID: 44}, Text: "Убежала кошка Муся, трёхцветная.\nЗвонить @id18 (Ольге)"})),
		called("repost_of_the_same_words", post(petpost.Lost, "Пропал кот", 0), original("Пропал кот\n")),
		called("markup_of_all_kinds", post(petpost.Lost, "Пишите [id17|Анне Речной], [club5|в приют] или [lapa_demo|«Лапе»].\nПост: [https://vk.com/wall-5_33?w=a&b=c|вот он], [vk.com/topic-5_7|тема], [vk.ru/x_demo|зеркало], [m.vk.com/y_demo|с телефона].\n[#alias|Сайт приюта|https://example.com/help_(dogs)]\n@id18 (Ольга), *club6 (Передержка)\n#собака@lapa_demo #lost@lapa_demo #кот@club5 #потеряшка\n[важно] [a|b] [скобки без черты]", 0), showLinkless),
		called("html_hostile", post(petpost.Lost, `Ищем <b>кота</b> & "собаку" &amp; </a> <script>alert('1')</script> a<b>c [id1|<Имя & "Фамилия">]`, 1)),
		called("markdown_hostile", post(petpost.Lost, "_Кот_ *Барс* [не ссылка](http://x) ~нет~ `код` > цитата # решётка + плюс - минус = равно | черта {скобки} . точка ! \\ слеш\n__дважды__ **жирно** ||спойлер|| ```блок```\n[https://vk.com/a_b-(c)|_имя_*]", 1)),
		called("urls_in_words", post(petpost.Lost, "Подробности: https://example.com/pets/lost_dog?id=5&from=vk#фото и на сайте пропал-кот.рф/12, а ещё LAPA-demo.ru и лапа.рф.", 0), showLinkless),
		called("emoji_families_and_flags", post(petpost.Lost, "👨‍👩‍👧‍👦 ищем 🐕‍🦺! 🏳️‍🌈🇷🇺🇰🇿 👍🏽👍🏿 1️⃣ 2️⃣ 🧑🏻‍🤝‍🧑🏿", 1)),
		called("combining_marks", post(petpost.Lost, "Соба\u0301ка по кли\u0301чке Йо\u0301жик, е\u0308лка, и\u0306од, z\u0335\u0321\u033ea\u0300\u0301\u0302l", 1)),
		called("hebrew", post(petpost.Lost, "אבד כלב בשם באג׳ו, חום עם כתם לבן.\nנראה לאחרונה ליד הפארק, טלפון +972 50 000 0000", 1)),
		called("arabic_and_russian", post(petpost.Lost, "Пропал кот مشمش (Мишмиш), отзывается на قطة.\nالاتصال: +7 900 000-12-34\u202e конец", 0)),
		called("untidy_blanks", post(petpost.Lost, "  Пропала   \r\n\r\n\r\n\r\n\r\nсобака\t\t\r\n\u2800\r\n \r\n\u2800\r\nзвоните  \n\n", 0)),
		called("list_of_marks", post(petpost.Lost, "Приметы:\n  — рыжий;\n  — без хвоста;\n  — 5. не подходит;\n\n\nВознаграждение!!!", 0)),
		called("caption_exactly_1024", exactly(post(petpost.Lost, "", 2), 1024)),
		called("caption_1025", exactly(post(petpost.Lost, "", 2), 1025)),
		called("message_exactly_4096", exactly(post(petpost.Lost, "", 0), 4096)),
		called("message_4097", exactly(post(petpost.Lost, "", 0), 4097)),
		called("message_4096_of_emoji", exactlyOf(post(petpost.Lost, "", 0), 4096, "😿")),
		called("link_in_the_cut", post(petpost.Lost, strings.Repeat("Ищем собаку всем городом. ", 156)+"[club5|Штаб поисков на Речной, приходите в субботу] ждёт всех. "+strings.Repeat("Спасибо. ", 100), 0)),
		called("phone_in_the_cut", post(petpost.Lost, strings.Repeat("слово ", 676)+"+7 900 000-12-34 "+strings.Repeat("и ещё слово ", 40), 0)),
		called("long_story_in_three_parts", post(petpost.Lost, strings.Repeat("Мы ищем Графа уже вторую неделю. Вчера его видели у старой мельницы, он хромал.\n\n", 110), 3), phone("+79000002211")),
		called("one_word_without_end", post(petpost.Lost, strings.Repeat("ав", 3000), 0)),
		called("eleven_photos", post(petpost.Adoption, "Одиннадцать котят, все разные", 11), with(func(o *notice.Options) { o.MaxMedia = 20 })),
		called("more_photos_than_wanted", post(petpost.Adoption, "Котята ищут дом", 13)),
		called("photos_not_wanted", post(petpost.Lost, "Пропала черепаха", 3), with(func(o *notice.Options) { o.MaxMedia = 0 })),
		called("attachments_of_all_kinds", post(petpost.Lost, "Всё, что знаем:", 1), showLinkless, attached(
			attachment{Kind: "video", Title: "Граф на прогулке", URL: "https://vk.com/video-5_77"},
			attachment{Kind: "clip", URL: "https://vk.com/clip-5_78"},
			attachment{Kind: "doc", Title: "Объявление <для печати>.pdf", URL: "https://vk.com/doc5_9?hash=a&dl=b"},
			attachment{Kind: "link", Title: "Карта  поисков\nобновляется", URL: "https://example.com/map"},
			attachment{Kind: "poll", Title: "Кто сможет выйти в субботу?"},
			attachment{Kind: "audio", Title: "Хор — «Где ты, пёс»"},
			attachment{Kind: "audio_playlist", Title: "Для поисков", URL: "https://vk.com/music/playlist/-5_1"},
			attachment{Kind: "geo", Title: "Старая мельница", URL: "https://maps.example.com/?ll=53.2,56.8"},
			attachment{Kind: "article", Title: "Как искать собаку", URL: "https://vk.com/@lapa-kak-iskat"},
			attachment{Kind: "sticker"}, attachment{Kind: "textlive"},
			attachment{Kind: "market", Title: strings.Repeat("Очень длинное имя товара ", 12), URL: "javascript:alert(1)"},
		)),
		called("header_and_footer", post(petpost.Lost, "Пропал хорёк", 1), with(func(o *notice.Options) {
			o.Frame = notice.Frame{Header: "❗ Помогите найти ❗", Footer: "Штаб поисков: [lapa_demo|«Лапа»]"}
		})),
		called("silent_without_preview", post(petpost.Lost, "Ночью пропал пёс", 0), with(func(o *notice.Options) { o.Silent, o.LinkPreview = true, false })),
		called("a_hundred_and_fifty_hashtags", post(petpost.Lost, strings.Repeat("#потеряшка ", 150), 0)),
		called("foreign_phones_and_place", post(petpost.Found, "Найдена такса", 0), phone("+375290001122", "+49300000000", "+375290001122"), place("  у \n вокзала ")),
		called("chain_of_reposts", post(petpost.Lost, "Репост, пожалуйста!", 1), chain(
			repost{ID: postID{OwnerID: 700401, PostID: 5}, FromID: 700401, Text: "Видели вчера у моста"},
			repost{ID: postID{OwnerID: -700300, PostID: 45}, FromID: 700402, Text: "Пропала собака Веста, овчарка. Пишите в личные сообщения."})),
		called("chain_without_words_of_its_own", post(petpost.Lost, "", 1), showLinkless, chain(
			repost{ID: postID{OwnerID: 700401, PostID: 6}, FromID: 700401},
			repost{ID: postID{OwnerID: -700300, PostID: 46}, FromID: 700402, Text: "Пропала собака Веста, овчарка. Пишите в личные сообщения."})),
		called("address_of_a_post", post(petpost.Lost, "https://m.vk.com/club700300?w=wall-700300_47", 1), chain(
			repost{ID: postID{OwnerID: -700300, PostID: 47}, FromID: -700300, Text: "Пропал кот Сёма, рыжий."})),
		called("an_author_to_write_to", post(petpost.Lost, "Пропал кот Сёма. Пишите в ЛС.", 0), showLinkless, func(s *sample) { s.post.FromID = 700402 }),
		called("captions_under_photos", post(petpost.Lost, "Пропал кот Сёма.", 2), func(s *sample) {
			s.post.Photos[0].Caption, s.post.Photos[1].Caption = "Пропал кот Сёма", "Особая примета: ухо надорвано"
		}),
		called("a_gif", post(petpost.Lost, "Пропал кот Сёма.", 1), func(s *sample) {
			s.post.Photos[0].Kind, s.post.Photos[0].Animation = "doc", "https://vk.com/doc5_7?hash=a"
		}),
		called("a_gif_among_photos", post(petpost.Lost, "Пропал кот Сёма.", 2), func(s *sample) {
			s.post.Photos[0].Kind, s.post.Photos[0].Animation = "doc", "https://vk.com/doc5_7?hash=a"
		}),
		called("a_video_and_a_poll", post(petpost.Lost, "Пропал кот Сёма.", 1), attached(
			attachment{Kind: "video", Title: "Сёма дома", URL: "https://vk.com/video-5_77", Seconds: 65},
			attachment{Kind: "video", URL: "https://vk.com/video-5_78", Seconds: 3725},
			attachment{Kind: "poll", Title: "Где видели?", URL: "https://vk.com/poll-5_9", Ref: "poll-5_9", Answers: []string{"У моста", "В парке <Победы>", " "}},
		)),
		called("a_photo_without_links", post(petpost.Lost, "Пропал кот Сёма.", 1), func(s *sample) { s.post.Photos[0].Sizes = nil }),
	}
}

// exactly fills a post with sentences until its notice has so many UTF-16 units.
func exactly(post petpost.Post, total int) petpost.Post {
	return fill(post, total, "Видели собаку у реки, звоните. ")
}

func exactlyOf(post petpost.Post, total int, letter string) petpost.Post {
	return fill(post, total, letter)
}

func fill(post petpost.Post, total int, sentence string) petpost.Post {
	bare := notice.Compose(post, notice.Frame{}, 0).Text().Units()
	room := total - bare - len("\n\n")
	size := notice.Plain(sentence).Units()
	whole := (room - 1) / size // a blank at the very end would not count
	post.Text = strings.Repeat(sentence, whole) + strings.Repeat("!", room-whole*size)
	return post
}
