package db_test

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/devstack"
	"vestnik/internal/protocol"
)

// server is a Postgres of the test's own, which may have a standby.
type server struct {
	*devstack.Postgres
	dir     string
	address *url.URL
}

func startServer(t *testing.T, dir string, port int) server {
	t.Helper()
	postgres, err := devstack.StartPostgres(t.Context(), devstack.PostgresOptions{Dir: dir, LogFile: dir + ".log", Database: "vestnik", Port: port})
	require.NoError(t, err)
	t.Cleanup(func() { _ = postgres.Stop(context.WithoutCancel(t.Context())) })
	address, err := url.Parse(postgres.URL)
	require.NoError(t, err)
	return server{postgres, dir, address}
}

func (s server) ask(t *testing.T, question string, answer any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	require.NoError(t, conn.QueryRow(t.Context(), question).Scan(answer))
}

// standby starts a server that follows s.
func (s server) standby(t *testing.T) server {
	t.Helper()
	var binaries string
	s.ask(t, "SELECT setting FROM pg_config WHERE name = 'BINDIR'", &binaries)
	dir := s.dir + "-standby"
	backup := exec.CommandContext(t.Context(), filepath.Join(binaries, "pg_basebackup"), "--dbname="+s.URL, "--pgdata="+dir, "--write-recovery-conf", "--checkpoint=fast")
	backup.Dir = filepath.Dir(dir)
	if os.Geteuid() == 0 { // the data is Postgres's user's
		owner, err := os.Stat(s.dir)
		require.NoError(t, err)
		of := owner.Sys().(*syscall.Stat_t)
		backup.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: of.Uid, Gid: of.Gid}}
	}
	said, err := backup.CombinedOutput()
	require.NoError(t, err, "%s", said)
	password, _ := s.address.User.Password()
	require.NoError(t, os.WriteFile(dir+".password", []byte(password), 0o600))
	return startServer(t, dir, 0)
}

func TestTheRelayGoesOnAtTheStandbyThatIsPromoted(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "vestnik-failover-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	require.NoError(t, os.Chmod(home, 0o777)) // for Postgres's user, if we are root
	primary := startServer(t, filepath.Join(home, "postgres"), 0)
	standby := primary.standby(t)
	both := *primary.address
	both.Host = standby.address.Host + "," + primary.address.Host
	d := deskAt(t, both.String()) // it passes over the standby
	require.NoError(t, db.Migrate(t.Context(), d.pool))
	key := d.oweOne(1)
	delivery, attempt := d.begin(key, 0)
	require.NoError(t, db.Ready(t.Context(), d.pool))
	var written string
	primary.ask(t, "SELECT pg_current_wal_flush_lsn()::text", &written)
	require.Eventually(t, func() (has bool) {
		standby.ask(t, "SELECT pg_last_wal_replay_lsn() >= '"+written+"'", &has)
		return has
	}, time.Minute, 20*time.Millisecond)

	require.NoError(t, primary.Stop(t.Context()))
	require.Error(t, db.Ready(t.Context(), d.pool), "there is nothing to write to")
	_, err = d.posts.StorePage(t.Context(), d.page(post(-1, 2, rex)))
	require.True(t, db.IsOutage(err), "it is tried again: %v", err)

	var promoted bool
	standby.ask(t, "SELECT pg_promote()", &promoted)
	require.True(t, promoted)
	require.Eventually(t, func() bool { return db.Ready(t.Context(), d.pool) == nil }, time.Minute, 20*time.Millisecond)
	require.Equal(t, protocol.StatusSent, d.arrive(key, attempt, true, 11))
	require.Equal(t, delivery.ID, d.rowOf(key).ID)
	d.store(post(-1, 2, rex))

	// The old primary comes back to its address as a standby, and nobody writes to it.
	require.NoError(t, os.WriteFile(filepath.Join(primary.dir, "standby.signal"), nil, 0o644))
	port, err := strconv.Atoi(primary.address.Port())
	require.NoError(t, err)
	old := startServer(t, primary.dir, port)
	alone, err := db.Open(t.Context(), old.URL)
	if err == nil {
		alone.Close()
	}
	require.True(t, db.IsOutage(err), "a standby is not opened: %v", err)
	d.pool.Reset()
	require.NoError(t, db.Ready(t.Context(), d.pool))
	d.send(keyOf(2), 0, true, 12)
}
