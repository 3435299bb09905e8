package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/confine/process"
)

func asError(err error, to **Error) bool { return errors.As(err, to) }

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := Git{Dir: dir, Author: Person{"Ada", "ada@example.com"}, Settings: [][2]string{{"core.fsmonitor", "x"}, {"a.b", "last"}}, Env: []string{"TZ=CET"}}
	for _, guarded := range []bool{false, true} {
		g.Guarded = guarded
		if got, err := g.Output(t.Context(), strings.NewReader("hello\n"), "hash-object", "--stdin"); err != nil ||
			got != "ce013625030ba8dba906f756967f9e9ca394464a" {
			t.Errorf("got %q, %v", got, err)
		}
		if got, err := g.Output(t.Context(), nil, "config", "a.b"); err != nil || got != "last" {
			t.Errorf("got %q, %v", got, err)
		}
		if got, err := g.Output(t.Context(), nil, "var", "GIT_AUTHOR_IDENT"); err != nil || !strings.HasPrefix(got, "Ada <ada@example.com> ") {
			t.Errorf("got %q, %v", got, err)
		}
		_, err := g.Output(t.Context(), nil, "-c", "a.c=d", "rev-parse", "HEAD")
		var failed *Error
		if !errors.As(err, &failed) || failed.Command != "rev-parse" || ExitCode(err) != 128 || Killed(err) ||
			!strings.HasPrefix(err.Error(), "git rev-parse: fatal: not a git repository") {
			t.Errorf("got %v", err)
		}
		g.Limit = 10
		if _, err := g.Output(t.Context(), nil, "version"); !errors.Is(err, ErrTooMuch) {
			t.Errorf("got %v", err)
		}
		g.Limit = 0
	}
	g.Program = filepath.Join(dir, "none")
	if _, err := g.Output(t.Context(), nil, "version"); !errors.Is(err, fs.ErrNotExist) || ExitCode(err) != -1 {
		t.Errorf("got %v", err)
	}
}

// TestEnds ends git, and what it has started, with the context.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, guarded := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		begun := filepath.Join(t.TempDir(), "begun")
		if err := syscall.Mkfifo(begun, 0o600); err != nil {
			t.Fatal(err)
		}
		go func() {
			os.ReadFile(begun)
			cancel(errors.New("enough"))
		}()
		g := Git{Guarded: guarded, Settings: [][2]string{{"alias.waits", "!echo x >" + begun + "; exec sleep 1000"}}}
		if err := g.Run(ctx, nil, io.Discard, "waits"); err == nil || err.Error() != "git waits: enough" {
			t.Errorf("guarded %v: got %v", guarded, err)
		}
	}
}

// TestLogin lets git in without showing the login to anybody else.
func TestLogin(t *testing.T) {
	t.Parallel()
	const token = "secret/token"
	login := Login{Token: token}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "x-access-token" || password != token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "no "+token+" "+r.Header.Get("Authorization")+"\n")
	}))
	defer server.Close()
	login.URL = server.URL + "/x"
	bin := t.TempDir()
	seen := filepath.Join(bin, "arguments")
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\necho \"$@\" >>"+seen+"\nPATH="+os.Getenv("PATH")+" exec git \"$@\"\n")
	g := Git{Login: login, Protocols: "http", Guarded: true, Environ: []string{"PATH=" + bin}}
	out, err := g.Output(t.Context(), nil, "ls-remote", login.URL)
	var failed *Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Stderr, "403") {
		t.Fatalf("got %v", err)
	}
	arguments, _ := os.ReadFile(seen)
	for what, text := range map[string]string{"output": out, "error": failed.Stderr, "arguments": string(arguments)} {
		if strings.Contains(text, token) || strings.Contains(text, login.basic()) {
			t.Errorf("the login is in the %s: %s", what, text)
		}
	}
	if !strings.Contains(failed.Stderr, "no ***") {
		t.Errorf("the server's words are missing: %s", failed.Stderr)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]string{
		"hint: no\nfatal: a\nmore\nerror: b\n": "git push: fatal: a; error: b",
		"one\ntwo\n":                           "git push: two",
		"":                                     "git push: exit code 1",
	} {
		e := &Error{Command: "push", Exit: process.Exit{Code: 1}, Stderr: stderr}
		if e.Error() != want {
			t.Errorf("%q: got %q", stderr, e)
		}
	}
	e := &Error{Stderr: "fatal: Unable to create '/x/refs/a.lock': File exists.\n"}
	if e.LockFile() != "/x/refs/a.lock" || (&Error{}).LockFile() != "" {
		t.Errorf("got %q", e.LockFile())
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	in := "fatal: https://u:pw@host/x: s3cret/+= s3cret%2F%2B%3D eC1hY2Nlc3MtdG9rZW46czNjcmV0Lys9 Authorization: Basic abc"
	if got := (Login{Token: "s3cret/+="}).hide(in); got != "fatal: https://host/x: *** *** *** Authorization: Basic ***" {
		t.Errorf("got %q", got)
	}
}

// BenchmarkRun measures the cost of one run of git, without git's own work.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		var out bytes.Buffer
		if err := (Git{}).Run(b.Context(), nil, &out, "version"); err != nil {
			b.Fatal(err)
		}
	}
}
