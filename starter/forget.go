package starter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"

	"vestnik/db"
	"vestnik/internal/protocol"
	"vestnik/internal/route"
	"vestnik/internal/words"
)

// States of a copy in a [Forgetting].
const (
	CopyStands     = "stands"      // to be removed, or not to be sent
	CopyRemoving   = "removing"    // its lane has yet to do it
	CopyRemoved    = "removed"     // or it never went out
	CopyNotReached = "not_reached" // a person has to remove it by hand
)

// Forgetting is what is to be forgotten, or was, and how each copy stands.
type Forgetting struct {
	Posts  []db.PostToForget `json:"posts"`
	Copies []ForgottenCopy   `json:"copies"`
	// User: there is a person of the guide with so many Favourites.
	User       bool `json:"user"`
	Favourites int  `json:"favourites"`
}

// ForgottenCopy is what was sent about a post to a destination.
type ForgottenCopy struct {
	Delivery    int64    `json:"delivery"`
	Post        string   `json:"post"`
	Destination string   `json:"destination"`
	State       string   `json:"state"`
	Reason      string   `json:"reason,omitempty"`
	Messages    []string `json:"messages"` // their addresses, where they have one

	key protocol.DeliveryKey
}

// Count returns how many copies are in a state.
func (f Forgetting) Count(state string) int {
	n := 0
	for _, c := range f.Copies {
		if c.State == state {
			n++
		}
	}
	return n
}

// LookForgotten returns what Forget would do, and of what it did how the copies
// stand. It changes nothing.
func (s *Starter) LookForgotten(ctx context.Context, meant db.ToForget) (Forgetting, error) {
	posts, err := s.Posts.PostsToForget(ctx, meant)
	if err != nil {
		return Forgetting{}, err
	}
	found, err := s.copiesOf(ctx, posts)
	if err == nil && meant.TelegramUser != 0 {
		found.Favourites, found.User, err = s.Guide.CountOf(ctx, meant.TelegramUser)
	}
	return found, err
}

func (s *Starter) copiesOf(ctx context.Context, posts []db.PostToForget) (Forgetting, error) {
	copies, err := s.Ledger.Copies(ctx, posts)
	forgetting := Forgetting{Posts: posts, Copies: make([]ForgottenCopy, len(copies))}
	for i, c := range copies {
		forgetting.Copies[i] = ForgottenCopy{
			Delivery: c.ID, Post: protocol.WallPost(c.OwnerID, c.PostID), Destination: c.Destination, Messages: addresses(c), key: c.DeliveryKey,
		}
		forgetting.Copies[i].State, forgetting.Copies[i].Reason = stateOf(c)
	}
	return forgetting, err
}

func stateOf(c db.Copy) (state, reason string) {
	switch {
	case !c.TakenBack:
		return CopyStands, ""
	case c.Removal == protocol.EditPending:
		return CopyRemoving, c.Reason
	case c.Removal == protocol.EditRefused, c.Removal == protocol.EditFailed:
		return CopyNotReached, c.Reason
	case c.Uncertain > 0:
		return CopyNotReached, words.Count(c.Uncertain, "call was", "calls were") + " never answered: each may have left a message of which nobody knows the number"
	}
	return CopyRemoved, c.Reason
}

// addresses are those of a copy's messages, as a browser opens them.
func addresses(c db.Copy) []string {
	destination, err := route.ParseDestination(c.Destination)
	links := make([]string, 0, len(c.MessageIDs))
	if err != nil {
		return links
	}
	if c.MigratedTo != nil {
		destination = destination.WithChat(*c.MigratedTo)
	}
	for _, id := range c.MessageIDs {
		links = append(links, cmp.Or(destination.MessageURL(id), fmt.Sprintf("message %d of %s", id, c.Destination)))
	}
	return links
}

// ErrNoGuideBot is returned where a person of the guide is to be forgotten: their
// sessions are found by the number of the bot, which its token begins with.
var ErrNoGuideBot = errors.New("TELEGRAM_BOT_TOKEN is not set: it says whose sessions in Temporal are the guide's")

