package content_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func TestTheSampleCityIsABatchWithoutFaults(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 15, 0, 0, 0, time.FixedZone("", 3*3600))
	city := content.SampleCity(now, "http://127.0.0.1:8081/sandbox/photos/")
	require.Len(t, city.Districts, 6)
	require.Len(t, city.Places, 40)
	require.Len(t, city.Events, 30)
	require.Len(t, city.Collections, 6)
	require.Len(t, city.Promos, 12)
	require.Equal(t, "http://127.0.0.1:8081/sandbox/photos/otkos-1.jpg", city.Places[0].Photos[0])

	ids := map[string]bool{"": true}
	for _, place := range city.Places {
		ids[place.ID] = true
	}
	for _, event := range city.Events {
		require.True(t, ids[event.Place], "event %s is at %s", event.ID, event.Place)
	}
	for _, place := range content.SampleCity(now, "").Places {
		require.Empty(t, place.Photos)
	}
	for day := range 7 {
		for _, event := range content.SampleCity(now.AddDate(0, 0, day), "").Events {
			switch event.ID {
			case "saturday-market":
				require.Equal(t, time.Saturday, event.StartsAt.Weekday())
			case "sunday-reading":
				require.Equal(t, time.Sunday, event.StartsAt.Weekday())
			}
		}
	}
	batch, err := json.Marshal(city)
	require.NoError(t, err)
	reader := content.NewReader(strings.NewReader(string(batch)), content.Rules{AllowHTTP: true})
	for {
		object, err := reader.Next()
		if err != nil {
			require.ErrorContains(t, err, "EOF")
			break
		}
		require.Empty(t, object.Refusals)
	}
}

func TestSortKeysFollowTheRussianAlphabet(t *testing.T) {
	t.Parallel()
	require.Equal(t, "елочки 2", content.SortKey("«Ёлочки» № 2"))
	require.Equal(t, "елка", content.SortKey("Е\u0308лка"), "a letter in two characters is the same letter")
	require.Less(t, content.SortKey("Ёлка"), content.SortKey("Жук"))
	require.Less(t, content.SortKey("яблоня"), content.SortKey("Ясень"))
	require.Len(t, []rune(content.SortKey(strings.Repeat("ж", 300))), 64)
	require.Empty(t, content.SortKey("***"))
}
