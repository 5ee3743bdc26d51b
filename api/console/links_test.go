package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"vestnik/internal/protocol"
)

func TestMessageIsLinkedWhereItsChatHasAnAddress(t *testing.T) {
	t.Parallel()
	moved := int64(-1002000000007)
	for name, row := range map[string]struct {
		destination string
		migratedTo  *int64
		want        string
	}{
		"supergroup":                 {"telegram:-1001234567890", nil, "https://t.me/c/1234567890/55"},
		"topic of a supergroup":      {"telegram:-1001234567890/9", nil, "https://t.me/c/1234567890/9/55"},
		"General topic":              {"telegram:-1001234567890/1", nil, "https://t.me/c/1234567890/55"},
		"public channel":             {"telegram:@poteryashki", nil, "https://t.me/poteryashki/55"},
		"group that became a super.": {"telegram:-777", &moved, "https://t.me/c/2000000007/55"},
		"small group":                {"telegram:-777", nil, ""},
		"private chat":               {"telegram:555", nil, ""},
		"VK wall":                    {"vk:-900000005", nil, "https://vk.com/wall-900000005_55"},
		"no destination":             {"carrier pigeon", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, row.want, newLinks(Config{}).message(row.destination, row.migratedTo, 55))
		})
	}
}

func TestSandboxedPlatformIsLinkedToTheSandbox(t *testing.T) {
	t.Parallel()
	links := newLinks(Config{SandboxURL: "http://127.0.0.1:9000", SandboxVK: true})
	require.Equal(t, "http://127.0.0.1:9000", links.source(-1, 2))
	require.Equal(t, "http://127.0.0.1:9000", links.message("vk:-5", nil, 1))
	require.Equal(t, "https://t.me/poteryashki/1", links.message("telegram:@poteryashki", nil, 1), "the other platform is the real one")
	require.Equal(t, "https://vk.com/wall-1_2", newLinks(Config{SandboxVK: true}).source(-1, 2), "no sandbox, no link to it")
}

func TestWorkflowIsLinkedOnlyWhereThereIsAWebUI(t *testing.T) {
	t.Parallel()
	links := newLinks(Config{TemporalUI: "http://127.0.0.1:8233/", Namespace: "night shift"})
	require.Equal(t, "http://127.0.0.1:8233/namespaces/night%20shift/workflows/deliver%2Fvk:-5%2Fwall-1_2",
		links.workflow(protocol.DeliveryWorkflowID("vk:-5", -1, 2)))
	require.Empty(t, newLinks(Config{}).workflow("scan-walls"))
}

func TestOnlyWebAddressesAreOfferedAsLinks(t *testing.T) {
	t.Parallel()
	for _, link := range []string{"https://vk.com/captcha.php?sid=1", "http://127.0.0.1:9000/a.png"} {
		require.Equal(t, link, outside(link))
	}
	for _, link := range []string{"", "javascript:alert(1)", "data:text/html,x", "//vk.com", "/console/", "https://", "\x00https://vk.com"} {
		require.Empty(t, outside(link), link)
	}
}

func TestTimesAreToldInAtMostTwoUnits(t *testing.T) {
	t.Parallel()
	for length, want := range map[time.Duration]string{
		0:                                "now",
		999 * time.Millisecond:           "now",
		time.Second:                      "1 s ago",
		59 * time.Second:                 "59 s ago",
		time.Minute:                      "1 min ago",
		95 * time.Second:                 "1 min 35 s ago",
		47 * time.Minute:                 "47 min ago",
		3*time.Hour + 20*time.Minute:     "3 h 20 min ago",
		13*time.Hour + 20*time.Minute:    "13 h ago",
		50 * time.Hour:                   "2 d 2 h ago",
		-90 * time.Second:                "in 1 min 30 s",
		-(30*24*time.Hour + time.Minute): "in 30 d",
	} {
		require.Equal(t, want, english.agoOrIn(length))
	}
}

func TestEveryReasonIsExplainedOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for group, reasons := range advised {
		for _, l := range []language{english, russian} {
			require.Contains(t, catalogue, "advice."+group)
			require.NotEqual(t, "advice."+group+".means", l.advice(reasons[0]).Means)
			require.NotEqual(t, "advice."+group+".remedy", l.advice(reasons[0]).Remedy)
		}
		for _, reason := range reasons {
			require.False(t, seen[reason], reason)
			seen[reason] = true
		}
	}
	require.Nil(t, english.advice(""))
}

func TestScanIsToldInOneSentence(t *testing.T) {
	t.Parallel()
	done := scanned{Result: &protocol.ScanWallsResult{Walls: []protocol.WallRead{{Calls: 2, New: 5, Owed: 1}, {Calls: 1, New: 1, Owed: 2}}}}
	require.Equal(t, "Read 2 walls with 3 calls: 6 new posts, 3 messages owed.", done.told(english))
	require.Contains(t, scanned{Running: true}.told(english), "still running")
}
