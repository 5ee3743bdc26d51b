package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"vestnik/internal/guide"
	"vestnik/internal/telegram"
)

func TestWaitsBetweenAttempts(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		attempt     int
		refused     telegram.Error
		longest     time.Duration
		least, most time.Duration // negative: no further attempt
	}{
		"first":                     {1, telegram.Error{Class: telegram.Unavailable}, longestWait, time.Second, 1250 * time.Millisecond},
		"second":                    {2, telegram.Error{Class: telegram.OutcomeUnknown}, longestWait, 2 * time.Second, 2500 * time.Millisecond},
		"third":                     {3, telegram.Error{Class: telegram.Unavailable}, longestWait, -1, -1},
		"asked to wait":             {1, telegram.Error{Class: telegram.RateLimited, RetryAfter: 3 * time.Second}, longestWait, 3 * time.Second, 3 * time.Second},
		"asked for less":            {2, telegram.Error{Class: telegram.RateLimited, RetryAfter: time.Second}, longestWait, 2 * time.Second, 2500 * time.Millisecond},
		"asked for too much":        {1, telegram.Error{Class: telegram.RateLimited, RetryAfter: 61 * time.Second}, longestWait, -1, -1},
		"longer than a query lives": {1, telegram.Error{Class: telegram.RateLimited, RetryAfter: 11 * time.Second}, queryLife, -1, -1},
		"not reached":               {1, telegram.Error{Class: telegram.Unreachable}, longestWait, time.Second, 1250 * time.Millisecond},
		"refused":                   {1, telegram.Error{Class: telegram.BadRequest}, longestWait, -1, -1},
		"blocked":                   {1, telegram.Error{Class: telegram.Forbidden}, longestWait, -1, -1},
		"a photo's fault":           {1, telegram.Error{Class: telegram.MediaFetchFailed}, longestWait, -1, -1},
		"a wrong token":             {1, telegram.Error{Class: telegram.Unauthorized}, longestWait, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 50 {
				wait := nextWait(row.attempt, &row.refused, row.longest)
				require.GreaterOrEqual(t, wait, row.least)
				require.LessOrEqual(t, wait, row.most)
			}
		})
	}
}

func TestOnlyPhotosBecomeTextAndOnlyForTheirOwnFaults(t *testing.T) {
	t.Parallel()
	for class, text := range map[telegram.Class]bool{
		telegram.MediaInvalidURL: true, telegram.MediaFetchFailed: true, telegram.MediaUnsupported: true,
		telegram.RateLimited: true, telegram.Unavailable: true, telegram.Unreachable: true, telegram.OutcomeUnknown: true,
		telegram.Forbidden: false, telegram.Unauthorized: false, telegram.ChatNotFound: false, telegram.Conflict: false, telegram.Internal: false,
	} {
		require.Equal(t, text, failureOfCall(&telegram.Error{Class: class}, true).TextInstead, class)
		require.False(t, failureOfCall(&telegram.Error{Class: class}, false).TextInstead, class)
	}
	unknown := failureOfCall(&telegram.Error{Class: telegram.BadRequest, Code: 400}, true)
	require.True(t, unknown.TextInstead)
	require.Equal(t, guide.OutboundMediaUnsupported, unknown.Code)
	require.False(t, failureOfCall(&telegram.Error{Class: telegram.BadRequest, Code: 409}, true).TextInstead)
}

func TestAFailureSurvivesItsWayThroughTemporal(t *testing.T) {
	t.Parallel()
	failure := Failure{Code: guide.Outbound5XX, Message: "m", Details: "d", TextInstead: true, Blocked: true}
	require.Equal(t, failure, FailureOf(fmt.Errorf("activity: %w", failure.fail(time.Second))))
	var application *temporal.ApplicationError
	require.ErrorAs(t, failure.fail(3*time.Second), &application)
	require.Equal(t, 3*time.Second, application.NextRetryDelay())
	require.False(t, application.NonRetryable())
	require.ErrorAs(t, failure.Err(), &application)
	require.True(t, application.NonRetryable())
	require.Equal(t, guide.InternalUnexpected, FailureOf(errors.New("something")).Code)
}

func TestAnErrorOfTheDataIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for state, lasting := range map[string]bool{"22001": true, "23505": true, "42P01": true, "08006": false, "57P01": false, "55P03": false, "53300": false, "40001": false} {
		require.Equal(t, lasting, permanent(state), state)
	}
	require.Equal(t, "SQLSTATE 57P01", dbDetails(&pgconn.PgError{Code: "57P01", Message: "значение", Detail: "секрет"}))
	require.Equal(t, "timeout", dbDetails(context.DeadlineExceeded))
	require.Equal(t, "no connection", dbDetails(pgx.ErrTxClosed))
}

func TestTheGateLetsScreensPassBeforeChecks(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	leave, err := g.enter(t.Context(), screenTurn)
	require.NoError(t, err)
	passed := make(chan turn)
	var waiting sync.WaitGroup
	enter := func(who turn) {
		waiting.Go(func() {
			leave, err := g.enter(context.Background(), who)
			if err == nil {
				passed <- who
				leave()
			}
		})
	}
	for _, who := range []turn{checkTurn, checkTurn, screenTurn, screenTurn} {
		before := g.queued()
		enter(who)
		require.Eventually(t, func() bool { return g.queued() > before }, 10*time.Second, time.Millisecond)
	}
	leave()
	for _, who := range []turn{screenTurn, screenTurn, checkTurn, checkTurn} {
		require.Equal(t, who, <-passed)
	}
	waiting.Wait()
	require.Equal(t, 1, g.free)
}

func (g *gate) queued() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, waiting := range g.waiting {
		n += len(waiting)
	}
	return n
}

func TestWhoGivesUpAtTheGateTakesNoPlace(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	leave, err := g.enter(t.Context(), screenTurn)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = g.enter(ctx, checkTurn)
	require.ErrorIs(t, err, context.Canceled)
	leave()
	leave, err = g.enter(t.Context(), checkTurn)
	require.NoError(t, err)
	leave()
	require.Equal(t, 1, g.free)
}
