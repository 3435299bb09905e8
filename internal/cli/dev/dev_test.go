package dev

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
)

func TestBackoff(t *testing.T) {
	var b backoff
	now := time.Now()
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		now = now.Add(time.Second)
		if got := b.next(now); got != want*time.Second {
			t.Errorf("restart %d waits %v", i+1, got)
		}
	}
	if got := b.next(now.Add(2 * time.Minute)); got != time.Second {
		t.Errorf("after a good while it waits %v", got)
	}
}

// The hint of dev sets the addresses that other commands would not find by themselves.
func TestDevHint(t *testing.T) {
	for want, i := range map[string]info{
		"":                                 {Temporal: "localhost:7233", Web: "http://localhost:8233", Started: true},
		"TEMPORAL_ADDRESS=localhost:7300 ": {Temporal: "localhost:7300", Web: "http://localhost:8300", Started: true},
		"TEMPORAL_ADDRESS=localhost:7300 LONGSHIFT_WEB_URL=http://localhost:9000 ": {Temporal: "localhost:7300", Web: "http://localhost:9000", Started: true},
	} {
		if got := devHint(i); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Where no settings are known, the start of dev proposes to make some.
func TestDevProposesSettings(t *testing.T) {
	p := term.NewPrinter(term.Streams{})
	if got := devText(p, info{}); !strings.Contains(got, "\n  longshift init   # once: ") {
		t.Error(got)
	}
	if got := devText(p, info{settled: true}); strings.Contains(got, "init") {
		t.Error(got)
	}
	dir := t.TempDir()
	env := environ.Environ{Vars: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CEILING_DIRECTORIES=/"}, Dir: filepath.Join(dir, "web", "src")}
	if err := os.MkdirAll(env.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	o := &options{env: env, git: environ.NewGit(env)}
	if o.settled(t.Context()) {
		t.Error("a folder outside of repositories counts as settled")
	}
	if _, err := o.git.Run(t.Context(), filepath.Join(dir, "web"), "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	if o.settled(t.Context()) {
		t.Error("a repository without settings counts as settled")
	}
	if err := os.WriteFile(filepath.Join(dir, "web", ".longshift.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !o.settled(t.Context()) {
		t.Error("settings are not found from a folder below")
	}
}

// The worker that dev starts gets the token that gh has, and none when one is set.
func TestWorkerGetsTokenOfGh(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(clitest.Script(t, `echo gho_1`), filepath.Join(dir, "gh")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		vars []string
		want string
	}{
		{[]string{"PATH=" + dir + ":/usr/bin:/bin"}, "gho_1"},
		{[]string{"PATH=" + dir + ":/usr/bin:/bin", "GH_TOKEN=set"}, "set"},
		{[]string{"PATH=/nowhere"}, ""},
	} {
		env := environ.Environ{Vars: append(c.vars, "HOME="+dir)}
		conf, err := environ.NewConfig(env).WithToken(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := &options{env: env, stack: &stack{}}
		if got := (environ.Environ{Vars: o.workerEnv(info{}, conf)}).Get("GH_TOKEN"); got != c.want {
			t.Errorf("%v: the worker gets %q", c.vars, got)
		}
	}
}
