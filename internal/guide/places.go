package guide

import (
	"slices"
	"strings"

	"vestnik/internal/words"
)

// placeFilters are the letters of the filters of the places.
const placeFilters = "dts"

// nearFilters are those of the places near.
const nearFilters = "t"

// PlaceList is a page of the places. query.Page must be the page shown; offered
// are the letters of the filters that leave a choice.
func PlaceList(query PlaceQuery, names PlaceFilterNames, list Listing[PlaceLine], offered string) Screen {
	query.Page = list.Page
	head := "Места"
	if list.Total > 0 {
		head += " · " + words.Russian(list.Total, "место", "места", "мест")
	}
	head = lines(head, field("Район", names.District), field("Тип", names.Type), field("Подкатегория", names.Subcategory))
	switch {
	case list.Total == 0 && query.Filtered():
		head += "\n\nПо этим фильтрам ничего не нашлось."
	case list.Total == 0:
		head += "\n\nМест пока нет."
	}
	origin := ""
	if extra := query.String(); extra != "1" {
		origin = "l" + extra
	}
	filters := filterRow(Places, query.String(), offered, []namedFilter{{'d', "Район"}, {'t', "Тип"}, {'s', "Подкатегория"}})
	if list.Total > 1 {
		sorted, label := query, "Сначала лучшие"
		if sorted.Page, sorted.ByRating = 1, !query.ByRating; query.ByRating {
			label = "По алфавиту"
		}
		filters = append(filters, []Button{press(label, pageOf(Places, sorted.String()))})
	}
	if query.Filtered() {
		filters = append(filters, []Button{press(labelReset, openMenu(Places))})
	}
	filters = append(filters, findRow())
	return listOf(head, list, func(place PlaceLine) line {
		note := place.Address
		if stars := rating(place.Rating); stars != "" {
			note = joinNotes(note, "★ "+stars)
		}
		return line{place.Name, place.Kind, note, open(Place, place.ID, origin)}
	}, func(page int) Action {
		turned := query
		turned.Page = page
		return pageOf(Places, turned.String())
	}, append(filters, []Button{press(labelBack, backTo(Main))})...)
}

// namedFilter is a filter and the label of its button.
type namedFilter struct {
	letter byte
	label  string
}

// filterRow is the buttons of the filters that are offered; no row for none.
func filterRow(section, kept, offered string, filters []namedFilter) [][]Button {
	var row []Button
	for _, filter := range filters {
		if strings.IndexByte(offered, filter.letter) < 0 {
			continue
		}
		action := openMenu(section)
		action.Extra = Choosing{Filter: filter.letter}.extra(kept)
		row = append(row, press(filter.label, action))
	}
	if row == nil {
		return nil
	}
	return [][]Button{row}
}

// PlaceFilterScreen offers the values of one filter of the places.
// Subcategories belong to a type: picking another type drops the subcategory.
func PlaceFilterScreen(action Action, choices []Choice) Screen {
	choosing, query := action.Choosing(), ParsePlaceQuery(action.Extra)
	query.Page = 1
	title, any := "Выберите район:", "Любой район"
	switch choosing.Filter {
	case 't':
		title, any = "Выберите тип:", "Любой тип"
	case 's':
		title, any = "Выберите подкатегорию:", "Любая подкатегория"
	}
	return chooser(title, any, choices, choosing, query.String(), Places, func(id int64) Action {
		picked := query
		switch choosing.Filter {
		case 'd':
			picked.District = id
		case 't':
			if picked.Type != id {
				picked.Subcategory = 0
			}
			picked.Type = id
		case 's':
			picked.Subcategory = id
		}
		return pageOf(Places, picked.String())
	})
}

// PlaceCard shows a place: with its photo and a short caption, or, if there
// is none or extra.Full asks for it, as text.
func PlaceCard(place PlaceView, extra CardExtra, links Links) Screen {
	card := card{
		title: name(place.Name, 200),
		facts: lines(field("Адрес", place.Address), field("Рейтинг", rating(place.Rating)), field("Телефон", place.Phone)),
		more: lines(
			field("Район", place.District),
			field("Что здесь", strings.Join(slices.Concat(place.Types, place.Subcategories), ", ")),
			field("Сайт", place.Site)),
		description: place.Description, photo: place.Photo,
		entity: Place, id: place.ID, section: Places, extra: extra, favourite: place.Favourite,
		links: append(links.onMap(place.Address, place.Name, place.Lat, place.Lon), links.share()...),
	}
	return card.screen()
}

// onMap is the button that shows an address on the map, or the title if there
// is no address.
func (l Links) onMap(address, title string, lat, lon *float64) []Button {
	if address == "" {
		address = title
	}
	if address == "" {
		return nil
	}
	return []Button{link(labelMap, mapURL(l.City, tidy(address, 200), lat, lon))}
}

func (l Links) share() []Button {
	if share := webURL(l.Share); share != "" {
		return []Button{link("Поделиться", share)}
	}
	return nil
}

func joinNotes(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}
