package egress

import (
	"net/netip"
	"slices"
)

func prefixes(list ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, s := range list {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

var (
	// never are addresses that no host has, and the link-local ones where clouds serve credentials to any caller.
	never = prefixes("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32",
		"::/128", "fe80::/10", "fec0::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128")
	// inside are loopback and private addresses, and those without a meaning on the internet.
	inside = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
		"192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"::1/128", "fc00::/7", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16")
	// carriers are IPv6 networks whose addresses embed the IPv4 address that packets are sent to: the prefix, and the
	// offset of the IPv4 address in bytes.
	carriers = map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"): 12, // NAT64
		netip.MustParsePrefix("2002::/16"):    2,  // 6to4
		netip.MustParsePrefix("::/96"):        12, // deprecated
	}
)

// checkAddress returns why an address must not be dialled, or "". internal is set when the operator's rule allows
// internal addresses.
func checkAddress(a netip.Addr, internal bool) string {
	a = a.Unmap()
	if a.Zone() != "" || !a.IsValid() {
		return "has a link-local address"
	}
	in := func(list []netip.Prefix) bool {
		return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	switch {
	case in(never):
		return "leads to an address that is never allowed"
	case in(inside):
		if internal {
			return ""
		}
		return "leads to a private address"
	}
	for p, at := range carriers {
		if p.Contains(a) {
			b := a.As16()
			return checkAddress(netip.AddrFrom4([4]byte(b[at:at+4])), internal)
		}
	}
	return ""
}
