// Package httpguard guards HTTP listeners: it checks under which host names and from which web pages a listener may be
// called, and limits what unknown callers can occupy. It knows no platform and may not decide about people.
package httpguard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Hosts are the public names of a listener: "hooks.example.com" with any port, "hooks.example.com:8443" with that port
// only. Always allowed, with the listener's port, are localhost, loopback addresses, and the address that the request
// arrived at.
//
// A page in a browser may send requests to any address that the browser's machine can reach. With DNS rebinding the
// page's own host name points to the listener, and the request is of the same origin; so the name must be on the list.
// Under a listed name the request is of another origin, so it may change nothing.
type Hosts []string

// Reasons why a request is refused.
var (
	ErrHost   = errors.New("this listener is not known by that name")
	ErrOrigin = errors.New("a page of another site may not do this")
)

// Guard passes on requests that Check accepts. Others get status 421 or 403, and their body is not read.
func (h Hosts) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.Check(r); err != nil {
			Refuse(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Refuse answers a request that Check has refused.
func Refuse(w http.ResponseWriter, err error) {
	status := http.StatusForbidden
	if errors.Is(err, ErrHost) {
		status = http.StatusMisdirectedRequest
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // or the server would wait for the body
	w.Header().Set("Connection", "close")
	http.Error(w, err.Error(), status)
}

// Check returns ErrHost, ErrOrigin or nil. Programs send no Origin and pass. A cross-origin GET passes too, because
// browsers hide the answer from the page, unless it opens a WebSocket, whose messages the page could read.
func (h Hosts) Check(r *http.Request) error {
	if !h.known(r) {
		return fmt.Errorf("%w: %.80q", ErrHost, r.Host)
	}
	asked := r
	if r.Header.Get("Upgrade") != "" {
		asked = &http.Request{Method: http.MethodPost, Host: r.Host, Header: r.Header, URL: r.URL}
	}
	if err := http.NewCrossOriginProtection().Check(asked); err != nil {
		return fmt.Errorf("%w: %.80q", ErrOrigin, r.Header.Get("Origin"))
	}
	return nil
}

func (h Hosts) known(r *http.Request) bool {
	name, port := split(r.Host)
	for _, public := range h {
		if host, only := split(public); strings.EqualFold(host, name) && (only == "" || only == port) {
			return true
		}
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || port != strconv.Itoa(local.Port) && (port != "" || local.Port != 80) {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	addr = addr.Unmap()
	return addr.IsLoopback() || addr == local.AddrPort().Addr().Unmap().WithZone("")
}

// split splits host:port; the port is optional, and IPv6 addresses are in brackets.
func split(s string) (host, port string) {
	if host, port, err := net.SplitHostPort(s); err == nil {
		return host, port
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		return strings.TrimSuffix(inner, "]"), ""
	}
	return s, ""
}
