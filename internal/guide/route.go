package guide

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

// Route looks the action up. back and page are open, each in its own way.
func (a Action) Route() Route {
	switch a.Verb {
	case Open, Back:
		switch a.Entity {
		case Place:
			return ToPlace
		case Event:
			return ToEvent
		case Collection:
			return ToCollection
		case Promo:
			return ToPromo
		case Menu:
			return a.section()
		}
	case Page:
		switch {
		case a.Entity == Menu:
			return a.section()
		case a.Entity == Collection && a.ID > 0:
			return ToCollection
		case a.ID > 0:
			return ToNothing
		}
		switch a.Entity {
		case Place:
			return ToPlaces
		case Event:
			return ToEvents
		case Collection:
			return ToCollections
		case Promo:
			return ToPromos
		}
	case FavAdd, FavRemove:
		if a.Entity != Place && a.Entity != Event {
			return ToNothing
		}
		if a.Verb == FavAdd {
			return ToAddFavourite
		}
		return ToRemoveFavourite
	}
	return ToNothing
}

func (a Action) section() Route {
	switch a.Code {
	case Main:
		return ToMenu
	case Places:
		if _, choosing := parseChoosing(a.Extra, placeFilters); choosing && a.Verb != Page {
			return ToPlaceFilter
		}
		return ToPlaces
	case Events:
		if _, choosing := parseChoosing(a.Extra, eventFilters); choosing && a.Verb != Page {
			return ToEventFilter
		}
		return ToEvents
	case Collections:
		return ToCollections
	case Favourites:
		return ToFavourites
	case Promos:
		return ToPromos
	case Help:
		return ToHelp
	case Check:
		return ToCheck
	case Near:
		if _, choosing := parseChoosing(a.Extra, nearFilters); choosing && a.Verb != Page {
			return ToNearFilter
		}
		return ToNear
	case Find:
		return ToFind
	}
	return ToNothing
}

// NeedsSubscription reports whether the screen is only for subscribers of the
// channel. Help is for everybody: who can't get in must be able to ask why.
func (r Route) NeedsSubscription() bool { return r != ToHelp }

// ListPage is the page that a list's action asks for, 1 if it says none.
func (a Action) ListPage() int { return parsePage(a.Extra) }

// Choosing is the filter screen that an action of [ToPlaceFilter],
// [ToEventFilter] or [ToNearFilter] asks for.
func (a Action) Choosing() Choosing {
	filters := placeFilters
	switch a.Code {
	case Events:
		filters = eventFilters
	case Near:
		filters = nearFilters
	}
	choosing, _ := parseChoosing(a.Extra, filters)
	return choosing
}

// AfterCheck is what a person wanted when the gate stopped them: the action
// that the "check" button carries, or the main menu.
func (a Action) AfterCheck() Action {
	wanted, err := ParseAction(a.Extra)
	if err != nil || wanted.Route() == ToCheck || wanted.Route() == ToNothing {
		return openMenu(Main)
	}
	return wanted
}

// ToMainMenu is the action that opens the main menu.
func ToMainMenu() Action { return openMenu(Main) }

// ToFindScreen is the action that searches.
func ToFindScreen() Action { return openMenu(Find) }

// Stale is well formed and leads nowhere, for a button whose data was neither.
func Stale() Action { return openMenu("stale") }

// ToHelpScreen is the action that opens help.
func ToHelpScreen() Action { return openMenu(Help) }
