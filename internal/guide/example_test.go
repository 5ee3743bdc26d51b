package guide_test

import (
	"fmt"

	"vestnik/internal/guide"
)

// A button's data is action:entity_type:entity_id[:extra]; Route says which
// screen it leads to, whatever the verb.
func ExampleParseAction() {
	for _, data := range []string{"open:place:123:l2.d3", "page:place:0:2.d3.t5", "open:menu:places:d.t5", "open:menu:nope", "open:place:0"} {
		action, err := guide.ParseAction(data)
		if err != nil {
			fmt.Println(data, "is malformed")
			continue
		}
		fmt.Println(data, "leads to", action.Route())
	}
	// Output:
	// open:place:123:l2.d3 leads to place
	// page:place:0:2.d3.t5 leads to places
	// open:menu:places:d.t5 leads to place_filter
	// open:menu:nope leads to unknown
	// open:place:0 is malformed
}

// A list's query and the extra of the buttons that turn its pages are the same
// thing, read and written.
func ExampleParsePlaceQuery() {
	query := guide.ParsePlaceQuery("2.d3.t5")
	fmt.Println("page", query.Page, "district", query.District, "type", query.Type)
	query.Page++
	fmt.Println(guide.Action{Verb: guide.Page, Entity: guide.Place, Extra: query.String()})
	// Output:
	// page 2 district 3 type 5
	// page:place:0:3.d3.t5
}

// A card's way back stands in its button.
func ExampleParseCardExtra() {
	extra := guide.ParseCardExtra("full.l2.d3")
	fmt.Println(extra.Full, extra.Origin)
	// Output: true l2.d3
}
