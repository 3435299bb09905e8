package signals

import (
	"testing"

	"github.com/longshift/longshift/task"
)

// One repository has one id, however its host is written.
func TestIDsOfARepository(t *testing.T) {
	for _, host := range []string{"", "github.com", "GitHub.com", "github.com:443", "ssh.github.com", "ssh.github.com:443"} {
		if got := PullRequestID(host, "acme", "web", 7); got != "pull:github.com:acme:web:7" {
			t.Errorf("%q: %s", host, got)
		}
		if got := LimiterID("github.com", task.Repository{Host: host, Owner: "acme", Name: "web"}); got != "limiter:github.com:acme:web" {
			t.Errorf("%q: %s", host, got)
		}
	}
}

// Addresses of IPv6 hold colons, which stand between the parts of an id.
func TestIDsOfAnAddress(t *testing.T) {
	for _, host := range []string{"[2001:DB8::1]:8443", "[2001:db8::1]", "2001:db8::1"} {
		if got := PullRequestID(host, "acme", "web", 7); got != "pull:2001_db8__1:acme:web:7" {
			t.Errorf("%q: %s", host, got)
		}
	}
}

func TestWebURL(t *testing.T) {
	for want, got := range map[string]string{
		"": WebURL("", "default", "a", "r") + WebListURL("", "default", NeedsPeople),
		"https://t.example.com/x/namespaces/my%20own/workflows/ann%2Fcalc%20%237/r1/user-metadata": WebURL("https://t.example.com/x/", "my own", "ann/calc #7", "r1"),
		"http://localhost:8233/namespaces/default/workflows/a":                                     WebURL("http://localhost:8233", "default", "a", ""),
		"http://localhost:8233/namespaces/default/workflows?query=LongshiftNeedsHuman+%3D+true+AND+ExecutionStatus+%3D+%27Running%27": WebListURL(
			"http://localhost:8233", "default", NeedsPeople),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
