package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnEmptyVariableDoesNotHaveAWorkerListenOnEveryInterface(t *testing.T) {
	t.Setenv("OPS_ADDR", "")
	t.Setenv("HTTP_ADDR", "")
	require.Equal(t, workerAddr, healthAddr(""))
	t.Setenv("HTTP_ADDR", "127.0.0.1:8091")
	require.Equal(t, "127.0.0.1:8091", healthAddr(""))
	t.Setenv("OPS_ADDR", "127.0.0.1:8092")
	require.Equal(t, "127.0.0.1:8092", healthAddr(""))
	require.Equal(t, "127.0.0.1:8093", healthAddr("127.0.0.1:8093"))
}
