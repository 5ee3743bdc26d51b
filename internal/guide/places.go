package guide

import (
	"cmp"
	"slices"
	"strings"
)

// PlaceList is a page of the places. query.Page must be the page shown; offered
// are the letters of the filters that leave a choice.
func (t *Texts) PlaceList(query PlaceQuery, names PlaceFilterNames, list Listing[PlaceLine], offered string) Screen {
	query.Page = list.Page
	none := t.Lists.NoPlaces
	if query.Filtered() {
		none = t.Lists.NothingFiltered
	}
	head := orNone(lines(withCount(t.Lists.Places, list.Total, t.Lists.PlacesCount), field(t.Fields.District, names.District),
		field(t.Fields.Type, names.Type), field(t.Fields.Subcategory, names.Subcategory)), list.Total, none)
	origin := listOrigin(query.String())
	filters := filterRow(Places, query.String(), offered, []namedFilter{{'d', t.Buttons.District}, {'t', t.Buttons.Type}, {'s', t.Buttons.Subcategory}})
	if list.Total > 1 {
		sorted, label := query, t.Buttons.BestFirst
		if sorted.Page, sorted.ByRating = 1, !query.ByRating; query.ByRating {
			label = t.Buttons.ByName
		}
		filters = append(filters, []Button{press(label, pageOf(Places, sorted.String()))})
	}
	if query.Filtered() {
		filters = append(filters, []Button{press(t.Buttons.Reset, OpenMenu(Places))})
	}
	filters = append(filters, t.findRow())
	return listOf(t, head, list, func(place PlaceLine) line {
		stars := ""
		if place.Rating > 0 {
			stars = "★ " + rating(place.Rating)
		}
		return line{place.Name, place.Kind, notes(place.Address, stars), open(Place, place.ID, origin)}
	}, func(page int) Action {
		turned := query
		turned.Page = page
		return pageOf(Places, turned.String())
	}, append(filters, t.back(Main))...)
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
		action := OpenMenu(section)
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
func (t *Texts) PlaceFilterScreen(action Action, choices []Choice) Screen {
	choosing, query := action.Choosing(), ParsePlaceQuery(action.Extra)
	query.Page = 1
	title, any := t.Lists.ChooseDistrict, t.Buttons.AnyDistrict
	switch choosing.Filter {
	case 't':
		title, any = t.Lists.ChooseType, t.Buttons.AnyType
	case 's':
		title, any = t.Lists.ChooseSubcategory, t.Buttons.AnySubcategory
	}
	return t.chooser(title, any, choices, choosing, query.String(), Places, func(id int64) Action {
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
func (t *Texts) PlaceCard(place PlaceView, extra CardExtra, links Links) Screen {
	card := card{
		texts: t,
		title: t.title(place.Name, 200),
		facts: lines(field(t.Fields.Address, place.Address), field(t.Fields.Rating, rating(place.Rating)), field(t.Fields.Phone, place.Phone)),
		more: lines(
			field(t.Fields.District, place.District),
			field(t.Fields.Kinds, strings.Join(slices.Concat(place.Types, place.Subcategories), ", ")),
			field(t.Fields.Site, place.Site)),
		description: place.Description, photo: place.Photo,
		entity: Place, id: place.ID, section: Places, extra: extra, favourite: place.Favourite,
		links: append(t.onMap(links, place.Address, place.Name, place.Lat, place.Lon), t.share(links)...),
	}
	return card.screen()
}

// onMap is the button that shows an address on the map, or the title if there
// is no address.
func (t *Texts) onMap(l Links, address, title string, lat, lon *float64) []Button {
	if address = cmp.Or(address, title); address == "" {
		return nil
	}
	return []Button{link(t.Buttons.Map, mapURL(l.City, tidy(address, 200), lat, lon))}
}

func (t *Texts) share(l Links) []Button {
	if share := webURL(l.Share); share != "" {
		return []Button{link(t.Buttons.Share, share)}
	}
	return nil
}
