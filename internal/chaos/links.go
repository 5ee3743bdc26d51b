package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// link is a TCP proxy between two processes.
type link struct{ proxy *toxiproxy.Proxy }

func openLink(name, upstream string) (*link, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, name, "127.0.0.1:0", upstream)
	if err := proxy.Start(); err != nil {
		return nil, fmt.Errorf("open the link %s: %w", name, err)
	}
	return &link{proxy}, nil
}

// address is where the near side connects.
func (l *link) address() string { return l.proxy.Listen }

// lead points the link at a server that came back under another address.
func (l *link) lead(upstream string) error {
	return l.proxy.Update(&toxiproxy.Proxy{Listen: l.proxy.Listen, Upstream: upstream, Enabled: true})
}

// stall lets connections stand and nothing through, until the time is over;
// then everything that was held up arrives.
func (l *link) stall(ctx context.Context, lasting time.Duration) error {
	for _, direction := range []string{"upstream", "downstream"} {
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(
			`{"name": "` + direction + `", "type": "latency", "stream": "` + direction + `", "attributes": {"latency": 3600000}}`)); err != nil {
			return err
		}
	}
	sleep(ctx, lasting)
	l.proxy.Toxics.ResetToxics(context.WithoutCancel(ctx))
	return nil
}

// drop cuts every connection and refuses new ones, until the time is over.
func (l *link) drop(ctx context.Context, lasting time.Duration) error {
	l.proxy.Stop()
	sleep(ctx, lasting)
	return l.proxy.Start()
}

func sleep(ctx context.Context, lasting time.Duration) {
	timer := time.NewTimer(lasting)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
