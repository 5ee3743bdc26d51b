package guide

import "time"

// What the guide's screens show. The store gives these types as they are here.

// Listing is one page of a list.
type Listing[T any] struct {
	Items []T
	// Page is 1 to Pages; Pages is at least 1.
	Page, Pages int
	// Total is how many entries there are on all pages.
	Total int
}

// Choice is a value of a filter: a district, a type, a category.
type Choice struct {
	ID   int64
	Name string
}

// PlaceFilter narrows a list of places; 0 means any. The three combine.
type PlaceFilter struct {
	District, Type, Subcategory int64
	// ByRating puts the best rated first; otherwise places come by name.
	ByRating bool
}

// PlaceFilterNames are the chosen values by name; "" for what is not chosen
// or not published any more.
type PlaceFilterNames struct{ District, Type, Subcategory string }

// PlaceLine is a place in the list.
type PlaceLine struct {
	ID      int64
	Name    string
	Address string  // "" if unknown
	Kind    string  // its first type and its district: "Кофейни, Центр"; may be ""
	Rating  float64 // 0…5; 0: not rated
}

// PlaceView is a place with all that its card shows.
type PlaceView struct {
	ID            int64
	Name          string
	Address       string
	Rating        float64 // 0…5; 0: not rated
	District      string
	Types         []string // in the CMS's order
	Subcategories []string
	Description   string
	Phone         string
	Site          string
	Lat, Lon      *float64 // nil if unknown
	Photo         string   // URL of the cover: the first photo not known to be broken; "" if there is none
	Favourite     bool     // of the person who asked
}

// EventFilter narrows a list of events. Events that are over at Now are never
// listed. On a day to come stand the events that begin on it, and of the earlier
// ones those that last half a day or more.
type EventFilter struct {
	Category, Source int64     // 0 is any
	Now              time.Time // required
	From             time.Time // events that are not over at From; zero is Now
	To               time.Time // events that start before To; zero is no end
}

// EventFilterNames are the chosen values by name; "" for what is not chosen
// or not published any more.
type EventFilterNames struct{ Category, Source string }

// EventLine is an event in the list.
type EventLine struct {
	ID     int64
	Title  string
	Starts time.Time
	Ends   *time.Time // nil: not known
	Venue  string     // name of the place, or else the event's own address
}

// EventView is an event with all that its card shows.
type EventView struct {
	ID          int64
	Title       string
	Starts      time.Time
	Ends        *time.Time // nil: not known
	OverAt      time.Time  // Ends, or what an event of its categories usually takes
	PlaceID     int64      // 0: no venue, or one that is no longer shown
	Venue       string     // name of the place, "" if the CMS named none
	Lat, Lon    *float64   // of Address; nil if unknown
	Address     string     // the event's own, or else the venue's
	Categories  []string   // in the CMS's order
	Source      string
	Price       string // as the CMS wrote it
	Description string
	Link        string
	Photo       string // URL of the first photo not known to be broken; "" if there is none
	Favourite   bool   // of the person who asked
}

// PromoLine is a promo in the list.
type PromoLine struct {
	ID    int64
	Title string
	Venue string     // "" if it belongs to no place
	Until *time.Time // nil: no end
}

// PromoView is a promo with all that its card shows.
type PromoView struct {
	ID          int64
	Title       string
	Description string
	Code        string // "" if none is needed
	PlaceID     int64  // 0: no venue, or one that is no longer shown
	Venue       string
	Address     string
	Starts      *time.Time // nil: always
	Until       *time.Time // nil: no end
	Photo       string     // the venue's
}

// OverAt reports whether the promo holds no longer: it does until just before
// Until.
func (p PromoView) OverAt(now time.Time) bool { return p.Until != nil && !now.Before(*p.Until) }

// CollectionView is a selection made by the editors, without its entries.
type CollectionView struct {
	ID          int64
	Title       string
	Description string
}

// Entry is a place or event in a mixed list.
type Entry struct {
	Entity  string // Place or Event
	ID      int64
	Name    string // the last known, also when it is gone
	Kind    string // of a place, see PlaceLine
	Address string
	Starts  *time.Time // of an event
	Ends    *time.Time // of an event; nil: not known
	Over    bool       // the event is past
	Metres  *float64   // from where the person is, along the great circle; nil if nobody asked
	// Gone entries, not published any more, are kept, but can't be opened.
	Gone bool
}

// entryNote is what stands beside the entry's name. Times are shown in the time
// zone of now.
func (t *Texts) entryNote(e Entry, now time.Time) string {
	switch {
	case e.Gone:
		return t.Lists.Gone
	case e.Over:
		return t.Lists.Past
	case e.Starts != nil:
		return notes(t.eventTime(*e.Starts, e.Ends, now), e.Address)
	case e.Metres != nil:
		return notes(e.Kind, t.distance(*e.Metres)+", "+e.Address)
	}
	return notes(e.Kind, e.Address)
}

// Subscription is whether a person may use the guide. The zero value means
// that nobody asked.
type Subscription string

// Values of Subscription.
const (
	SubscriptionUnknown Subscription = "unknown"
	Subscribed          Subscription = "subscribed"
	NotSubscribed       Subscription = "not_subscribed"
)
