package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

// wallOf is what a scan says about the wall that is read.
func wallOf(t *testing.T, result protocol.ScanWallsResult) protocol.WallRead {
	t.Helper()
	require.Len(t, result.Walls, 1)
	return result.Walls[0]
}

var wallGets = sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.get"}

func TestOnlyLostPetsAreDeliveredUnlessARouteSaysOtherwise(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(
		sandbox.Post{Text: "Найдена собака! Рыжий кобель в ошейнике, у моста на Речной. Хозяин, отзовись, 8 900 000-11-12"},
		sandbox.Post{Text: "Отдам котят в добрые руки, 2 месяца, к лотку приучены. 8 900 000-11-13"},
		sandbox.Post{Text: "Пёс дома ❤️ Всем спасибо за репосты!"},
		lost(1),
	)
	read := wallOf(t, s.scan())
	require.Equal(t, 4, read.New)
	require.Equal(t, 1, read.Owed)
	require.Len(t, s.deliveries(chat), 1)
	require.Equal(t, protocol.StatusSent, s.ended(s.deliveries(chat)[0]).Status)
	require.Equal(t, []int64{1}, numbersIn(t, s.sandbox.Messages(chatID)))
	for _, post := range s.sandbox.Posts(source) {
		stored, err := s.starter.Posts.Get(s.ctx, source, post.ID)
		require.NoError(t, err)
		require.Equal(t, post.Text, stored.Text, "everything is stored, as it was written")
	}
}

func TestOldPostsAreStoredAndNotDelivered(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	old, pinned, fresh := lost(1), lost(2), lost(3)
	old.Date = time.Now().Add(-49 * time.Hour)
	pinned.Date, pinned.Pinned = time.Now().Add(-90*24*time.Hour), true
	s.publish(pinned, old, fresh)
	read := wallOf(t, s.scan())
	require.Equal(t, 3, read.New)
	require.Equal(t, 1, read.Owed)
	require.Equal(t, protocol.StatusSent, s.ended(s.deliveries(chat)[0]).Status)
	require.Equal(t, []int64{3}, numbersIn(t, s.sandbox.Messages(chatID)))
}

func TestANewPinnedPostIsDeliveredInItsPlace(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	pinned := lost(1)
	pinned.Pinned = true
	s.publish(pinned, lost(2), lost(3))
	s.scan()
	require.Equal(t, []int64{1, 2, 3}, numbersIn(t, s.afterMessages(3)))
}

func TestPostsThatAreNotForReadersArePassedOverAndCounted(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	ad, donut, suggested, postponed, odd := lost(1), lost(2), lost(3), lost(4), lost(5)
	ad.Ads, donut.DonutOnly, suggested.Type = true, true, "suggest"
	postponed.Type, postponed.Date = "postpone", time.Now().Add(time.Hour)
	odd.Extra = map[string]any{"attachments": "none", "copy_history": 7, "likes": []int{}, "is_pinned": "no", "edited": "yes"}
	s.publish(ad, donut, suggested, postponed, odd, lost(6))
	read := wallOf(t, s.scan())
	require.Equal(t, map[string]int{"ads": 1, "donut": 1}, read.Skipped, "suggested and postponed posts are not shown to strangers at all")
	require.Equal(t, 2, read.Owed, "an odd field costs nothing but itself")
	require.Equal(t, []int64{5, 6}, numbersIn(t, s.afterMessages(2)))
	s.keepHistory("ScanWalls/skipped_posts", "scan-walls-by-hand")
}

func TestAnItemThatMakesNoSenseCostsItselfAlone(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	broken := lost(1)
	broken.Extra = map[string]any{"id": "no number"}
	s.publish(broken, lost(2))
	read := wallOf(t, s.scan())
	require.Equal(t, map[string]int{"undecodable": 1}, read.Skipped)
	require.Equal(t, []int64{2}, numbersIn(t, s.afterMessages(1)))
}

func TestARepostIsUnderstoodAndToldWithItsOriginal(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	original := lost(1)
	original.ID, original.OwnerID, original.FromID, original.Date = 77, -42, -42, time.Now().Add(-2*time.Hour)
	original.Photos = []sandbox.WallPhoto{{Drawing: "cat-grey", Width: 800, Height: 600}}
	s.publish(sandbox.Post{Text: "Друзья, помогите с репостом!", Reposts: []sandbox.Post{original}})
	read := wallOf(t, s.scan())
	require.Equal(t, 1, read.Owed)
	message := s.afterMessages(1)[0]
	require.NotNil(t, message.Photo, "a repost without its photos is of little use")
	require.Contains(t, message.Caption, "Друзья, помогите с репостом!")
	require.Contains(t, message.Caption, "Мурка-1")
	stored, err := s.starter.Posts.Get(s.ctx, source, s.sandbox.Posts(source)[0].ID)
	require.NoError(t, err)
	require.Equal(t, petpost.Lost, stored.Reading.Type)
	require.Equal(t, int64(-42), stored.Origin.OwnerID)
	require.Equal(t, int64(77), stored.Origin.PostID)
}

