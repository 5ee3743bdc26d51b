package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/db"
	"vestnik/internal/petpost"
	"vestnik/internal/post"
	"vestnik/internal/protocol"
	"vestnik/internal/testenv"
)

// servers gives the commands of the test a database and a namespace of their own.
func servers(t *testing.T, environ map[string]string) {
	t.Helper()
	t.Setenv("DATABASE_URL", testenv.Database(t))
	t.Setenv("TEMPORAL_ADDRESS", testenv.TemporalAddress(t))
	t.Setenv("TEMPORAL_NAMESPACE", testenv.Namespace(t))
	for name, value := range environ {
		t.Setenv(name, value)
	}
}

func vestnik(t *testing.T, arguments ...string) error {
	t.Helper()
	return root().Run(t.Context(), append([]string{"vestnik"}, arguments...))
}

const parkedChat = "telegram:-1001500000001"

// park leaves a delivery with a person.
func park(t *testing.T) {
	t.Helper()
	a, err := open(t.Context())
	require.NoError(t, err)
	defer a.close()
	id := post.ID{OwnerID: -1, PostID: 2}
	_, err = a.starter.Posts.StorePage(t.Context(), db.Page{
		Posts: []db.Post{petpost.ReadPost(post.Post{ID: id, PostedAt: time.Now(), Text: "Пропал кот Мурзик", ContentHash: []byte("2")})},
		Owed:  func(db.Post) []db.Owed { return []db.Owed{{Destination: parkedChat, Weight: 1}} },
	})
	require.NoError(t, err)
	_, err = a.starter.Ledger.Park(t.Context(), protocol.Park{
		DeliveryKey: protocol.DeliveryKey{Destination: parkedChat, OwnerID: -1, PostID: 2}, Status: protocol.StatusParked, Reason: "captcha",
	})
	require.NoError(t, err)
}

func TestWhatACommandDoesNotKnowIsAnErrorWithTheNearestName(t *testing.T) {
	servers(t, map[string]string{"VK_TOKEN": "vk1.a.read", "VK_WALLS": "lostpets_city"})
	park(t)
	for _, given := range []struct {
		command []string
		fault   string
	}{
		{[]string{"deliveries", "--status", "parket"}, `status "parket" is not known: did you mean "parked"?`},
		{[]string{"post", "type", "wall-1_2", "losst"}, `type "losst" is not known: did you mean "lost"?`},
		{[]string{"deliver", "wall-1_2", "--to", "telegram:-100150000001"}, `configured destination "telegram:-100150000001" is not known`},
		{[]string{"backfill", "--wall", "lostpet_city"}, `did you mean "lostpets_city"?`},
		{[]string{"case", "show", "9999"}, "case 9999: not found"},
		{[]string{"take-back", "9999", "--note", "ошибка"}, "delivery 9999: not found"},
		{[]string{"routes", "show", "0123456789ab"}, "rules 0123456789ab: not found"},
		{[]string{"statsu"}, `command "statsu" is not known: did you mean "status"?`},
		{[]string{"foo"}, "command \"foo\" is not known: `vestnik --help` lists them all"},
		{[]string{"help", "statsu"}, `command "statsu" is not known: did you mean "status"?`},
		{[]string{"destination", "help", "foo"}, "command \"foo\" is not known: `vestnik destination --help` lists them all"},
		{[]string{"status", "lostpets_city"}, "`vestnik status` takes no argument, and was given \"lostpets_city\""},
		{[]string{"import", "no-such-file.csv"}, "no-such-file.csv: no such file"},
		{[]string{"import", "histroy"}, `file or command "histroy" is not known: did you mean "history"?`},
		{[]string{"case", "shwo"}, `did you mean "show"?`},
		{[]string{"import", "--check", "../../go.mod"}, "непонятно, что в таблице"},
		{[]string{"destination", "pasue"}, `did you mean "pause"?`},
		{[]string{"destination", "state", "telegram:-100150000001"}, `did you mean "telegram:-1001500000001"?`},
		{[]string{"deliveries", "--destination", "telegram:-5"}, `destination "telegram:-5" is not known: `},
		{[]string{"deliveries", "9999"}, "delivery 9999: not found"},
		{[]string{"resume", "9999"}, "delivery 9999: not found"},
		{[]string{"resume", "--all", "--reason", "capcha"}, `reason "capcha" is not known: did you mean "captcha"?`},
		{[]string{"audit", "--subject", "delivery/9999"}, "delivery 9999: not found"},
		{[]string{"audit", "--subject", "case/9999"}, "case 9999: not found"},
		{[]string{"audit", "--subject", "post/wall-1_9999"}, "post wall-1_9999: not found"},
		{[]string{"audit", "--subject", "destination/telegram:-100150000001"}, `did you mean "telegram:-1001500000001"?`},
		{[]string{"audit", "--subject", "delivry/17"}, `subject "delivry/17" is not known: did you mean "delivery/17"?`},
		{[]string{"audit", "--limit", "0"}, "0: want 1 or more"},
		{[]string{"deliveries", "--limit", "-3"}, "-3: want 1 or more"},
		{[]string{"deliveries", "1", "2"}, "`vestnik deliveries` takes [id], and was given \"2\" too"},
		{[]string{"deliveries", "1", "--status", "sent"}, "--status is for the list"},
		{[]string{"deliveries", "--summary", "--status", "sent"}, "--status is for the list"},
		{[]string{"deliver", "wall-1_2", "wall-1_3", "--to", parkedChat}, "was given \"wall-1_3\" too"},
		{[]string{"case", "list", "--before", "-1"}, "-1: want 1 or more"},
		{[]string{"case", "split", "9999", "wall-1_2"}, "split: case 9999: not found"},
		{[]string{"resume", "1", "--reason", "captcha"}, "--reason says nothing without --all"},
		{[]string{"resume", "1", "--all"}, "name deliveries by id, or say --all"},
		{[]string{"resume", "1", "--captcha-key", "zq4f", "--action", "skip"}, "--captcha-key says nothing to the action skip"},
		{[]string{"scan", "--plan", "lostpet_city"}, `did you mean "lostpets_city"?`},
		{[]string{"scan", "--captcha", "zq4f"}, "--captcha says nothing without --resume-key"},
		{[]string{"scan", "--plan", "--dry-run"}, "--plan and --dry-run ask for different things"},
		{[]string{"scan", "--resume-key", "--captcha", "zq4f"}, "no reading key asks for a captcha"},
		{[]string{"routes", "check", "routes.yaml", "--since", "1w"}, `"1w" is no time span`},
		{[]string{"routes", "show"}, "name a version of the rules"},
		{[]string{"import", "status", "0123"}, `import "0123" is not known`},
		{[]string{"import", "discard", "0123"}, `import "0123" is not known`},
		{[]string{"import", "undo", "0123"}, `import "0123" is not known`},
		{[]string{"replay", "--limit", "3"}, "--limit says nothing without --query"},
		{[]string{"completion", "bsh"}, `command "bsh" is not known: did you mean "bash"?`},
		{[]string{"scan", "lostpet_city"}, `watched wall "lostpet_city" is not known: did you mean "lostpets_city"?`},
	} {
		err := vestnik(t, given.command...)
		require.ErrorContains(t, err, given.fault)
		require.False(t, doubled(err.Error()), err.Error())
	}
}

