package sandbox

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// guard keeps web pages of others out. Every browser of this machine reaches
// the sandbox, so any page could make it fetch addresses of the own network, set a
// webhook or send in somebody's name: with a request across sites, or with a
// name of its own that it points at the loopback address.
//
// home is the sandbox's own address; widely says that it listens for other
// machines, such as containers, which call it by a name without a dot.
func guard(next http.Handler, home string, widely bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !servedHost(r.Host, home, widely):
			http.Error(w, "The sandbox answers to loopback addresses only.", http.StatusMisdirectedRequest)
		case fromElsewhere(r) && !harmless(r):
			http.Error(w, "This request came from another site and was refused.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func servedHost(hostport, home string, widely bool) bool {
	if own, err := url.Parse(home); err == nil && strings.EqualFold(own.Host, hostport) {
		return true
	}
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	return strings.EqualFold(host, "localhost") || widely && host != "" && !strings.Contains(host, ".")
}

// fromElsewhere reports what only a browser says: that a page of another
// origin made it send this. Programs send neither header.
func fromElsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return true
	}
	origin := r.Header.Get("Origin")
	own, err := url.Parse(origin)
	return origin != "" && (err != nil || !strings.EqualFold(own.Host, r.Host))
}

// harmless are the pages, which a link may lead to, and the pictures, which
// the console shows.
func harmless(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.Contains(r.URL.Path, "..") {
		return false
	}
	for _, acting := range []string{"/bot", "/method/", "/upload/", "/sandbox/"} {
		if strings.HasPrefix(r.URL.Path, acting) {
			return strings.HasPrefix(r.URL.Path, "/sandbox/photos/")
		}
	}
	return true
}
