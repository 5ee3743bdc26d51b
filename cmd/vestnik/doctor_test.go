package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
	"vestnik/internal/relay"
	"vestnik/internal/sandbox"
)

func TestTheDoctorHasTheTimeToAskAboutManyWalls(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	cfg, err := config.Load(map[string]string{
		"VK_API_URL": server.VKURL(), "VK_TOKEN": sandbox.VKReadToken, "VK_WALLS": strings.Join(sandbox.WallNames(), ","),
	})
	require.NoError(t, err)
	r, err := relay.New(cfg, nil, nil, nil)
	require.NoError(t, err)
	d := &doctor{cfg: cfg}
	d.reading(t.Context(), r)
	require.Len(t, d.findings, len(sandbox.WallNames()))
	for _, found := range d.findings {
		require.Equal(t, "ok", found.State, found.Detail)
	}
	require.NotEmpty(t, server.Calls(sandbox.CallFilter{Match: func(call sandbox.Call) bool { return strings.Contains(call.Answer, "Too many requests per second") }}), "VK has asked the doctor to wait")
}
