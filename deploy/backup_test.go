package deploy

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/testenv"
)

// script runs a script against a database.
func script(t *testing.T, name, database string, in []byte) (out []byte, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/bin/sh", name)
	command.Env = append(os.Environ(), "DATABASE_URL="+database)
	command.Stdin, command.Stderr = bytes.NewReader(in), &testLog{t}
	return command.Output()
}

type testLog struct{ testing.TB }

func (l *testLog) Write(text []byte) (int, error) {
	l.Log(string(text))
	return len(text), nil
}

func connect(t *testing.T, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// emptyDatabase makes a database without a schema beside another.
func emptyDatabase(t *testing.T, beside string, pool *pgxpool.Pool) string {
	t.Helper()
	address, err := url.Parse(beside)
	require.NoError(t, err)
	name := strings.TrimPrefix(address.Path, "/") + "_restored"
	_, err = pool.Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	t.Cleanup(func() {
		admin, err := pgx.Connect(context.WithoutCancel(t.Context()), beside)
		require.NoError(t, err)
		_, err = admin.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, err)
		require.NoError(t, admin.Close(context.WithoutCancel(t.Context())))
	})
	address.Path = "/" + name
	return address.String()
}

func TestABackupIsRestoredWholeWithEveryDestinationPaused(t *testing.T) {
	t.Parallel()
	from := testenv.Database(t)
	old := connect(t, from)
	for _, statement := range []string{
		`INSERT INTO relay.destinations (name, paused_at, paused_by) VALUES ('telegram:-1', NULL, ''), ('vk:-2', now(), 'дежурная')`,
		`INSERT INTO relay.posts (owner_id, post_id, posted_at, text, link, content_hash, type, ruleset_version) VALUES (-1, 2, now(), E'Пропал кот\n\\.', '', 'x', 'lost', 1)`,
		`INSERT INTO relay.deliveries (destination_id, owner_id, post_id, workflow_id, status, sent_at) SELECT id, -1, 2, 'deliver', 'sent', now() FROM relay.destinations`,
		`INSERT INTO guide.users (telegram_id) VALUES (42)`,
	} {
		_, err := old.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	backup, err := script(t, "backup.sh", from, nil)
	require.NoError(t, err)

	to := emptyDatabase(t, from, old)
	restored := connect(t, to)
	_, err = script(t, "restore.sh", to, backup[:len(backup)-len(backup)/3])
	require.Error(t, err, "half a backup")
	var empty bool
	require.NoError(t, restored.QueryRow(t.Context(), "SELECT to_regclass('relay.deliveries') IS NULL").Scan(&empty))
	require.True(t, empty, "restores nothing")

	_, err = script(t, "restore.sh", to, backup)
	require.NoError(t, err)
	var text, paused string
	require.NoError(t, restored.QueryRow(t.Context(), `SELECT p.text FROM relay.posts p JOIN relay.deliveries v USING (owner_id, post_id) LIMIT 1`).Scan(&text))
	require.Equal(t, "Пропал кот\n\\.", text)
	require.NoError(t, restored.QueryRow(t.Context(), `SELECT string_agg(paused_by, ', ' ORDER BY id) FROM relay.destinations WHERE paused_at IS NOT NULL`).Scan(&paused))
	require.Equal(t, "restore.sh, дежурная", paused)
	require.NoError(t, db.Migrate(t.Context(), restored), "the schema's version came along")
	_, err = restored.Exec(t.Context(), `INSERT INTO relay.destinations (name) VALUES ('new')`)
	require.NoError(t, err, "numbers go on where they were")

	_, err = script(t, "restore.sh", to, backup)
	require.Error(t, err, "over what is there")
}

func TestABackupThatEndsWithinARowRestoresNothing(t *testing.T) {
	t.Parallel()
	from := testenv.Database(t)
	old := connect(t, from)
	// Most of the backup is the last column of one row, a text, to which anything may be added.
	_, err := old.Exec(t.Context(), `INSERT INTO relay.posts (owner_id, post_id, posted_at, text, link, content_hash, type, ruleset_version, rules)
		SELECT -1, 2, now(), 'Пропал кот', '', 'x', 'lost', 1, string_agg(md5(n::text), '') FROM generate_series(1, 40000) n`)
	require.NoError(t, err)
	backup, err := script(t, "backup.sh", from, nil)
	require.NoError(t, err)

	to := emptyDatabase(t, from, old)
	_, err = script(t, "restore.sh", to, backup[:len(backup)/2])
	require.Error(t, err)
	var empty bool
	require.NoError(t, connect(t, to).QueryRow(t.Context(), "SELECT to_regclass('relay.deliveries') IS NULL").Scan(&empty))
	require.True(t, empty)
}
