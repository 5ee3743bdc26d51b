package photo

import (
	"net/netip"
	"slices"
	"strings"
)

// closed are the networks that a public picture can't be in: IANA's special
// purpose registries (RFC 6890 and its updates), and in IPv6 everything
// outside 2000::/3, which is all that has been given out.
var closed = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "3fff::/20",
)

// own are the networks of a machine and of those around it: [Options.AllowPrivate]
// opens these and no others. Link-local addresses stay closed, because cloud
// providers keep their machines' credentials there.
var own = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7")

var (
	global = netip.MustParsePrefix("2000::/3")
	sixTo4 = netip.MustParsePrefix("2002::/16")    // an IPv4 address follows the prefix
	nat64  = netip.MustParsePrefix("64:ff9b::/96") // an IPv4 address is at the end
)

// reachable reports whether a picture may be fetched from an address.
func reachable(address netip.Addr, allowPrivate bool) bool {
	if !address.IsValid() || address.Zone() != "" {
		return false
	}
	address = address.Unmap()
	if in(own, address) {
		return allowPrivate
	}
	if in(closed, address) {
		return false
	}
	if address.Is4() {
		return true
	}
	bytes := address.As16()
	switch {
	case sixTo4.Contains(address):
		return reachable(netip.AddrFrom4([4]byte(bytes[2:6])), false)
	case nat64.Contains(address):
		return reachable(netip.AddrFrom4([4]byte(bytes[12:16])), false)
	}
	return global.Contains(address)
}

// public reports whether a host in a link may be on the internet, as far as its
// spelling shows.
func public(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return reachable(address, false)
	}
	_, last, dotted := strings.Cut(strings.ToLower(host), ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	// A name that ends in a digit is an address in some spelling.
	return dotted && last > ":" && !slices.Contains([]string{"local", "localhost", "internal", "lan", "home", "arpa"}, last)
}

func in(networks []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(address) })
}

func prefixes(texts ...string) []netip.Prefix {
	networks := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		networks[i] = netip.MustParsePrefix(text)
	}
	return networks
}
