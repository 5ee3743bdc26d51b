package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/rehearse"
	"vestnik/starter"
)

func TestARoutesFileShowsWhatItWouldHaveSentOfTheLastWeek(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const chat, wall = "telegram:-1001500000001", "vk:-500000002"
	servers(t, map[string]string{
		"TG_TOKEN": "7100000001:AAroutes-check-secret-0000000000000", "VK_OUT_TOKEN": "vk1.a.write",
		"ROUTES_FILE": file("today.yaml", "destinations: [{id: "+chat+"}]\nrules: [{types: [lost], to: ["+chat+"]}]\n"),
	})
	a, err := open(t.Context())
	require.NoError(t, err)
	defer a.close()
	stored := func(id int64, text string, age time.Duration) db.Post {
		return petpost.ReadPost(post.Post{ID: post.ID{OwnerID: -1, PostID: id}, PostedAt: time.Now().Add(-age), Text: text, ContentHash: []byte{byte(id)}})
	}
	_, err = a.starter.Posts.StorePage(t.Context(), db.Page{Owed: func(db.Post) []db.Owed { return nil }, Posts: []db.Post{
		stored(1, "Пропал кот Мурзик, ул. Лесная, 4", 30*24*time.Hour),
		stored(2, "Пропала собака Жучка, ул. Садовая, 1. Тел. 8 900 000-12-35", 2*time.Hour),
		stored(3, "Пропал кот Барсик, рыжий, ул. Мира, 9", 2*time.Hour),
		stored(4, "Найдена кошка, чёрная, ул. Речная, 2. Ищем хозяев", time.Hour),
	}})
	require.NoError(t, err)

	require.ErrorContains(t, vestnik(t, "routes", "check", file("wrong.yaml", "destinations: [{id: "+chat+"}]\nrules: [{types: [lots], to: ["+chat+"]}]\n")), "line 2")
	require.ErrorContains(t, vestnik(t, "routes", "check"), "name a routes file")
	then := file("then.yaml", "destinations: [{id: "+chat+"}, {id: "+wall+"}]\nrules:\n- {types: [lost], has_phone: true, to: ["+chat+"]}\n- {types: [found], approve: true, to: ["+wall+"]}\n")
	require.NoError(t, vestnik(t, "routes", "check", then))
	cfg := a.cfg
	cfg.Relay.RoutesFile = then
	routes, err := starter.ReadRoutes(cfg)
	require.NoError(t, err)
	c, err := rehearse.Compare(t.Context(), a.starter.Posts, nil, a.starter.Routes(), routes, time.Now().Add(-7*24*time.Hour))
	require.NoError(t, err)
	require.Equal(t, 3, c.Posts)
	require.Equal(t, []rehearse.Totals{
		{Destination: chat, Today: 2, Then: 1, Gone: 1}, {Destination: wall, Then: 1, Asks: 1, New: 1, Cases: 1},
	}, c.Destinations)
	var shown strings.Builder
	require.NoError(t, printComparison(&shown, c, nil))
	require.Regexp(t, `−\s+wall-1_3.*telegram.*phone`, shown.String())
	require.Regexp(t, `\?\s+wall-1_4.*vk:-500000002`, shown.String())
	require.NotContains(t, shown.String(), "wall-1_2")
	require.Contains(t, shown.String(), "nothing was sent")
}
