package main

import (
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
	_, err = a.relay.Posts.StorePage(t.Context(), db.Page{
		Posts: []db.Post{petpost.ReadPost(post.Post{ID: id, PostedAt: time.Now(), Text: "Пропал кот Мурзик", ContentHash: []byte("2")})},
		Owed:  func(db.Post) []db.Owed { return []db.Owed{{Destination: parkedChat, Weight: 1}} },
	})
	require.NoError(t, err)
	_, err = a.relay.Ledger.Park(t.Context(), protocol.Park{
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
		{[]string{"status", "lostpets_city"}, "vestnik status takes no argument, and was given \"lostpets_city\""},
		{[]string{"import", "no-such-file.csv"}, "no-such-file.csv: no such file"},
		{[]string{"import", "--check", "../../go.mod"}, "непонятно, что в таблице"},
		{[]string{"destination", "pasue"}, `did you mean "pause"?`},
		{[]string{"destination", "state", "telegram:-100150000001"}, `did you mean "telegram:-1001500000001"?`},
		{[]string{"deliveries", "--destination", "telegram:-5"}, `destination "telegram:-5" is not known: `},
		{[]string{"deliveries", "9999"}, "delivery 9999: not found"},
		{[]string{"resume", "9999"}, "delivery 9999: not found"},
		{[]string{"resume", "--all", "--reason", "capcha"}, `reason "capcha" is not known: did you mean "captcha"?`},
		{[]string{"scan", "lostpet_city"}, `watched wall "lostpet_city" is not known: did you mean "lostpets_city"?`},
	} {
		err := vestnik(t, given.command...)
		require.ErrorContains(t, err, given.fault)
		require.NotContains(t, err.Error(), "delivery 9999: delivery")
	}
}

func TestStatusFailsWhileSomethingNeedsAPerson(t *testing.T) {
	servers(t, nil)
	require.EqualError(t, vestnik(t, "status"), "1 thing needs a person", "no worker runs")
	park(t)
	require.EqualError(t, vestnik(t, "status", "-o", "json"), "2 things need a person")
}
