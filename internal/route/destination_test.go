package route_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/route"
)

func TestDestinationsAreNamedOneWayOnly(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]route.Destination{
		"telegram:-1001234567890":    {Platform: route.Telegram, Chat: "-1001234567890"},
		"telegram:-1001234567890/12": {Platform: route.Telegram, Chat: "-1001234567890", Thread: 12},
		"telegram:42":                {Platform: route.Telegram, Chat: "42"},
		"telegram:@lapa_demo/3":      {Platform: route.Telegram, Chat: "@lapa_demo", Thread: 3},
		"vk:-123456":                 route.VKWall(-123456),
		"vk:5":                       route.VKWall(5),
	} {
		parsed, err := route.ParseDestination(name)
		require.NoError(t, err, name)
		require.Equal(t, want, parsed, name)
		require.Equal(t, name, parsed.String())

		encoded, err := json.Marshal(map[route.Destination]route.Destination{parsed: parsed})
		require.NoError(t, err)
		require.JSONEq(t, `{"`+name+`":"`+name+`"}`, string(encoded))
		var decoded map[route.Destination]route.Destination
		require.NoError(t, json.Unmarshal(encoded, &decoded))
		require.Equal(t, parsed, decoded[parsed])
	}
	upper, err := route.ParseDestination("telegram:@Lapa_Demo")
	require.NoError(t, err)
	require.Equal(t, "telegram:@lapa_demo", upper.String(), "public names have no case")
	require.Empty(t, route.Destination{}.String())
}

func TestNamesThatAreNoDestinationSayWhatToWrite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "telegram", "-100", "telegram:", "telegram:0", "telegram:-0", "telegram:+5", "telegram:05", "telegram:@a", "telegram:lapa",
		"telegram:-5/", "telegram:-5/0", "telegram:-5/-1", "telegram:-5/01", "telegram:-5/x", "telegram:-5/1/2", "telegram:-5/99999999999",
		"telegram:99999999999999999999", "vk:", "vk:0", "vk:lapa", "vk:-5/1", "vk: 5", "viber:5", "Telegram:5", "telegram:5 ",
	} {
		_, err := route.ParseDestination(name)
		require.ErrorContains(t, err, "write telegram:<chat>, telegram:<chat>/<thread> or vk:<owner>", name)
	}
	var destination route.Destination
	require.Error(t, json.Unmarshal([]byte(`"vk:x"`), &destination))
	require.NoError(t, json.Unmarshal([]byte(`""`), &destination))
	require.Zero(t, destination)
}

func TestTheGeneralTopicIsSentToWithoutAThread(t *testing.T) {
	t.Parallel()
	general := destination(t, "telegram:-5/1")
	require.Zero(t, general.SendThread())
	require.Equal(t, destination(t, "telegram:-5"), general.Place())
	require.Equal(t, 12, destination(t, "telegram:-5/12").SendThread())
	require.Zero(t, destination(t, "telegram:-5").SendThread())
}

func TestAMigratedChatKeepsItsTopic(t *testing.T) {
	t.Parallel()
	require.Equal(t, "telegram:-1009/7", destination(t, "telegram:-5/7").WithChat(-1009).String())
}

func FuzzParseDestination(f *testing.F) {
	for _, name := range []string{"telegram:-100/7", "vk:-5", "telegram:@lapa_demo", "x", "telegram:-5/1"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		parsed, err := route.ParseDestination(name)
		if err != nil {
			return
		}
		again, err := route.ParseDestination(parsed.String())
		require.NoError(t, err)
		require.Equal(t, parsed, again)
	})
}
