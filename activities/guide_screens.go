package activities

import (
	"context"
	"errors"
	"fmt"

	"vestnik/db/guidedb"
	"vestnik/internal/guide"
)

func (c *composer) places(ctx context.Context, action guide.Action) (Composed, error) {
	query := guide.ParsePlaceQuery(action.Extra)
	list, err := c.store.Places(ctx, query.PlaceFilter, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err != nil {
		return Composed{}, err
	}
	var names guide.PlaceFilterNames
	if query.Filtered() {
		names, err = c.store.PlaceFilterNames(ctx, query.PlaceFilter)
	}
	return Composed{Screen: guide.PlaceList(query, names, list, c.config.Extras)}, err
}

func (c *composer) placeFilter(ctx context.Context, action guide.Action) (Composed, error) {
	offered := c.store.PlaceSubcategories
	switch action.Choosing().Filter {
	case 'd':
		offered = c.store.PlaceDistricts
	case 't':
		offered = c.store.PlaceTypes
	}
	choices, err := offered(ctx, guide.ParsePlaceQuery(action.Extra).PlaceFilter)
	return Composed{Screen: guide.PlaceFilterScreen(action, choices)}, err
}

func (c *composer) place(ctx context.Context, action guide.Action) (Composed, error) {
	place, err := c.store.Place(ctx, action.ID, c.update.UserID)
	return Composed{
		Screen: guide.PlaceCard(place, c.cardExtra(action), c.shareURL(action)),
		Card:   cardName(action),
	}, err
}

// cardExtra reads how a card is to be shown. "More" carries the data that
// opened the card, so on the card's own photo it means the whole text.
func (c *composer) cardExtra(action guide.Action) guide.CardExtra {
	extra := guide.ParseCardExtra(action.Extra)
	ownPhoto := c.update.Inaccessible && c.view.Photo && c.view.MessageID == c.update.MessageID && c.view.Card == cardName(action)
	if c.update.CallbackID != "" && (ownPhoto || c.update.OnPhoto && c.aboutSame(action)) {
		extra.Full = true
	}
	return extra
}

// aboutSame keeps "more about the place" on a promo's photo from being taken
// for "more" on the place's own. A photo of which the session knows nothing,
// because it is from before, is taken for the card's own, unless the newest
// screen says otherwise.
func (c *composer) aboutSame(action guide.Action) bool {
	if c.view.MessageID == c.update.MessageID && c.view.Card != "" {
		return c.view.Card == cardName(action)
	}
	return true
}

func cardName(action guide.Action) string { return fmt.Sprintf("%s:%d", action.Entity, action.ID) }

func (c *composer) shareURL(action guide.Action) string {
	if !c.config.Extras {
		return ""
	}
	return guide.ShareURL(c.config.Username, action.Entity, action.ID)
}

func (c *composer) events(ctx context.Context, action guide.Action) (Composed, error) {
	query := guide.ParseEventQuery(action.Extra)
	filter := query.Filter(c.now)
	list, err := c.store.Events(ctx, filter, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err != nil {
		return Composed{}, err
	}
	var names guide.EventFilterNames
	if query.Category != 0 || query.Source != 0 {
		names, err = c.store.EventFilterNames(ctx, filter)
	}
	return Composed{Screen: guide.EventList(query, names, list, c.now)}, err
}

func (c *composer) eventFilter(ctx context.Context, action guide.Action) (Composed, error) {
	var choices []guide.Choice
	var err error
	filter := guide.ParseEventQuery(action.Extra).Filter(c.now)
	switch action.Choosing().Filter {
	case 'c':
		choices, err = c.store.EventCategories(ctx, filter)
	case 's':
		choices, err = c.store.EventSources(ctx, filter)
	}
	return Composed{Screen: guide.EventFilterScreen(action, choices, c.now)}, err
}

func (c *composer) event(ctx context.Context, action guide.Action) (Composed, error) {
	event, err := c.store.Event(ctx, action.ID, c.update.UserID)
	return Composed{
		Screen: guide.EventCard(event, c.cardExtra(action), c.shareURL(action), c.now),
		Card:   cardName(action),
	}, err
}

func (c *composer) collections(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	list, err := c.store.Collections(ctx, paging)
	return Composed{Screen: guide.CollectionList(list)}, err
}

func (c *composer) collection(ctx context.Context, id int64, paging guidedb.Paging) (Composed, error) {
	collection, list, err := c.store.Collection(ctx, id, c.now, paging)
	return Composed{Screen: guide.CollectionScreen(collection, list, c.now)}, err
}

func (c *composer) favourites(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	list, err := c.store.Favourites(ctx, c.update.UserID, paging)
	return Composed{Screen: guide.FavouriteList(list, c.now)}, err
}

// changeFavourite adds or removes, and confirms: by a message, or, if screens
// are edited in place, by the card's own button.
func (c *composer) changeFavourite(ctx context.Context, action guide.Action) (Composed, error) {
	var err error
	if action.Route() == guide.ToAddFavourite {
		_, err = c.store.AddFavourite(ctx, c.update.UserID, action.Entity, action.ID)
	} else {
		_, err = c.store.RemoveFavourite(ctx, c.update.UserID, action.Entity, action.ID)
	}
	if err != nil {
		return Composed{}, err
	}
	extra := guide.CardExtra{Full: !c.update.OnPhoto, Origin: guide.ParseCardExtra(action.Extra).Origin}
	name, card, err := c.cardOf(ctx, action, extra)
	switch {
	case errors.Is(err, guidedb.ErrNotFound): // removed from the favourites and from the city
	case err != nil:
		return Composed{}, err
	case c.config.EditInPlace && c.update.CallbackID != "" && !c.update.Inaccessible:
		confirmed := guide.FavouriteChanged(action, name)
		return Composed{
			Screen:       guide.Screen{Text: confirmed.Text, Keyboard: card.Keyboard},
			OnlyKeyboard: true, Card: c.view.Card, Help: c.view.Help,
		}, nil
	}
	return Composed{Screen: guide.FavouriteChanged(action, name)}, nil
}

func (c *composer) cardOf(ctx context.Context, action guide.Action, extra guide.CardExtra) (name string, card guide.Screen, err error) {
	if action.Entity == guide.Event {
		event, err := c.store.Event(ctx, action.ID, c.update.UserID)
		if err != nil {
			return "", guide.Screen{}, err
		}
		return event.Title, guide.EventCard(event, extra, c.shareURL(action), c.now), nil
	}
	place, err := c.store.Place(ctx, action.ID, c.update.UserID)
	if err != nil {
		return "", guide.Screen{}, err
	}
	return place.Name, guide.PlaceCard(place, extra, c.shareURL(action)), nil
}

func (c *composer) promos(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	list, err := c.store.Promos(ctx, c.now, paging)
	return Composed{Screen: guide.PromoList(list, c.now)}, err
}

func (c *composer) promo(ctx context.Context, action guide.Action) (Composed, error) {
	promo, err := c.store.Promo(ctx, action.ID)
	if err == nil && !promo.ActiveAt(c.now) {
		return c.menu(guide.NoticeExpired), nil
	}
	return Composed{
		Screen: guide.PromoCard(promo, guide.ParseCardExtra(action.Extra).Full, c.now),
		Card:   cardName(action),
	}, err
}

func (c *composer) near(ctx context.Context) (Composed, error) {
	switch private, ok := c.private(); {
	case !c.config.Extras:
		return c.menu(guide.NoticeStale), nil
	case !ok || !private.Located:
		return Composed{Screen: guide.NearScreen()}, nil
	default:
		places, err := c.store.PlacesNear(ctx, private.Lat, private.Lon, nearRadius, foundMax)
		return Composed{Screen: guide.FoundList("Рядом с вами", places, c.now)}, err
	}
}

func (c *composer) find(ctx context.Context) (Composed, error) {
	switch private, ok := c.private(); {
	case !c.config.Extras:
		return c.menu(guide.NoticeStale), nil
	case !ok || private.Words == "":
		return Composed{Screen: guide.FindScreen()}, nil
	default:
		hits, err := c.store.Search(ctx, private.Words, c.now, foundMax)
		if err == nil && len(hits) == 0 {
			return c.menu(guide.NoticeNoHits), nil
		}
		// The words themselves are not repeated: a screen is kept in Temporal.
		return Composed{Screen: guide.FoundList("Вот что нашлось", hits, c.now)}, err
	}
}

// private opens what the receiver has sealed. What can't be opened, sealed by a
// process with another token, is as if it were not there.
func (c *composer) private() (guide.Private, bool) {
	if c.config.Seal == nil || len(c.update.Sealed) == 0 {
		return guide.Private{}, false
	}
	private, err := c.config.Seal.Open(c.update.Sealed, c.update.ID)
	return private, err == nil
}
