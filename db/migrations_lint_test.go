package db_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/db"
)

// linted is the first migration that has to be safe on a large table that others
// work on. Those before it were made when there was none.
const linted = 50

// asTheyAre were made beside this lint and applied before it: 60 changes what
// holds batches on their way, 76 builds an index under a lock.
var asTheyAre = []int{60, 76}

// TestMigrationsAreSafeOnALargeLiveTable is the lint of migrations, which `make
// lint` runs by itself.
func TestMigrationsAreSafeOnALargeLiveTable(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(db.Migrations(), "*.sql")
	require.NoError(t, err)
	for _, file := range files {
		var version int
		_, err := fmt.Sscanf(file, "%05d_", &version)
		require.NoError(t, err)
		content, err := fs.ReadFile(db.Migrations(), file)
		require.NoError(t, err)
		if version < linted || slices.Contains(asTheyAre, version) {
			continue
		}
		for _, fault := range lintMigration(string(content)) {
			t.Errorf("%s: %s", file, fault)
		}
	}
}

func TestTheLintOfMigrationsRefusesWhatLocksOrBreaks(t *testing.T) {
	t.Parallel()
	const noTransaction = "-- +goose NO TRANSACTION\n"
	for migration, fault := range map[string]string{
		"CREATE INDEX i ON relay.posts (text);":                                            "CONCURRENTLY",
		"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON relay.posts (text);":          "NO TRANSACTION",
		noTransaction + "CREATE INDEX CONCURRENTLY i ON relay.posts (text);":               "IF NOT EXISTS",
		noTransaction + "CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON relay.posts (text);": "",
		"DROP INDEX relay.i;": "CONCURRENTLY",
		"CREATE TABLE relay.new (id bigint);\nCREATE INDEX i ON relay.new (id);":                                                   "",
		"ALTER TABLE relay.posts ADD CONSTRAINT c CHECK (owner_id > 0);":                                                           "NOT VALID",
		"ALTER TABLE relay.posts ADD CONSTRAINT c CHECK (owner_id > 0) NOT VALID;":                                                 "",
		"ALTER TABLE relay.posts ADD CONSTRAINT c CHECK (owner_id > 0) NOT VALID;\nALTER TABLE relay.posts VALIDATE CONSTRAINT c;": "NO TRANSACTION",
		"ALTER TABLE relay.posts ADD COLUMN c bigint REFERENCES relay.cases;":                                                      "NOT VALID",
		"ALTER TABLE relay.posts ADD CONSTRAINT c UNIQUE (link);":                                                                  "USING INDEX",
		"ALTER TABLE relay.posts ADD COLUMN c bigint NOT NULL;":                                                                    "DEFAULT",
		"ALTER TABLE relay.posts ADD COLUMN c bigint NOT NULL DEFAULT 0;":                                                          "",
		"ALTER TABLE relay.posts ADD COLUMN c uuid DEFAULT gen_random_uuid();":                                                     "rewrites",
		"ALTER TABLE relay.posts ADD COLUMN c text GENERATED ALWAYS AS (text) STORED;":                                             "rewrites",
		"ALTER TABLE relay.posts ALTER COLUMN owner_id TYPE text;":                                                                 "rewrites",
		"ALTER TABLE relay.posts ALTER COLUMN link SET NOT NULL;":                                                                  "reads the whole table",
		"ALTER TABLE relay.posts RENAME COLUMN text TO words;":                                                                     "the version before",
		"ALTER TABLE relay.posts DROP COLUMN text;":                                                                                "the version before",
		"-- contract: nothing has read it since 00050\nALTER TABLE relay.posts DROP COLUMN text;":                                  "",
		"UPDATE relay.posts SET text = '';":                                                                                        "batches",
		"DELETE FROM relay.posts;":                                                                                                 "batches",
		"TRUNCATE relay.posts;":                                                                                                    "ACCESS EXCLUSIVE",
		noTransaction + "ALTER TABLE relay.posts ADD COLUMN c bigint;":                                                             "IF NOT EXISTS",
		"-- a comment; and more of it\nCREATE INDEX i ON relay.posts (text);":                                                      "CONCURRENTLY",
		"-- +goose Down\nDROP TABLE relay.posts;":                                                                                  "",
	} {
		faults := strings.Join(lintMigration(migration), "\n")
		if fault == "" {
			require.Empty(t, faults, migration)
		} else {
			require.Contains(t, faults, fault, migration)
		}
	}
}

var (
	createdTable = regexp.MustCompile(`CREATE TABLE (?:IF NOT EXISTS )?([\w.]+)`)
	onTable      = regexp.MustCompile(`(?:ALTER TABLE (?:IF EXISTS )?(?:ONLY )?|^UPDATE |DELETE FROM | ON )([\w.]+)`)
)

