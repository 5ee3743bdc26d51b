package route_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/route"
)

func TestQuietHoursEndInTheMorning(t *testing.T) {
	t.Parallel()
	samara := time.FixedZone("+04", 4*60*60)
	at := func(clock string) time.Time {
		parsed, err := time.ParseInLocation(time.DateTime, "2026-11-22 "+clock, samara)
		require.NoError(t, err)
		return parsed.UTC()
	}
	for _, row := range []struct {
		hours, now string
		left       time.Duration
	}{
		{"23:00-07:00", "22:59:59", 0},
		{"23:00-07:00", "23:00:00", 8 * time.Hour},
		{"23:00-07:00", "00:30:00", 6*time.Hour + 30*time.Minute},
		{"23:00-07:00", "07:00:00", 0},
		{"13:00-14:30", "13:59:30", 30*time.Minute + 30*time.Second},
		{"13:00-14:30", "14:30:00", 0},
		{"00:00-06:00 UTC", "09:00:00", time.Hour},
	} {
		quiet, err := route.ParseQuietHours(row.hours, samara)
		require.NoError(t, err)
		require.Equal(t, row.left, quiet.Left(at(row.now)), "%s at %s", row.hours, row.now)
	}
	require.Zero(t, route.QuietHours{}.Left(at("00:00:00")), "none")
	for _, bad := range []string{"", "23-7", "23:00", "07:00-07:00", "25:00-07:00", "23:00-07:00 Nowhere/City"} {
		_, err := route.ParseQuietHours(bad, samara)
		require.Error(t, err, bad)
	}
}
