package content

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"vestnik/internal/words"
)

// headings are what people call the fields, the label first. A heading is
// looked for among the fields of the table's list, in their order, so that
// «Категория» is a place's type and an event's category.
var headings = map[string][]string{
	"id":            {"id", "ид", "идентификатор", "артикул", "external id"},
	"name":          {"Название", "наименование", "имя", "name", "title", "место", "заведение", "район", "тип", "категория", "источник", "подкатегория"},
	"title":         {"Название", "наименование", "заголовок", "title", "name", "событие", "мероприятие", "акция", "подборка"},
	"address":       {"Адрес", "address", "где находится"},
	"rating":        {"Рейтинг", "оценка", "звезды", "rating"},
	"description":   {"Описание", "текст", "о месте", "о событии", "подробности", "условия", "description"},
	"district":      {"Район", "округ", "district"},
	"types":         {"Тип", "типы", "категория", "категории", "вид", "рубрика", "types", "type"},
	"subcategories": {"Подкатегория", "подкатегории", "подтип", "подрубрика", "subcategories", "subcategory"},
	"photos":        {"Фото", "фотографии", "фотография", "картинка", "картинки", "изображение", "изображения", "ссылка на фото", "фото ссылка", "обложка", "photos", "photo", "image"},
	"lat":           {"Широта", "lat", "latitude"},
	"lon":           {"Долгота", "lon", "lng", "longitude"},
	latLon:          {"Координаты", "геопозиция", "координаты места", "coordinates"},
	"phone":         {"Телефон", "тел", "телефоны", "номер телефона", "контакты", "phone"},
	"site":          {"Сайт", "веб сайт", "ссылка", "site", "website", "url"},
	"type":          {"Тип", "категория", "type"},
	"starts_at":     {"Начало", "дата и время", "дата начала", "дата", "когда", "начинается", "действует с", "с", "старт", "starts at", "start", "date"},
	startTime:       {"Время", "время начала", "time"},
	"ends_at":       {"Окончание", "конец", "дата окончания", "дата конца", "завершение", "до", "по", "действует до", "срок", "ends at", "end"},
	endTime:         {"Время окончания", "время конца"},
	"place":         {"Место", "площадка", "где", "заведение", "venue", "place"},
	"categories":    {"Категория", "категории", "жанр", "тип", "вид", "рубрика", "categories", "category"},
	"source":        {"Источник", "организатор", "афиша", "source"},
	"url":           {"Ссылка", "сайт", "url", "link", "билеты", "страница"},
	"price":         {"Цена", "стоимость", "билет", "вход", "price"},
	"items":         {"Состав", "места и события", "места", "события", "объекты", "items"},
	"code":          {"Промокод", "код", "code"},
}

// Columns that are no fields: two in one, and a part of one.
const (
	latLon    = "lat,lon"
	startTime = "starts_at+"
	endTime   = "ends_at+"
)

// listNames are what people call the lists, the label first.
var listNames = map[List][]string{
	Districts:       {"Районы", "район", "округа"},
	Types:           {"Типы", "типы мест", "тип", "виды", "рубрики"},
	Subcategories:   {"Подкатегории", "подкатегории мест", "подтипы"},
	Places:          {"Места", "место", "заведения", "кафе", "рестораны", "адреса", "локации", "точки"},
	EventCategories: {"Категории событий", "категории", "жанры"},
	EventSources:    {"Источники", "источники событий", "организаторы"},
	Events:          {"События", "событие", "мероприятия", "афиша"},
	Collections:     {"Подборки", "подборка"},
	Promos:          {"Акции", "акция", "промокоды", "скидки", "промо"},
}

// Label is what people call a list.
func (l List) Label() string {
	if names := listNames[l]; names != nil {
		return names[0]
	}
	return string(l)
}

// FieldLabel is what people call a field.
func FieldLabel(field string) string {
	if names := headings[field]; names != nil {
		return names[0]
	}
	return field
}

// PathField is the field that a refusal's path names.
func PathField(path string) string {
	name := path[strings.LastIndex(path, ".")+1:]
	name, _, _ = strings.Cut(name, "[")
	return name
}

// columnsOf are the names of a list's columns, in the order of its fields.
func columnsOf(list List) (names []string) {
	for _, f := range shapes[list].fields {
		names = append(names, f.name)
		switch f.name {
		case "lon":
			names = append(names, latLon)
		case "starts_at":
			names = append(names, startTime)
		case "ends_at":
			names = append(names, endTime)
		}
	}
	return names
}

var inBrackets = regexp.MustCompile(`\([^)]*\)`)

// fieldCalled is the list's field under a heading, "" if there is none.
func fieldCalled(list List, heading string) string {
	key := SortKey(inBrackets.ReplaceAllString(heading, ""))
	if key == "" {
		return ""
	}
	columns := columnsOf(list)
	for _, field := range columns {
		if SortKey(field) == key || strings.EqualFold(field, strings.TrimSpace(heading)) {
			return field
		}
	}
	slices.SortStableFunc(columns, func(a, b string) int { // a district's table may call its names «Район»
		return cmp.Compare(strings.Count("name title", a), strings.Count("name title", b))
	})
	for _, field := range columns {
		if slices.ContainsFunc(headings[field], func(name string) bool { return SortKey(name) == key }) {
			return field
		}
	}
	return ""
}

// nearestHeading is the label of the field that a heading was probably meant as.
func nearestHeading(list List, heading string) string {
	var known []string
	for _, field := range columnsOf(list) {
		for _, name := range append(headings[field], field) {
			known = append(known, SortKey(name))
		}
	}
	near := words.Nearest(SortKey(heading), known)
	if near == "" {
		return ""
	}
	return FieldLabel(fieldCalled(list, near))
}

// listCalled is the list that a table's name says it holds, "" if none.
func listCalled(name string) List {
	stem, _, _ := strings.Cut(name, ".")
	if List(strings.ToLower(stem)).Rank() >= 0 {
		return List(strings.ToLower(stem))
	}
	for _, list := range Lists {
		for _, called := range listNames[list] {
			if SortKey(stem) == SortKey(called) {
				return list
			}
		}
	}
	return ""
}

// listShown is the list whose fields a heading shows best, "" if none does:
// there must be a name, and one more.
func listShown(cells []string) (shown List) {
	best := 1
	for _, list := range []List{Places, Events, Promos, Collections, Subcategories} {
		found := make(map[string]bool)
		for _, cell := range cells {
			if field := fieldCalled(list, cell); field != "" && field != "id" {
				found[field] = true
			}
		}
		required := (found["name"] || found["title"]) && (list != Events || found["starts_at"]) && (list != Collections || found["items"]) &&
			(list != Promos || found["code"]) && (list != Subcategories || found["type"])
		if required && len(found) > best {
			best, shown = len(found), list
		}
	}
	return shown
}
