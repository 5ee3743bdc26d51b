package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/testenv"
)

func TestABadRuleStopsTheStartWithItsLineAndReason(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "routes.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`destinations: [{id: "telegram:-1001500000001"}]
rules:
  - name: кошки
    types: [lost]
    include_regex: ["(кот"]
    to: ["telegram:-1001500000001"]
`), 0o600))
	_, err := openAs(t.Context(), "worker", map[string]string{
		"DATABASE_URL": testenv.Database(t), "TEMPORAL_ADDRESS": testenv.TemporalAddress(t), "TEMPORAL_NAMESPACE": testenv.Namespace(t),
		"ROUTES_FILE": path,
	}, io.Discard)
	require.ErrorContains(t, err, "ROUTES_FILE "+path+": routes: line 5: rule 1: include_regex: error parsing regexp: missing closing )")
}
