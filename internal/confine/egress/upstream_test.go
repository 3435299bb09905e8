package egress

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const password = "pa55-w0rd"

// corporate is the operator's own proxy, which requires a login and resolves the registries.
func corporate(t *testing.T, secure bool, to string) *httptest.Server {
	t.Helper()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+password))
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Proxy-Authorization") != want:
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method != http.MethodConnect:
			fmt.Fprintf(w, "forwarded %s for %s", r.RequestURI, r.Host)
		default:
			splice(t, w, to)
		}
	}))
	if secure {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{authorityOf(t).cert}}
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func splice(t *testing.T, w http.ResponseWriter, to string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		t.Error(err)
		return
	}
	defer server.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Filler: 1\r\n\r\n")
	go func() {
		_, _ = io.Copy(server, conn)
		_ = server.Close()
	}()
	_, _ = io.Copy(conn, server)
}

func TestThroughAnUpstreamProxy(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("secure=%v", secure), func(t *testing.T) {
			port := registry(t, true, page)
			own := registry(t, true, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "own") })
			s := corporate(t, secure, fmt.Sprintf("127.0.0.1:%d", port))
			proxyPort := s.Listener.Addr().(*net.TCPAddr).Port
			address := fmt.Sprintf("127.0.0.1:%d", proxyPort)
			scheme := map[bool]string{false: "http", true: "https"}[secure]
			var log bytes.Buffer
			d := newDoor(t, Config{
				Upstream: fmt.Sprintf("%s://ann:%s@%s", scheme, password, address),
				Rules:    []Rule{{Host: "registry.test"}, {Host: "mirror.test", Plain: true}, {Host: "other.test", Ports: []int{own}, Internal: true}},
				Log:      slog.New(slog.NewTextHandler(&log, nil)),
			}, map[string][]string{"other.test": loopback}).listen(t)
			d.upstream.roots = &tls.Config{RootCAs: authorityOf(t).pool}
			d.upstream.host = "proxy.test"
			for url, want := range map[string]string{
				"https://registry.test/x":                     "200 package of registry.test /x",
				"http://mirror.test/y?z=1":                    "200 forwarded http://mirror.test/y?z=1 for mirror.test",
				fmt.Sprintf("https://other.test:%d/", own):    "200 own",
				"http://registry.test/not-listed-in-the-open": "403 longshift: registry.test:80 is listed for another scheme; the operator can add it to LONGSHIFT_REGISTRIES\n",
			} {
				if got, err := get(t, d.client(t), url); err != nil || got != want {
					t.Errorf("%s: %q, %v", url, got, err)
				}
			}
			if got := d.resolver.asked; len(got) != 1 || got[0] != "other.test" {
				t.Errorf("resolved here: %q", got)
			}
			// The hello is checked with an upstream proxy too.
			conn := d.tunnelTo(t, "registry.test:443")
			_, _ = conn.Write(clientHello(t, "evil.test", nil))
			if alert, _ := io.ReadAll(conn); len(alert) != 7 {
				t.Errorf("fronting got %q", alert)
			}
			d.upstream.login = "Basic wrong"
			answer := d.ask(t, "CONNECT registry.test:443 HTTP/1.1\r\n\r\n")
			if !strings.HasPrefix(answer, "HTTP/1.1 502 ") || !strings.Contains(answer, address+" answered 407") {
				t.Errorf("a wrong login: %q", answer)
			}
			everything := log.String() + answer + strings.Join(d.seen(&d.denied), "\n")
			for _, secret := range []string{password, base64.StdEncoding.EncodeToString([]byte("ann:" + password)), "Basic"} {
				if strings.Contains(everything, secret) {
					t.Errorf("%q got out: %s", secret, everything)
				}
			}
		})
	}
}

func TestUpstreamURL(t *testing.T) {
	for url, want := range map[string]string{
		"http://proxy.example:3128": "proxy.example:3128", "https://proxy.example": "proxy.example:443", "http://u:p@[::1]/": "[::1]:80", "http://proxy.example:80": "proxy.example:80",
	} {
		if u, err := parseUpstream(url); err != nil || u.address != want {
			t.Errorf("%s: %+v, %v", url, u, err)
		}
	}
	for _, url := range []string{"socks5://u:" + password + "@p", "http://u:" + password + "@p:0", "http://u:" + password + "@p:x",
		"http://u:" + password + "@", "u:" + password + "@p:80",
		"http://u:" + password + "@p/path", "http://u:" + password + "%zz@p", "http://u:" + password + "@p?q", "http:u:" + password} {
		_, err := New(Config{Upstream: url})
		if err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
