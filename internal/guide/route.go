package guide

import "cmp"

// Route is the screen an action leads to.
type Route string

// Routes.
const (
	ToMenu            Route = "menu"
	ToPlaces          Route = "places"
	ToPlaceFilter     Route = "place_filter"
	ToEvents          Route = "events"
	ToEventFilter     Route = "event_filter"
	ToCollections     Route = "collections"
	ToCollection      Route = "collection"
	ToFavourites      Route = "favorites"
	ToPromos          Route = "promos"
	ToPlace           Route = "place"
	ToEvent           Route = "event"
	ToPromo           Route = "promo"
	ToAddFavourite    Route = "favorite_add"
	ToRemoveFavourite Route = "favorite_remove"
	ToHelp            Route = "help"
	ToCheck           Route = "check"
	ToNear            Route = "near"
	ToNearFilter      Route = "near_filter"
	ToFind            Route = "find"
	// ToNothing is well formed and unknown: a button of another version, or
	// a forged one.
	ToNothing Route = "unknown"
)

// entities are the screens of each entity: its card, and the list of all.
var entities = map[string]struct{ card, list Route }{
	Place:      {ToPlace, ToPlaces},
	Event:      {ToEvent, ToEvents},
	Collection: {ToCollection, ToCollections},
	Promo:      {ToPromo, ToPromos},
}

// sections are the screens of the menu, and for a list with filters the letters
// of those and the screen on which one is chosen.
var sections = map[string]struct {
	screen  Route
	filters string
	choice  Route
}{
	Main:        {screen: ToMenu},
	Places:      {ToPlaces, "dts", ToPlaceFilter},
	Events:      {ToEvents, "csw", ToEventFilter},
	Collections: {screen: ToCollections},
	Favourites:  {screen: ToFavourites},
	Promos:      {screen: ToPromos},
	Help:        {screen: ToHelp},
	Check:       {screen: ToCheck},
	Near:        {ToNear, "t", ToNearFilter},
	Find:        {screen: ToFind},
}

// Route looks the action up. back and page are open, each in its own way.
func (a Action) Route() Route {
	route := ToNothing
	switch entity := entities[a.Entity]; a.Verb {
	case Open, Back:
		if route = entity.card; a.Entity == Menu {
			route = a.section()
		}
	case Page:
		switch {
		case a.Entity == Menu:
			route = a.section()
		case a.ID == 0:
			route = entity.list
		case a.Entity == Collection:
			route = ToCollection
		}
	case FavAdd, FavRemove:
		switch {
		case a.Entity != Place && a.Entity != Event:
		case a.Verb == FavAdd:
			route = ToAddFavourite
		default:
			route = ToRemoveFavourite
		}
	}
	return cmp.Or(route, ToNothing)
}

func (a Action) section() Route {
	section := sections[a.Code]
	if _, choosing := parseChoosing(a.Extra, section.filters); choosing && a.Verb != Page {
		return section.choice
	}
	return section.screen
}

// NeedsSubscription reports whether the screen is only for subscribers of the
// channel. Help is for everybody: who can't get in must be able to ask why.
func (r Route) NeedsSubscription() bool { return r != ToHelp }

// ListPage is the page that a list's action asks for, 1 if it says none.
func (a Action) ListPage() int { return parsePage(a.Extra) }

// Choosing is the filter screen that an action of [ToPlaceFilter],
// [ToEventFilter] or [ToNearFilter] asks for.
func (a Action) Choosing() Choosing {
	choosing, _ := parseChoosing(a.Extra, sections[a.Code].filters)
	return choosing
}

// AfterCheck is what a person wanted when the gate stopped them: the action
// that the "check" button carries, or the main menu.
func (a Action) AfterCheck() Action {
	wanted, err := ParseAction(a.Extra)
	if err != nil || wanted.Route() == ToCheck || wanted.Route() == ToNothing {
		return OpenMenu(Main)
	}
	return wanted
}

// Stale is well formed and leads nowhere, for a button whose data was neither.
func Stale() Action { return OpenMenu("stale") }
