package dev

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/child"
	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
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

// A server that ends while the worker waits for its restart is started again meanwhile, after a delay of its own.
func TestServerDoesNotWaitForWorker(t *testing.T) {
	up, told := make(chan string, 2), make(chan string, 2)
	var waits atomic.Int32
	s := &stack{line: func(line string) { up <- line }, clock: environ.Clock{Now: time.Now, After: func(time.Duration) <-chan time.Time {
		fired := make(chan time.Time)
		if waits.Add(1) > 1 { // the first is the worker's, which never ends
			close(fired)
		}
		return fired
	}}}
	var err error
	if s.server, err = child.Start(serverName, "/", clitest.Script(t, "echo up >&2; exec sleep 300"), nil, os.Environ(), s.line); err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	if s.worker, err = child.Start("worker", "/", clitest.Script(t, "exit 1"), nil, nil, s.line); err != nil {
		t.Fatal(err)
	}
	first := s.server
	clitest.Eventually(t, "the server is up", func() bool { return len(up) == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	defer func() { cancel(); <-ended }()
	go func() {
		defer close(ended)
		s.keepUp(ctx, func(format string, args ...any) { told <- fmt.Sprintf(format, args...) })
	}()
	clitest.Eventually(t, "the worker waits", func() bool { return waits.Load() == 1 })
	first.Kill()
	clitest.Eventually(t, "the server is up again", func() bool { return len(up) == 2 })
	for _, want := range []string{"the worker has ended (exit status 1); starting it again in 1s; no task is lost",
		"the server has ended (signal: killed); starting it again in 1s; no task is lost"} {
		if got := <-told; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Of the workers that poll the queues, only the one that was started counts.
func TestOwnPollers(t *testing.T) {
	data, machine := t.TempDir(), ""
	err := os.WriteFile(filepath.Join(data, "host-id"), []byte("mine-1\n"), 0o600)
	s := &stack{workerEnv: []string{"LONGSHIFT_DATA=" + data}}
	if err == nil {
		s.worker, err = child.Start("worker", "/", clitest.Script(t, "exit 0"), nil, nil, func(string) {})
	}
	if err == nil {
		machine, err = os.Hostname()
	}
	if err != nil {
		t.Fatal(err)
	}
	<-s.worker.Exited()
	pid, now := s.worker.Pid(), time.Now()
	for who, want := range map[string]bool{signals.HostIdentity("mine-1", pid): true, fmt.Sprintf("%d@%s@", pid, machine): true,
		signals.HostIdentity("other-2", pid): false, signals.HostIdentity("mine-1", pid+1): false, fmt.Sprintf("%d@%s@", pid+1, machine): false} {
		if got := polledAnew(nil, map[string]time.Time{who: now}, s.ownPollers()); got != want {
			t.Errorf("a poll of %s counts: %v", who, got)
		}
		if polledAnew(map[string]time.Time{who: now}, map[string]time.Time{who: now}, s.ownPollers()) {
			t.Errorf("an earlier poll of %s counts", who)
		}
	}
}

// What a crash or a stop costs is said: nothing, unless the server keeps nothing.
func TestCrashOfServer(t *testing.T) {
	for forgets, want := range map[bool]string{false: "no task is lost",
		true: "its tasks are lost, because with --ephemeral it keeps nothing"} {
		c, err := child.Start(serverName, "/", clitest.Script(t, "exit 1"), nil, nil, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		<-c.Exited()
		ctx, cancel := context.WithCancel(t.Context())
		s := &stack{server: c, forgets: forgets, clock: environ.Clock{Now: time.Now, After: func(time.Duration) <-chan time.Time { return nil }}}
		s.again(ctx, c, &backoff{}, func(format string, args ...any) {
			if got := fmt.Sprintf(format, args...); got != "the server has ended (exit status 1); starting it again in 1s; "+want {
				t.Error(got)
			}
			cancel()
		})
		if got := s.afterStop(); strings.Contains(got, "lost") != forgets {
			t.Errorf("keeps nothing: %v, and at the end: %s", forgets, got)
		}
	}
}

// The hint of dev sets the addresses that other commands would not find by themselves.
func TestDevHint(t *testing.T) {
	profile := filepath.Join(t.TempDir(), "temporal.toml")
	text := "[profile.default]\naddress = \"web.tmprl.cloud:7233\"\nnamespace = \"web\"\napi_key = \"key\"\n"
	if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	here := info{Temporal: "localhost:7233", Web: "http://localhost:8233", Started: true, local: true}
	other := info{Temporal: "localhost:7300", Web: "http://localhost:8300", Started: true, local: true}
	elsewhere := other
	elsewhere.Web = "http://localhost:9000"
	for _, c := range []struct {
		info info
		vars string // of this and of other commands
		want string
	}{
		{here, "TEMPORAL_CONFIG_FILE=/dev/null", ""},
		{other, "TEMPORAL_CONFIG_FILE=/dev/null", "TEMPORAL_ADDRESS=localhost:7300 "},
		{other, "TEMPORAL_ADDRESS=localhost:7300", "TEMPORAL_ADDRESS=localhost:7300 "},
		{elsewhere, "TEMPORAL_CONFIG_FILE=/dev/null", "TEMPORAL_ADDRESS=localhost:7300 LONGSHIFT_WEB_URL=http://localhost:9000 "},
		{here, "TEMPORAL_CONFIG_FILE=" + profile, "TEMPORAL_ADDRESS=localhost:7233 TEMPORAL_TLS=false TEMPORAL_API_KEY= "},
		{here, "TEMPORAL_TLS_SERVER_NAME=web", "TEMPORAL_TLS=false TEMPORAL_API_KEY= "},
		{info{Temporal: "web.tmprl.cloud:7233"}, "TEMPORAL_CONFIG_FILE=" + profile, "TEMPORAL_ADDRESS=web.tmprl.cloud:7233 "},
	} {
		env := environ.Environ{Vars: []string{"HOME=/none", c.vars}}
		at := func(vars ...string) client.Options {
			env := environ.Environ{Vars: append(slices.Clone(env.Vars), vars...)}
			o, err := server.NewConnector(env, environ.NewConfig(env)).Options()
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		c.info.configured = at()
		if got := devHint(c.info); got != c.want {
			t.Errorf("%s: got %q, want %q", c.vars, got, c.want)
		}
		led := at(strings.Fields(c.want)...)
		secure := led.ConnectionOptions.TLS != nil || led.Credentials != nil
		if led.HostPort != c.info.Temporal || led.Namespace != c.info.configured.Namespace || secure == c.info.local {
			t.Errorf("%s: the hint leads to %s, %s, with TLS or a key: %v", c.vars, led.HostPort, led.Namespace, secure)
		}
	}
}

// A server on this machine has nothing of a profile but its namespace, and Temporal Web is where people have said.
func TestLocalServer(t *testing.T) {
	env := environ.Environ{Vars: []string{"HOME=/none", "TEMPORAL_API_KEY=key", "TEMPORAL_TLS=true", "LONGSHIFT_WEB_URL=https://box.test/"}}
	conf, err := environ.NewConfig(env).Read()
	if err != nil {
		t.Fatal(err)
	}
	o := &options{env: env, stack: &stack{options: client.Options{HostPort: "127.0.0.1:7300", Namespace: "web"}}}
	near, far := client.Options{HostPort: "localhost:7233"}, client.Options{HostPort: "temporal.example.com:7233"}
	web := o.web(serverFlags{headless: true}, near, conf)
	got := environ.Environ{Vars: o.workerEnv(info{Web: web, local: true}, conf)}
	for name, want := range map[string]string{"TEMPORAL_API_KEY": "", "TEMPORAL_TLS": "", "TEMPORAL_CONFIG_FILE": os.DevNull,
		"TEMPORAL_ADDRESS": "127.0.0.1:7300", "TEMPORAL_NAMESPACE": "web", "LONGSHIFT_WEB_URL": conf.WebURL} {
		if got.Get(name) != want {
			t.Errorf("the worker gets %s=%s", name, got.Get(name))
		}
	}
	o.portGiven = true
	for _, c := range []struct {
		configured client.Options
		want       string
	}{{near, conf.WebURL}, {far, "http://localhost:8300"}} { // the settings are for a server elsewhere
		if got := o.web(serverFlags{uiPort: 8300}, c.configured, conf); got != c.want {
			t.Errorf("beside %s: Temporal Web at %q", c.configured.HostPort, got)
		}
	}
	o.env, o.portGiven = environ.Environ{}, false
	for want, f := range map[string]serverFlags{"": {headless: true}, "http://localhost:8300": {uiPort: 8300}} {
		web := o.web(f, near, conf)
		worker := environ.Environ{Vars: o.workerEnv(info{Web: web, local: true}, conf)}
		theirs, err := environ.NewConfig(worker).Read()
		if err != nil || web != want || theirs.WebURL != want {
			t.Errorf("%+v: Temporal Web at %q, for the worker at %q, %v", f, web, theirs.WebURL, err)
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
