package app

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// What git is given for a repository, and whether the token goes along.
func TestRemotes(t *testing.T) {
	t.Parallel()
	hub := load(t, "LONGSHIFT_GITHUB_TOKEN="+token)
	own := load(t, "LONGSHIFT_GITHUB_TOKEN="+token, "LONGSHIFT_GITHUB_URL=https://ghe.example.com/")
	plain := load(t, "LONGSHIFT_GITHUB_TOKEN="+token, "LONGSHIFT_GITHUB_URL=http://ghe.example.com:8080")
	for _, c := range []struct {
		cfg              config.Config
		repository, want string // want "" for the text as given
		token            bool
	}{
		{hub, "ann/calc", "https://github.com/ann/calc.git", true},
		{hub, "ann/calc.git", "https://github.com/ann/calc.git", true},
		{hub, "https://github.com/ann/calc", "", true},
		{hub, "http://github.com/ann/calc", "", false}, // the token would travel in the open
		{hub, "HTTP://github.com/ann/calc", "", false},
		{hub, "/srv/git/calc.git", "", false},
		{hub, "file:///srv/git/calc.git", "/srv/git/calc.git", false},
		{hub, "https://gitlab.com/ann/calc", "", false},
		{hub, "https://ghe.example.com/ann/calc", "", false},
		{hub, "https://github.com.evil.example/ann/calc", "", false},
		{hub, "https://github.com@evil.example/ann/calc", "", false},
		{hub, "https://evil.example/github.com/calc", "", false},
		{hub, "https://github.com:8443/ann/calc", "", false},
		{hub, "git@evil.example:ann/calc.git", "", false},
		{own, "ann/calc", "https://ghe.example.com/ann/calc.git", true},
		{own, "https://ghe.example.com/ann/calc", "", true},
		{own, "http://ghe.example.com/ann/calc", "", false},
		{own, "https://github.com/ann/calc", "", false},
		{own, "https://ghe.example.com.evil.example/ann/calc", "", false},
		{plain, "ann/calc", "http://ghe.example.com:8080/ann/calc.git", true},
		{plain, "http://ghe.example.com:8080/ann/calc", "", true},
		{plain, "http://ghe.example.com/ann/calc", "", false},
		{load(t), "ann/calc", "https://github.com/ann/calc.git", false},
	} {
		r := repository(t, c.repository)
		if c.want == "" {
			c.want = c.repository
		}
		address, err := remoteURL(c.cfg)(r)
		if err != nil || address != c.want {
			t.Errorf("%s: address %q, %v; want %q", c.repository, address, err, c.want)
		}
		auth, err := gitAuth(c.cfg)(t.Context(), r)
		if err != nil || (auth.Token == token) != c.token || (auth == workspace.Auth{}) == c.token {
			t.Errorf("%s: the token goes along: %v, %v; want %v", c.repository, auth.Token != "", err, c.token)
		}
		if u, err := url.Parse(address); c.token && (err != nil || u.Host != c.cfg.GitHub.Host() || u.Scheme != webScheme(c.cfg)) {
			t.Errorf("%s: the token would go to %s", c.repository, address)
		}
	}
}

// A token in a file is read at each use; one that can't be read is an error and not a call as nobody.
func TestTokenFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	auth := gitAuth(load(t, "LONGSHIFT_GITHUB_TOKEN_FILE="+file))
	_, err := auth(t.Context(), repository(t, "ann/calc"))
	wantFault(t, err, fault.Denied, "LONGSHIFT_GITHUB_TOKEN_FILE")
	if _, err := auth(t.Context(), repository(t, "https://gitlab.com/ann/calc")); err != nil {
		t.Errorf("for a host that the token does not belong to: %v", err)
	}
	gittest.Write(t, filepath.Dir(file), map[string]string{"token": token + "\n"})
	if got, err := auth(t.Context(), repository(t, "ann/calc")); err != nil || got.Token != token || got.User != "x-access-token" {
		t.Errorf("got %v", err)
	}
}

// listener is a git server that keeps what callers show to it.
type listener struct {
	*httptest.Server
	mu    sync.Mutex
	shown []string
}

func gitServer(t *testing.T) *listener {
	t.Helper()
	git := gittest.NewHTTP(t, map[string]string{"a.txt": "a\n"})
	gittest.Git(t, "/", "clone", "--quiet", "--bare", git.Bare, filepath.Join(git.Dir, "ann", "calc.git"))
	l := &listener{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		_, password, _ := r.BasicAuth()
		l.shown = append(l.shown, password+r.Header.Get("Cookie"))
		l.mu.Unlock()
		git.ServeHTTP(w, r)
	}))
	t.Cleanup(l.Close)
	return l
}

// The real git, with the address and the login as they are wired: only the forge ever sees the token.
func TestTokenGoesToItsForgeOnly(t *testing.T) {
	t.Parallel()
	forge, foreign := gitServer(t), gitServer(t)
	cfg := load(t, "LONGSHIFT_DATA="+t.TempDir(), "LONGSHIFT_GITHUB_TOKEN="+token, "LONGSHIFT_GITHUB_URL="+forge.URL)
	spaces, err := workspace.New(workspace.Config{Dir: cfg.Data, Author: workspace.Person{Name: cfg.Author.Name, Email: cfg.Author.Email},
		RemoteURL: remoteURL(cfg), Auth: gitAuth(cfg), Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	for id, text := range map[string]string{"t1": "ann/calc", "t2": foreign.URL + "/ann/calc.git"} {
		_, err := spaces.Prepare(t.Context(), workspace.Spec{TaskID: id, Repository: repository(t, text), Branch: "longshift/" + id, Fence: 1})
		must(t, err)
	}
	if len(forge.shown) == 0 || strings.Join(forge.shown, "") != strings.Repeat(token, len(forge.shown)) {
		t.Errorf("the forge was shown %q", forge.shown)
	}
	if len(foreign.shown) == 0 || strings.Join(foreign.shown, "") != "" {
		t.Errorf("the foreign host was shown %q", foreign.shown)
	}
}
