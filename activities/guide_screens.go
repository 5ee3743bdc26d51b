package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"vestnik/db/guidedb"
	"vestnik/internal/guide"
)

func (c *composer) places(ctx context.Context, action guide.Action) (Composed, error) {
	query := guide.ParsePlaceQuery(action.Extra)
	list, err := c.config.Store.Places(ctx, query.PlaceFilter, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err != nil {
		return Composed{}, err
	}
	var names guide.PlaceFilterNames
	if query.Filtered() {
		names, err = c.config.Store.PlaceFilterNames(ctx, query.PlaceFilter)
	}
	if err != nil {
		return Composed{}, err
	}
	offered, err := offered([]filterChoices{
		{'d', query.District, func() ([]guide.Choice, error) { return c.config.Store.PlaceDistricts(ctx, query.PlaceFilter) }},
		{'t', query.Type, func() ([]guide.Choice, error) { return c.config.Store.PlaceTypes(ctx, query.PlaceFilter) }},
		{'s', query.Subcategory, func() ([]guide.Choice, error) { return c.config.Store.PlaceSubcategories(ctx, query.PlaceFilter) }},
	})
	return Composed{Screen: c.config.Texts.PlaceList(query, names, list, offered)}, err
}

// filterChoices are a filter's letter, the value chosen and those there are.
type filterChoices struct {
	letter byte
	chosen int64
	list   func() ([]guide.Choice, error)
}

// offered are the letters of the filters that leave a choice, or have one.
func offered(filters []filterChoices) (letters string, _ error) {
	for _, filter := range filters {
		choices, err := filter.list()
		if err != nil {
			return "", err
		}
		if len(choices) > 1 || filter.chosen != 0 {
			letters += string(filter.letter)
		}
	}
	return letters, nil
}

func (c *composer) placeFilter(ctx context.Context, action guide.Action) (Composed, error) {
	offered := c.config.Store.PlaceSubcategories
	switch action.Choosing().Filter {
	case 'd':
		offered = c.config.Store.PlaceDistricts
	case 't':
		offered = c.config.Store.PlaceTypes
	}
	choices, err := offered(ctx, guide.ParsePlaceQuery(action.Extra).PlaceFilter)
	return Composed{Screen: c.config.Texts.PlaceFilterScreen(action, choices)}, err
}

// card is the card of a place or an event.
func (c *composer) card(ctx context.Context, action guide.Action) (Composed, error) {
	_, screen, err := c.cardOf(ctx, action, c.cardExtra(action))
	return Composed{Screen: screen, Card: cardName(action)}, err
}

// cardExtra reads how a card is to be shown. "More" carries the data that
// opened the card, so on the card's own photo it means the whole text.
func (c *composer) cardExtra(action guide.Action) guide.CardExtra {
	extra := guide.ParseCardExtra(action.Extra)
	if action.Entity == guide.Place && c.update.OffCard && extra.Origin == "" {
		extra.Origin = c.promoPressed()
	}
	ownPhoto := c.update.Inaccessible && c.view.Photo && c.view.MessageID == c.update.MessageID && c.view.Card == cardName(action)
	if c.update.CallbackID != "" && (ownPhoto || c.update.OnPhoto && c.aboutSame(action)) {
		extra.Full = true
	}
	return extra
}

// promoPressed is the origin of a place that was opened by a promo's button: the
// promo, if it is the newest screen, or all promos for the photo of an older one,
// as no button of the document's promo names it.
func (c *composer) promoPressed() string {
	id, onPromo := strings.CutPrefix(c.view.Card, guide.Promo+":")
	switch {
	case onPromo && c.view.MessageID == c.update.MessageID:
		return "a" + id
	case c.update.OnPhoto:
		return "a"
	}
	return ""
}

// aboutSame keeps "more about the place" on a promo's photo from being taken
// for "more" on the place's own. A photo of which the session knows nothing,
// because it is from before, is taken for the card's own, unless its keyboard or
// the newest screen says otherwise.
func (c *composer) aboutSame(action guide.Action) bool {
	if c.update.OffCard {
		return false
	}
	if c.view.MessageID == c.update.MessageID && c.view.Card != "" {
		return c.view.Card == cardName(action)
	}
	return true
}

func cardName(action guide.Action) string { return fmt.Sprintf("%s:%d", action.Entity, action.ID) }

func (c *composer) links(action guide.Action) guide.Links {
	return guide.Links{City: c.config.City, Share: guide.ShareURL(c.config.Username, action.Entity, action.ID)}
}

func (c *composer) events(ctx context.Context, action guide.Action) (Composed, error) {
	query := guide.ParseEventQuery(action.Extra)
	filter := query.Filter(c.now)
	list, err := c.config.Store.Events(ctx, filter, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err != nil {
		return Composed{}, err
	}
	var names guide.EventFilterNames
	if query.Category != 0 || query.Source != 0 {
		names, err = c.config.Store.EventFilterNames(ctx, filter)
	}
	if err != nil {
		return Composed{}, err
	}
	offered, err := offered([]filterChoices{
		{'c', query.Category, func() ([]guide.Choice, error) { return c.config.Store.EventCategories(ctx, filter) }},
		{'s', query.Source, func() ([]guide.Choice, error) { return c.config.Store.EventSources(ctx, filter) }},
	})
	return Composed{Screen: c.config.Texts.EventList(query, names, list, offered, c.now)}, err
}

func (c *composer) eventFilter(ctx context.Context, action guide.Action) (Composed, error) {
	var choices []guide.Choice
	var err error
	filter := guide.ParseEventQuery(action.Extra).Filter(c.now)
	switch action.Choosing().Filter {
	case 'c':
		choices, err = c.config.Store.EventCategories(ctx, filter)
	case 's':
		choices, err = c.config.Store.EventSources(ctx, filter)
	}
	return Composed{Screen: c.config.Texts.EventFilterScreen(action, choices, c.now)}, err
}

func (c *composer) collections(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	list, err := c.config.Store.Collections(ctx, c.now, paging)
	return Composed{Screen: c.config.Texts.CollectionList(list)}, err
}

func (c *composer) collection(ctx context.Context, id int64, paging guidedb.Paging) (Composed, error) {
	collection, list, err := c.config.Store.Collection(ctx, id, c.now, paging)
	return Composed{Screen: c.config.Texts.CollectionScreen(collection, list, c.now)}, err
}

func (c *composer) favourites(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	list, err := c.config.Store.Favourites(ctx, c.update.UserID, c.now, paging)
	return Composed{Screen: c.config.Texts.FavouriteList(list, c.now)}, err
}

// changeFavourite adds or removes, and confirms: by a message, or, if screens
// are edited in place, by the card's own button.
func (c *composer) changeFavourite(ctx context.Context, action guide.Action) (Composed, error) {
	change := c.config.Store.AddFavourite
	if action.Route() == guide.ToRemoveFavourite {
		change = c.config.Store.RemoveFavourite
	}
	if _, err := change(ctx, c.update.UserID, action.Entity, action.ID); err != nil {
		return Composed{}, err
	}
	extra := guide.CardExtra{Full: !c.update.OnPhoto, Origin: guide.ParseCardExtra(action.Extra).Origin}
	name, card, err := c.cardOf(ctx, action, extra)
	switch {
	case errors.Is(err, guidedb.ErrNotFound): // removed from the favourites and from the city
	case err != nil:
		return Composed{}, err
	case c.config.EditInPlace && c.update.CallbackID != "" && !c.update.Inaccessible:
		confirmed := c.config.Texts.FavouriteChanged(action, name)
		return Composed{
			Screen:       guide.Screen{Text: confirmed.Text, Keyboard: card.Keyboard},
			OnlyKeyboard: true, Card: c.view.Card, Help: c.view.Help,
		}, nil
	}
	return Composed{Screen: c.config.Texts.FavouriteChanged(action, name)}, nil
}

func (c *composer) cardOf(ctx context.Context, action guide.Action, extra guide.CardExtra) (name string, card guide.Screen, err error) {
	if action.Entity == guide.Event {
		event, err := c.config.Store.Event(ctx, action.ID, c.update.UserID)
		if err != nil {
			return "", guide.Screen{}, err
		}
		return event.Title, c.config.Texts.EventCard(event, extra, c.links(action), c.now), nil
	}
	place, err := c.config.Store.Place(ctx, action.ID, c.update.UserID)
	if err != nil {
		return "", guide.Screen{}, err
	}
	return place.Name, c.config.Texts.PlaceCard(place, extra, c.links(action)), nil
}

func (c *composer) promos(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	list, err := c.config.Store.Promos(ctx, c.now, paging)
	return Composed{Screen: c.config.Texts.PromoList(list, c.now)}, err
}

func (c *composer) promo(ctx context.Context, action guide.Action) (Composed, error) {
	promo, err := c.config.Store.Promo(ctx, action.ID)
	if err == nil && promo.OverAt(c.now) {
		return c.menu(c.config.Texts.Notices.Expired), nil
	}
	return Composed{
		Screen: c.config.Texts.PromoCard(promo, guide.ParseCardExtra(action.Extra).Full, c.now),
		Card:   cardName(action),
	}, err
}

// near shows a page of the places around a location that was sent now, or
// earlier in this session.
func (c *composer) near(ctx context.Context, action guide.Action) (Composed, error) {
	query, private := c.asked(action)
	if !private.Located {
		return Composed{Screen: c.config.Texts.NearScreen()}, nil
	}
	places, err := c.config.Store.PlacesNear(ctx, private.Lat, private.Lon, nearRadius, query.Type, nearMax)
	pages := max((len(places)+guide.PageSize-1)/guide.PageSize, 1)
	list := guide.Listing[guide.Entry]{Page: min(query.Page, pages), Pages: pages, Total: len(places)}
	first := (list.Page - 1) * guide.PageSize
	list.Items = places[first:min(first+guide.PageSize, len(places))]
	return Composed{Screen: c.config.Texts.FoundList(guide.Near, query, list, c.now)}, err
}

func (c *composer) nearFilter(ctx context.Context, action guide.Action) (Composed, error) {
	choices, err := c.config.Store.PlaceTypes(ctx, guide.PlaceFilter{})
	return Composed{Screen: c.config.Texts.NearFilterScreen(action, choices)}, err
}

// find shows a page of what was searched for now, or earlier in this session.
// The words themselves are not repeated: a screen is kept in Temporal.
func (c *composer) find(ctx context.Context, action guide.Action) (Composed, error) {
	query, private := c.asked(action)
	switch {
	case private.Words == "":
		return Composed{Screen: c.config.Texts.FindScreen()}, nil
	case guide.IsGreeting(private.Words):
		return c.menu(c.config.Texts.Notices.Hello), nil
	}
	hits, err := c.config.Store.Search(ctx, private.Words, c.now, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err == nil && hits.Total == 0 {
		return c.menu(c.config.Texts.Notices.NoHits), nil
	}
	return Composed{Screen: c.config.Texts.FoundList(guide.Find, query, hits, c.now)}, err
}

// asked is what a person has asked for with words or a location: with this
// update, or with the one that the pressed button names, if the session still
// knows it.
func (c *composer) asked(action guide.Action) (guide.AskQuery, guide.Private) {
	query := guide.ParseAskQuery(action.Extra)
	if len(c.update.Sealed) > 0 {
		query = guide.AskQuery{Page: 1, Asked: c.update.ID}
		return query, c.open(c.update.Sealed, c.update.ID)
	}
	for _, asked := range c.view.Asked {
		if asked.ID == query.Asked {
			return query, c.open(asked.Sealed, asked.ID)
		}
	}
	return query, guide.Private{}
}

// open gives what the receiver has sealed. What can't be opened, sealed by a
// process with another token, is as if it were not there.
func (c *composer) open(sealed []byte, updateID int64) guide.Private {
	var private guide.Private
	if c.config.Seal.Open(sealed, updateID, &private) != nil {
		return guide.Private{}
	}
	return private
}