// rules are what a statement on a table that exists already may not be: what it
// matches, what excuses it, and what is wrong with it. What breaks the version
// before is excused by a line "-- contract: why" before it.
var rules = []struct{ is, unless, fault string }{
	{`^CREATE (UNIQUE )?INDEX`, ` CONCURRENTLY `, "an index is built CONCURRENTLY"},
	{`^DROP INDEX`, ` CONCURRENTLY `, "an index is dropped CONCURRENTLY"},
	{`INDEX CONCURRENTLY`, `IF (NOT )?EXISTS`, "CONCURRENTLY may stop in the middle: IF NOT EXISTS, so that it can be run again"},
	{`ADD CONSTRAINT.*(CHECK|FOREIGN KEY)`, `NOT VALID`, "a constraint is added NOT VALID, then validated"},
	{`ADD COLUMN.*(REFERENCES|CHECK)`, `^$`, "a constraint is added by itself, NOT VALID, then validated"},
	{`ADD (CONSTRAINT \w+ )?(UNIQUE|PRIMARY KEY)`, `USING INDEX`, "a unique constraint is made of an index: USING INDEX"},
	{`ADD COLUMN.*NOT NULL`, `DEFAULT`, "a column that is NOT NULL has a DEFAULT"},
	{`ADD COLUMN.*(DEFAULT (nextval|random|clock_timestamp|gen_random_uuid)|GENERATED)`, `^$`, "it rewrites the table under a lock"},
	{`ALTER COLUMN \w+ (SET DATA )?TYPE`, `^$`, "it rewrites the table under a lock"},
	{`SET NOT NULL`, `^$`, "it reads the whole table under a lock: a CHECK that is NOT VALID, then validated"},
	{`RENAME |DROP COLUMN|^DROP (TABLE|SCHEMA)`, `-- contract: `, "the version before still uses it: expand now, contract later, with a line -- contract: why"},
	{`^(UPDATE|DELETE)`, `^$`, "rows are changed in batches, each committed: DO with COMMIT"},
	{`^(TRUNCATE|LOCK|CLUSTER|VACUUM FULL|REINDEX)`, `CONCURRENTLY`, "it takes an ACCESS EXCLUSIVE lock"},
}

// lintMigration returns what is wrong with a migration's way up.
func lintMigration(content string) (faults []string) {
	inTransaction := !strings.Contains(content, "-- +goose NO TRANSACTION")
	up, _, _ := strings.Cut(content, "-- +goose Down")
	blocks := regexp.MustCompile(`(?s)-- \+goose StatementBegin.*?-- \+goose StatementEnd`)
	for _, block := range blocks.FindAllString(up, -1) {
		if regexp.MustCompile(`(UPDATE|DELETE FROM) \w`).MatchString(block) && strings.Contains(block, "DO $$") && !strings.Contains(block, "COMMIT;") {
			faults = append(faults, "rows are changed in batches, each committed")
		}
	}
	up = blocks.ReplaceAllString(up, "")
	up = regexp.MustCompile(`--[^\n]*`).ReplaceAllStringFunc(up, func(comment string) string {
		if strings.HasPrefix(comment, "-- contract: ") {
			return "-- contract: "
		}
		return ""
	})
	created := map[string]bool{}
	for _, found := range createdTable.FindAllStringSubmatch(up, -1) {
		created[found[1]] = true
	}
	for _, statement := range strings.Split(up, ";") {
		excuse := ""
		if strings.Contains(statement, "-- contract: ") {
			excuse = " -- contract: "
		}
		statement = strings.Join(strings.Fields(regexp.MustCompile(`--[^\n]*`).ReplaceAllString(statement, "")), " ")
		if statement == "" {
			continue
		}
		if strings.Contains(statement, " CONCURRENTLY ") && inTransaction {
			faults = append(faults, "CONCURRENTLY needs -- +goose NO TRANSACTION: "+statement)
		}
		if strings.Contains(statement, "VALIDATE CONSTRAINT") && inTransaction {
			faults = append(faults, "a constraint is validated outside the transaction that adds it, NO TRANSACTION: "+statement)
		}
		if !inTransaction && regexp.MustCompile(`^CREATE TABLE|ADD COLUMN`).MatchString(statement) && !strings.Contains(statement, "IF NOT EXISTS") {
			faults = append(faults, "without a transaction each statement may be run again: IF NOT EXISTS: "+statement)
		}
		if on := onTable.FindStringSubmatch(statement); on != nil && created[on[1]] {
			continue
		}
		for _, rule := range rules {
			if regexp.MustCompile(rule.is).MatchString(statement) && !regexp.MustCompile(rule.unless).MatchString(statement+excuse) {
				faults = append(faults, rule.fault+": "+statement)
			}
		}
	}
	return faults
}
