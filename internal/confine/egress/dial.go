package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

const (
	tries     = 4                      // addresses of a host that are dialled
	headStart = 300 * time.Millisecond // of an address, before the next one is dialled beside it
)

// connect opens a connection to a host that a rule allows.
func (p *Proxy) connect(ctx context.Context, to authority, rule Rule) (net.Conn, *refusal) {
	ctx, cancel := context.WithTimeout(ctx, p.config.Limits.Dial)
	defer cancel()
	if p.upstream != nil && !rule.Internal {
		conn, err := p.upstream.connect(ctx, p.config.Dial, to, rule.Plain)
		if err != nil {
			p.warn("the upstream proxy did not connect", to, err)
			return nil, broken(to.host, to.port, "can't be reached through the upstream proxy: %v", err)
		}
		return conn, nil
	}
	addresses, r := p.resolve(ctx, to, rule)
	if r != nil {
		return nil, r
	}
	conn, err := p.dial(ctx, addresses[:min(len(addresses), tries)], to.port)
	if err != nil {
		p.warn("a registry can't be reached", to, err)
		return nil, broken(to.host, to.port, "can't be reached; try again later")
	}
	return conn, nil
}

// dial connects to the first of some addresses that answers. None waits for the one before to give up: on a host with broken IPv6, packets to
// all addresses of that family may vanish. It dials the addresses that were checked, because a second lookup could return others.
func (p *Proxy) dial(ctx context.Context, addresses []netip.Addr, port int) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends those that are too late
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	try := func(a netip.Addr) {
		conn, err := p.config.Dial(ctx, "tcp", net.JoinHostPort(a.String(), strconv.Itoa(port)))
		select {
		case results <- result{conn, err}:
		case <-ctx.Done():
			if err == nil {
				_ = conn.Close() // nothing was sent
			}
		}
	}
	var last error
	for open := 0; len(addresses) > 0 || open > 0; {
		var next <-chan time.Time
		if len(addresses) > 0 {
			go try(addresses[0])
			addresses, open, next = addresses[1:], open+1, time.After(headStart)
		}
		select {
		case <-next:
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			last, open = r.err, open-1
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, last
}

// resolve returns the addresses of a host, in the order to dial them. One forbidden address makes the whole answer invalid: its name server is not
// to be trusted with the others.
func (p *Proxy) resolve(ctx context.Context, to authority, rule Rule) ([]netip.Addr, *refusal) {
	name := to.host
	if !rule.Internal {
		name += "." // fully qualified, so that no search domain is added
	}
	addresses, err := p.config.Resolver.LookupNetIP(ctx, "ip", name)
	if err != nil || len(addresses) == 0 {
		p.warn("a registry's name can't be resolved", to, err)
		return nil, broken(to.host, to.port, "can't be resolved; try again later")
	}
	for i, a := range addresses {
		if why := checkAddress(a, rule.Internal); why != "" {
			way := "; no setting allows that"
			if checkAddress(a, true) == "" {
				way = "; the operator can mark it internal in " + p.config.Setting
			}
			return nil, deny(to.host, to.port, "%s", why+way)
		}
		addresses[i] = a.Unmap()
	}
	takeTurns(addresses)
	return addresses, nil
}

// takeTurns orders addresses so that IPv4 and IPv6 take turns, beginning with the family of the first: all of one may be out of reach.
func takeTurns(addresses []netip.Addr) {
	place, count := map[netip.Addr]int{}, map[bool]int{}
	for _, a := range addresses {
		place[a] = count[a.Is4()]
		count[a.Is4()]++
	}
	slices.SortStableFunc(addresses, func(a, b netip.Addr) int { return place[a] - place[b] })
}

// warn logs an error once per host, since clients retry.
func (p *Proxy) warn(what string, to authority, err error) {
	if _, said := p.said.LoadOrStore(what+" "+to.host, true); !said {
		p.config.Log.Warn(what, "host", to.host, "port", to.port, "error", err)
	}
}

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
