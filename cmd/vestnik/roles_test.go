package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/testenv"
)

func TestStatusSaysWhatNeedsAPersonWhileTemporalIsAway(t *testing.T) {
	t.Setenv("DATABASE_URL", testenv.Database(t))
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1") // nobody listens there
	require.EqualError(t, vestnik(t, "status"), "1 thing needs a person")
}

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

func TestAnEmptyLocaleLeavesTheLanguageToTheNext(t *testing.T) {
	t.Setenv("LC_ALL", "")
	t.Setenv("LANG", "ru_RU.UTF-8")
	require.True(t, speaksRussian(""))
	require.False(t, speaksRussian("en"))
	t.Setenv("LC_ALL", "C")
	require.False(t, speaksRussian(""))
}
