// Package content is the city's content on its way from the CMS and the editors:
// the types of a batch, reading one as a stream of JSON or out of tables, the
// rules its objects must keep and what may be a slip, forms, the import's status
// and difference, and the OpenAPI description that is generated from these types.
// It also invents a sample city.
//
// The package is pure: it reads what it is given and touches no network and no
// database. What an object refers to is looked up where it is stored (guidedb).
package content

import "time"

// Limits of one batch, chosen so that the largest city's whole content fits.
const (
	MaxBatchBytes  = 50 << 20
	MaxObjects     = 100_000
	MaxObjectBytes = 256 << 10
)

// Mode says what a batch means for what it does not name.
type Mode string

const (
	// Upsert creates and changes what the batch names and leaves the rest.
	Upsert Mode = "upsert"
	// Snapshot also unpublishes what the batch does not name, in each list it
	// has: an empty list unpublishes everything of its kind, a list that is
	// not there is left alone.
	Snapshot Mode = "snapshot"
)

// Enum lists the modes, for the API description.
func (Mode) Enum() []any { return []any{Upsert, Snapshot} }

// Batch is what POST /api/v1/cms/import takes. Ids are the CMS's own and
// stable; references name them and may point into the same batch or at what
// was imported before. The tags are the rules: Check enforces them and the API
// description repeats them. Unknown fields of an object are ignored.
type Batch struct {
	Mode            Mode            `json:"mode,omitempty" default:"upsert" description:"snapshot also unpublishes what the lists of this batch do not name; a list that is missing is left alone"`
	Districts       []District      `json:"districts,omitempty"`
	Types           []Type          `json:"types,omitempty"`
	Subcategories   []Subcategory   `json:"subcategories,omitempty"`
	Places          []Place         `json:"places,omitempty"`
	EventCategories []EventCategory `json:"event_categories,omitempty"`
	EventSources    []EventSource   `json:"event_sources,omitempty"`
	Events          []Event         `json:"events,omitempty"`
	Collections     []Collection    `json:"collections,omitempty"`
	Promos          []Promo         `json:"promos,omitempty"`

	Unpublish map[List][]string `json:"unpublish,omitempty" description:"ids to be unpublished, by list, whatever the mode"`
}

// District is a part of the city.
type District struct {
	ID   string `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Name string `json:"name" required:"true" minLength:"1" maxLength:"128"`
}

// Type is a kind of places, such as "Кофейни".
type Type struct {
	ID   string `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Name string `json:"name" required:"true" minLength:"1" maxLength:"128"`
}

// Subcategory divides a type further.
type Subcategory struct {
	ID   string `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Type string `json:"type" required:"true" minLength:"1" maxLength:"128" description:"id of a type"`
	Name string `json:"name" required:"true" minLength:"1" maxLength:"128"`
}

// Place is somewhere to go. A place of a subcategory is listed under the
// subcategory's type too, whether or not it names the type.
type Place struct {
	ID            string   `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Name          string   `json:"name" required:"true" minLength:"1" maxLength:"256"`
	Address       string   `json:"address,omitempty" maxLength:"512"`
	Rating        *float64 `json:"rating,omitempty" minimum:"0" maximum:"5"`
	Description   string   `json:"description,omitempty" maxLength:"10000"`
	District      string   `json:"district,omitempty" maxLength:"128" description:"id of a district"`
	Types         []string `json:"types,omitempty" maxItems:"20" description:"ids of types"`
	Subcategories []string `json:"subcategories,omitempty" maxItems:"50" description:"ids of subcategories"`
	Photos        []string `json:"photos,omitempty" maxItems:"20" description:"https addresses; the first is the cover. An image behind them must keep to Telegram's rules for photos by URL: 5 MB, width and height together 10000, ratio 20"`
	Lat           *float64 `json:"lat,omitempty" minimum:"-90" maximum:"90"`
	Lon           *float64 `json:"lon,omitempty" minimum:"-180" maximum:"180"`
	Phone         string   `json:"phone,omitempty" maxLength:"64"`
	Site          string   `json:"site,omitempty" maxLength:"2048" format:"uri"`
}

// EventCategory is a kind of events, such as "Музыка".
type EventCategory struct {
	ID    string   `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Name  string   `json:"name" required:"true" minLength:"1" maxLength:"128"`
	Hours *float64 `json:"hours,omitempty" minimum:"0.25" maximum:"720" description:"how long an event of this kind lasts that names no end; 3 where no category says"`
}

// EventSource is who announced an event.
type EventSource struct {
	ID   string `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Name string `json:"name" required:"true" minLength:"1" maxLength:"128"`
	URL  string `json:"url,omitempty" maxLength:"2048" format:"uri"`
}

// Event happens at a time.
type Event struct {
	ID          string     `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Title       string     `json:"title" required:"true" minLength:"1" maxLength:"256"`
	StartsAt    *time.Time `json:"starts_at" required:"true" nullable:"false" description:"RFC 3339"`
	EndsAt      *time.Time `json:"ends_at,omitempty" description:"RFC 3339; an event without it lasts as long as its longest category says, or 3 hours"`
	Place       string     `json:"place,omitempty" maxLength:"128" description:"id of a place"`
	Address     string     `json:"address,omitempty" maxLength:"512" description:"if it is not the place's"`
	Categories  []string   `json:"categories,omitempty" maxItems:"20" description:"ids of event_categories"`
	Source      string     `json:"source,omitempty" maxLength:"128" description:"id of an event_source"`
	URL         string     `json:"url,omitempty" maxLength:"2048" format:"uri"`
	Price       string     `json:"price,omitempty" maxLength:"128" example:"от 500 ₽"`
	Description string     `json:"description,omitempty" maxLength:"10000"`
	Photos      []string   `json:"photos,omitempty" maxItems:"20"`
}

// Collection is the editors' selection of places and events.
type Collection struct {
	ID          string           `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Title       string           `json:"title" required:"true" minLength:"1" maxLength:"256"`
	Description string           `json:"description,omitempty" maxLength:"10000"`
	Items       []CollectionItem `json:"items,omitempty" maxItems:"500"`
}

// CollectionItem names one place or one event.
type CollectionItem struct {
	Place string `json:"place,omitempty" maxLength:"128" description:"id of a place; either this or event"`
	Event string `json:"event,omitempty" maxLength:"128" description:"id of an event; either this or place"`
}

// String is the item as tables and forms have it: place:p1 or event:e1.
func (i CollectionItem) String() string {
	if i.Place != "" {
		return "place:" + i.Place
	}
	return "event:" + i.Event
}

// Promo is an offer, the same for everyone.
type Promo struct {
	ID          string     `json:"id" required:"true" minLength:"1" maxLength:"128"`
	Title       string     `json:"title" required:"true" minLength:"1" maxLength:"256"`
	Place       string     `json:"place,omitempty" maxLength:"128" description:"id of a place; its photo goes with the promo"`
	Code        string     `json:"code,omitempty" maxLength:"64"`
	Description string     `json:"description,omitempty" maxLength:"10000"`
	StartsAt    *time.Time `json:"starts_at,omitempty" description:"RFC 3339; holds from ever if missing"`
	EndsAt      *time.Time `json:"ends_at,omitempty" description:"RFC 3339; holds without end if missing"`
}