func TestAChainOfRepostsIsReadFromItsFarEndAndEverybodyIsNamed(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	original := lost(1)
	original.ID, original.OwnerID, original.FromID, original.Date = 77, -42, 4242, time.Now().Add(-2*time.Hour)
	s.publish(sandbox.Post{Reposts: []sandbox.Post{
		{OwnerID: 43, ID: 5, FromID: 43, Date: time.Now().Add(-time.Hour), Text: "Видели вчера у моста, репост!"}, {OwnerID: 44, ID: 6, FromID: 44}, original,
	}})
	s.scan()
	text := s.afterMessages(1)[0].Text
	require.Contains(t, text, "Пропал питомец")
	require.Contains(t, text, "Комментарий к репосту:\nВидели вчера у моста")
	require.Contains(t, text, "Из репоста:\n"+original.Text[:20])
	require.Contains(t, text, "✍️ Автор")
	stored, err := s.starter.Posts.Get(s.ctx, source, s.sandbox.Posts(source)[0].ID)
	require.NoError(t, err)
	require.Equal(t, []int64{43, 44, 4242}, []int64{stored.Reposts[0].FromID, stored.Reposts[1].FromID, stored.Reposts[2].FromID})
	s.scan()
	require.Zero(t, wallOf(t, s.scan()).Edited, "read by its id it is the same")
}

func TestAPostThatIsTheAddressOfAnotherIsReadAsItsRepost(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	const elsewhere = int64(-500000009)
	require.NoError(t, s.sandbox.AddWall(sandbox.Wall{OwnerID: elsewhere, ScreenName: "e2e_elsewhere", Name: "Соседний город"}))
	ad := lost(1)
	ad.Date, ad.Photos = time.Now().Add(-2*time.Hour), []sandbox.WallPhoto{{Drawing: "cat-grey", Width: 800, Height: 600}}
	ad, err := s.sandbox.AddPost(elsewhere, ad)
	require.NoError(t, err)
	address := fmt.Sprintf("https://vk.com/club500000009?w=wall%d_%d", elsewhere, ad.ID)
	byID := sandbox.CallFilter{Platform: sandbox.VK, Method: "wall.getById"}
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.getById", Times: 1, Code: 10})
	bare := s.publish(sandbox.Post{Text: address}, sandbox.Post{Text: "Важный репост!\n" + address},
		sandbox.Post{Text: "Сводка за день: " + address + " и https://vk.com/wall-500000009_999"},
		sandbox.Post{Text: fmt.Sprintf("https://vk.com/wall%d_999", elsewhere)})
	s.scan()
	message := s.afterMessages(1)[0]
	require.NotNil(t, message.Photo)
	require.Contains(t, message.Caption, "Мурка-1")
	require.NotContains(t, message.Caption, address, "the address is not read twice")
	stored, err := s.starter.Posts.Get(s.ctx, source, bare[0].ID)
	require.NoError(t, err)
	require.Equal(t, petpost.Lost, stored.Reading.Type)
	require.Equal(t, post.ID{OwnerID: elsewhere, PostID: ad.ID}, stored.Origin)
	second := s.delivery(chat, bare[1].ID)
	require.Equal(t, protocol.StatusSuppressed, second.Status, "it is one case")
	for _, i := range []int{2, 3} {
		other, err := s.starter.Posts.Get(s.ctx, source, bare[i].ID)
		require.NoError(t, err)
		require.Empty(t, other.Reposts, "of several addresses none is its own, and what VK does not show stays an address")
	}
	asked := len(s.sandbox.Calls(byID))
	require.Equal(t, 2, asked, "one call for all, and one that failed")
	require.Zero(t, wallOf(t, s.scan()).Edited)
	require.Len(t, s.sandbox.Calls(byID), asked, "what is known is not asked for again")
}

func TestWhatAWallRepeatsIsNotReadAndIsLearnedForTheNextPost(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	const footer = "\n\nПотерялась собака? Нашли котика? Пишите нам, поможем!"
	for _, news := range []string{
		"В субботу ярмарка на площади", "Сдам гараж на Лесной улице", "Завтра отключат воду", "С праздником, учителя!",
		"Продам велосипед, почти новый", "Открылась новая пекарня", "Автобус ходит по новому расписанию", "Концерт в парке в шесть",
	} {
		s.publish(sandbox.Post{Text: news + footer})
	}
	require.Zero(t, wallOf(t, s.scan()).Owed, "the first page tells what the wall repeats")
	wall, err := s.starter.Posts.WallContext(s.ctx, source)
	require.NoError(t, err)
	require.NotEmpty(t, wall.Units)

	hamster := s.publish(sandbox.Post{Text: "Пропал хомяк Пряник, рыжий, ул. Мира 5, дочка плачет" + footer})[0]
	require.Equal(t, 1, wallOf(t, s.scan()).Owed)
	stored, err := s.starter.Posts.Get(s.ctx, source, hamster.ID)
	require.NoError(t, err)
	require.Equal(t, []any{petpost.Lost, petpost.Other}, []any{stored.Reading.Type, stored.Reading.Animal})
	require.NotEmpty(t, stored.Reading.SetAside)
	require.Contains(t, s.afterMessages(1)[0].Text, "Пишите нам", "readers get the whole text")
}

