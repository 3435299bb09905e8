package config

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Listen says whether this process receives events, and which addresses it opens for webhooks and health.
type Listen struct {
	Listeners bool     `envconfig:"LONGSHIFT_LISTENERS" default:"true"`
	Address   string   `envconfig:"LONGSHIFT_LISTEN"`
	Hosts     []string `envconfig:"LONGSHIFT_LISTEN_HOSTS"`
	Proxies   []string `envconfig:"LONGSHIFT_LISTEN_PROXIES"`
	Health    string   `envconfig:"LONGSHIFT_HEALTH" shown:"127.0.0.1 and the port after that of LONGSHIFT_LISTEN"`
}

// defaultHealth puts health on the port after the webhooks', where only this machine reaches it.
func (l *Listen) defaultHealth() {
	if l.Health == "none" {
		l.Health = ""
		return
	}
	_, port, err := net.SplitHostPort(l.Address)
	if l.Health != "" || err != nil {
		return
	}
	switch n, err := strconv.ParseUint(port, 10, 16); {
	case err != nil:
	case n == 0:
		l.Health = "127.0.0.1:0"
	default:
		l.Health = net.JoinHostPort("127.0.0.1", strconv.FormatUint(n+1, 10))
	}
}

// validate checks the addresses that this process opens, and who may call them.
func (l *Listen) validate() []error {
	var mistakes []error
	for _, a := range []struct{ name, address string }{{"LONGSHIFT_LISTEN", l.Address}, {"LONGSHIFT_HEALTH", l.Health}} {
		if a.address == "" {
			continue
		}
		_, port, err := net.SplitHostPort(a.address)
		if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
			mistakes = append(mistakes, mistake(a.name, a.address, "not an address; give host:port such as 127.0.0.1:8088"))
		}
	}
	l.Hosts, l.Proxies = tidy(l.Hosts), tidy(l.Proxies)
	for _, name := range l.Hosts {
		if strings.ContainsAny(name, "/*@ ") {
			mistakes = append(mistakes, mistake("LONGSHIFT_LISTEN_HOSTS", quotable(name),
				"not the name of a host; give one such as hooks.example.com, without a scheme or path"))
		}
	}
	for _, proxy := range l.Proxies {
		_, noNet := netip.ParsePrefix(proxy)
		if _, noAddr := netip.ParseAddr(proxy); noNet != nil && noAddr != nil {
			mistakes = append(mistakes, mistake("LONGSHIFT_LISTEN_PROXIES", quotable(proxy),
				"neither an address nor a network; give one such as 10.0.0.7 or 172.18.0.0/16"))
		}
	}
	return mistakes
}
