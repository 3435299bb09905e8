package config

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// defaultHealth puts health beside the webhooks, where only this machine reaches it.
func (c *Config) defaultHealth() {
	if c.Health == "none" {
		c.Health = ""
		return
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if c.Health != "" || err != nil {
		return
	}
	switch n, err := strconv.ParseUint(port, 10, 16); {
	case err != nil:
	case n == 0:
		c.Health = "127.0.0.1:0"
	default:
		c.Health = net.JoinHostPort("127.0.0.1", strconv.FormatUint(n+1, 10))
	}
}

// validateListeners checks the addresses that this process opens, and who may call them.
func (c *Config) validateListeners() []error {
	var mistakes []error
	for _, a := range []struct{ name, address string }{{"LONGSHIFT_LISTEN", c.Listen}, {"LONGSHIFT_HEALTH", c.Health}} {
		if a.address == "" {
			continue
		}
		_, port, err := net.SplitHostPort(a.address)
		if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
			mistakes = append(mistakes, mistake(a.name, a.address, "not an address; give host:port such as 127.0.0.1:8088"))
		}
	}
	c.ListenHosts, c.ListenProxies = tidy(c.ListenHosts), tidy(c.ListenProxies)
	for _, name := range c.ListenHosts {
		if strings.ContainsAny(name, "/*@ ") {
			mistakes = append(mistakes, mistake("LONGSHIFT_LISTEN_HOSTS", name, "not the name of a host; give one such as hooks.example.com, without a scheme or path"))
		}
	}
	for _, proxy := range c.ListenProxies {
		_, noNet := netip.ParsePrefix(proxy)
		if _, noAddr := netip.ParseAddr(proxy); noNet != nil && noAddr != nil {
			mistakes = append(mistakes, mistake("LONGSHIFT_LISTEN_PROXIES", proxy, "neither an address nor a network; give one such as 10.0.0.7 or 172.18.0.0/16"))
		}
	}
	return mistakes
}
