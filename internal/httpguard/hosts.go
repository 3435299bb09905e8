// Package httpguard guards what listens for HTTP: by which names a listener may be called and from which pages, and how much
// strangers may hold open before anything is known about them. It knows no platform and decides nothing about people.
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

// Hosts are the public names of a listener: "hooks.example.com" with any port, "hooks.example.com:8443" with that one. What is never on
// the list and always right is localhost, a loopback address, or the address that the call came in on, each with the listener's port.
//
// A page in somebody's browser may call any address of that machine. By a name of its own that it has turned to us (DNS rebinding)
// it would be of our own origin, so the name must be one of ours; by our own name it is of another origin, so it may change nothing.
type Hosts []string

// The reasons for which a call is refused.
var (
	ErrHost   = errors.New("this listener is not known by that name")
	ErrOrigin = errors.New("a page of another site may not do this")
)

// Guard lets through what Check finds no fault with. The others get 421 and 403, and nothing of them is read.
func (h Hosts) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.Check(r); err != nil {
			Refuse(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Refuse answers a call that Check has found fault with.
func Refuse(w http.ResponseWriter, err error) {
	status := http.StatusForbidden
	if errors.Is(err, ErrHost) {
		status = http.StatusMisdirectedRequest
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // or else the server would wait for a body
	w.Header().Set("Connection", "close")
	http.Error(w, err.Error(), status)
}

// Check gives ErrHost or ErrOrigin, or nil. Programs send no Origin, and pass; pages of other sites may read nothing of the answer, so
// a GET of theirs passes too, unless it opens a WebSocket, whose answers they could read.
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

// split takes host:port apart; the port may be missing, and an IPv6 address is in brackets.
func split(s string) (host, port string) {
	if host, port, err := net.SplitHostPort(s); err == nil {
		return host, port
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		return strings.TrimSuffix(inner, "]"), ""
	}
	return s, ""
}
