package scale

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"vestnik/internal/testenv"
)

// unsafe are queries of builds before migration 60, which changed what holds
// batches on their way (db's lint names it): an import waits for the rollout's end.
var unsafe = []string{"RefuseRepeatedID", "RefuseObjects", "ListRefused"}

// TestABuildBeforeAMigrationWorksAfterIt plans every query of every build that a
// migration has come after, on the schema as it is now: while a version rolls out,
// the one before works on. The builds are those of git's history since migrations
// are linted (see db); a clone without history has none of them.
func TestABuildBeforeAMigrationWorksAfterIt(t *testing.T) {
	t.Parallel()
	git := func(args ...string) ([]string, error) {
		command := exec.CommandContext(t.Context(), "git", args...)
		command.Dir = "../.."
		said, err := command.Output()
		return strings.Fields(string(said)), err
	}
	migrations, err := filepath.Glob("../migrations/*.sql")
	require.NoError(t, err)
	var builds []string
	for _, migration := range migrations {
		if migration = filepath.Base(migration); migration < "00050" {
			continue
		}
		added, err := git("log", "--diff-filter=A", "--format=%P", "--", "db/migrations/"+migration)
		if err != nil || len(added) == 0 {
			t.Logf("the build before %s is not in this clone", migration)
			continue
		}
		if !slices.Contains(builds, added[0]) {
			builds = append(builds, added[0])
		}
	}
	conn := connect(t, testenv.Database(t))
	planned := map[string]bool{}
	for _, build := range builds {
		folder := t.TempDir()
		archive := exec.CommandContext(t.Context(), "sh", "-c", `git archive "$1" db/queries | tar -x -C "$2"`, "sh", build, folder)
		archive.Dir = "../.."
		said, err := archive.CombinedOutput()
		require.NoError(t, err, "%s", said)
		for _, q := range queries(t, filepath.Join(folder, "db/queries")) {
			if planned[q.sql] {
				continue
			}
			planned[q.sql] = true
			if err := plan(t, conn, q); err != nil && !slices.Contains(unsafe, q.name) {
				t.Errorf("%s of %.7s: %v", q.name, build, err)
			}
		}
	}
	t.Logf("%d queries of %d builds", len(planned), len(builds))
}

// plan plans a query for any arguments, as a server does that has prepared it:
// that also finds the index of an ON CONFLICT.
func plan(t *testing.T, conn *pgx.Conn, q query) error {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context()) //nolint:errcheck // nothing to keep
	if _, err := tx.Exec(t.Context(), "DEALLOCATE ALL; SET LOCAL plan_cache_mode = force_generic_plan"); err != nil {
		return err
	}
	if _, err := tx.Exec(t.Context(), "PREPARE asked AS "+q.sql); err != nil {
		return err
	}
	execute := "EXPLAIN EXECUTE asked"
	if len(q.params) > 0 {
		execute += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", len(q.params)), ", ") + ")"
	}
	_, err = tx.Exec(t.Context(), execute)
	return err
}
