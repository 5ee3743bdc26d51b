package setup

import "strings"

// Step is one of the things that [Run] asks for.
type Step struct {
	Title    string
	How      []string // a paragraph each
	Variable string   // set where the step is done
}

// Steps are all of them in words, for people who look before they begin.
func Steps(russian bool) []Step {
	language := 0
	if russian {
		language = 1
	}
	var steps []Step
	for _, step := range []struct {
		variable string
		asked    []string
	}{
		{"TG_CHAT", []string{"relay bot", "relay chat"}},
		{"VK_WALLS", []string{"reading key", "walls"}},
		{"VK_OUT_OWNER_ID", []string{"writing key", "media key"}},
		{"TELEGRAM_CHANNEL", []string{"guide bot", "guide channel"}},
	} {
		var how []string
		for _, key := range step.asked {
			how = append(how, strings.ReplaceAll(strings.TrimSuffix(texts[key][language], " (%s)"), "\n", " "))
		}
		title, _, _ := strings.Cut(texts[step.asked[0]][language], "\n")
		how[0] = strings.TrimPrefix(how[0], title+" ")
		steps = append(steps, Step{Title: title, How: how, Variable: step.variable})
	}
	return steps
}

// texts are what setup says, in English and in Russian.
var texts = map[string][2]string{
	"welcome": {
		"Vestnik asks for keys now, one after the other, and tries each. Paste an answer and press Enter.\n" +
			"What you have no key for can be left out; run `vestnik setup` again when you have it.\n" +
			"In the end everything is written to %s, which only you may read.",
		"Сейчас Вестник спросит ключи, один за другим, и проверит каждый. Вставьте ответ и нажмите Enter.\n" +
			"Чего нет, можно пропустить и потом снова запустить `vestnik setup`.\n" +
			"В конце всё запишется в файл %s, читать который можете только вы.",
	},
	"skip":      {"Enter leaves it out", "Enter — пропустить"},
	"keep":      {"Enter keeps the one that is set", "Enter — оставить прежний ответ"},
	"fault":     {"Not taken: %v", "Не подошло: %v"},
	"bot":       {"This is @%s.", "Это @%s."},
	"chat":      {"The bot is in «%s».", "Бот состоит в «%s»."},
	"key works": {"The key works.", "Ключ работает."},
	"no chats":  {"The bot has heard of no chat within the last day. Add it, write a message there, press Enter again.", "За последние сутки бот не видел ни одного чата. Добавьте его, напишите там сообщение и снова нажмите Enter."},
	"chats":     {"The bot has heard of these; paste the number of one:", "Бот видел эти чаты; вставьте номер нужного:"},
	"nothing":   {"Nothing was answered, so nothing is written.", "Ответов не было, записывать нечего."},
	"written":   {"Written: %s. Next: `make run` here, or `docker compose up -d`. `bin/vestnik doctor` tries everything again.", "Записано в %s. Дальше: здесь `make run` или `docker compose up -d`. `bin/vestnik doctor` проверит всё ещё раз."},
	"test text": {"A trial of Vestnik: this message goes in a moment.", "Проверка Вестника: это сообщение сейчас исчезнет."},
	"test sent": {"It is there. Press Enter, and it is removed.", "Сообщение отправлено. Посмотрите на него и нажмите Enter: оно удалится."},
	"not a member": {
		"the bot sees this chat and is not in it: add it, in a channel as an administrator",
		"бот видит этот чат, но не состоит в нём: добавьте его, в канал — администратором",
	},
	"relay bot": {
		"1 of 4. THE BOT THAT POSTS\n" +
			"In Telegram open @BotFather, send /newbot, give the bot a name. BotFather answers with a token such as\n" +
			"123456789:AA… — paste it here. (%s)",
		"1 из 4. БОТ, КОТОРЫЙ ПУБЛИКУЕТ\n" +
			"Откройте в Telegram @BotFather, отправьте ему /newbot и придумайте имя. В ответ придёт токен вида\n" +
			"123456789:AA… — вставьте его сюда. (%s)",
	},
	"relay chat": {
		"Add the bot to your group or, as an administrator who may post, to your channel. Then paste the chat's\n" +
			"@name, its address (https://t.me/…) or its number; with Enter you see the chats that the bot has heard of. (%s)",
		"Добавьте бота в вашу группу, а в канал — администратором с правом публиковать. Потом вставьте @имя чата,\n" +
			"его адрес (https://t.me/…) или номер; Enter покажет чаты, которые бот видел. (%s)",
	},
	"test message": {"Send a test message there and remove it? y/N", "Отправить туда пробное сообщение и удалить его? д/Н"},
	"reading key": {
		"2 of 4. READING VK\n" +
			"Open https://id.vk.com/about/business/go, create an application (Web), and copy its service key (Сервисный ключ\n" +
			"доступа). It reads public walls and can do nothing else. (%s)",
		"2 из 4. ЧТЕНИЕ ВКОНТАКТЕ\n" +
			"Откройте https://id.vk.com/about/business/go, создайте приложение (Web) и скопируйте сервисный ключ доступа.\n" +
			"Он читает открытые стены и больше ничего не может. (%s)",
	},
	"walls": {
		"Which communities are to be read? Paste their addresses, separated by commas: https://vk.com/lostpets_city, … (%s)",
		"Какие сообщества читать? Вставьте адреса через запятую: https://vk.com/lostpets_city, … (%s)",
	},
	"writing key": {
		"3 of 4. POSTING TO A VK WALL OF YOUR OWN\n" +
			"In your community: Управление → Работа с API → Ключи доступа → Создать ключ, with the rights to the wall and\n" +
			"photos. (%s)",
		"3 из 4. ПУБЛИКАЦИЯ НА СВОЕЙ СТЕНЕ ВКОНТАКТЕ\n" +
			"В вашем сообществе: Управление → Работа с API → Ключи доступа → Создать ключ, с правами на стену и\n" +
			"фотографии. (%s)",
	},
	"own wall": {"The address of that community (%s)", "Адрес этого сообщества (%s)"},
	"test post": {
		"Write a test post there and remove it? Where only a community's key is set, you remove it by hand: it may not. y/N",
		"Опубликовать там пробную запись и удалить её? Если задан только ключ сообщества, удалите её сами: ему нельзя. д/Н",
	},
	"media key": {
		"A community's key may not upload photos; without another one a post has links to them. A user key with the rights\n" +
			"wall and photos, of an administrator of the community, may: VK grants those on request (devsupport@corp.vk.com). (%s)",
		"Ключ сообщества не может загружать фотографии; без другого ключа в записях будут ссылки на них. Загружать может\n" +
			"ключ пользователя, администратора сообщества, с правами wall и photos: их дают по запросу (devsupport@corp.vk.com). (%s)",
	},
	"guide bot": {
		"4 of 4. THE CITY GUIDE\n" +
			"It is a bot of its own: once more /newbot at @BotFather. Paste its token. (%s)",
		"4 из 4. ГИД ПО ГОРОДУ\n" +
			"Это отдельный бот: снова /newbot у @BotFather. Вставьте его токен. (%s)",
	},
	"guide channel": {
		"People subscribe to a channel before the guide helps them. Make the bot an administrator there and paste the\n" +
			"channel's @name or address. (%s)",
		"Прежде чем пользоваться гидом, люди подписываются на канал. Сделайте бота его администратором и вставьте\n" +
			"@имя или адрес канала. (%s)",
	},
	"guide invitation": {"The channel is private: paste its invite link. (%s)", "Канал закрытый: вставьте ссылку-приглашение. (%s)"},
}