// Forget blanks posts for good, takes their copies back, and removes a person of
// the guide, or returns [ErrNoGuideBot]. The audit says who did it, by which kind
// of name, and how much there was: never what. The copies go at the pace of their
// lanes: it waits for them, but no longer than ctx does. It may be repeated.
func (s *Starter) Forget(ctx context.Context, meant db.ToForget) (found Forgetting, err error) {
	if meant.TelegramUser != 0 && !s.Config.Bot.Token.IsSet() {
		return Forgetting{}, ErrNoGuideBot
	}
	if found, err = s.LookForgotten(ctx, meant); err != nil {
		return Forgetting{}, err
	}
	if err = s.forget(ctx, meant, found); err != nil {
		return found, err
	}
	return s.awaitRemoval(ctx, found)
}

func (s *Starter) forget(ctx context.Context, meant db.ToForget, found Forgetting) (err error) {
	what := strings.Join([]string{
		words.Count(len(found.Posts), "post", "posts"), words.Count(len(found.Copies), "copy", "copies"), words.Count(found.Favourites, "favourite", "favourites"),
	}, ", ")
	decision, err := s.decides(ctx, "forget", meant.By(), what)
	if err != nil {
		return err
	}
	defer decision.close(&err)
	ids := make([]int64, len(found.Copies))
	for i, c := range found.Copies {
		ids[i] = c.Delivery
	}
	err = s.TakeBack(ctx, "forgotten on request", ids...)
	if meant.TelegramUser != 0 {
		err = errors.Join(err, s.forgetUser(ctx, meant.TelegramUser))
	}
	err = errors.Join(err, s.Posts.Forget(ctx, found.Posts))
	return errors.Join(err, s.NudgeEdits(ctx)) // of what the posts added to others' messages
}

// awaitRemoval returns how the copies stand when all of them were tried, or ctx
// ends. Histories of their deliveries, whose summaries name a place, go too.
func (s *Starter) awaitRemoval(ctx context.Context, found Forgetting) (Forgetting, error) {
	often := time.NewTicker(removalLook)
	defer often.Stop()
	late := context.WithoutCancel(ctx)
	for {
		now, err := s.copiesOf(late, found.Posts)
		if err != nil {
			return found, err
		}
		now.User, now.Favourites = found.User, found.Favourites
		if now.Count(CopyRemoving) == 0 || ctx.Err() != nil {
			var failures []error
			for _, c := range now.Copies {
				failures = append(failures, s.deleteRuns(late, c.key.WorkflowID(), false))
			}
			return now, errors.Join(failures...)
		}
		select {
		case <-ctx.Done():
		case <-often.C:
		}
	}
}

// removalLook is how often Forget looks what has become of the copies.
const removalLook = 300 * time.Millisecond

// forgetUser ends the sessions of a person with the bot, their histories too, and
// removes what the guide keeps of them.
func (s *Starter) forgetUser(ctx context.Context, user int64) error {
	number, _, _ := strings.Cut(s.Config.Bot.Token.Reveal(), ":")
	bot, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return ErrNoGuideBot
	}
	if err := s.deleteRuns(ctx, protocol.SessionWorkflowID(bot, user), true); err != nil {
		return err
	}
	return s.Guide.ForgetUser(ctx, user)
}

// deleteRuns deletes the histories of a workflow ID, that of a running one too if
// asked for. The last run is asked for by itself: lists lag behind.
func (s *Starter) deleteRuns(ctx context.Context, workflowID string, running bool) error {
	temporal := s.Temporal
	last, err := temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	if isNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("describe %s: %w", workflowID, err)
	}
	runs := []*commonpb.WorkflowExecution{last.GetWorkflowExecutionInfo().GetExecution()}
	if !running && last.GetWorkflowExecutionInfo().GetCloseTime() == nil {
		return nil
	}
	for next := []byte(nil); ; {
		page, err := temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Query: fmt.Sprintf("WorkflowId = '%s'", workflowID), NextPageToken: next,
		})
		if err != nil {
			return fmt.Errorf("list the runs of %s: %w", workflowID, err)
		}
		for _, run := range page.GetExecutions() {
			runs = append(runs, run.GetExecution())
		}
		if next = page.GetNextPageToken(); len(next) == 0 {
			break
		}
	}
	for _, run := range runs {
		_, err := temporal.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: s.Config.Temporal.Namespace, WorkflowExecution: run,
		})
		if err != nil && !isNotFound(err) {
			return fmt.Errorf("delete a run of %s: %w", workflowID, err)
		}
	}
	return nil
}