func TestAnEditedPostIsUpdatedAndNotToldTwice(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	post := s.publish(lost(1))[0]
	s.scan()
	s.ended(s.delivery(chat, post.ID))
	require.NoError(t, s.sandbox.EditPost(source, post.ID, func(p *sandbox.Post) { p.Text += " UPD: видели у школы." }))
	read := wallOf(t, s.scan())
	require.Equal(t, 0, read.New)
	require.Equal(t, 1, read.Edited)
	require.Equal(t, 0, read.Owed)
	require.Len(t, s.sandbox.Messages(chatID), 1)
	stored, err := s.starter.Posts.Get(s.ctx, source, post.ID)
	require.NoError(t, err)
	require.Contains(t, stored.Text, "UPD")
	require.Equal(t, 0, wallOf(t, s.scan()).Edited, "and is then known as it is")
}

func TestPagesAreReadUntilTheKnownPostsAreReached(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(sandbox.Post{Text: "Всем доброе утро"})
	require.Equal(t, 1, wallOf(t, s.scan()).Calls)
	for i := range 250 {
		s.publish(sandbox.Post{Text: fmt.Sprintf("Новость %d", i)})
	}
	s.publish(lost(1))
	read := wallOf(t, s.scan())
	require.Equal(t, 251, read.New)
	require.Equal(t, 4, read.Calls, "20, then 100 and 100 and the rest, each with a post of overlap")
	require.Equal(t, 1, wallOf(t, s.scan()).Calls, "one page is enough when there is no news")
	pages := s.sandbox.Calls(wallGets)
	require.Equal(t, "100", pages[0].Text("count"))
	require.Equal(t, "20", pages[1].Text("count"))
	require.Equal(t, "19", pages[2].Text("offset"))
	require.Equal(t, "118", pages[3].Text("offset"))
}

func TestTheSameWallReadByTwoWorkersAtOnceIsOneDeliveryForEachPost(t *testing.T) {
	s := newHarness(t, toChat, toWall)
	other := setHarnessBeside(t, s)
	s.work()
	other.work()
	s.publish(lostPets(8)...)
	// A wall.get that takes long lets both read before either stores.
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Times: 2, DelayMS: 500})
	group, ctx := errgroup.WithContext(s.ctx)
	for i := range 2 {
		group.Go(func() error {
			run, err := s.temporal.ExecuteWorkflow(ctx, startOf(fmt.Sprintf("scan-%d", i)), protocol.ScanWallsWorkflow, protocol.ScanWallsInput{Now: true})
			if err != nil {
				return err
			}
			return run.Get(ctx, nil)
		})
	}
	require.NoError(t, group.Wait())
	require.Len(t, s.sandbox.Calls(wallGets), 2)
	for _, destination := range []string{chat, wall} {
		deliveries := s.deliveries(destination)
		require.Len(t, deliveries, 8)
		for _, delivery := range deliveries {
			require.Equal(t, protocol.StatusSent, s.ended(delivery).Status)
		}
	}
	require.Equal(t, upTo(8), numbersIn(t, s.sandbox.Messages(chatID)))
	require.Len(t, s.sandbox.Posts(target), 8)
}

