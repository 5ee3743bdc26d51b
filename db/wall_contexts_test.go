package db_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/petpost"
)

func TestAWallsContextIsLearnedFromItsStoredPosts(t *testing.T) {
	d := newDesk(t)
	const footer = "\nНаши котики ищут дом, заходите в альбом!"
	for id := int64(1); id <= 10; id++ {
		d.store(post(-1, id, fmt.Sprintf("Новость номер %d о погоде%s", id, footer)))
	}
	for id := int64(1); id <= 10; id++ {
		d.store(post(-2, id, fmt.Sprintf("Чужая стена, запись %d", id)))
	}
	none, err := d.posts.WallContext(t.Context(), -1)
	require.NoError(t, err)
	require.Nil(t, none, "nothing is learned yet")

	learned, err := d.posts.LearnWall(t.Context(), -1)
	require.NoError(t, err)
	require.Equal(t, 10, learned.Posts, "of this wall alone")
	require.Equal(t, []petpost.Boilerplate{{Text: "Наши котики ищут дом, заходите в альбом!", Posts: 10}}, learned.Units)
	kept, err := d.posts.WallContext(t.Context(), -1)
	require.NoError(t, err)
	require.Equal(t, &learned, kept)

	_, err = d.pool.Exec(t.Context(), `UPDATE relay.posts SET text = 'Совсем о другом, пост ' || post_id WHERE owner_id = -1`)
	require.NoError(t, err)
	again, err := d.posts.LearnWall(t.Context(), -1)
	require.NoError(t, err)
	require.Empty(t, again.Units, "the wall has changed its footer")

	_, err = d.pool.Exec(t.Context(), `UPDATE relay.wall_contexts SET version = version - 1`)
	require.NoError(t, err)
	stale, err := d.posts.WallContext(t.Context(), -1)
	require.NoError(t, err)
	require.Nil(t, stale, "what another version has learned is learned anew")
}
