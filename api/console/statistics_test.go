package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
)

func TestAChartStacksDestinationsAndSetsOtherSeriesSideBySide(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	drawn := charts(english, []db.Day{
		{Day: day, Sent: map[string]int{"vk:-1": 3, "telegram:-2": 1}, Lost: 4, Reunited: 2},
		{Day: day.AddDate(0, 0, 1), Sent: map[string]int{"vk:-1": 8}, Delay: db.Spread{Half: time.Minute, Most: 2 * time.Hour}},
	}, db.Titles{"telegram:-2": "Потеряшки"})
	sent, types, delay, calls := drawn[0], drawn[1], drawn[2], drawn[4]
	require.Equal(t, "8", sent.Most())
	require.Equal(t, []string{"Потеряшки", "vk:-1"}, sent.Series)
	require.Equal(t, "11", sent.Total(1))
	require.Equal(t, []chartBar{
		{X: 0, Y: 87.5, Width: 8, Height: 12.5, Series: 0, Title: "2026-03-01, Потеряшки: 1"},
		{X: 0, Y: 50, Width: 8, Height: 37.5, Series: 1, Title: "2026-03-01, vk:-1: 3"},
		{X: 10, Y: 0, Width: 8, Height: 100, Series: 1, Title: "2026-03-02, vk:-1: 8"},
	}, sent.Bars())
	require.Equal(t, chartBar{X: 4, Y: 50, Width: 4, Height: 50, Series: 1, Title: "2026-03-01, home again: 2"}, types.Bars()[1])
	require.Equal(t, "2026-03-02, nine in ten within: 2 h", delay.Bars()[1].Title)
	require.Empty(t, delay.Total(0), "durations of different days are not summed")
	require.Empty(t, calls.Most())
	require.Empty(t, calls.Bars())
}
