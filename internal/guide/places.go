package guide

import (
	"slices"
	"strings"
)

// placeFilters are the letters of the filters of the places.
const placeFilters = "dts"

// PlaceList is a page of the places. query.Page must be the page shown.
func PlaceList(query PlaceQuery, names PlaceFilterNames, list Listing[PlaceLine], extras bool) Screen {
	query.Page = list.Page
	head := "Места"
	if list.Total > 0 {
		head += " · " + plural(list.Total, "место", "места", "мест")
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
	below := [][]Button{{
		choose("Район", Places, 'd', query.String()),
		choose("Тип", Places, 't', query.String()),
		choose("Подкатегория", Places, 's', query.String()),
	}}
	if query.Filtered() {
		below = append(below, []Button{press(labelReset, openMenu(Places))})
	}
	if extras {
		below = append(below, extrasRow())
	}
	return listOf(head, list, func(place PlaceLine) (string, string, Action) {
		note := place.Address
		if stars := rating(place.Rating); stars != "" {
			note = joinNotes(note, "★ "+stars)
		}
		return place.Name, note, open(Place, place.ID, origin)
	}, func(page int) Action {
		turned := query
		turned.Page = page
		return pageOf(Places, turned.String())
	}, append(below, []Button{press(labelBack, backTo(Main))})...)
}

func choose(label, section string, filter byte, kept string) Button {
	action := openMenu(section)
	action.Extra = Choosing{Filter: filter}.extra(kept)
	return press(label, action)
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
// is none or extra.Full asks for it, as text. shareURL may be empty.
func PlaceCard(place PlaceView, extra CardExtra, shareURL string) Screen {
	facts := lines(
		field("Адрес", place.Address),
		field("Рейтинг", rating(place.Rating)),
		field("Район", place.District),
		field("Что здесь", strings.Join(slices.Concat(place.Types, place.Subcategories), ", ")),
		field("Телефон", place.Phone),
		field("Сайт", place.Site),
		paragraph(place.Description))
	title := name(place.Name, 200)
	card := card{
		text:    "Название: " + lines(title, facts),
		caption: lines(title, facts),
		photo:   place.Photo,
		entity:  Place, id: place.ID, section: Places,
		extra: extra, favourite: place.Favourite, shareURL: shareURL,
		links: placeLinks(place.Address, place.Name),
	}
	return card.screen()
}

func placeLinks(address, title string) []Button {
	if address == "" {
		address = title
	}
	if address == "" {
		return nil
	}
	return []Button{link(labelMap, mapURL(tidy(address, 200)))}
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}