func TestAWallThatCannotBeReadIsParkedAndHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, reason string
		change       func(*sandbox.Wall)
		least        time.Duration
	}{
		{"closed", "access_denied", func(w *sandbox.Wall) { w.State = sandbox.ClosedWall }, 55 * time.Minute},
		{"banned", "content_blocked", func(w *sandbox.Wall) { w.State = sandbox.BannedWall }, 55 * time.Minute},
		{"deleted", "access_denied", func(w *sandbox.Wall) { w.State = sandbox.DeletedWall }, 55 * time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			const bad = int64(-500000003)
			s := newHarness(t, toChat, map[string]string{"VK_WALLS": "a_bad_wall,no_such_wall," + sourceRef})
			require.NoError(t, s.sandbox.AddWall(sandbox.Wall{OwnerID: bad, ScreenName: "a_bad_wall"}))
			require.NoError(t, s.sandbox.ChangeWall(bad, row.change))
			s.work()
			s.publish(lost(1))
			result := s.scan()
			require.Len(t, result.Walls, 3)
			for _, read := range result.Walls {
				switch read.Name {
				case "a_bad_wall":
					require.Equal(t, row.reason, read.Parked)
				case "no_such_wall":
					require.NotEmpty(t, read.Parked)
				default:
					require.Equal(t, 1, read.Owed)
				}
			}
			require.Equal(t, []int64{1}, numbersIn(t, s.afterMessages(1)))
			plan, err := s.starter.Plan(s.ctx)
			require.NoError(t, err)
			for _, wall := range plan.Walls {
				if wall.Name == "a_bad_wall" {
					require.Equal(t, "parked", wall.State)
					require.Equal(t, row.reason, wall.Reason)
					require.Greater(t, time.Until(wall.NextReadAt), row.least)
				}
			}
			s.keepHistory("ScanWalls/parked_wall", "scan-walls-by-hand")

			scanOf(t, s, "a_bad_wall")
			require.Greater(t, time.Until(planOf(t, s, "a_bad_wall").NextReadAt), min(2*row.least, 23*time.Hour), "ever later")

			// A person who knows that it is open again asks for it by name.
			require.NoError(t, s.sandbox.ChangeWall(bad, func(w *sandbox.Wall) { w.State = sandbox.OpenWall }))
			require.Empty(t, scanOf(t, s, "a_bad_wall").Parked)
		})
	}
}

// scanOf reads one wall now.
func scanOf(t *testing.T, s *harness, name string) protocol.WallRead {
	t.Helper()
	result, err := s.starter.Scan(s.ctx, protocol.ScanWallsInput{Walls: []string{name}, Now: true})
	require.NoError(t, err)
	return wallOf(t, result)
}

// planOf is what the plan says about a wall.
func planOf(t *testing.T, s *harness, name string) protocol.WallPlan {
	t.Helper()
	plan, err := s.starter.Plan(s.ctx)
	require.NoError(t, err)
	for _, wall := range plan.Walls {
		if wall.Name == name {
			return wall
		}
	}
	require.Fail(t, "no such wall in the plan", name)
	return protocol.WallPlan{}
}

func TestABackslashThatAPersonTypesCostsNothing(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	typed := lost(1)
	typed.Text = `Прибил\u0000ся кот. ` + typed.Text
	s.publish(typed, lost(2))
	read := wallOf(t, s.scan())
	require.Equal(t, 2, read.Owed)
	require.Empty(t, read.SetAside)
	require.Contains(t, s.afterMessages(2)[0].Text, `Прибил\u0000ся кот.`, "it arrives as it was typed")
	require.Len(t, s.sandbox.Calls(wallGets), 1)
}

func TestAPostThatCanNotBeStoredIsSetAsideAndShown(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	bad := s.publish(lost(1))[0]
	s.refuse(fmt.Sprintf("NEW.post_id = %d", bad.ID), "23514") // a constraint that a later version may bring
	s.publish(lost(2))
	read := wallOf(t, s.scan())
	name := protocol.WallPost(source, bad.ID)
	require.Equal(t, []string{name + ": postgres 23514"}, read.SetAside)
	require.Equal(t, 1, read.Owed)
	require.Equal(t, []int64{2}, numbersIn(t, s.afterMessages(1)))
	shown := planOf(t, s, sourceRef)
	require.Equal(t, protocol.WallOpen, shown.State)
	require.Contains(t, shown.Reason, name)
	require.True(t, s.logs.holds(name+": postgres 23514"))
}

func TestAWallThatFailsForAFaultOfOurOwnIsDueEverLater(t *testing.T) {
	const other = int64(-500000003)
	s := newHarness(t, toChat, map[string]string{"VK_WALLS": "another_wall," + sourceRef})
	require.NoError(t, s.sandbox.AddWall(sandbox.Wall{OwnerID: other, ScreenName: "another_wall"}))
	s.work()
	_, err := s.sandbox.AddPost(other, lost(2))
	require.NoError(t, err)
	s.publish(lost(1))
	s.refuse(fmt.Sprintf("NEW.owner_id = %d", other), "XX000")
	result := s.scan()
	require.Len(t, result.Walls, 2)
	require.NotEmpty(t, result.Walls[0].Failed)
	require.Equal(t, 1, result.Walls[1].Owed, "the other wall is read all the same")
	require.Equal(t, protocol.WallFailing, planOf(t, s, "another_wall").State)
	first := time.Until(planOf(t, s, "another_wall").NextReadAt)
	scanOf(t, s, "another_wall")
	scanOf(t, s, "another_wall")
	require.Greater(t, time.Until(planOf(t, s, "another_wall").NextReadAt), 3*first, "each time twice as late")
	_, err = s.pool.Exec(s.ctx, "DROP TRIGGER refuses ON relay.posts")
	require.NoError(t, err)
	require.Equal(t, 1, scanOf(t, s, "another_wall").Owed)
	require.Equal(t, protocol.WallOpen, planOf(t, s, "another_wall").State)
}

