package content_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/content"
)

func TestTheDescriptionIsMadeOfTheTypesAndTheirRules(t *testing.T) {
	t.Parallel()
	text, err := content.OpenAPI()
	require.NoError(t, err)
	var description struct {
		OpenAPI    string `json:"openapi"`
		Paths      map[string]map[string]any
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
				Required   []string
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &description))
	require.Regexp(t, `^3\.1\.`, description.OpenAPI)
	require.Contains(t, description.Paths[content.ImportPath], "post")
	require.Contains(t, description.Paths[content.ImportPath+"/{id}"], "get")
	require.Contains(t, string(text), "РЕЧНАЯ10", "an example of a batch")
	require.Contains(t, string(text), "Название;Адрес", "and of a table")
	for _, list := range content.Lists {
		require.Contains(t, description.Components.Schemas["ImportRequest"].Properties, string(list))
	}
	place := description.Components.Schemas["Place"]
	require.Equal(t, []string{"id", "name"}, place.Required)
	require.EqualValues(t, 5, place.Properties["rating"]["maximum"])
	require.EqualValues(t, 256, place.Properties["name"]["maxLength"])
	require.Equal(t, []string{"id", "title", "starts_at"}, description.Components.Schemas["Event"].Required)
	require.Contains(t, description.Components.Schemas["Refusal"].Properties, "value")
}
