package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/longshift/longshift/internal/fault"
)

// A worker that can't start says why in one line, with the way out below it, and ends with the code of the fault.
func TestWorkerMainRefuses(t *testing.T) {
	data := "LONGSHIFT_DATA=" + t.TempDir()
	for _, c := range []struct {
		name    string
		args    []string
		env     []string
		profile string
		code    int
		lines   int
		says    []string
	}{
		{"an argument", []string{"--help"}, []string{data}, "", fault.ExitUsage, 1, []string{`"--help"`, "environment"}},
		{"a wrong value", nil, []string{data, "LONGSHIFT_SLOTS=many"}, "", fault.ExitUsage, 1, []string{`LONGSHIFT_SLOTS="many"`, "whole number"}},
		{"two wrong values", nil, []string{data, "LONGSHIFT_SLOTS=many", "LONGSHIFT_ROLE=cook"}, "", fault.ExitUsage, 3, []string{"2 mistakes", "LONGSHIFT_SLOTS", "LONGSHIFT_ROLE"}},
		{"a secret twice", nil, []string{data, "LONGSHIFT_GITHUB_TOKEN=" + token, "LONGSHIFT_GITHUB_TOKEN_FILE=/x"}, "", fault.ExitUsage, 1, []string{"LONGSHIFT_GITHUB_TOKEN"}},
		{"a profile of Temporal's that isn't there", nil, []string{data}, "nope", fault.ExitUsage, 1, []string{"Temporal's environment", "nope"}},
	} {
		t.Setenv("TEMPORAL_PROFILE", c.profile)
		var out bytes.Buffer
		code := WorkerMain(c.args, lookup(c.env...), &out)
		text := out.String()
		if code != c.code || strings.Count(text, "\n") != c.lines || !strings.HasPrefix(text, "longshift-worker: ") {
			t.Errorf("%s: code %d, want %d, and %d lines:\n%s", c.name, code, c.code, c.lines, text)
		}
		for _, w := range c.says {
			if !strings.Contains(text, w) {
				t.Errorf("%s: it does not say %q:\n%s", c.name, w, text)
			}
		}
		if strings.Contains(text, token) {
			t.Errorf("%s: it shows the token", c.name)
		}
	}
}

// An address of the server with a login is refused before the worker's log can repeat it.
func TestAddressWithLoginIsRefused(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "me:"+token+"@127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var out bytes.Buffer
	err := runWorker(ctx, lookup("LONGSHIFT_DATA="+t.TempDir()), &out)
	if fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" || strings.Contains(fmt.Sprint(err, out.String()), token) {
		t.Errorf("got %v and\n%s", err, out.String())
	}
}

// A server of our own, which an empty profile of Temporal's means, needs no key of another one.
func TestSettingsOfAnotherServer(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "longshift", "config.toml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("TEMPORAL_TLS = true\nLONGSHIFT_LOG = \"debug\"\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for profile, tls := range map[string]string{os.DevNull: "", home: "true"} {
		t.Setenv("TEMPORAL_TLS", "")
		t.Setenv("LONGSHIFT_LOG", "")
		err := useSettingsFile(lookup("XDG_CONFIG_HOME="+home, "TEMPORAL_CONFIG_FILE="+profile))
		if got, log := os.Getenv("TEMPORAL_TLS"), os.Getenv("LONGSHIFT_LOG"); err != nil || got != tls || log != "debug" {
			t.Errorf("profile %s: TLS %q, log %q, %v", profile, got, log, err)
		}
	}
}

// poller is an SDK worker that notes what is done with it.
type poller struct {
	worker.Worker
	mu      *sync.Mutex
	done    *[]string
	name    string
	refuses error
}

func (p poller) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*p.done = append(*p.done, what+" "+p.name)
}

func (p poller) Start() error { p.note("start"); return p.refuses }
func (p poller) Stop()        { p.note("stop") }

// never is what a server does that refuses nobody.
func never(ctx context.Context) error { <-ctx.Done(); return nil }

// One worker of a process that can't start takes those with it that have; all of them stop when the process is told to.
// A worker that the server refuses ends the process, with its listeners: a supervisor starts it again.
func TestRefusedWorkerEndsTheProcess(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var done []string
	quiet := slog.New(slog.DiscardHandler)
	for name, w := range map[string]*workers{
		"at its start": {log: quiet, refused: never, all: []worker.Worker{poller{mu: &mu, done: &done, name: "a", refuses: errors.New("no")}}},
		"later":        {log: quiet, refused: never, all: []worker.Worker{poller{mu: &mu, done: &done, name: "b"}}, fatal: make(chan error, 1)},
		"its login has expired": {log: quiet, refused: func(context.Context) error { return fault.New(fault.Infra, "no") },
			all: []worker.Worker{poller{mu: &mu, done: &done, name: "c"}}},
	} {
		if w.fatal != nil {
			w.fatal <- errors.New("no")
		}
		ended := make(chan error)
		go func() { ended <- w.runWith(t.Context(), func(ctx context.Context) error { <-ctx.Done(); return nil }) }()
		select {
		case err := <-ended:
			wantFault(t, err, fault.Infra, "no")
		case <-time.After(30 * time.Second):
			t.Errorf("%s: it goes on", name)
		}
	}
}

func TestWorkersStartAndStopTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		refuses error
		want    []string
	}{
		{nil, []string{"start a", "start b", "start c", "stop a", "stop b", "stop c"}},
		{errors.New("no"), []string{"start a", "start b", "stop a"}},
	} {
		var mu sync.Mutex
		var done []string
		w := &workers{log: slog.New(slog.NewTextHandler(io.Discard, nil)), refused: never, all: []worker.Worker{
			poller{mu: &mu, done: &done, name: "a"}, poller{mu: &mu, done: &done, name: "b", refuses: c.refuses}, poller{mu: &mu, done: &done, name: "c"}}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // it is told to stop before it has begun
		err := w.run(ctx)
		if c.refuses == nil {
			must(t, err)
		} else {
			wantFault(t, err, fault.Infra, "start polling: no")
		}
		if len(done) != len(c.want) {
			t.Fatalf("got %v, want %v", done, c.want)
		}
		for _, one := range c.want {
			if !strings.Contains(strings.Join(done, ","), one) {
				t.Errorf("%q is not in %v", one, done)
			}
		}
	}
}
