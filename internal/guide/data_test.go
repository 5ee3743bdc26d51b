package guide

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWellFormedDataIsTakenApart(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]Action{
		"open:place:123":                       {Verb: Open, Entity: Place, ID: 123},
		"open:event:456":                       {Verb: Open, Entity: Event, ID: 456},
		"open:collection:77":                   {Verb: Open, Entity: Collection, ID: 77},
		"open:promo:55":                        {Verb: Open, Entity: Promo, ID: 55},
		"fav_add:place:123":                    {Verb: FavAdd, Entity: Place, ID: 123},
		"fav_remove:event:456":                 {Verb: FavRemove, Entity: Event, ID: 456},
		"open:menu:places":                     {Verb: Open, Entity: Menu, Code: Places},
		"page:place:0:2":                       {Verb: Page, Entity: Place, Extra: "2"},
		"open:menu:nope":                       {Verb: Open, Entity: Menu, Code: "nope"},
		"dance:place:1":                        {Verb: "dance", Entity: Place, ID: 1},
		"open:menu:check:fav_add:place:9":      {Verb: Open, Entity: Menu, Code: Check, Extra: "fav_add:place:9"},
		"open:place:1:a::b":                    {Verb: Open, Entity: Place, ID: 1, Extra: "a::b"},
		"open:place:9223372036854775807":       {Verb: Open, Entity: Place, ID: math.MaxInt64},
		"fav_remove:place:9223372036854775807": {Verb: FavRemove, Entity: Place, ID: math.MaxInt64},
	} {
		t.Run(data, func(t *testing.T) {
			t.Parallel()
			action, err := ParseAction(data)
			require.NoError(t, err)
			require.Equal(t, want, action)
			require.Equal(t, data, action.String(), "an action writes itself as it was read")
		})
	}
}

var malformed = []string{
	"", "garbage", "open", "open:place", "open::1", ":place:1", "open:place:", "open:place:1:", ":::", "::",
	"open:place:abc", "open:place:-1", "open:place:+1", "open:place:99999999999999999999", "open:place:9223372036854775808",
	"open:place:１", "open:place: 1", "open:place:1 ", "open:place:007", "open:place:0", "fav_add:event:0", "open:menu:",
	"OPEN:place:1", "open:Place:1", "open:banana:1", "open:menu:Places", "open:menu:seventeen_letters",
	"open:place:1:при", "open:place:1:a b", "open:place:1:a\n", "seventeen_letters:place:1",
	"open:place:1:" + strings.Repeat("x", 52),
}

func TestMalformedDataIsRefused(t *testing.T) {
	t.Parallel()
	for _, data := range malformed {
		_, err := ParseAction(data)
		require.ErrorIs(t, err, ErrMalformed, "%q", data)
	}
}

func TestSixtyFourBytesFitAndSixtyFiveDoNot(t *testing.T) {
	t.Parallel()
	fits := "open:place:1:" + strings.Repeat("x", 64-len("open:place:1:"))
	_, err := ParseAction(fits)
	require.NoError(t, err)
	_, err = ParseAction(fits + "x")
	require.ErrorIs(t, err, ErrMalformed)
}

func TestAnExtraThatDoesNotFitIsLeftOut(t *testing.T) {
	t.Parallel()
	action := Action{Verb: Page, Entity: Place, Extra: strings.Repeat("9", 60)}
	require.Equal(t, "page:place:0", action.String())
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]Route{
		"open:menu:main": ToMenu, "back:menu:main": ToMenu, "open:menu:places": ToPlaces, "back:menu:places": ToPlaces,
		"page:place:0:2": ToPlaces, "page:place:0": ToPlaces, "open:menu:places:d": ToPlaceFilter, "open:menu:places:t.p2.d3": ToPlaceFilter,
		"open:menu:places:x": ToPlaces, "open:menu:events": ToEvents, "page:event:0:2.wt": ToEvents,
		"open:menu:events:w": ToEventFilter, "open:menu:events:c.1": ToEventFilter, "open:menu:collections": ToCollections,
		"page:collection:0:2": ToCollections, "page:collection:77:2": ToCollection, "open:collection:77": ToCollection,
		"back:collection:77": ToCollection, "open:menu:favorites": ToFavourites, "page:menu:favorites:2": ToFavourites,
		"open:menu:promos": ToPromos, "page:promo:0:2": ToPromos, "open:promo:55": ToPromo, "open:place:1": ToPlace,
		"open:event:1": ToEvent, "fav_add:place:1": ToAddFavourite, "fav_remove:event:1": ToRemoveFavourite,
		"open:menu:help": ToHelp, "open:menu:check": ToCheck, "open:menu:near": ToNear, "open:menu:find": ToFind,
		"fav_add:promo:1": ToNothing, "fav_add:menu:places": ToNothing, "fav_remove:collection:9223372036854775807": ToNothing,
		"page:place:5:2": ToNothing, "open:menu:nope": ToNothing, "dance:place:1": ToNothing,
	} {
		action, err := ParseAction(data)
		require.NoError(t, err, data)
		require.Equal(t, want, action.Route(), data)
	}
}

func FuzzParseAction(f *testing.F) {
	for _, data := range malformed {
		f.Add(data)
	}
	for _, data := range strings.Fields(oldKeyboards) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) {
		action, err := ParseAction(data)
		if err != nil {
			return
		}
		require.Equal(t, data, action.String())
		require.NotEmpty(t, action.Route())
		// Whatever stands in an extra can be read in every way that a screen
		// might read it, and written again within the limit.
		again := []Action{action.AfterCheck(), {Verb: Page, Entity: Place, Extra: ParsePlaceQuery(action.Extra).String()},
			{Verb: Page, Entity: Event, Extra: ParseEventQuery(action.Extra).String()},
			ParseCardExtra(action.Extra).back(Place, Places), ParseCardExtra(action.Extra).back(Event, Events)}
		for _, next := range again {
			parsed, err := ParseAction(next.String())
			require.NoError(t, err, next.String())
			require.NotEqual(t, ToNothing, parsed.Route(), next.String())
		}
	})
}
