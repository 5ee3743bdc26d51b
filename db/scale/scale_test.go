// Package scale holds the queries of db/queries against a database of ten
// years: each is planned once for its arguments and once for any (Postgres and
// pgx choose between the two by themselves), and has to come by what it wants
// without reading the whole of a large table and within a budget of pages and
// time. So has every page of the console. `go test` does that with a small
// database, `make scale` with a large one.
package scale

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"vestnik/internal/testenv"
)

//go:embed fill.sql
var fillSQL string

var (
	posts    = flag.Int("posts", 5_000, "posts in the database, and all else in proportion")
	database = flag.String("database", "", "URL of a migrated database to use, and to fill if it is empty")
	only     = flag.String("only", "", "run the queries whose names match this pattern")
	table    = flag.Bool("table", false, "print what each query took")
)

const (
	// pages of 8 kB that a query may touch, and the time it may take, unless
	// [wants] gives it more. Its time is only held against it in a database
	// that is large: it is the machine's as much as the query's.
	pages     = 3_000
	budget    = 100 * time.Millisecond
	large     = 1_000_000
	largeRows = 3_000 // of a table that may not be read as a whole
)

func TestEveryQueryComesByWhatItWantsWithoutReadingWholeTables(t *testing.T) {
	url := *database
	if url == "" {
		url = testenv.Database(t)
	}
	conn := connect(t, url)
	var filled bool
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM relay.posts)").Scan(&filled))
	if !filled {
		fill(t, conn)
	}
	rows := tableRows(t, conn)
	report := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	pattern := regexp.MustCompile(*only)
	for _, q := range queries(t, "../queries") {
		if !pattern.MatchString(q.name) {
			continue
		}
		for variant, wanted := range variants(q.name) {
			for _, mode := range []string{"custom", "generic"} {
				name := q.name + variant
				plan, err := explain(t.Context(), conn, q, wanted, mode)
				if err == nil && plan.took() > max(wanted.took, budget) { // the disk's time is not the query's
					plan, err = explain(t.Context(), conn, q, wanted, mode)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				read := plan.Plan.Hit + plan.Plan.Read
				took := plan.took()
				if *table {
					fmt.Fprintf(report, "%s\t%s\t%d pages\t%s\n", name, mode, read, took)
				}
				if whole := plan.Plan.readsWhole(rows); whole != "" && !wanted.whole {
					t.Errorf("%s, planned %s, reads %s", name, mode, whole)
				}
				if most := max(wanted.pages, pages); read > most {
					t.Errorf("%s, planned %s, touches %d pages; %d are its budget", name, mode, read, most)
				}
				if most := max(wanted.took, budget); took > most && *posts >= large {
					t.Errorf("%s, planned %s, takes %s; %s are its budget", name, mode, took, most)
				}
			}
		}
	}
	eachPage(t, url, func(path string, took time.Duration) {
		if *table {
			fmt.Fprintf(report, "%s\t\t\t%s\n", path, took.Round(10*time.Microsecond))
		}
		if most := budget * time.Duration(max(*posts/largePages, 1)); took > most && *posts >= largePages {
			t.Errorf("%s takes %s; %s are its budget", path, took, most)
		}
	})
	_ = report.Flush()
}

func connect(t *testing.T, url string) *pgx.Conn {
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // the only prepared statement is ours
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func fill(t *testing.T, conn *pgx.Conn) {
	begun := time.Now()
	sql := strings.ReplaceAll(fillSQL, ":posts", strconv.Itoa(*posts))
	for _, statement := range strings.Split(sql, ";\n\n") {
		at := time.Now()
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
		if took := time.Since(at); took > 10*time.Second {
			first, _, _ := strings.Cut(strings.TrimSpace(statement), "(")
			t.Logf("%s: %s", first, took.Round(time.Second))
		}
	}
	_, err := conn.Exec(t.Context(), "VACUUM ANALYZE")
	require.NoError(t, err)
	var size string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT pg_size_pretty(pg_database_size(current_database()))").Scan(&size))
	t.Logf("filled with %d posts in %s: %s", *posts, time.Since(begun).Round(time.Second), size)
}

func tableRows(t *testing.T, conn *pgx.Conn) map[string]float64 {
	found, err := conn.Query(t.Context(), `SELECT relname, reltuples::float8 FROM pg_class
		WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('relay', 'guide', 'cms', 'service')`)
	require.NoError(t, err)
	rows := map[string]float64{}
	var name string
	var count float64
	_, err = pgx.ForEachRow(found, []any{&name, &count}, func() error { rows[name] = count; return nil })
	require.NoError(t, err)
	return rows
}

// query is one of db/queries, with its parameters numbered.
type query struct {
	name, sql string
	params    []string
}

var (
	head      = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)
	comment   = regexp.MustCompile(`--[^\n]*`)
	embed     = regexp.MustCompile(`sqlc\.embed\((\w+)\)`)
	parameter = regexp.MustCompile(`sqlc\.n?arg\('?(\w+)'?\)|@(\w+)|\$(\d+)`)
)

