package route

import (
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePageOfRoutesNamesEveryKey(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/routes.md")
	require.NoError(t, err)
	for _, entry := range []reflect.Type{reflect.TypeFor[destinationKeys](), reflect.TypeFor[ruleKeys]()} {
		for _, key := range keysOf(entry) {
			require.Contains(t, string(page), "| `"+key+"` | ")
		}
	}
}
