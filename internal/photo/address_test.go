package photo

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyPublicAddressesAreReachable(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct{ publicly, privately bool }{
		"87.240.132.72":          {true, true},
		"1.1.1.1":                {true, true},
		"172.15.255.255":         {true, true},
		"172.32.0.1":             {true, true},
		"2a00:bdc0:e001::1":      {true, true},
		"::ffff:87.240.132.72":   {true, true},
		"64:ff9b::57f0:8448":     {true, true},  // 87.240.132.72 behind NAT64
		"2002:57f0:8448::1":      {true, true},  // and behind 6to4
		"127.0.0.1":              {false, true}, // loopback
		"127.8.8.8":              {false, true},
		"::1":                    {false, true},
		"::ffff:127.0.0.1":       {false, true},
		"10.1.2.3":               {false, true}, // private
		"172.16.0.1":             {false, true},
		"192.168.1.1":            {false, true},
		"fd00::1":                {false, true},
		"0.0.0.0":                {false, false}, // this host
		"::":                     {false, false},
		"100.64.0.1":             {false, false}, // carriers' NAT
		"169.254.169.254":        {false, false}, // link-local: clouds' credentials
		"fe80::1":                {false, false},
		"fe80::1%eth0":           {false, false},
		"2a00:bdc0:e001::1%eth0": {false, false},
		"192.0.0.170":            {false, false},
		"192.0.2.1":              {false, false}, // documentation
		"198.51.100.7":           {false, false},
		"203.0.113.7":            {false, false},
		"2001:db8::1":            {false, false},
		"3fff::1":                {false, false},
		"198.18.0.1":             {false, false}, // benchmarks
		"224.0.0.1":              {false, false}, // multicast
		"239.255.255.250":        {false, false},
		"ff02::1":                {false, false},
		"255.255.255.255":        {false, false},
		"240.0.0.1":              {false, false},
		"2001::1":                {false, false}, // Teredo
		"fec0::1":                {false, false},
		"64:ff9b::a00:1":         {false, false}, // 10.0.0.1 behind NAT64
		"64:ff9b::7f00:1":        {false, false},
		"2002:a9fe:a9fe::1":      {false, false}, // 169.254.169.254 behind 6to4
		"::10.0.0.1":             {false, false},
	} {
		parsed := netip.MustParseAddr(address)
		require.Equal(t, want.publicly, reachable(parsed, false), address)
		require.Equal(t, want.privately, reachable(parsed, true), "%s, private networks allowed", address)
	}
	require.False(t, reachable(netip.Addr{}, true))
}
