package egress

import (
	"bufio"
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// An accepted request must be unambiguous.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{"CONNECT a.test:443 HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a.test/x HTTP/1.0\r\nhost:a.test\r\n\r\nrest",
		"CONNECT [::1]:1 HTTP/1.1\r\n\r\n",
		"GET http://a@b/ HTTP/1.1\r\nHost: b\r\nContent-Length: 3\r\n\r\nabc", "\x16\x03\x01", "POST http://A.test.:80 HTTP/1.1\r\nHost: a.test\r\nConnection: x, y\r\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, err := readRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return
		}
		if a, r := parseAuthority(q.target, 0); r == nil {
			checkName(t, a)
		}
		to, path, r := q.plainTarget()
		if r != nil {
			return
		}
		checkName(t, to)
		if _, r := q.bodyLength(to); r != nil {
			return
		}
		header := string(q.header(to, path, ""))
		again, err := readRequest(bufio.NewReader(strings.NewReader(header)))
		if err != nil || again.target != path || again.method != q.method || len(again.all("host")) != 1 || len(again.all("connection")) != 1 ||
			len(again.all("transfer-encoding")) > 0 {
			t.Fatalf("what goes on is %q: %v", header, err)
		}
		if host, r := parseAuthority(again.all("host")[0], 80); r != nil || host.host != to.host || host.port != to.port {
			t.Fatalf("what goes on is %q", header)
		}
	})
}

func checkName(t *testing.T, a authority) {
	t.Helper()
	if strings.Trim(a.host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || strings.HasSuffix(a.host, ".") || a.port < 1 || a.port > 65535 {
		t.Fatalf("let through %+v", a)
	}
	if _, err := netip.ParseAddr(a.host); err == nil {
		t.Fatalf("let an address through: %+v", a)
	}
}

func FuzzHello(f *testing.F) {
	good := clientHello(f, "registry.test", nil)
	f.Add(good)
	f.Add(records(good[recordHeader:], 9))
	f.Add(withExtension(good, extensionECH))
	f.Add(good[:40])
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, name, err := readHello(bytes.NewReader(raw))
		if len(got) > maxHello+recordHeader+maxRecord {
			t.Fatalf("read %d bytes", len(got))
		}
		if err != nil {
			if name != "" {
				t.Fatalf("a name %q with %v", name, err)
			}
			return
		}
		if name == "" || !bytes.HasPrefix(raw, got) || !bytes.Contains(joined(got), []byte(name)) {
			t.Fatalf("name %q of %q", name, got)
		}
	})
}

// joined removes the headers of records.
func joined(raw []byte) []byte {
	var all []byte
	for len(raw) > recordHeader {
		n := recordHeader + (int(raw[3])<<8 | int(raw[4]))
		all = append(all, raw[recordHeader:n]...)
		raw = raw[n:]
	}
	return all
}

func FuzzName(f *testing.F) {
	for _, s := range []string{"a.test", "A.TEST.", "1.2.3.4", "a..b", "xn--a", "0x1", "ä"} {
		f.Add(s)
	}
	rules := []Rule{{Host: "registry.test", Ports: []int{443}}, {Host: "*.wild.test", Ports: []int{443}}}
	f.Fuzz(func(t *testing.T, s string) {
		name, why := hostName(s)
		if (name == "") == (why == "") {
			t.Fatalf("%q: %q and %q", s, name, why)
		}
		if why != "" {
			return
		}
		if again, why := hostName(name); again != name || why != "" {
			t.Fatalf("%q becomes %q, then %q %s", s, name, again, why)
		}
		listed := slices.ContainsFunc(rules, func(r Rule) bool { return r.covers(name) })
		if listed && name != "registry.test" && !strings.HasSuffix(name, ".wild.test") {
			t.Fatalf("%q is listed", name)
		}
	})
}
