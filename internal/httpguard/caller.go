package httpguard

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the addresses of trusted proxies, whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// ParseProxies parses addresses and networks, such as 10.0.0.7 and 172.16.0.0/12. It fails at the first one that is
// neither.
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
	if addr.IsLoopback() { // a local process could claim any address anyway
		return true
	}
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// Caller returns the client's address: that of the connection or, behind trusted proxies, the last address in
// X-Forwarded-For that is not a trusted proxy. Earlier entries can be forged.
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

// address parses an address with or without a port.
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

// neighbours is the key under which callers share limits: an IPv6 /64, since a customer typically owns all of its
// addresses.
func neighbours(caller string) string {
	addr, err := netip.ParseAddr(caller)
	if err != nil || addr.Is4() {
		return caller
	}
	prefix, _ := addr.Prefix(64)
	return prefix.String()
}