// refuse lets Postgres take no posts for which a condition holds.
func (s *harness) refuse(condition, sqlstate string) {
	s.t.Helper()
	_, err := s.pool.Exec(s.ctx, fmt.Sprintf(`
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '%s'; END $$;
		CREATE TRIGGER refuses BEFORE INSERT ON relay.posts FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse();`, sqlstate, condition))
	require.NoError(s.t, err)
}

func TestARenamedWallGoesOnBeingRead(t *testing.T) {
	byID := fmt.Sprintf("club%d", -source)
	for _, names := range [][]string{{byID, sourceRef}, {sourceRef, byID}} {
		t.Run(names[0], func(t *testing.T) {
			s := newHarness(t, toChat, map[string]string{"VK_WALLS": names[0]})
			stop := s.work()
			s.publish(lost(1))
			require.Equal(t, 1, wallOf(t, s.scan()).New)
			stop()
			s.environ["VK_WALLS"] = names[1]
			renamed := setHarnessBeside(t, s)
			renamed.work()
			s.publish(lost(2))
			read := wallOf(t, s.scan())
			require.Equal(t, names[1], read.Name)
			require.Empty(t, read.Parked)
			require.Equal(t, 1, read.New)
			require.Equal(t, "20", s.sandbox.Calls(wallGets)[1].Text("count"), "it is not read like a new wall")
		})
	}
}

func TestAnEmptyAnswerOfVKsIsNotBelieved(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first := s.ended(s.send(chat, lost(1)))
	second := s.ended(s.send(chat, lost(2)))
	empty := func(method string, times int) {
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: method, Times: times, Body: `{"response":{"count":0,"items":[]}}`, ContentType: "application/json"})
	}
	for range 2 { // nothing on the wall, and nothing by the ids
		empty("wall.get", 1)
		empty("wall.getById", 1)
		require.Zero(t, wallOf(t, s.scan()).Deleted)
		s.minutesPass()
	}
	require.NoError(t, s.sandbox.DeletePost(source, first.PostID))
	empty("wall.getById", 1)
	require.Zero(t, wallOf(t, s.scan()).Deleted, "not when everything that was asked for is gone")
	s.minutesPass()
	require.Zero(t, wallOf(t, s.scan()).Deleted, "not at first sight")
	require.Zero(t, wallOf(t, s.scan()).Deleted, "nor moments later")
	s.minutesPass()
	require.Equal(t, 1, wallOf(t, s.scan()).Deleted)
	s.edited(first, 1)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "удалена автором")
	edits, err := s.starter.Ledger.Edits(s.ctx, second.ID)
	require.NoError(t, err)
	require.Empty(t, edits)
}

// hide deletes a delivery's post at the source, or has it stand there again.
func (s *harness) hide(d db.DeliveryRow, hidden bool) {
	s.t.Helper()
	require.NoError(s.t, s.sandbox.EditPost(source, d.PostID, func(p *sandbox.Post) { p.Extra = map[string]any{"is_deleted": hidden} }))
}

func TestADeletedPostIsNotSentThoughItWasToldToWait(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(sandbox.Post{Text: "Всем доброе утро"})
	s.fault(sandbox.Fault{Platform: sandbox.Telegram, Method: "sendMessage", Times: 1, RetryAfter: 3600})
	waiting := s.send(chat, lost(1))
	s.until("the lane cools", func() bool { return s.lane(chat).State == protocol.LaneCooling })
	s.hide(waiting, true)
	require.Equal(t, 1, s.deletedAt().Deleted)
	s.openLane(chat)
	require.Equal(t, protocol.StatusSuppressed, s.ended(waiting).Status)
	require.Empty(t, s.sandbox.Messages(chatID))

	s.hide(waiting, false)
	require.Equal(t, 1, wallOf(t, s.scan()).Edited)
	require.Equal(t, []int64{1}, numbersIn(t, s.afterMessages(1)))
}

func TestAPostThatReturnsIsSentAfterAll(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(sandbox.Post{Text: "Всем доброе утро"})
	s.pauseLane(chat, "", "")
	waiting := s.send(chat, lost(1))
	s.hide(waiting, true)
	require.Equal(t, 1, s.deletedAt().Deleted)
	require.Equal(t, protocol.StatusSuppressed, s.again(waiting).Status)
	s.hide(waiting, false)
	require.Equal(t, 1, wallOf(t, s.scan()).Edited)
	s.openLane(chat)
	require.Equal(t, []int64{1}, numbersIn(t, s.afterMessages(1)))
	s.until("it is recorded", func() bool { return s.again(waiting).Status == protocol.StatusSent })
}

