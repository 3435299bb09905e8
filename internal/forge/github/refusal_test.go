package github

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

// mustBe checks kind, words of the message, and words of the hint.
func mustBe(t *testing.T, err error, kind fault.Kind, message, hint string) {
	t.Helper()
	if fault.KindOf(err) != kind || !strings.Contains(err.Error(), message) || !strings.Contains(fault.HintOf(err), hint) {
		t.Errorf("got %v (%s; hint %q), want %s with %q and the hint %q", err, fault.KindOf(err), fault.HintOf(err), kind, message, hint)
	}
}

func TestRefusedToken(t *testing.T) {
	b := newBench(t)
	b.forge = b.open(Config{BaseURL: b.server.URL, Token: func(context.Context) (string, error) { return "ghp_old", nil }})
	mustBe(t, b.fails(b.request()), fault.Denied, "token is refused", "acme/shop")
}

func TestNoToken(t *testing.T) {
	b := newBench(t)
	b.forge = b.open(Config{BaseURL: b.server.URL, Token: func(context.Context) (string, error) { return "", nil }})
	mustBe(t, b.fails(b.request()), fault.Denied, "no GitHub token", "LONGSHIFT_GITHUB_TOKEN")
	why := fault.New(fault.Infra, "the key store is closed")
	b.forge = b.open(Config{BaseURL: b.server.URL, Token: func(context.Context) (string, error) { return "", why }})
	if err := b.fails(b.request()); !errors.Is(err, why) || fault.KindOf(err) != fault.Infra {
		t.Errorf("got %v", err)
	}
	if n := len(b.server.Calls()); n != 0 {
		t.Errorf("%d calls were made", n)
	}
}

func TestMissingPermission(t *testing.T) {
	b := newBench(t)
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token",
		Header: http.Header{"X-Accepted-Github-Permissions": {"pull_requests=write"}}}.On("POST", "/pulls"))
	mustBe(t, b.fails(b.request()), fault.Denied, "Resource not accessible", "pull_requests=write")
	if b.clock.total() != 0 {
		t.Error("it waited for a permission")
	}
}

func TestArchived(t *testing.T) {
	b := newBench(t)
	b.server.AddRepository(forgetest.Repository{Name: "acme/shop", GitDir: b.gitDir, Archived: true})
	mustBe(t, b.fails(b.request()), fault.Denied, "acme/shop is archived", "unarchive")
}

func TestNotOfThisGitHub(t *testing.T) {
	b := newBench(t)
	for _, text := range []string{"https://gitlab.com/acme/shop", "git@github.com.evil.example:acme/shop.git", "https://127.0.0.1/group/acme/shop",
		"/srv/shop.git"} {
		r := b.request()
		var err error
		if r.Repository, err = task.ParseRepository(text); err != nil {
			t.Fatal(err)
		}
		mustBe(t, b.fails(r), fault.Input, text, "")
	}
	r := b.request()
	r.Repository, _ = task.ParseRepository("ssh://git@127.0.0.1:2222/acme/shop.git")
	b.ensure(r)
}

func TestBaseURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://git.example.com":          "https://git.example.com/api/v3/",
		"https://git.example.com/":         "https://git.example.com/api/v3/",
		"https://git.example.com/api/v3":   "https://git.example.com/api/v3/",
		"https://api.acme.ghe.com":         "https://api.acme.ghe.com/",
		"https://git.example.com:8443/hub": "https://git.example.com:8443/hub/api/v3/",
		"http://localhost:3000":            "http://localhost:3000/api/v3/",
	} {
		u, err := apiURL(text)
		if err != nil || u.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, u, err, want)
		}
	}
	for _, text := range []string{"http://git.example.com", "git.example.com", "https://user:secret@git.example.com", "ftp://x", "https://x?y=1"} {
		_, err := apiURL(text)
		if fault.KindOf(err) != fault.Input || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestGitHubItself calls api.github.com, which the HTTP client of the test takes to the server.
func TestGitHubItself(t *testing.T) {
	b := newBench(t)
	b.forge = b.open(Config{})
	r := b.request()
	r.Repository, _ = task.ParseRepository("git@github.com:acme/shop.git")
	b.ensure(r)
	b.only()
}

// TestRenamed follows GitHub's redirects, and looks for the branch under the new owner.
func TestRenamed(t *testing.T) {
	b := newBench(t)
	b.server.Rename("acme/shop", "globex/store")
	r := b.request()
	first := b.ensure(r)
	if p := b.ensure(r); !p.Found || p.Number != first.Number {
		t.Errorf("got %+v, first %+v", p, first)
	}
	if n := len(b.server.Pulls("globex/store")); n != 1 {
		t.Errorf("%d pull requests stand", n)
	}
}

// TestRedirectAway: on a redirect to another host the token must not be sent there.
func TestRedirectAway(t *testing.T) {
	reached := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.Header.Get("Authorization") }))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		for _, at := range []struct{ method, path string }{{"GET", "/shop"}, {"POST", "/pulls"}} {
			b := newBench(t)
			b.server.Inject(forgetest.Fault{Status: status, Header: http.Header{"Location": {other.URL + "/stolen"}}}.On(at.method, at.path))
			mustBe(t, b.fails(b.request()), fault.Denied, "redirect", "base URL")
		}
	}
	select {
	case auth := <-reached:
		t.Errorf("the other host was called, with Authorization %q", auth)
	default:
	}
}

// TestRedirectTurnsIntoGet: a redirect would turn the creation into a list.
func TestRedirectTurnsIntoGet(t *testing.T) {
	b := newBench(t)
	b.server.Inject(forgetest.Fault{Status: 301, Header: http.Header{"Location": {b.server.URL + "/api/v3/repos/acme/shop/pulls"}}}.On("POST", "/pulls"))
	mustBe(t, b.fails(b.request()), fault.Denied, "redirect", "")
	if n := len(b.server.Pulls("acme/shop")); n != 0 {
		t.Errorf("%d pull requests stand", n)
	}
}

// TestNoVendorTypes checks the chain of an error for types of the library, which hold the request and with it the token.
func TestNoVendorTypes(t *testing.T) {
	for _, f := range []forgetest.Fault{
		forgetest.PrimaryLimit(403, time.Hour), forgetest.SecondaryLimit(403, 0), forgetest.ServerError(500),
		{Status: 403, Text: "no"}, {Status: 422, Text: "no"}, forgetest.Dropped(), {Status: 301},
	} {
		b := newBench(t)
		b.server.Inject(f.Repeated(forgetest.Forever))
		for err := b.fails(b.request()); err != nil; err = errors.Unwrap(err) {
			if from := reflect.Indirect(reflect.ValueOf(err)).Type().PkgPath(); strings.Contains(from, "go-github") || from == "net/url" {
				t.Errorf("%T of %s is in the chain", err, from)
			}
		}
	}
}