// doubled reports whether a text has a prefix twice in a row, as in "case 9: case
// 9: not found".
func doubled(text string) bool {
	parts := strings.Split("vestnik: "+text, ": ")
	for i := range len(parts) - 1 {
		if parts[i] == parts[i+1] || strings.HasPrefix(parts[i+1], parts[i]+" ") {
			return true
		}
	}
	return false
}

func TestASpanMayBeInDays(t *testing.T) {
	t.Parallel()
	for text, length := range map[string]time.Duration{"7d": 7 * 24 * time.Hour, "36h": 36 * time.Hour, "10m": 10 * time.Minute} {
		read, err := span(text)
		require.NoError(t, err)
		require.Equal(t, length, read)
	}
	for _, text := range []string{"7x", "-1h", "0d", ""} {
		_, err := span(text)
		require.Error(t, err, text)
	}
}

func TestATimeIsToldInOneUnit(t *testing.T) {
	t.Parallel()
	for since, said := range map[time.Duration]string{
		5 * time.Second: "5s ago", 4*time.Minute + 5*time.Second: "4m ago", 33*time.Hour + 4*time.Minute: "33h ago", 745 * time.Hour: "31d ago",
	} {
		at := time.Now().Add(-since)
		require.Equal(t, said, ago(&at))
	}
	require.Equal(t, "-", ago(nil))
}

func TestAListWithoutRowsSaysSo(t *testing.T) {
	servers(t, nil)
	require.Equal(t, "Nothing to list.\n", printed(t, "deliveries", "--status", "parked"))
	require.Equal(t, "[]\n", printed(t, "deliveries", "--status", "parked", "-o", "json"))
	require.Equal(t, "[]\n", printed(t, "operator", "list", "-o", "json"))
	require.Equal(t, "Nothing is kept of them, and nothing was sent.\n", printed(t, "forget", "--post", "wall-1_9999"))
}

func TestStatusFailsWhileSomethingNeedsAPerson(t *testing.T) {
	servers(t, nil)
	require.EqualError(t, vestnik(t, "status"), "1 thing needs a person", "no worker runs")
	park(t)
	require.EqualError(t, vestnik(t, "status", "-o", "json"), "2 things need a person")
}