func TestAToldPostThatReturnsBelowThePageIsShownAsItStands(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	first := s.ended(s.send(chat, lost(1)))
	var news []sandbox.Post
	for range 30 {
		news = append(news, sandbox.Post{Text: "Спасибо всем, кто пришёл на субботник в приют!"})
	}
	s.publish(news...)
	s.scan()
	s.hide(first, true)
	s.minutesPass()
	require.Equal(t, 1, s.deletedAt().Deleted)
	s.edited(first, 1)
	require.Contains(t, s.sandbox.Messages(chatID)[0].Text, "удалена автором")
	s.hide(first, false)
	s.minutesPass()
	require.Equal(t, 1, wallOf(t, s.scan()).Edited)
	require.Equal(t, "restored", s.edited(first, 2).Cause)
	require.NotContains(t, s.sandbox.Messages(chatID)[0].Text, "удалена автором")
}

func TestHalfAnAnswerOfVKsIsNotBelieved(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.ended(s.send(chat, lost(1)))
	second := s.send(chat, lost(2))
	raw := func(id int64) string { return string(s.sandbox.RawPost(source, id)) }
	answer := func(method string, items ...string) {
		s.fault(sandbox.Fault{Platform: sandbox.VK, Method: method, Times: 1, ContentType: "application/json",
			Body: `{"response":{"count":1,"items":[` + strings.Join(items, ",") + `]}}`})
	}
	for _, row := range []struct {
		name string
		page []string // beside a new post
	}{
		{"the wall shows nothing that it showed before", nil},
		{"what the page shows is missing by its id", []string{raw(second.PostID)}},
	} {
		for range 2 {
			fresh := s.publish(sandbox.Post{Text: "Спасибо всем, кто пришёл на субботник!"})[0]
			answer("wall.get", append(row.page, raw(fresh.ID))...)
			answer("wall.getById", raw(fresh.ID))
			require.Zero(t, wallOf(t, s.scan()).Deleted, row.name)
			s.minutesPass()
		}
	}
	var missed int
	require.NoError(t, s.pool.QueryRow(s.ctx, "SELECT count(*) FROM relay.post_checks WHERE missed_at IS NOT NULL").Scan(&missed))
	require.Zero(t, missed)
}

// minutesPass ages what is known of posts, as far as their next look.
func (s *harness) minutesPass() {
	s.t.Helper()
	for _, statement := range []string{
		"UPDATE relay.posts SET stored_at = stored_at - interval '31 minutes'",
		"UPDATE relay.post_checks SET checked_at = checked_at - interval '31 minutes', missed_at = missed_at - interval '31 minutes'",
	} {
		_, err := s.pool.Exec(s.ctx, statement)
		require.NoError(s.t, err)
	}
}

// deletedAt is a scan that takes posts for deleted: the second one, ten minutes
// after it has missed them.
func (s *harness) deletedAt() protocol.WallRead {
	s.t.Helper()
	require.Zero(s.t, s.scan().Walls[0].Deleted)
	s.minutesPass()
	return s.scan().Walls[0]
}

func TestWhenVKTellsTheReadingKeyToWaitNothingIsRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		code   int
		reason string
		least  time.Duration
	}{
		{29, "method_quota", 55 * time.Minute},
		{9, "flood_control", 10 * time.Minute},
		{5, "key_invalid", 10 * time.Minute},
	} {
		t.Run(fmt.Sprintf("error %d", row.code), func(t *testing.T) {
			s := newHarness(t, toChat, map[string]string{"VK_WALLS": sourceRef + "," + fmt.Sprint(target)})
			s.work()
			s.publish(lost(1))
			s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Code: row.code, Times: 1})
			result := s.scan()
			require.Equal(t, row.reason, wallOf(t, result).Paused)
			require.Len(t, s.sandbox.Calls(wallGets), 1, "the other walls would meet the same")
			require.Empty(t, s.scan().Walls, "not even when a person asks")
			plan, err := s.starter.Plan(s.ctx)
			require.NoError(t, err)
			require.Equal(t, row.reason, plan.PauseReason)
			require.Greater(t, time.Until(*plan.PausedUntil), row.least)
			require.Empty(t, plan.Due())
			s.keepHistory("ScanWalls/key_paused", "scan-walls-by-hand")

			resumed, err := s.starter.ResumeKey(s.ctx, "")
			require.NoError(t, err)
			require.True(t, resumed)
			require.Equal(t, 1, s.scan().Walls[1].Owed, "and an operator can end the pause")
		})
	}
}

func TestAPassingTroubleOfVKsIsRepeatedWithinTheScan(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{
		"too many a second": {Code: 6}, "an internal error": {Code: 10}, "HTML": {Status: 502},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, toChat)
			s.work()
			s.publish(lost(1))
			fault.Platform, fault.Method, fault.Times = sandbox.VK, "wall.get", 1
			s.fault(fault)
			require.Equal(t, 1, wallOf(t, s.scan()).Owed)
			require.Equal(t, []int64{1}, numbersIn(t, s.afterMessages(1)))
		})
	}
}

