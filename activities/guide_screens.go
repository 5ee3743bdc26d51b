package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vestnik/db/guidedb"
	"vestnik/internal/guide"
)

func (c *composer) places(ctx context.Context, action guide.Action) (Composed, error) {
	query := guide.ParsePlaceQuery(action.Extra)
	filter := placeFilter(query)
	page, err := c.store.Places(ctx, filter, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err != nil {
		return Composed{}, err
	}
	var names guidedb.PlaceFilterNames
	if query.Filtered() {
		if names, err = c.store.PlaceFilterNames(ctx, filter); err != nil {
			return Composed{}, err
		}
	}
	list := listing(page, func(line guidedb.PlaceLine) guide.PlaceLine {
		return guide.PlaceLine{ID: line.ID, Name: line.Name, Address: line.Address, Rating: value(line.Rating)}
	})
	return Composed{Screen: guide.PlaceList(query, guide.PlaceFilterNames(names), list, c.config.Extras)}, nil
}

func placeFilter(query guide.PlaceQuery) guidedb.PlaceFilter {
	return guidedb.PlaceFilter{District: query.District, Type: query.Type, Subcategory: query.Subcategory}
}

func (c *composer) placeFilter(ctx context.Context, action guide.Action) (Composed, error) {
	filter := placeFilter(guide.ParsePlaceQuery(action.Extra))
	var choices []guidedb.Choice
	var err error
	switch action.Choosing().Filter {
	case 'd':
		choices, err = c.store.PlaceDistricts(ctx, filter)
	case 't':
		choices, err = c.store.PlaceTypes(ctx, filter)
	default:
		var subcategories []guidedb.Subcategory
		subcategories, err = c.store.PlaceSubcategories(ctx, filter)
		for _, subcategory := range subcategories {
			choices = append(choices, guidedb.Choice{ID: subcategory.ID, Name: subcategory.Name})
		}
	}
	if err != nil {
		return Composed{}, err
	}
	return Composed{Screen: guide.PlaceFilterScreen(action, choicesOf(choices))}, nil
}

func (c *composer) place(ctx context.Context, action guide.Action) (Composed, error) {
	place, err := c.store.Place(ctx, action.ID, c.update.UserID)
	if err != nil {
		return Composed{}, err
	}
	extra := c.cardExtra(action)
	return Composed{
		Screen: guide.PlaceCard(placeView(place), extra, c.shareURL(action)),
		Card:   cardName(action),
	}, nil
}

func placeView(place guidedb.Place) guide.PlaceView {
	return guide.PlaceView{
		ID: place.ID, Name: place.Name, Address: place.Address, Rating: value(place.Rating), District: place.District,
		Kinds:       strings.Join(append(append([]string(nil), place.Types...), place.Subcategories...), ", "),
		Description: place.Description, Phone: place.Phone, Site: place.Site, Photo: place.PhotoURL, Favorite: place.Favourite,
	}
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
	filter := c.eventFilterOf(query)
	page, err := c.store.Events(ctx, filter, guidedb.Paging{Number: query.Page, Size: guide.PageSize})
	if err != nil {
		return Composed{}, err
	}
	var names guidedb.EventFilterNames
	if query.Category != 0 || query.Source != 0 {
		if names, err = c.store.EventFilterNames(ctx, filter); err != nil {
			return Composed{}, err
		}
	}
	list := listing(page, func(line guidedb.EventLine) guide.EventLine {
		where := line.Place
		if where == "" {
			where = line.Address
		}
		return guide.EventLine{ID: line.ID, Title: line.Title, Starts: line.StartsAt, Ends: value(line.EndsAt), Where: where}
	})
	return Composed{Screen: guide.EventList(query, guide.EventFilterNames(names), list, c.now)}, nil
}

func (c *composer) eventFilterOf(query guide.EventQuery) guidedb.EventFilter {
	from, until := query.Day.Window(c.now)
	return guidedb.EventFilter{Category: query.Category, Source: query.Source, Now: c.now, From: from, To: until}
}

func (c *composer) eventFilter(ctx context.Context, action guide.Action) (Composed, error) {
	filter := c.eventFilterOf(guide.ParseEventQuery(action.Extra))
	var choices []guidedb.Choice
	var err error
	switch action.Choosing().Filter {
	case 'c':
		choices, err = c.store.EventCategories(ctx, filter)
	case 's':
		choices, err = c.store.EventSources(ctx, filter)
	}
	if err != nil {
		return Composed{}, err
	}
	return Composed{Screen: guide.EventFilterScreen(action, choicesOf(choices), c.now)}, nil
}

func (c *composer) event(ctx context.Context, action guide.Action) (Composed, error) {
	event, err := c.store.Event(ctx, action.ID, c.update.UserID)
	if err != nil {
		return Composed{}, err
	}
	return Composed{
		Screen: guide.EventCard(eventView(event), c.cardExtra(action), c.shareURL(action), c.now),
		Card:   cardName(action),
	}, nil
}

func eventView(event guidedb.Event) guide.EventView {
	return guide.EventView{
		ID: event.ID, Title: event.Title, Starts: event.StartsAt, Ends: value(event.EndsAt),
		Venue: event.Place, Address: event.Address, Categories: strings.Join(event.Categories, ", "),
		Source: event.Source, Price: event.Price, Description: event.Description, URL: event.URL,
		Photo: event.PhotoURL, Favorite: event.Favourite,
	}
}

func (c *composer) collections(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	page, err := c.store.Collections(ctx, paging)
	if err != nil {
		return Composed{}, err
	}
	return Composed{Screen: guide.CollectionList(listing(page, choiceOf))}, nil
}

func (c *composer) collection(ctx context.Context, id int64, paging guidedb.Paging) (Composed, error) {
	collection, page, err := c.store.Collection(ctx, id, c.now, paging)
	if err != nil {
		return Composed{}, err
	}
	list := listing(page, func(item guidedb.CollectionItem) guide.Entry {
		return guide.Entry{Entity: string(item.Kind), ID: item.ID, Name: item.Name, Note: c.note(item.Address, item.StartsAt)}
	})
	return Composed{Screen: guide.CollectionScreen(collection.ID, collection.Title, collection.Description, list)}, nil
}

func (c *composer) favorites(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	page, err := c.store.Favourites(ctx, c.update.UserID, paging)
	if err != nil {
		return Composed{}, err
	}
	list := listing(page, func(favourite guidedb.Favourite) guide.Entry {
		return guide.Entry{
			Entity: string(favourite.Kind), ID: favourite.ID, Name: favourite.Name,
			Note: c.note(favourite.Address, favourite.StartsAt), Gone: !favourite.Available,
		}
	})
	return Composed{Screen: guide.FavoriteList(list)}, nil
}

// changeFavorite adds or removes, and confirms: by a message, or, if screens
// are edited in place, by the card's own button.
func (c *composer) changeFavorite(ctx context.Context, action guide.Action) (Composed, error) {
	var err error
	if action.Route() == guide.ToAddFavorite {
		_, err = c.store.AddFavourite(ctx, c.update.UserID, guidedb.Kind(action.Entity), action.ID)
	} else {
		_, err = c.store.RemoveFavourite(ctx, c.update.UserID, guidedb.Kind(action.Entity), action.ID)
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
		confirmed := guide.FavoriteChanged(action, name)
		return Composed{
			Screen:       guide.Screen{Text: confirmed.Text, Keyboard: card.Keyboard},
			OnlyKeyboard: true, Card: c.view.Card, Help: c.view.Help,
		}, nil
	}
	return Composed{Screen: guide.FavoriteChanged(action, name)}, nil
}

func (c *composer) cardOf(ctx context.Context, action guide.Action, extra guide.CardExtra) (name string, card guide.Screen, err error) {
	if action.Entity == guide.Event {
		event, err := c.store.Event(ctx, action.ID, c.update.UserID)
		if err != nil {
			return "", guide.Screen{}, err
		}
		return event.Title, guide.EventCard(eventView(event), extra, c.shareURL(action), c.now), nil
	}
	place, err := c.store.Place(ctx, action.ID, c.update.UserID)
	if err != nil {
		return "", guide.Screen{}, err
	}
	return place.Name, guide.PlaceCard(placeView(place), extra, c.shareURL(action)), nil
}

func (c *composer) promos(ctx context.Context, paging guidedb.Paging) (Composed, error) {
	page, err := c.store.Promos(ctx, c.now, paging)
	if err != nil {
		return Composed{}, err
	}
	list := listing(page, func(line guidedb.PromoLine) guide.PromoLine {
		return guide.PromoLine{ID: line.ID, Title: line.Title, Venue: line.Place, Until: value(line.EndsAt)}
	})
	return Composed{Screen: guide.PromoList(list, c.now)}, nil
}

func (c *composer) promo(ctx context.Context, action guide.Action) (Composed, error) {
	promo, err := c.store.Promo(ctx, action.ID)
	if err != nil {
		return Composed{}, err
	}
	if !promo.ActiveAt(c.now) {
		return c.menu(guide.NoticeExpired), nil
	}
	view := guide.PromoView{
		ID: promo.ID, Title: promo.Title, Description: promo.Description, Code: promo.Code,
		PlaceID: promo.PlaceID, Venue: promo.Place, Address: promo.Address,
		Starts: value(promo.StartsAt), Until: value(promo.EndsAt), Photo: promo.PhotoURL,
	}
	return Composed{
		Screen: guide.PromoCard(view, guide.ParseCardExtra(action.Extra).Full, c.now),
		Card:   cardName(action),
	}, nil
}

func (c *composer) near(ctx context.Context) (Composed, error) {
	switch private, ok := c.private(); {
	case !c.config.Extras:
		return c.menu(guide.NoticeStale), nil
	case !ok || !private.Located:
		return Composed{Screen: guide.NearScreen()}, nil
	default:
		places, err := c.store.PlacesNear(ctx, private.Lat, private.Lon, nearRadius, foundMax)
		if err != nil {
			return Composed{}, err
		}
		entries := make([]guide.Entry, len(places))
		for i, place := range places {
			entries[i] = guide.Entry{Entity: guide.Place, ID: place.ID, Name: place.Name,
				Note: fmt.Sprintf("%d м, %s", int(place.Metres/10)*10, place.Address)}
		}
		return Composed{Screen: guide.FoundList("Рядом с вами", entries)}, nil
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
		if err != nil {
			return Composed{}, err
		}
		if len(hits) == 0 {
			return c.menu(guide.NoticeNoHits), nil
		}
		entries := make([]guide.Entry, len(hits))
		for i, hit := range hits {
			entries[i] = guide.Entry{Entity: string(hit.Kind), ID: hit.ID, Name: hit.Name, Note: c.note(hit.Address, hit.StartsAt)}
		}
		// The words themselves are not repeated: a screen is kept in Temporal.
		return Composed{Screen: guide.FoundList("Вот что нашлось", entries)}, nil
	}
}

// private opens what the door has sealed. What can't be opened, sealed by a
// process with another token, is as if it were not there.
func (c *composer) private() (guide.Private, bool) {
	if c.config.Seal == nil || len(c.update.Sealed) == 0 {
		return guide.Private{}, false
	}
	private, err := c.config.Seal.Open(c.update.Sealed, c.update.ID)
	return private, err == nil
}

func (c *composer) note(address string, starts *time.Time) string {
	if starts == nil {
		return address
	}
	return guide.Moment(starts.In(c.now.Location()), c.now)
}
