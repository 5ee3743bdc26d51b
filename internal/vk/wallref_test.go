package vk_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/vk"
)

func TestAWallCanBeNamedInManyWays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]vk.WallRef{
		"-123":                             {OwnerID: -123},
		"123":                              {OwnerID: 123},
		"\tclub123\n":                      {OwnerID: -123},
		"public123":                        {OwnerID: -123},
		"event123":                         {OwnerID: -123},
		"id123":                            {OwnerID: 123},
		"https://vk.com/club123":           {OwnerID: -123},
		"http://m.vk.com/public123/":       {OwnerID: -123},
		"vk.ru/id5":                        {OwnerID: 5},
		"https://vk.com/wall-123?own=1":    {OwnerID: -123},
		"https://vk.com/wall-123_45#reply": {OwnerID: -123},
		"wall77":                           {OwnerID: 77},
		"Lost_Pets.City":                   {ScreenName: "lost_pets.city"},
		"@lost_pets":                       {ScreenName: "lost_pets"},
		"https://vk.com/lost_pets?w=wall1": {ScreenName: "lost_pets"},
		"https://VK.com/Lost_Pets":         {ScreenName: "lost_pets"},
		"club_dogs":                        {ScreenName: "club_dogs"},
		"club12a":                          {ScreenName: "club12a"},
		"https://vkontakte.ru/club1":       {OwnerID: -1},
	} {
		got, err := vk.ParseWallRef(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestWhatNamesNoWallIsRefusedWithTheTextAndTheRemedy(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "0", "-0", "x", "пёс", "https://example.com/club1", "a b", "club99999999999999999999", "https://vk.com/", "-", "@"} {
		_, err := vk.ParseWallRef(text)
		require.ErrorContains(t, err, "names no wall", text)
		require.ErrorContains(t, err, "screen name", text)
	}
}

func FuzzAWallRefReadBackIsTheSame(f *testing.F) {
	f.Add("https://vk.com/wall-123_45")
	f.Add("@lost_pets")
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := vk.ParseWallRef(text)
		if err != nil {
			return
		}
		require.True(t, (ref.OwnerID == 0) != (ref.ScreenName == ""))
		name := ref.ScreenName
		if ref.OwnerID != 0 {
			name = strconv.FormatInt(ref.OwnerID, 10)
		}
		again, err := vk.ParseWallRef(name)
		require.NoError(t, err)
		require.Equal(t, ref, again)
	})
}