func TestWhatABudgetCutOffIsReadWhenThereIsABudgetAgain(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"VK_DAILY_QUOTA": "4"})
	s.work()
	s.publish(sandbox.Post{Text: "Всем доброе утро"})
	s.scan()
	for i := range 250 {
		s.publish(sandbox.Post{Text: fmt.Sprintf("Новость %d", i)})
	}
	read := wallOf(t, s.scan())
	require.Equal(t, 3, read.Calls, "the rest of the day's four")
	require.Equal(t, 218, read.New)

	for _, aDayPasses := range []string{
		"UPDATE relay.read_calls SET hour = hour - interval '25 hours'",
		"UPDATE relay.walls SET next_read_at = now()",
	} {
		_, err := s.pool.Exec(s.ctx, aDayPasses)
		require.NoError(t, err)
	}
	s.publish(lost(1))
	require.Equal(t, 33, wallOf(t, s.scan()).New, "the newest, and what lay behind those that were known")
}

func TestTheDaysCallsAreNeverExceededNotEvenByAnotherWorker(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"VK_DAILY_QUOTA": "3"})
	stop := s.work()
	for range 3 {
		require.Len(t, s.scan().Walls, 1)
	}
	require.Empty(t, s.scan().Walls, "the day's calls are spent")
	stop()
	other := setHarnessBeside(t, s)
	other.work()
	require.Empty(t, s.scan().Walls, "and a restart does not bring them back")
	require.Len(t, s.sandbox.Calls(wallGets), 3)
	plan, err := s.starter.Plan(s.ctx)
	require.NoError(t, err)
	require.Equal(t, 3, plan.Used)
	require.Equal(t, 3, plan.Budget)
	require.Greater(t, plan.Walls[0].Every, 5*time.Hour, "what was left of the day was shared out")
}

func TestTheScheduleReadsAndDeliversByItself(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	require.NoError(t, s.starter.Schedule(s.ctx))
	require.NoError(t, s.starter.Schedule(s.ctx), "a second start finds it there")
	s.publish(lost(1))
	require.Equal(t, []int64{1}, numbersIn(t, s.afterMessages(1)))
	s.publish(lost(2))
	require.Equal(t, []int64{1, 2}, numbersIn(t, s.afterMessages(2)))
}

func TestTheLogSaysWhyAPostGoesOrDoesNot(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(sandbox.Post{Text: "Отдам котят в добрые руки, 2 месяца. 8 900 000-11-13"}, lost(1))
	s.scan()
	s.ended(s.deliveries(chat)[0])
	reasons := map[string]string{}
	for line := range strings.Lines(s.logs.all()) {
		var entry struct{ Msg, Post, Why string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Why != "" {
			reasons[entry.Msg] = entry.Why
		}
	}
	require.Contains(t, reasons, "post matched")
	require.Contains(t, reasons, "post not matched")
	for _, message := range []string{"turn granted", "part sent"} {
		require.True(t, s.logs.holds(message), message)
	}
}

func TestAWallsFirstReadingDeliversTheLastHoursAndABackfillTheRest(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"FIRST_READ_HOURS": "2"})
	s.work()
	aged := func(number int, age time.Duration) sandbox.Post {
		post := lost(number)
		post.Date = time.Now().Add(-age)
		return post
	}
	day := 24 * time.Hour
	s.publish(aged(1, 9*day), aged(2, 5*day), aged(3, 30*time.Hour), aged(4, 10*time.Hour), aged(5, time.Hour))
	require.Equal(t, 1, wallOf(t, s.scan()).Owed)
	require.Equal(t, []int64{5}, numbersIn(t, s.afterMessages(1)))

	wanted := protocol.Backfill{Wall: sourceRef, Since: 7 * day, PerHour: 6, DryRun: true}
	dry, err := s.starter.Backfill(s.ctx, wanted)
	require.NoError(t, err)
	require.Len(t, dry.Due, 3)
	require.Len(t, s.deliveries(chat), 1, "a dry run owes nothing")

	wanted.DryRun = false
	result, err := s.starter.Backfill(s.ctx, wanted)
	require.NoError(t, err)
	require.Equal(t, 3, result.Owed)
	for i, post := range []int64{4, 3, 2} { // the newest first, ten minutes apart
		require.Equal(t, post, result.Due[i].PostID)
		require.WithinDuration(t, time.Now().Add(time.Duration(i+1)*10*time.Minute), result.Due[i].DueAt, slack)
	}
	again, err := s.starter.Backfill(s.ctx, wanted)
	require.NoError(t, err)
	require.Zero(t, again.Owed, "once")

	// What is written meanwhile does not wait for them.
	s.publish(aged(6, 0))
	s.scan()
	require.Equal(t, []int64{5, 6}, numbersIn(t, s.afterMessages(2)))
	s.dueNow()
	require.Equal(t, []int64{5, 6, 2, 3, 4}, numbersIn(t, s.afterMessages(5)))
	s.keepHistory("ScanWalls/backfill", "scan-walls-backfill")
}

