package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBillNamesEveryModuleOfTheBinaryWithItsVersion(t *testing.T) {
	t.Parallel()
	b := billOf(&debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "vestnik", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:abc="},
			{Path: "example.com/b", Version: "v2.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v2.0.1", Sum: "h1:def="}},
		},
	})
	require.Equal(t, component{Type: "application", Name: "vestnik", Version: "v1.2.3", PURL: "pkg:golang/vestnik@v1.2.3"}, b.Metadata.Component)
	require.Equal(t, []component{
		{Type: "library", Name: "std", Version: "go1.26.8", PURL: "pkg:golang/std@go1.26.8"},
		{Type: "library", Name: "example.com/a", Version: "v1.0.0", PURL: "pkg:golang/example.com/a@v1.0.0", Properties: []property{{"go:sum", "h1:abc="}}},
		{Type: "library", Name: "example.com/fork", Version: "v2.0.1", PURL: "pkg:golang/example.com/fork@v2.0.1", Properties: []property{{"go:sum", "h1:def="}}},
	}, b.Components)
}
