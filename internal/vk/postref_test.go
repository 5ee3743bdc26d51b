package vk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/vk"
)

func TestAPostIsNamedAsPeopleCopyItsAddress(t *testing.T) {
	t.Parallel()
	want := vk.PostID{Owner: -123, ID: 45}
	for _, text := range []string{
		"wall-123_45", "-123_45", "https://vk.com/wall-123_45", "https://m.vk.com/wall-123_45?reply=7",
		"https://vk.com/lostpets?w=wall-123_45%2Fall", "vk.ru/feed?w=wall-123_45",
	} {
		post, err := vk.ParsePostRef(text)
		require.NoError(t, err, text)
		require.Equal(t, want, post, text)
	}
	for _, text := range []string{"", "wall", "wall-123", "photo-1_2", "wall0_1", "wall1_0", "wall99999999999999999999_1"} {
		_, err := vk.ParsePostRef(text)
		require.Error(t, err, text)
	}
}
