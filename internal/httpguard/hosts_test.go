package httpguard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// call is a request received at a local address.
func call(t *testing.T, method, host, local string, header ...string) *http.Request {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", local)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, "/api", nil)
	r.Host = host
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
}

// TestServerHasTheSame compares with the copy of the server, a module of its own that can't import this one.
func TestServerHasTheSame(t *testing.T) {
	ours, err := os.ReadFile("hosts.go")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile("../../devserver/internal/httpguard/hosts.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, copied) {
		t.Error("devserver/internal/httpguard/hosts.go differs from hosts.go: copy it")
	}
}

func TestHostsKnowTheirNames(t *testing.T) {
	const loop, all, public = "127.0.0.1:8233", "[::1]:8233", "192.0.2.7:8233"
	names := Hosts{"Hooks.example.com", "only.example.com:8443"}
	for _, c := range []struct {
		host, local string
		want        bool
	}{
		{"localhost:8233", loop, true},
		{"LOCALHOST:8233", loop, true},
		{"127.0.0.1:8233", loop, true},
		{"127.8.9.1:8233", loop, true},
		{"[::1]:8233", all, true},
		{"[::ffff:127.0.0.1]:8233", loop, true},
		{"192.0.2.7:8233", public, true},
		{"hooks.example.com", loop, true},
		{"hooks.example.com:443", loop, true},
		{"only.example.com:8443", loop, true},
		{"localhost", "127.0.0.1:80", true},

		{"only.example.com", loop, false},
		{"only.example.com:8233", loop, false},
		{"rebind.attacker.example:8233", loop, false},
		{"localhost:8234", loop, false},
		{"localhost", loop, false},
		{"127.0.0.1", loop, false},
		{"localhost.attacker.example:8233", loop, false},
		{"127.0.0.1.attacker.example:8233", loop, false},
		{"0.0.0.0:8233", loop, false},
		{"[::]:8233", all, false},
		{"192.0.2.8:8233", public, false},
		{"x.hooks.example.com", loop, false},
		{"", loop, false},
		{":8233", loop, false},
		{"[::1", all, false},
	} {
		if err := names.Check(call(t, "GET", c.host, c.local)); (err == nil) != c.want || err != nil && !errors.Is(err, ErrHost) {
			t.Errorf("%q on %s: %v, want right %v", c.host, c.local, err, c.want)
		}
	}
	if err := names.Check(httptest.NewRequest("GET", "http://localhost:8233/", nil)); !errors.Is(err, ErrHost) {
		t.Errorf("a call that came in nowhere: %v", err)
	}
}

func TestPagesOfOthersChangeNothing(t *testing.T) {
	const host, local = "localhost:8233", "127.0.0.1:8233"
	for _, c := range []struct {
		name, method string
		header       []string
		want         bool
	}{
		{"a program", "POST", nil, true},
		{"our own page", "POST", []string{"Origin", "http://localhost:8233", "Sec-Fetch-Site", "same-origin"}, true},
		{"our own page behind TLS", "POST", []string{"Origin", "https://localhost:8233"}, true},
		{"an old browser on our own page", "POST", []string{"Origin", "http://localhost:8233"}, true},
		{"typed in", "POST", []string{"Sec-Fetch-Site", "none"}, true},
		{"a link elsewhere", "GET", []string{"Sec-Fetch-Site", "cross-site"}, true},
		{"our own socket", "GET", []string{"Upgrade", "websocket", "Origin", "http://localhost:8233"}, true},

		{"another site", "POST", []string{"Origin", "https://attacker.example", "Sec-Fetch-Site", "cross-site"}, false},
		{"another site, by Origin alone", "POST", []string{"Origin", "https://attacker.example"}, false},
		{"another site, by its fetch alone", "DELETE", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"another port of this machine", "POST", []string{"Origin", "http://localhost:3000", "Sec-Fetch-Site", "same-site"}, false},
		{"the same machine by its other name", "POST", []string{"Origin", "http://127.0.0.1:8233"}, false},
		{"a frame without an origin", "POST", []string{"Origin", "null"}, false},
		{"a file", "PUT", []string{"Origin", "file://"}, false},
		{"a socket of another site", "GET", []string{"Upgrade", "websocket", "Origin", "https://attacker.example"}, false},
	} {
		err := Hosts(nil).Check(call(t, c.method, host, local, c.header...))
		if (err == nil) != c.want || err != nil && !errors.Is(err, ErrOrigin) {
			t.Errorf("%s: %v, want let through %v", c.name, err, c.want)
		}
	}
}

func TestGuardAnswers(t *testing.T) {
	reached := 0
	h := Hosts(nil).Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	for want, r := range map[int]*http.Request{
		http.StatusMisdirectedRequest: call(t, "GET", "attacker.example:8233", "127.0.0.1:8233"),
		http.StatusForbidden:          call(t, "POST", "localhost:8233", "127.0.0.1:8233", "Origin", "https://attacker.example"),
	} {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want || reached != 0 {
			t.Errorf("%d, want %d; let through %d", w.Code, want, reached)
		}
	}
	if h.ServeHTTP(httptest.NewRecorder(), call(t, "GET", "localhost:8233", "127.0.0.1:8233")); reached != 1 {
		t.Error("a call in order was not let through")
	}
}

// The body of a refused request is not awaited.
func TestRefusedBodiesAreNotAwaited(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(Hosts(nil).Guard(http.NotFoundHandler()))
	defer s.Close()
	c := slow(t, s.Listener.Addr().String(), 1, "POST / HTTP/1.1\r\nHost: attacker.example\r\nContent-Length: 100\r\n\r\n{")[0]
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 421 ") {
		t.Errorf("%q, %v", answer, err)
	}
}
