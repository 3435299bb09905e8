package egress

import (
	"context"
	"net"
	"net/netip"
	"strconv"
)

// tries is how many addresses of a host are tried.
const tries = 4

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
	var last error
	for _, a := range addresses[:min(len(addresses), tries)] {
		// Dial the address that was checked: a second lookup could return another.
		conn, err := p.config.Dial(ctx, "tcp", net.JoinHostPort(a.String(), strconv.Itoa(to.port)))
		if err == nil {
			return conn, nil
		}
		last = err
	}
	p.warn("a registry can't be reached", to, last)
	return nil, broken(to.host, to.port, "can't be reached; try again later")
}

// resolve returns the addresses of a host. One forbidden address makes the whole answer invalid: its name server is not
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
	return addresses, nil
}

// warn logs an error once per host, since clients retry.
func (p *Proxy) warn(what string, to authority, err error) {
	if _, said := p.said.LoadOrStore(what+" "+to.host, true); !said {
		p.config.Log.Warn(what, "host", to.host, "port", to.port, "error", err)
	}
}