// queries reads those of a folder such as db/queries.
func queries(t *testing.T, folder string) []query {
	files, err := filepath.Glob(folder + "/*/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var found []query
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		text := string(content)
		heads := head.FindAllStringSubmatchIndex(text, -1)
		for i, at := range heads {
			end := len(text)
			if i+1 < len(heads) {
				end = heads[i+1][0]
			}
			q := query{name: text[at[2]:at[3]]}
			sql := embed.ReplaceAllString(comment.ReplaceAllString(text[at[1]:end], ""), "$1.*")
			q.sql = parameter.ReplaceAllStringFunc(sql, func(found string) string {
				name := strings.Join(parameter.FindStringSubmatch(found)[1:], "")
				if n, err := strconv.Atoi(name); err == nil {
					for len(q.params) < n {
						q.params = append(q.params, strconv.Itoa(len(q.params)+1))
					}
				} else if !slices.Contains(q.params, name) {
					q.params = append(q.params, name)
				}
				return "$" + strconv.Itoa(slices.Index(q.params, name)+1)
			})
			found = append(found, q)
		}
	}
	return found
}

// explained is what EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) says.
type explained struct {
	Plan node
	Took float64 `json:"Execution Time"` // milliseconds
}

func (e explained) took() time.Duration {
	return time.Duration(e.Took * float64(time.Millisecond)).Round(10 * time.Microsecond)
}

type node struct {
	Type    string  `json:"Node Type"`
	Table   string  `json:"Relation Name"`
	Rows    float64 `json:"Actual Rows"`
	Removed float64 `json:"Rows Removed by Filter"`
	Loops   float64 `json:"Actual Loops"`
	Hit     int     `json:"Shared Hit Blocks"`
	Read    int     `json:"Shared Read Blocks"`
	Plans   []node
}

// readsWhole names a large table of which a scan reads nearly everything, by
// whatever way; "" if there is none.
func (n node) readsWhole(rows map[string]float64) string {
	if all := rows[n.Table]; all >= largeRows && n.Loops > 0 {
		if n.Type == "Seq Scan" || (n.Rows+n.Removed)*n.Loops > all*3/4 {
			return fmt.Sprintf("%s of %s: %.0f of %.0f rows", n.Type, n.Table, (n.Rows+n.Removed)*n.Loops, all)
		}
	}
	for _, below := range n.Plans {
		if whole := below.readsWhole(rows); whole != "" {
			return whole
		}
	}
	return ""
}

// explain runs a query with representative arguments and undoes what it did.
func explain(ctx context.Context, conn *pgx.Conn, q query, wanted want, mode string) (explained, error) {
	if _, err := conn.Exec(ctx, "DEALLOCATE ALL"); err != nil {
		return explained{}, err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return explained{}, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // nothing to keep
	settings := append([]string{
		"SET LOCAL plan_cache_mode = force_" + mode + "_plan", "SET LOCAL jit = off", "SET LOCAL max_parallel_workers_per_gather = 0",
	}, wanted.settings...)
	if *posts < large {
		settings = append(settings, "SET LOCAL enable_seqscan = off") // for small tables it would be right
	}
	for _, setting := range settings {
		if _, err := tx.Exec(ctx, setting); err != nil {
			return explained{}, err
		}
	}
	if _, err := tx.Exec(ctx, "PREPARE asked AS "+q.sql); err != nil {
		return explained{}, err
	}
	var types []string
	if err := tx.QueryRow(ctx, "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'asked'").Scan(&types); err != nil {
		return explained{}, err
	}
	execute := "EXECUTE asked"
	if len(types) > 0 {
		values := make([]string, len(types))
		for i, kind := range types {
			values[i] = argument(wanted, q.params[i], kind)
		}
		execute += "(" + strings.Join(values, ", ") + ")"
	}
	var answer []byte
	if _, err := tx.Exec(ctx, "SAVEPOINT asked"); err != nil {
		return explained{}, err
	}
	err = tx.QueryRow(ctx, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+execute).Scan(&answer)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && strings.HasPrefix(refused.Code, "23") {
		// The arguments do not fit the data: the plan alone has to do.
		if _, err = tx.Exec(ctx, "ROLLBACK TO asked"); err == nil {
			err = tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+execute).Scan(&answer)
		}
	}
	if err != nil {
		return explained{}, fmt.Errorf("%s: %w", execute, err)
	}
	plans := []explained{}
	if err := json.Unmarshal(answer, &plans); err != nil || len(plans) == 0 {
		return explained{}, fmt.Errorf("plan: %w", err)
	}
	return plans[0], nil
}

func argument(wanted want, param, kind string) string {
	value, known := wanted.args[param]
	if !known {
		value, known = byName[param]
	}
	if !known {
		value, known = byType[kind]
	}
	if !known && strings.HasSuffix(kind, "[]") {
		value, known = "'{}'", true
	}
	if !known || value == "NULL" {
		return "NULL"
	}
	return "(" + value + ")::" + kind
}
