package testenv

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// PgBouncer runs the pooler of that name in front of a database, until t ends,
// and returns the URL by which it is reached. Each transaction gets one of two
// connections to Postgres, whoever asks. t fails if PgBouncer is not installed.
func PgBouncer(t testing.TB, database string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil { // /usr/sbin is not in everybody's PATH
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Fatal("testenv: PgBouncer is not on this machine: install it (apt-get install pgbouncer)")
		}
	}
	pooled, err := url.Parse(database)
	if err != nil {
		t.Fatal("testenv: the database's address is not a URL")
	}
	dir, err := os.MkdirTemp("", "pgb") // short: a socket's path has 107 bytes
	if err != nil {
		t.Fatalf("testenv: PgBouncer: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "pgbouncer.ini")
	server := fmt.Sprintf("host=%s port=%s user=%s", pooled.Hostname(), pooled.Port(), pooled.User.Username())
	if password, ok := pooled.User.Password(); ok {
		server += fmt.Sprintf(" password='%s'", password)
	}
	settings := fmt.Sprintf("[databases]\n* = %s\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = %s\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n",
		server, dir)
	if err := os.WriteFile(config, []byte(settings), 0o644); err != nil {
		t.Fatalf("testenv: PgBouncer: %v", err)
	}
	command := exec.Command(program, "-q", config)
	if os.Geteuid() == 0 { // whom it refuses
		command.Args = append(command.Args, "-u", "nobody")
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatalf("testenv: PgBouncer: %v", err)
		}
	}
	output := &testOutput{t: t}
	command.Stderr = output
	if err := command.Start(); err != nil {
		t.Fatalf("testenv: PgBouncer: %v", err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it keeps nothing
		_ = command.Wait()
		output.close()
	})
	query := pooled.Query()
	query.Set("host", dir)
	query.Set("port", "6432")
	pooled.Host, pooled.RawQuery = "", query.Encode()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, pooled.String())
		if err == nil {
			_ = conn.Close(ctx)
			return pooled.String()
		}
		select {
		case <-ctx.Done():
			t.Fatalf("testenv: PgBouncer does not answer: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
