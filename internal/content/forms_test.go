package content_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func TestAFormThatIsSavedAsItIsChangesNothing(t *testing.T) {
	t.Parallel()
	city := content.SampleCity(time.Date(2026, 11, 20, 15, 0, 0, 0, rulesOfDesk.Zone), "https://photos.example.com")
	city.Promos[0].EndsAt = new(time.Date(2026, 12, 31, 23, 59, 59, 0, rulesOfDesk.Zone))
	city.Events[0].StartsAt = new(city.Events[0].StartsAt.Add(30 * time.Second))
	text, err := json.Marshal(city)
	require.NoError(t, err)
	objects := opened(t, "", strings.NewReader(string(text)), rulesOfDesk, content.TableOptions{})

	rules, named := rulesOfDesk, map[content.List][]content.Named{}
	for _, object := range objects {
		named[object.List] = append(named[object.List], content.Named{ID: object.ID, Title: content.Title(object.Payload), Published: true})
	}
	rules.Known = func(list content.List) ([]content.Named, error) { return named[list], nil }
	for _, object := range objects {
		require.Empty(t, object.Refusals)
		shown := object.List.New()
		require.NoError(t, json.Unmarshal(object.Payload, shown))
		values := map[string]string{}
		for _, field := range content.FormFields(shown, rules.Zone, func(list content.List, id string) string {
			if title := content.Titles(named[list])[id]; title != "" {
				return title
			}
			return id
		}) {
			values[field.Name] = field.Value
		}
		form, err := content.Form(object.List, object.ID, values, rules)
		require.NoError(t, err)
		saved, err := form.Next()
		require.NoError(t, err)
		require.Empty(t, saved.Refusals)
		require.JSONEq(t, string(object.Payload), string(saved.Payload))
	}
}
