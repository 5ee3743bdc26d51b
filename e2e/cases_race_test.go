package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/protocol"
	"vestnik/internal/sandbox"
)

func TestACaseThatTwoWorkersMeetAtOnceIsToldOnce(t *testing.T) {
	const neighbour, neighbourRef = int64(-500000007), "e2e_neighbours"
	s := newHarness(t, toBoth, map[string]string{"VK_WALLS": sourceRef + "," + neighbourRef})
	require.NoError(t, s.sandbox.AddWall(sandbox.Wall{OwnerID: neighbour, ScreenName: neighbourRef, Name: "Соседи"}))
	s.spawn()
	s.spawn()
	s.scan() // both walls are known

	const searches = 6
	for i := range searches {
		here := fmt.Sprintf("Пропал пёс Рекс-%d, рыжий, бигль, убежал с ул. Лесная, %d. Тел. 8 900 000-71-%02d. %s", i, 10+i, i, privateWords)
		there := fmt.Sprintf("Помогите найти собаку! Бигль, рыжий с белым, видели у ул. Лесная, %d. Звоните 8 900 000-71-%02d. %s", 10+i, i, privateWords)
		s.publish(sandbox.Post{Text: here})
		_, err := s.sandbox.AddPost(neighbour, sandbox.Post{Text: there, Date: s.last})
		require.NoError(t, err)

		// As the schedule's scan and one by hand may run side by side.
		var scans sync.WaitGroup
		for _, wall := range []string{sourceRef, neighbourRef} {
			scans.Go(func() {
				run, err := s.temporal.ExecuteWorkflow(s.ctx, client.StartWorkflowOptions{
					ID: fmt.Sprintf("%s-%s-%d", protocol.ScanWallsID, wall, i), TaskQueue: protocol.TaskQueue,
				}, protocol.ScanWallsWorkflow, protocol.ScanWallsInput{Walls: []string{wall}, Now: true})
				if err == nil {
					err = run.Get(s.ctx, nil)
				}
				if err != nil {
					t.Errorf("scan of %s: %v", wall, err)
				}
			})
		}
		scans.Wait()
	}
	for _, destination := range []string{chat, wall} {
		told := map[int64][]db.DeliveryRow{} // by case
		for _, row := range s.deliveries(destination) {
			if row.Status != protocol.StatusSuppressed {
				row = s.ended(row)
			}
			told[*row.Case] = append(told[*row.Case], row)
		}
		require.Len(t, told, searches)
		for _, rows := range told {
			require.Len(t, rows, 2)
			first, second := rows[0], rows[1]
			if first.Status == protocol.StatusSuppressed {
				first, second = second, first
			}
			require.Equal(t, protocol.StatusSent, first.Status)
			require.Equal(t, protocol.StatusSuppressed, second.Status)
			require.Equal(t, first.ID, *second.DuplicateOf)
		}
	}
	require.Len(t, s.sandbox.Messages(chatID), searches)
	require.Len(t, s.sandbox.Posts(target), searches)
}

func TestEachStageOfASearchAnswersItsFirstMessage(t *testing.T) {
	s := newHarness(t, toBoth)
	s.work()
	first := s.ended(s.send(chat, sandbox.Post{Text: rexIsLost}))
	onWall := s.ended(s.delivery(wall, first.PostID))
	held := s.ended(s.send(chat, sandbox.Post{Text: "Найден пёс, рыжий бигль, ул. Лесная, сидит у меня. Хозяева, позвоните 8 900 000-71-71! Похож на Рекса."}))
	home := s.ended(s.send(chat, sandbox.Post{Text: rexIsHome}))
	require.Equal(t, []string{string(petpost.Lost), string(petpost.Found), string(petpost.Reunited)}, []string{first.Type, held.Type, home.Type})
	for _, later := range []db.DeliveryRow{held, home} {
		require.Equal(t, protocol.StatusSent, later.Status)
		require.Equal(t, first.Case, later.Case)
		require.Equal(t, first.ID, *later.ReplyTo)
		require.Equal(t, onWall.ID, *s.ended(s.delivery(wall, later.PostID)).ReplyTo)
	}
	s.edited(first, 1)
	s.edited(held, 1)
	s.edited(onWall, 1)
	messages := s.sandbox.Messages(chatID)
	require.Len(t, messages, 3)
	for _, later := range messages[1:] {
		require.Equal(t, messages[0].ID, later.ReplyTo)
	}
	for _, earlier := range messages[:2] {
		require.Contains(t, earlier.Text, "прежнее объявление", "what was told before is marked as closed")
	}
	s.edited(s.delivery(wall, held.PostID), 1)
	posts := s.sandbox.Posts(target)
	require.Len(t, posts, 3)
	require.Contains(t, posts[1].Text, "прежнее объявление", "an edit keeps the address")
	address := "https://vk.com/" + protocol.WallPost(target, onWall.MessageIDs[0])
	for _, later := range posts[1:] {
		require.Contains(t, later.Text, "Первое объявление: "+address, "a wall has no replies")
	}
	require.NotContains(t, posts[0].Text, "Первое объявление")
}
