package db_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
)

func TestStatisticsTellEachDayByItself(t *testing.T) {
	d, first := owing(t)
	d.send(first, 0, true, 11)
	d.send(d.oweOne(2), 0, true, 12)
	lost := post(-1, 3, "Пропал кот Мурзик, рыжий, ул. Лесная, 4. Тел. 8 900 000-12-34")
	lost.PostedAt = time.Now().Add(-48 * time.Hour)
	d.store(lost)
	exec := func(statement string) {
		_, err := d.pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	exec("UPDATE relay.deliveries SET sent_at = sent_at - interval '1 day', created_at = sent_at - interval '1 day 30 minutes' WHERE post_id = 2")
	exec("UPDATE relay.posts SET posted_at = now() - interval '1 day 2 hours' WHERE post_id = 2")
	exec("INSERT INTO relay.read_calls VALUES ('a', date_trunc('hour', now()), 40), ('b', date_trunc('hour', now()), 2), ('a', now() - interval '9 days', 7)")

	days, err := d.ledger.Statistics(t.Context(), 4, time.Now())
	require.NoError(t, err)
	require.Len(t, days, 4)
	require.Empty(t, days[0].Sent)
	require.Equal(t, map[string]int{somewhere: 1}, days[2].Sent)
	require.Equal(t, map[string]int{somewhere: 1}, days[3].Sent)
	require.Equal(t, []int{0, 1, 0, 0}, []int{days[0].Lost, days[1].Lost, days[2].Lost, days[3].Lost})
	require.InDelta(t, 2*time.Hour, days[2].Delay.Half, float64(time.Minute))
	require.InDelta(t, 30*time.Minute, days[2].Queued.Most, float64(time.Minute))
	require.Equal(t, db.Spread{}, days[0].Delay)
	require.Equal(t, 42, days[3].Calls)
}

func TestADayThatIsOverIsSummedOnce(t *testing.T) {
	d, first := owing(t)
	d.send(first, 0, true, 11)
	d.send(d.oweOne(2), 0, true, 12)
	exec := func(statement string) {
		_, err := d.pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	exec("UPDATE relay.deliveries SET sent_at = sent_at - interval '3 days', created_at = sent_at - interval '3 days 30 minutes' WHERE post_id = 2")
	before, err := d.ledger.Statistics(t.Context(), 4, time.Now())
	require.NoError(t, err)
	require.Equal(t, map[string]int{somewhere: 1}, before[0].Sent)
	require.NotZero(t, before[0].Delay)

	require.NoError(t, d.ledger.KeepDays(t.Context(), time.Now()))
	exec("UPDATE relay.deliveries SET sent_at = NULL, status = 'failed'")
	require.NoError(t, d.ledger.KeepDays(t.Context(), time.Now()))
	after, err := d.ledger.Statistics(t.Context(), 4, time.Now())
	require.NoError(t, err)
	require.Equal(t, before[:3], after[:3], "what was summed is read")
	require.Empty(t, after[3].Sent, "today is counted each time")
}
