package vk_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/post"
	"vestnik/internal/vk"
)

func TestAPostWhoseCardWasFollowedLosesTheCardAndKeepsItsHash(t *testing.T) {
	t.Parallel()
	read := func(...post.ID) ([]json.RawMessage, error) {
		return []json.RawMessage{json.RawMessage(`{"id":5,"owner_id":-2,"text":"Пропал кот Барсик"}`)}, nil
	}
	posts := []vk.Post{decode(t, `{"id":1,"owner_id":-1,"text":"Важный репост!","attachments":[{"type":"link","link":{"url":"https://vk.com/wall-2_5"}}]}`)}
	before := posts[0]
	require.NoError(t, vk.FollowLinks(posts, read))
	followed := posts[0]
	require.Equal(t, []string{"Пропал кот Барсик"}, followed.RepostTexts())
	require.Equal(t, "wall-2_5", followed.Origin.String())
	require.Len(t, before.Attachments, 1)
	require.Empty(t, followed.Attachments)
	require.Equal(t, before.ContentHash, followed.ContentHash, "it is not to look edited at the next reading")
}
