package egress

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Config configures a Proxy. Usually only Rules and Setting are set.
type Config struct {
	Rules   []Rule // hosts that may be reached; nil means Defaults, an empty list allows nothing
	Setting string // name of the setting with the list, for refusals

	// Upstream is the URL of a proxy for everything but internal hosts: http or https, with user and password if needed.
	// It resolves names itself, so their addresses can't be checked here.
	Upstream string
	Limits   Limits
	Budget   string // name of the setting for Limits.UploadTotal, for refusals

	// Denied is called for each refusal. ctx carries the values of the context passed with the connection. host is what
	// the client asked for, made printable; port is 0 when the client named none.
	Denied func(ctx context.Context, host string, port int, why string)
	// Opened is called when an allowed connection has ended, with the bytes to and from the host and the duration.
	Opened func(host string, up, down int64, d time.Duration)
	Log    *slog.Logger

	Resolver Resolver                                                             // nil: this host's resolver
	Dial     func(ctx context.Context, network, address string) (net.Conn, error) // nil: this host's dialer
}

type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Limits are per proxy unless they say otherwise. Zero means the default.
type Limits struct {
	Conns       int           // concurrent connections, a quarter of them for one account; 256
	Upload      int64         // bytes that one connection may send to a host; 2 MiB
	UploadTotal int64         // bytes that all connections of an account may send; no limit
	Header      time.Duration // to receive a request's header, and again for the TLS hello; 10 s
	Dial        time.Duration // to resolve the host and connect; 15 s
	Idle        time.Duration // without a byte in either direction; 90 s
	Total       time.Duration // of one connection; 30 min
}

func (c Config) checked() (Config, error) {
	if c.Rules == nil {
		c.Rules = Defaults()
	}
	c.Setting = cmp.Or(c.Setting, "the list of registries")
	rules := make([]Rule, 0, len(c.Rules))
	for _, r := range c.Rules {
		r, err := r.checked()
		if err != nil {
			return c, fault.New(fault.KindOf(err), "%s: %w", c.Setting, err).WithHint("%s", fault.HintOf(err))
		}
		rules = append(rules, r)
	}
	c.Rules = rules
	l := &c.Limits
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{{&l.Header, 10 * time.Second}, {&l.Dial, 15 * time.Second}, {&l.Idle, 90 * time.Second}, {&l.Total, 30 * time.Minute}} {
		if *d.value <= 0 {
			*d.value = d.usual
		}
	}
	if l.Conns <= 0 {
		l.Conns = 256 // a quarter is what one box opens at most
	}
	if l.Upload <= 0 {
		l.Upload = 2 << 20
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Denied == nil {
		c.Denied = func(context.Context, string, int, string) {}
	}
	if c.Opened == nil {
		c.Opened = func(string, int64, int64, time.Duration) {}
	}
	c.Resolver = cmp.Or[Resolver](c.Resolver, net.DefaultResolver)
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	return c, nil
}
