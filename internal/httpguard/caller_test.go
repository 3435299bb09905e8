package httpguard

import (
	"net/http/httptest"
	"testing"
)

// X-Forwarded-For counts only behind a trusted proxy, and only its last untrusted address.
func TestCaller(t *testing.T) {
	ours, err := ParseProxies([]string{"10.0.0.7", "172.16.0.0/12", "fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"198.51.100.4:1234", "", "198.51.100.4"},
		{"198.51.100.4:1234", "203.0.113.9", "198.51.100.4"}, // claimed by a stranger
		{"10.0.0.7:80", "203.0.113.9", "203.0.113.9"},
		{"10.0.0.7:80", "8.8.8.8, 203.0.113.9", "203.0.113.9"}, // earlier entries can be forged
		{"127.0.0.1:80", "203.0.113.9, 172.18.0.2", "203.0.113.9"},
		{"127.0.0.1:80", "", "127.0.0.1"},
		{"127.0.0.1:80", "rubbish", "127.0.0.1"},
		{"127.0.0.1:80", "203.0.113.9, rubbish", "127.0.0.1"},
		{"[fd00::1]:80", "2001:db8::9", "2001:db8::9"},
		{"[::ffff:10.0.0.7]:80", "203.0.113.9", "203.0.113.9"},
		{"@", "203.0.113.9", "unknown"},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := ours.Caller(r); got != c.want {
			t.Errorf("from %s for %q: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
	if _, err := ParseProxies([]string{"proxy.example.com"}); err == nil {
		t.Error("a name was taken for an address")
	}
	if a, b := neighbours("2001:db8::9"), neighbours("2001:db8::a:1"); a != b || neighbours("203.0.113.9") == neighbours("203.0.113.10") {
		t.Errorf("%s and %s are of one network", a, b)
	}
}
