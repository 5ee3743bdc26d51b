package doctor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"vestnik/internal/config"
	"vestnik/internal/sandbox"
	"vestnik/internal/testenv"
	"vestnik/starter"
	"vestnik/worker"
)

func TestTheDoctorKnowsWhetherAVersionOfTheWorkersGetsWork(t *testing.T) {
	t.Parallel()
	temporal := testenv.Temporal(t)
	cfg := config.Worker{DeploymentName: "vestnik-doctor", BuildID: "1"}
	finding := func(build string) Finding {
		d := &doctor{}
		d.cfg.Worker = config.Worker{DeploymentName: cfg.DeploymentName, BuildID: build}
		d.deployment(t.Context(), temporal)
		require.Len(t, d.findings, 1)
		return d.findings[0]
	}
	none := finding("1")
	require.Equal(t, Fault, none.State, "nothing has registered the deployment")
	require.Contains(t, none.Detail, "start `vestnik worker`")

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- worker.New(temporal, cfg).Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	handle := temporal.WorkerDeploymentClient().GetHandle(cfg.DeploymentName)
	require.Eventually(t, func() bool {
		_, err := handle.Describe(t.Context(), client.WorkerDeploymentDescribeOptions{})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	waiting := finding("1")
	require.Equal(t, Fault, waiting.State)
	require.Contains(t, waiting.Detail, "no version is current")
	require.Eventually(t, func() bool {
		_, err := handle.SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: "1"})
		return err == nil
	}, time.Minute, 50*time.Millisecond)
	require.Equal(t, OK, finding("1").State)
	other := finding("2")
	require.Equal(t, Note, other.State)
	require.Contains(t, other.Detail, "version 1 is current, not 2")
}

func TestTheDoctorHasTheTimeToAskAboutManyWalls(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	cfg, err := config.Load(map[string]string{
		"VK_API_URL": server.VKURL(), "VK_TOKEN": sandbox.VKReadToken, "VK_WALLS": strings.Join(sandbox.WallNames(), ","),
	})
	require.NoError(t, err)
	r, err := starter.New(cfg, nil, nil, nil)
	require.NoError(t, err)
	d := &doctor{cfg: cfg}
	d.reading(t.Context(), worker.NewClients(r))
	require.Len(t, d.findings, len(sandbox.WallNames()))
	for _, found := range d.findings {
		require.Equal(t, OK, found.State, found.Detail)
	}
	require.NotEmpty(t, server.Calls(sandbox.CallFilter{Match: func(call sandbox.Call) bool { return strings.Contains(call.Answer, "Too many requests per second") }}), "VK has asked the doctor to wait")
}

func TestTheDoctorTriesEachReadingKey(t *testing.T) {
	t.Parallel()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Samples: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	cfg, err := config.Load(map[string]string{
		"VK_API_URL": server.VKURL(), "VK_TOKEN": sandbox.VKReadToken + ",revoked-key-0000000000000000", "VK_WALLS": sandbox.WallNames()[0],
	})
	require.NoError(t, err)
	r, err := starter.New(cfg, nil, nil, nil)
	require.NoError(t, err)
	found := Reading(t.Context(), worker.NewClients(r))
	require.Len(t, found, 1)
	require.Equal(t, Fault, found[0].State)
	require.Contains(t, found[0].Detail, "key 2 of VK_TOKEN")
	require.NotContains(t, found[0].Detail, "revoked-key")
}

func TestTheDoctorSaysWhetherPhotosCanBeUploadedToAWall(t *testing.T) {
	t.Parallel()
	const wallOwner, community, person, unauthorized = "-500000002", "community-key-secret-00000000000000000", "person-key-secret-000000000000000000000", "person-without-rights-0000000000000000"
	server, err := sandbox.Start(t.Context(), sandbox.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	require.NoError(t, server.AddVKToken(sandbox.VKToken{Name: "community", Value: community, Kind: sandbox.CommunityToken, Owner: 500000002}))
	require.NoError(t, server.AddVKToken(sandbox.VKToken{Name: "person", Value: person, Kind: sandbox.UserToken, Owner: 71}))
	require.NoError(t, server.AddVKToken(sandbox.VKToken{Name: "no rights", Value: unauthorized, Kind: sandbox.UserToken, Owner: 72, Rights: []string{"wall"}}))
	require.NoError(t, server.AddWall(sandbox.Wall{OwnerID: -500000002, Name: "Вестник", Writers: []string{"person", "no rights"}}))

	for name, row := range map[string]struct {
		attach, media string
		state         State
		detail        string
	}{
		"photos are not wanted":      {"false", "", "", ""},
		"no key":                     {"true", "", "note", "VK_OUT_MEDIA_TOKEN is not set"},
		"a community's key":          {"true", community, "note", "a community's key never may"},
		"a person's key":             {"true", person, "ok", "can be uploaded"},
		"a person without the right": {"true", unauthorized, "note", "rights wall and photos"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(map[string]string{
				"VK_API_URL": server.VKURL(), "VK_OUT_ENABLED": "true", "VK_OUT_TOKEN": community, "VK_OUT_OWNER_ID": wallOwner,
				"VK_OUT_ATTACH_MEDIA": row.attach, "VK_OUT_MEDIA_TOKEN": row.media,
			})
			require.NoError(t, err)
			d := &doctor{cfg: cfg}
			d.examine(t.Context())
			var found Finding
			for _, finding := range d.findings {
				if finding.What == "vk:"+wallOwner+" photos" {
					found = finding
				}
			}
			require.Equal(t, row.state, found.State, found.Detail)
			require.Contains(t, found.Detail, row.detail)
			if row.state == Note {
				require.Contains(t, found.Detail, "posts go as text")
			}
			require.NoError(t, Err(d.findings), "posts go out all the same")
			require.NotContains(t, found.Detail, "secret")
		})
	}
}
