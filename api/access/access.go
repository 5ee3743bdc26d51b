// Package access looks at who sends an HTTP request: their address, their
// token, and how often they have tried.
package access

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Address is who asks: the peer, or, behind a proxy of our own network,
// whom the proxy names last. Whoever reaches us directly is taken by their own
// address, whatever their headers say. Of IPv6 it is the network, which one
// subscriber has to themselves.
func Address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return "unknown"
	}
	if address = address.Unmap(); address.IsLoopback() || address.IsPrivate() {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if named, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1])); err == nil {
			address = named.Unmap()
		}
	}
	if address.Is4() {
		return address.String()
	}
	network, err := address.WithZone("").Prefix(64)
	if err != nil {
		return "unknown"
	}
	return network.String()
}

// Headers are sent by programs whose token has just been changed.
const (
	tokensInARow    = 60
	tokensPerSecond = 1.0
)

// ErrTooMany is returned to an address that has sent too many wrong tokens.
var ErrTooMany = errors.New("too many wrong tokens from this address: ask again later")

// Token is what a request carries as a bearer token.
func Token(r *http.Request) string {
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token)
}

// Bearer reads tokens in headers, and few wrong ones from an address.
type Bearer struct {
	matches func(token string) bool
	wrong   *Buckets[string]
}

// NewBearer returns one for the tokens that match; now is the clock.
func NewBearer(matches func(token string) bool, now func() time.Time) *Bearer {
	return &Bearer{matches: matches, wrong: NewBuckets[string](tokensPerSecond, tokensInARow, now)}
}

// Admits reports whether a request carries a token that matches, or
// [ErrTooMany].
func (b *Bearer) Admits(r *http.Request) (bool, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 {
		return false, nil
	}
	address := Address(r)
	if b.wrong.Spent(address) {
		return false, ErrTooMany
	}
	scheme, _, _ := strings.Cut(values[0], " ")
	if len(values) != 1 || !strings.EqualFold(scheme, "Bearer") || !b.matches(Token(r)) {
		b.wrong.Take(address)
		return false, nil
	}
	return true, nil
}