func TestAReadingTakesAsLongAsThePaceOfItsKey(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"VK_RATE_PER_SEC": "0.06"}) // two pauses of 18 s, more than HeartbeatTimeout
	s.work()
	s.publish(lost(1), sandbox.Post{Text: "https://vk.com/wall-500000001_1"})
	require.Equal(t, 2, wallOf(t, s.scan()).New)
	require.Len(t, s.sandbox.Calls(wallGets), 1)
}

func TestTheFirstPostOfAWallThatWasEmptyIsNews(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"FIRST_READ_HOURS": "2"})
	s.work()
	require.Zero(t, wallOf(t, s.scan()).Posts)
	post := lost(1)
	post.Date = time.Now().Add(-3 * time.Hour) // walls where little happens are read every few hours
	s.publish(post)
	require.Equal(t, 1, wallOf(t, s.scan()).Owed)
}

func TestAWallsFirstReadingTellsTheNewestFirst(t *testing.T) {
	s := newHarness(t, toChat, map[string]string{"FIRST_READ_HOURS": "2"})
	s.work()
	s.publish(lost(1), sandbox.Post{Text: rexIsLost}, lost(2),
		sandbox.Post{Text: "Видели сегодня рыжего бигля Рекса у ТЦ «Флагман», бежал к парку. Тел. хозяев 8 900 000-71-71"}, lost(3))
	s.scan()
	messages := s.afterMessages(5)
	require.Equal(t, []int64{3, 2, 1}, numbersIn(t, slices.Concat(messages[:1], messages[3:])))
	require.Contains(t, messages[1].Text, "ул. Лесная", "of a case, what was written first comes first")
	require.Equal(t, messages[1].ID, messages[2].ReplyTo)

	s.publish(lost(4), lost(5))
	s.scan()
	require.Equal(t, []int64{4, 5}, numbersIn(t, s.afterMessages(7)[5:]), "and from then on in the order of writing")
}

func TestAReadingKeysCaptchaIsAnsweredLikeAnyOther(t *testing.T) {
	s := newHarness(t, toChat)
	s.work()
	s.publish(lost(1))
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Code: 14, Times: 1,
		Extra: map[string]any{"captcha_sid": "900300", "captcha_img": "https://vk.example/captcha.jpg"}})
	require.Equal(t, protocol.ReasonCaptcha, wallOf(t, s.scan()).Paused)
	keys, err := s.starter.ReadingKeys(s.ctx)
	require.NoError(t, err)
	require.True(t, keys[0].Paused())
	require.Equal(t, &protocol.Captcha{SID: "900300", Picture: "https://vk.example/captcha.jpg"}, keys[0].Captcha)

	resumed, err := s.starter.ResumeKey(s.ctx, "зл7к")
	require.NoError(t, err)
	require.True(t, resumed)
	require.Equal(t, 1, wallOf(t, s.scan()).Owed)
	calls := s.sandbox.Calls(wallGets)
	require.Len(t, calls, 2)
	require.Equal(t, "зл7к", calls[1].Text("captcha_key"))
	require.Equal(t, "900300", calls[1].Text("captcha_sid"))
	s.scan()
	require.Empty(t, s.sandbox.Calls(wallGets)[2].Text("captcha_key"), "an answer is good for one call")
}

func TestReadingKeysShareTheWorkAndStandInForEachOther(t *testing.T) {
	const other = "e2e-other-reading-key-secret-000000000000"
	s := newHarness(t, toChat, map[string]string{"VK_TOKEN": readKey + "," + other, "VK_DAILY_QUOTA": "3"})
	require.NoError(t, s.sandbox.AddVKToken(sandbox.VKToken{Name: "other", Value: other, Kind: sandbox.ServiceToken, PerSecond: -1, DailyWallGet: -1}))
	s.work()
	s.publish(lost(1))
	s.fault(sandbox.Fault{Platform: sandbox.VK, Method: "wall.get", Code: 29, Times: 1})
	require.Equal(t, 1, wallOf(t, s.scan()).Owed, "the second key reads what the first may not")
	plan, err := s.starter.Plan(s.ctx)
	require.NoError(t, err)
	require.Nil(t, plan.PausedUntil)
	require.Equal(t, 6, plan.Budget)
	require.Equal(t, 2, plan.Used)

	_, err = s.starter.ResumeKey(s.ctx, "")
	require.NoError(t, err)
	for range 4 {
		require.Empty(t, wallOf(t, s.scan()).Paused)
	}
	keys, err := s.starter.ReadingKeys(s.ctx)
	require.NoError(t, err)
	require.Equal(t, []int{3, 3}, []int{keys[0].Used, keys[1].Used}, "each its share")
	require.Empty(t, s.scan().Walls, "and no more")
}
