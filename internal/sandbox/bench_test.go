package sandbox_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"vestnik/internal/sandbox"
)

// BenchmarkSendMessage is what the sandbox itself costs in others' benchmarks.
func BenchmarkSendMessage(b *testing.B) {
	s, err := sandbox.Start(context.Background(), sandbox.Options{Limits: sandbox.NoLimits})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	require.NoError(b, s.AddBot(sandbox.Bot{Token: botToken}))
	require.NoError(b, s.AddChat(sandbox.Chat{ID: groupChat, Type: sandbox.Supergroup}))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL()+"/bot"+botToken+"/sendMessage",
				strings.NewReader(fmt.Sprintf(`{"chat_id":%d,"text":"Пропала <b>кошка</b>","parse_mode":"HTML"}`, groupChat)))
			if err != nil {
				b.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/json")
			response, err := client.Do(r)
			if err != nil {
				b.Error(err)
				return
			}
			if response.StatusCode != http.StatusOK {
				b.Error(response.Status)
			}
			_ = response.Body.Close()
		}
	})
}
