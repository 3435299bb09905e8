package httpguard

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the addresses of proxies of ours: what they say of whom they speak for is believed.
type Proxies []netip.Prefix

// ParseProxies reads addresses and networks, such as 10.0.0.7 and 172.16.0.0/12. The error is of the first that is neither.
func ParseProxies(list []string) (Proxies, error) {
	var all Proxies
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, bad := netip.ParseAddr(text)
			if bad != nil {
				return nil, bad
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

func (p Proxies) trust(addr netip.Addr) bool {
	if addr.IsLoopback() { // who is on this machine needs no disguise
		return true
	}
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// Caller gives the address from which a call comes: of the connection, or behind proxies of ours the last in X-Forwarded-For that is none
// of them. What stands before that one anybody can have written.
func (p Proxies) Caller(r *http.Request) string {
	caller := address(r.RemoteAddr)
	chain := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(chain) - 1; i >= 0 && caller.IsValid() && p.trust(caller); i-- {
		next := address(strings.TrimSpace(chain[i]))
		if !next.IsValid() {
			break
		}
		caller = next
	}
	if !caller.IsValid() {
		return "unknown"
	}
	return caller.String()
}

// address reads an address with or without a port.
func address(s string) netip.Addr {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}

// neighbours is what counts as one caller: an IPv6 network of 64 bits is one customer's, who has all of its addresses.
func neighbours(caller string) string {
	addr, err := netip.ParseAddr(caller)
	if err != nil || addr.Is4() {
		return caller
	}
	prefix, _ := addr.Prefix(64)
	return prefix.String()
}
