package db_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/testenv"
)

// fill puts so many posts of other animals into the tables, with twenty keys
// each, and one phone that stands under every hundredth of them.
func fill(t testing.TB, pool *pgxpool.Pool, posts int) {
	t.Helper()
	ctx := t.Context()
	for _, statement := range []string{
		`ALTER TABLE relay.posts DISABLE TRIGGER ALL`,
		`INSERT INTO relay.cases (note) SELECT '' FROM generate_series(1, $1)`,
		`INSERT INTO relay.posts (owner_id, post_id, posted_at, text, link, content_hash, type, ruleset_version, case_id, fingerprint)
		 SELECT -1000 - n % 50, n, now() - n * interval '10 seconds', 'Пропал кот', '', ''::bytea, 'lost', 1, n,
		        jsonb_build_object('post', jsonb_build_object('owner_id', -1000 - n % 50, 'post_id', n),
		            'origin', jsonb_build_object('owner_id', -1000 - n % 50, 'post_id', n), 'type', 'lost', 'animal', 'cat',
		            'at', now() - n * interval '10 seconds',
		            'sketch', (SELECT jsonb_agg((n::bigint * 7919 + k * 104729) % 4294967291) FROM generate_series(1, 48) k), 'words', 40)
		 FROM generate_series(1, $1) n`,
		`INSERT INTO relay.case_keys (key, posted_at, owner_id, post_id)
		 SELECT hashint8extended(n::bigint * 31 + k, 7), now() - n * interval '10 seconds', -1000 - n % 50, n
		 FROM generate_series(1, $1) n, generate_series(1, 19) k ON CONFLICT DO NOTHING`,
	} {
		args := []any{posts}
		if !strings.Contains(statement, "$1") {
			args = nil
		}
		_, err := pool.Exec(ctx, statement, args...)
		require.NoError(t, err)
	}
	volunteer := db.HashedKeys(petpost.Fingerprint{Phones: []string{volunteersPhone}})
	_, err := pool.Exec(ctx, `INSERT INTO relay.case_keys (key, posted_at, owner_id, post_id)
		SELECT k, posted_at, owner_id, post_id FROM relay.posts, unnest($1::bigint[]) k WHERE post_id % 100 = 0 ON CONFLICT DO NOTHING`, volunteer)
	require.NoError(t, err)
	_, err = pool.Exec(ctx, `ANALYZE relay.posts, relay.case_keys, relay.cases`)
	require.NoError(t, err)
	_, err = pool.Exec(ctx, `VACUUM relay.case_keys`)
	require.NoError(t, err)
}

const volunteersPhone = "+79000007171"

// newcomer is a post under the volunteer's phone.
func newcomer(id int64) db.Post {
	return post(-5, id, fmt.Sprintf("Пропал пёс Рекс, рыжий, бигль, убежал с ул. Лесная, 12, примета номер %d. Тел. 8 900 000-71-71", id))
}

// candidatesQuery is the query as sqlc has written it.
func candidatesQuery(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("internal/relaysql/cases.sql.go")
	require.NoError(t, err)
	found := regexp.MustCompile("(?s)const caseCandidates = `(.*?)`").FindStringSubmatch(string(text))
	require.NotNil(t, found)
	_, query, _ := strings.Cut(found[1], "\n") // EXPLAIN comes before it: without the comment
	return query
}

func TestCandidatesAreFoundByTheIndexAlone(t *testing.T) {
	d := newDesk(t)
	fill(t, d.pool, 20_000)
	rows, err := d.pool.Query(t.Context(), "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "+candidatesQuery(t),
		db.HashedKeys(newcomer(1).Fingerprint), time.Now().Add(-180*24*time.Hour), time.Now().Add(180*24*time.Hour), 40, 120, -5, 1)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	plan := strings.Join(lines, "\n")
	require.Contains(t, plan, "case_keys_pkey")
	require.NotContains(t, plan, "Seq Scan on case_keys", plan)
	require.NotContains(t, plan, "Seq Scan on posts", plan)
	require.NotContains(t, plan, "Seq Scan on cases", plan)
}

// BenchmarkCandidates looks candidates up at a million posts:
//
//	go test ./db -run '^$' -bench Candidates -benchtime 500x -timeout 60m
func BenchmarkCandidates(b *testing.B) {
	pool, err := db.Open(b.Context(), testenv.Database(b))
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	began := time.Now()
	fill(b, pool, 1_000_000)
	b.Logf("a million posts in %s", time.Since(began).Round(time.Second))
	keys, query := db.HashedKeys(newcomer(1).Fingerprint), candidatesQuery(b)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		from := time.Now()
		rows, err := pool.Query(b.Context(), query, keys,
			time.Now().Add(-180*24*time.Hour), time.Now().Add(180*24*time.Hour), 40, 120, -5, 1)
		require.NoError(b, err)
		rows.Close()
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms/p99")
}
