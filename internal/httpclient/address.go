package httpclient

import (
	"net"
	"net/url"

	"github.com/longshift/longshift/internal/fault"
)

// BaseURL reads the address of an API, and refuses one that would send a token in the clear. what names the API in errors, which are of
// kind Input.
func BaseURL(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Input, "%s URL is not an address", what).WithHint("give https://host, without user, password or query")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !Loopback(u.Hostname())) {
		return nil, fault.New(fault.Input, "%s URL %q would send the token in the clear", what, u).WithHint("use https")
	}
	return u, nil
}

// Loopback tells whether a host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
