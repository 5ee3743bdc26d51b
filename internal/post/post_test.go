package post_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/post"
)

func TestAPostIsNamedAsPeopleCopyItsAddress(t *testing.T) {
	t.Parallel()
	want := post.ID{OwnerID: -123, PostID: 45}
	for _, text := range []string{
		"wall-123_45", "-123_45", "https://vk.com/wall-123_45", "https://m.vk.com/wall-123_45?reply=7",
		"https://vk.com/lostpets?w=wall-123_45%2Fall", "vk.ru/feed?w=wall-123_45",
	} {
		id, err := post.ParseID(text)
		require.NoError(t, err, text)
		require.Equal(t, want, id, text)
	}
	for _, text := range []string{"", "wall", "wall-123", "photo-1_2", "wall0_1", "wall1_0", "wall99999999999999999999_1"} {
		_, err := post.ParseID(text)
		require.Error(t, err, text)
	}
}

func TestPhotosAreNamedAsVKAttachments(t *testing.T) {
	t.Parallel()
	require.Equal(t, "photo-5_6_abc", post.Photo{OwnerID: -5, ID: 6, AccessKey: "abc"}.Ref())
	require.Equal(t, "photo5_6", post.Photo{OwnerID: 5, ID: 6}.Ref())
	require.Empty(t, post.Photo{Sizes: []post.Size{{URL: "https://example.com/1.jpg"}}}.Ref())
}
