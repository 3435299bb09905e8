package egress

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Config is what a proxy is made of. Only Rules and Setting are usually set.
type Config struct {
	Rules   []Rule // what may be reached; nil takes Defaults, an empty list allows nothing
	Setting string // name of the setting that holds the list, for the texts of refusals

	// Upstream is the URL of a proxy that everything but internal hosts goes through: http or https, with user and password
	// if it asks for them. It resolves the names itself, so addresses can then not be checked here.
	Upstream string
	Limits   Limits
	Budget   string // name of the setting that holds Limits.UploadTotal, for the texts of refusals

	// Denied hears of each refusal. ctx has the values of the one that the connection was handed over with; the host is as the client
	// named it, made printable; port is 0 when it named none.
	Denied func(ctx context.Context, host string, port int, why string)
	// Opened hears of each connection that was let through, when it has ended: bytes to and from the host, and its time.
	Opened func(host string, up, down int64, d time.Duration)
	Log    *slog.Logger

	Resolver Resolver                                                             // nil: this host's
	Dial     func(ctx context.Context, network, address string) (net.Conn, error) // nil: this host's
}

// Resolver turns a name into addresses.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Limits bound what clients may take. Zero takes the default.
type Limits struct {
	Conns       int           // connections at a time; 128
	Upload      int64         // bytes that one connection may send to a host; 2 MiB
	UploadTotal int64         // bytes that all connections of an account may send; no limit
	Header      time.Duration // until a request's header is whole, and again for the TLS hello; 10 s
	Dial        time.Duration // to find the host and connect; 15 s
	Idle        time.Duration // without a byte in either direction; 90 s
	Total       time.Duration // of one connection; 30 min
}

func (c Config) checked() (Config, error) {
	if c.Rules == nil {
		c.Rules = Defaults()
	}
	if c.Setting == "" {
		c.Setting = "the list of registries"
	}
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
		l.Conns = 128
	}
	if l.Upload <= 0 {
		l.Upload = 2 << 20
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Denied == nil {
		c.Denied = func(context.Context, string, int, string) {}
	}
	if c.Opened == nil {
		c.Opened = func(string, int64, int64, time.Duration) {}
	}
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{}).DialContext
	}
	return c, nil
}
