package app

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
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
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func authOf(t *testing.T, cfg config.Config) func(context.Context, task.Repository) (workspace.Auth, error) {
	t.Helper()
	auth, err := gitAuth(cfg, slog.New(slog.DiscardHandler))
	must(t, err)
	return auth
}

// What git is given for a repository, and whether the token goes along.
func TestRemotes(t *testing.T) {
	t.Parallel()
	hub := load(t, "LONGSHIFT_GITHUB_TOKEN="+token)
	own := load(t, "LONGSHIFT_GITHUB_TOKEN="+token, "LONGSHIFT_GITHUB_URL=https://ghe.example.com/")
	residency := load(t, "LONGSHIFT_GITHUB_TOKEN="+token, "LONGSHIFT_GITHUB_URL=https://api.acme.ghe.com")
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
		{residency, "ann/calc", "https://acme.ghe.com/ann/calc.git", true},
		{residency, "https://acme.ghe.com/ann/calc", "", true},
		{residency, "https://api.acme.ghe.com/ann/calc", "", false},
		{residency, "https://globex.ghe.com/ann/calc", "", false},
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
		auth, err := authOf(t, c.cfg)(t.Context(), r)
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
	auth := authOf(t, load(t, "LONGSHIFT_GITHUB_TOKEN_FILE="+file))
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

// With an app git is given a token of the installation, which the redactor knows; where the app is not installed it goes as nobody.
func TestGitOfAnApp(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	text := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	server := forgetest.NewGitHub(t)
	server.AddRepository(forgetest.Repository{Name: "ann/calc"})
	server.AddRepository(forgetest.Repository{Name: "bob/calc"})
	server.UseApp(forgetest.App{ID: 123, Slug: "longshift-ann", Owner: "ann", Key: &key.PublicKey})
	server.Install(forgetest.Installation{ID: 7, Account: "ann"})
	cfg := load(t, "LONGSHIFT_GITHUB_URL="+server.URL, "LONGSHIFT_GITHUB_APP_ID=123", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY="+text)
	secrets := redact.New()
	cfg.ReportSecrets(secrets.Add)
	auth := authOf(t, cfg)
	got, err := auth(t.Context(), repository(t, "ann/calc"))
	if err != nil || got.User != "x-access-token" || !server.Takes(got.Token) {
		t.Fatalf("git is given %q, %v", got.User, err)
	}
	odd := strings.ReplaceAll(got.Token, "ghs_", "") // which no rule about formats finds
	if shown := secrets.String("password " + got.Token); strings.Contains(shown, odd) {
		t.Errorf("shown: %s", shown)
	}
	if got, err := auth(t.Context(), repository(t, "bob/calc")); err != nil || got != (workspace.Auth{}) {
		t.Errorf("where the app is not installed: %v", err)
	}
	if state, err := readApp(t.Context(), cfg); err != nil || state.Name != "longshift-ann[bot]" {
		t.Errorf("the app is %+v, %v", state, err)
	}
}

// Tokens that come for days make the redactor forget no other secret.
func TestTokensPushOutNoSecret(t *testing.T) {
	t.Parallel()
	const linear = "lin-planted-value-0815"
	cfg := load(t, "LONGSHIFT_GITHUB_APP_ID=123", "LONGSHIFT_GITHUB_APP_PRIVATE_KEY=planted-key", "LONGSHIFT_LINEAR_TOKEN="+linear)
	const password = "Xk29-proxy-pw-77"
	cfg.Sandbox.Proxy = config.NewSecret("http://egress:"+password+"@proxy.example:3128", "LONGSHIFT_PROXY")
	secrets := redact.New(secretValues(cfg)...)
	cfg.ReportSecrets(secrets.Add)
	told := learn(cfg)
	for n := range 100 {
		told(fmt.Sprintf("planted-token-%04d-abcdef", n))
	}
	for _, secret := range []string{linear, password, "planted-key", "planted-token-0099-abcdef"} {
		if shown := secrets.String("it was " + secret); strings.Contains(shown, secret) {
			t.Errorf("shown: %s", shown)
		}
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
		RemoteURL: remoteURL(cfg), Auth: authOf(t, cfg), Log: slog.New(slog.DiscardHandler)})
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
