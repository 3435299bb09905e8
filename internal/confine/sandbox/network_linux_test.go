package sandbox

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dialTo connects to a test server.
func dialTo(addr string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", addr) }
}

// server is an HTTP server on the worker's loopback.
func server(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestReach(t *testing.T) {
	c := workIn(t)
	one := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "one ", r.URL.Path) })
	two := server(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	c.Reach = []Reach{{Port: 18080, Dial: dialTo(one)}, {Port: 18081, Dial: dialTo(two)}}
	r := inside(t, c, python(c, `
import urllib.request as u, socket
print(u.urlopen("http://127.0.0.1:18080/a").read().decode())
print(u.urlopen("http://localhost:18080/b").read().decode())
print(u.urlopen("http://[::1]:18080/c").read().decode())
print(len(u.urlopen("http://127.0.0.1:18081/", data=b"x"*3000000).read()))
`))
	if r.Output != "one /a\none /b\none /c\n3000000\n" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

// Nothing on the host's loopback or beyond may be reached, by any kind of socket.
func TestNothingElseIsReached(t *testing.T) {
	c := workIn(t)
	host := server(t, func(w http.ResponseWriter, _ *http.Request) { t.Error("a request got out"); fmt.Fprint(w, "host") })
	_, port, _ := net.SplitHostPort(host)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	abstract := "longshift-test-" + randomName()
	for _, name := range []string{"@" + abstract, filepath.Join(t.TempDir(), "host.sock"), "/var/tmp/" + abstract} {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			if conn, err := l.Accept(); err == nil {
				t.Errorf("connected to %s", name)
				conn.Close()
			}
		}()
	}
	c.Reach = []Reach{{Port: 18080, Dial: dialEcho}}
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			own = append(own, fmt.Sprintf("%q", n.IP))
		}
	}
	r := inside(t, c, python(c, `
import socket as s, errno
def tried(what, f):
    try: f()
    except OSError as e: return
    print("went through:", what)
for host in [`+strings.Join(own, ",")+`,"127.0.0.2","8.8.8.8","169.254.169.254","::1"]:
    for port in [`+port+`,22,53,80,443,2375,18081]:
        fam = s.AF_INET6 if ":" in host else s.AF_INET
        k = s.socket(fam); k.settimeout(2)
        tried(("tcp",host,port), lambda: k.connect((host,port)))
for host in ["8.8.8.8","169.254.169.254","255.255.255.255","224.0.0.1"]:
    tried(("udp",host), lambda: s.socket(s.AF_INET,s.SOCK_DGRAM).sendto(b"x",(host,53)))
s.socket(s.AF_INET,s.SOCK_DGRAM).sendto(b"x",("127.0.0.1",`+udpPort+`))
tried("name", lambda: s.getaddrinfo("example.com",80))
tried("abstract", lambda: s.socket(s.AF_UNIX).connect("\0`+abstract+`"))
tried("var/tmp", lambda: s.socket(s.AF_UNIX).connect("/var/tmp/`+abstract+`"))
for p in ["/run/longshift/socket","/var/run/docker.sock","/run/docker.sock","/run/dbus/system_bus_socket","/run/systemd/private","/run/nscd/socket"]:
    tried(p, lambda: s.socket(s.AF_UNIX).connect(p))
tried("bind to the port", lambda: s.create_server(("127.0.0.1",18080)))
tried("bind to the port, all addresses", lambda: s.create_server(("0.0.0.0",18080)))
def steal():
    k=s.socket(); k.setsockopt(s.SOL_SOCKET,s.SO_REUSEPORT,1); k.bind(("127.0.0.1",18080)); k.listen()
tried("share the port", steal)
tried("low port", lambda: s.create_server(("127.0.0.1",80)))
print("end")
`))
	if r.Output != "end\n" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
	udp.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, _, err := udp.ReadFrom(make([]byte, 10)); err == nil {
		t.Errorf("%d bytes came by UDP", n)
	}
	out := must(t, c, "cat /proc/net/dev /proc/net/route /proc/net/tcp | grep -c '^ *[a-z0-9]*:'")
	if strings.TrimSpace(out) != "4" && out == "" { // lo, and the listener
		t.Errorf("got %s", out)
	}
}

// A service's socket file may be anywhere in readable folders, and a read-only mount does not prevent connecting.
func TestSocketFilesAreCovered(t *testing.T) {
	base := realPath(t, t.TempDir())
	put(t, base, "srv/", "own/", "work/")
	c := Spec{Work: filepath.Join(base, "work"), Readable: []string{base}, Writable: []string{filepath.Join(base, "own")}}
	for _, name := range []string{"srv/a b.sock", "own/s.sock"} {
		l, err := net.Listen("unix", filepath.Join(base, name))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	r := inside(t, c, python(c, `
import socket as s
for p in ["../srv/a b.sock","../own/s.sock"]:
    try: s.socket(s.AF_UNIX).connect(p); print("connected", p)
    except OSError as e: print("refused", p)`))
	if r.Output != "refused ../srv/a b.sock\nconnected ../own/s.sock\n" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}
