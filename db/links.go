package db

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"vestnik/db/internal/relaysql"
)

// linkMemory is how long a link that Telegram refused is not tried again: it
// remembers failures for "a few days" (tdlib/telegram-bot-api #782), and VK's
// links do not live much longer.
const linkMemory = 5 * 24 * time.Hour

// RefuseLink remembers a link to a photo that Telegram could not use.
func (l *Ledger) RefuseLink(ctx context.Context, link string) error {
	err := l.inTx(ctx, func(q *relaysql.Queries) error {
		if err := q.ForgetLinks(ctx, time.Now().Add(-linkMemory)); err != nil {
			return err
		}
		return q.RefuseLink(ctx, linkHash(link))
	})
	return wrap(err, "remember a refused link")
}

// RefusedLinks returns those of the links that Telegram could not use lately.
func (l *Ledger) RefusedLinks(ctx context.Context, links ...string) (map[string]bool, error) {
	if len(links) == 0 {
		return nil, nil
	}
	hashes := make([][]byte, len(links))
	for i, link := range links {
		hashes[i] = linkHash(link)
	}
	found, err := l.queries.RefusedLinks(ctx, relaysql.RefusedLinksParams{Links: hashes, Since: time.Now().Add(-linkMemory)})
	if err != nil {
		return nil, fmt.Errorf("refused links: %w", err)
	}
	known := map[string]bool{}
	for _, hash := range found {
		known[string(hash)] = true
	}
	refused := map[string]bool{}
	for i, link := range links {
		refused[link] = known[string(hashes[i])]
	}
	return refused, nil
}

// linkHash stands for a link, which is signed and may open somebody's photo.
func linkHash(link string) []byte {
	hash := sha256.Sum256([]byte(link))
	return hash[:16]
}
