package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"vestnik/activities"
	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
	"vestnik/worker"
)

// The bare workflow has as many activities as a delivery and its share of the
// lane, of the same kinds, with nothing in them: one on the platform's queue and
// two local ones.
func bareWorkflow(ctx workflow.Context) error {
	options := activities.SendOptions("telegram:1", "nothing")
	if err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), "bench_nothing").Get(ctx, nil); err != nil {
		return err
	}
	local := workflow.WithLocalActivityOptions(ctx, activities.QuickOptions("nothing"))
	if err := workflow.ExecuteLocalActivity(local, nothing).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.ExecuteLocalActivity(local, nothing).Get(ctx, nil)
}

func nothing(context.Context) error { return nil }

func registerBare(workers *worker.Workers) {
	workers.On(protocol.TaskQueue).RegisterWorkflowWithOptions(bareWorkflow, workflow.RegisterOptions{
		Name: "bench_bare", VersioningBehavior: workflow.VersioningBehaviorPinned,
	})
	workers.On(protocol.TelegramTaskQueue).RegisterActivityWithOptions(nothing, activity.RegisterOptions{Name: "bench_nothing"})
}

// bareWorkflows runs n of them, started one after the other as deliveries are,
// and returns how many end in a second.
func (h *harness) bareWorkflows(ctx context.Context, round string, n int) (float64, error) {
	began := time.Now()
	runs := make([]client.WorkflowRun, n)
	for i := range runs {
		var err error
		runs[i], err = h.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: fmt.Sprintf("bare/%s/%d", round, i), TaskQueue: protocol.TaskQueue,
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		}, "bench_bare")
		if err != nil {
			return 0, err
		}
	}
	for _, run := range runs {
		if err := run.Get(ctx, nil); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

// made is what a heap of deliveries came to.
type made struct {
	perSecond             float64
	ownEvents, laneEvents float64
	laneRuns              int
}

// deliver makes n deliveries, shared out among the chats, and measures from
// their start to the last workflow's end.
func (h *harness) deliver(ctx context.Context, n int) (made, error) {
	for _, chat := range h.chats {
		if _, err := h.starter.SetRate(ctx, chat, protocol.Pace{}); err != nil {
			return made{}, fmt.Errorf("take the pace off %s: %w", chat, err)
		}
	}
	owed, err := h.owe(ctx, n)
	if err != nil {
		return made{}, err
	}
	began := time.Now()
	// The lanes begin those whose turn comes first.
	if _, err := h.starter.StartOwed(ctx); err != nil {
		return made{}, err
	}
	own := 0
	for _, delivery := range owed {
		if err := h.temporal.GetWorkflow(ctx, delivery.WorkflowID(), "").Get(ctx, nil); err != nil {
			return made{}, err
		}
	}
	took := time.Since(began)
	if sent := len(h.sandbox.Calls(sandbox.CallFilter{Platform: sandbox.Telegram, Method: "sendMessage", Outcome: sandbox.Accepted})); sent != n {
		return made{}, fmt.Errorf("%d deliveries made %d messages", n, sent)
	}
	for _, delivery := range owed {
		events, _, err := h.events(ctx, delivery.WorkflowID())
		if err != nil {
			return made{}, err
		}
		own += events
	}
	result := made{perSecond: float64(n) / took.Seconds(), ownEvents: float64(own) / float64(n)}
	lanes := 0
	for _, chat := range h.chats {
		events, runs, err := h.events(ctx, protocol.DestinationWorkflowID(chat))
		if err != nil {
			return made{}, err
		}
		lanes += events
		result.laneRuns = max(result.laneRuns, runs)
	}
	result.laneEvents = float64(lanes) / float64(n)
	return result, nil
}

// owe stores n/chats posts and owes each to every chat.
func (h *harness) owe(ctx context.Context, n int) ([]protocol.DeliveryKey, error) {
	var owed []protocol.DeliveryKey
	for post := range (n + len(h.chats) - 1) / len(h.chats) {
		stored := db.Post{Reading: petpost.Reading{Type: petpost.News}} // owed by hand below
		stored.OwnerID, stored.PostID, stored.PostedAt = wallID, int64(1_000_000+post), time.Now()
		stored.Text, stored.ContentHash = advert(post), []byte{1}
		if _, err := h.starter.Posts.StorePage(ctx, db.Page{Posts: []db.Post{stored}, Owed: func(db.Post) []db.Owed { return nil }}); err != nil {
			return nil, err
		}
		for _, chat := range h.chats[:min(len(h.chats), n-len(owed))] {
			if _, _, err := h.starter.Posts.Owe(ctx, stored.OwnerID, stored.PostID, db.Owed{Destination: chat, Weight: 1}); err != nil {
				return nil, err
			}
			owed = append(owed, protocol.DeliveryKey{Destination: chat, OwnerID: stored.OwnerID, PostID: stored.PostID})
		}
	}
	return owed, nil
}

// events counts the events in all runs of a workflow.
func (h *harness) events(ctx context.Context, workflowID string) (events, runs int, err error) {
	description, err := h.temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	if err != nil {
		return 0, 0, err
	}
	info := description.GetWorkflowExecutionInfo()
	events, runs = int(info.GetHistoryLength()), 1
	for run := info.GetExecution().GetRunId(); run != info.GetFirstRunId() && info.GetFirstRunId() != ""; runs++ {
		first := h.temporal.GetWorkflowHistory(ctx, workflowID, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		started, err := first.Next()
		if err != nil {
			return 0, 0, err
		}
		if run = started.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId(); run == "" {
			break
		}
		before, err := h.temporal.DescribeWorkflowExecution(ctx, workflowID, run)
		if err != nil {
			return 0, 0, err
		}
		events += int(before.GetWorkflowExecutionInfo().GetHistoryLength())
	}
	return events, runs, nil
}

// storedToSent publishes posts one by one and returns how long each took from
// being stored to its first call, shortest first.
func (h *harness) storedToSent(ctx context.Context, posts int) ([]time.Duration, error) {
	filter := sandbox.CallFilter{Platform: sandbox.Telegram, Method: "sendMessage"}
	var times []time.Duration
	for i := range posts {
		published, err := h.sandbox.AddPost(wallID, sandbox.Post{Text: advert(i)})
		if err != nil {
			return nil, err
		}
		before := len(h.sandbox.Calls(filter))
		if _, err := h.starter.Scan(ctx, protocol.ScanWallsInput{Now: true}); err != nil {
			return nil, err
		}
		waiting, cancel := context.WithTimeout(ctx, time.Minute)
		calls, err := h.sandbox.WaitForCalls(waiting, filter, before+1)
		cancel()
		if err != nil {
			return nil, err
		}
		var stored time.Time
		if err := h.pool.QueryRow(ctx, "SELECT stored_at FROM relay.posts WHERE owner_id = $1 AND post_id = $2", wallID, published.ID).Scan(&stored); err != nil {
			return nil, err
		}
		times = append(times, calls[before].ReceivedAt.Sub(stored))
	}
	slices.Sort(times)
	return times, nil
}

// advert is a lost pet's, each number another pet's: like texts would be taken
// for one case and told once.
func advert(number int) string {
	pick := func(stride int, from ...string) string { return from[(number*stride+number/5)%len(from)] }
	heads := []string{"Ба", "Ви", "Гу", "Да", "Жу", "За", "Ки", "Ло", "Ма", "Ну", "По", "Ри", "Са", "То", "Фи", "Ха"}
	tails := []string{"льзен", "ркот", "мпик", "нтус", "стрель", "вген", "дрон", "зум", "йкал", "ппо", "шкет", "чмок", "гвин", "бло"}
	return fmt.Sprintf("%s %s по кличке %s. %s, дом %d. Позвоните, пожалуйста: 8 900 %03d-%02d-%02d",
		pick(1, "Пропала", "Потерялась", "Помогите найти: потерялась", "Третий день ищем, убежала", "Внимание, пропала"),
		pick(3, "кошка", "собака", "рыжая кошка", "маленькая собака", "трёхцветная кошка", "чёрная собака", "сиамская кошка"),
		heads[number%len(heads)]+tails[number/len(heads)%len(tails)],
		pick(7, "Сорвалась с поводка на ул. Речная", "Выпала из окна на пр. Строителей", "Ушла с дачи в СНТ «Ручеёк»", "Испугалась салюта на ул. Мира", "Видели вечером на ул. Лесная", "Выскочила из машины на ул. Кирова"),
		number, number/10_000%1000, number/100%100, number%100)
}
