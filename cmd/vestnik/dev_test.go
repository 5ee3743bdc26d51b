package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/config"
)

// besideDev runs in this process the part of `vestnik dev` that finds servers and
// says where they are, in a folder of the test's own.
func besideDev(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	d := &dev{environ: config.Environ()}
	require.NoError(t, d.startServers(t.Context()))
	t.Cleanup(func() { require.NoError(t, d.stop()) })
	_, err := config.Load(d.environ)
	require.NoError(t, err)
	d.offer(map[string]string{"VK_TOKEN": "sandbox-service-key-of-this-test"})
	require.NoError(t, d.publishEnviron())
}

const devDatabase, devTemporal = "postgres://vestnik@127.0.0.1:1/vestnik", "127.0.0.1:2"

func TestBesideADevThatWasGivenItsServersTheOtherCommandsFindThem(t *testing.T) {
	t.Setenv("DATABASE_URL", devDatabase)
	t.Setenv("TEMPORAL_ADDRESS", devTemporal)
	t.Setenv("VK_TOKEN", "") // as in a copy of deploy/env.example
	besideDev(t)
	for name, own := range map[string]struct{ database, temporal string }{
		"both": {devDatabase, devTemporal}, "the database alone": {devDatabase, ""}, "Temporal alone": {"", devTemporal}, "neither": {},
	} {
		t.Setenv("DATABASE_URL", own.database)
		t.Setenv("TEMPORAL_ADDRESS", own.temporal)
		cfg, err := settings(config.NeedDatabase, config.NeedTemporal)
		require.NoError(t, err, name)
		require.Equal(t, devDatabase, cfg.Database.URL.Reveal(), name)
		require.Equal(t, devTemporal, cfg.Temporal.Address, name)
		require.Equal(t, "sandbox-service-key-of-this-test", cfg.Scan.Tokens()[0].Reveal(), name)
	}
	t.Setenv("DATABASE_URL", "postgres://vestnik@db.example/vestnik")
	t.Setenv("TEMPORAL_ADDRESS", "")
	_, err := settings(config.NeedDatabase, config.NeedTemporal)
	require.ErrorContains(t, err, "TEMPORAL_ADDRESS is not set", "another installation's database never meets dev's Temporal")
}

func TestDevTakesItsDatabaseFromAFileToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "database_url")
	require.NoError(t, os.WriteFile(path, []byte(devDatabase+"\n"), 0o600))
	t.Setenv("DATABASE_URL_FILE", path)
	t.Setenv("TEMPORAL_ADDRESS", devTemporal)
	besideDev(t)
	cfg, err := settings(config.NeedDatabase, config.NeedTemporal)
	require.NoError(t, err)
	require.Equal(t, devDatabase, cfg.Database.URL.Reveal())
}

func TestALongLogOfDevGivesWayToANewOne(t *testing.T) {
	servers(t, nil)
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll(filepath.Dir(logPath()), 0o755))
	require.NoError(t, os.WriteFile(logPath(), nil, 0o600))
	require.NoError(t, os.Truncate(logPath(), 9<<20))
	d := &dev{environ: config.Environ()}
	require.NoError(t, d.startServers(t.Context()))
	t.Cleanup(func() { require.NoError(t, d.stop()) })
	require.NoError(t, d.connect(t.Context()))
	old, err := os.Stat(logPath() + ".old")
	require.NoError(t, err)
	require.EqualValues(t, 9<<20, old.Size())
	log, err := os.Stat(logPath())
	require.NoError(t, err)
	require.Less(t, log.Size(), int64(1<<20))
}
