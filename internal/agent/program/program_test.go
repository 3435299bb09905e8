package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

func TestCheck(t *testing.T) {
	good := agent.Session{ID: uuid.NewString(), Dir: "/d", StateDir: "/s", Model: "m", Prompt: "p"}
	if err := Check(good); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *agent.Session){
		"id":        func(s *agent.Session) { s.ID = strings.ToUpper(s.ID[:35] + "f") },
		"dir":       func(s *agent.Session) { s.Dir = "d" },
		"state dir": func(s *agent.Session) { s.StateDir = "" },
		"model":     func(s *agent.Session) { s.Model = "" },
		"prompt":    func(s *agent.Session) { s.Prompt = "" },
	} {
		s := good
		change(&s)
		if err := Check(s); fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "session: "+want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestOpenState has an earlier attempt leave links and a file where our folders belong.
func TestOpenState(t *testing.T) {
	s, outside := agent.Session{StateDir: filepath.Join(t.TempDir(), "state")}, t.TempDir()
	for _, err := range []error{os.MkdirAll(s.StateDir, 0o755), os.Symlink(outside, Home(s)), os.WriteFile(Tmp(s), nil, 0o600),
		os.Symlink(outside, filepath.Join(s.StateDir, "more")), os.Symlink(filepath.Join(outside, "file"), filepath.Join(s.StateDir, "file"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := OpenState(s, "more")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{".", homeName, tmpName, "more"} {
		if info, err := root.Lstat(name); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := WriteFile(root, "file", "ours"); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("outside it wrote %v", left)
	}
}

// TestWriteFile replaces a file time and again while somebody reads it, who never finds it missing or incomplete: at any of these moments the
// worker can be killed.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	texts := []string{strings.Repeat("one ", 1000), strings.Repeat("two ", 2000)}
	if err := WriteFile(root, "file", texts[0]); err != nil {
		t.Fatal(err)
	}
	ctx, over := context.WithCancel(t.Context())
	var reads sync.WaitGroup
	reads.Go(func() {
		for ctx.Err() == nil {
			if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || !slices.Contains(texts, string(data)) {
				t.Errorf("%d bytes are there, %v", len(data), err)
				return
			}
		}
	})
	for n := range 2000 {
		if err := WriteFile(root, "file", texts[n%2]); err != nil {
			t.Error(err)
		}
	}
	over()
	reads.Wait()
	for _, err := range []error{root.Remove("file"), root.MkdirAll("file/folder", 0o700), WriteFile(root, "file", texts[0])} {
		if err != nil {
			t.Errorf("in the place of a folder: %v", err)
		}
	}
}

// TestEnvironment: our values win over the session's, the session's PATH over that of the host.
func TestEnvironment(t *testing.T) {
	t.Setenv("LONGSHIFT_TEST_SECRET", "leaked")
	s := agent.Session{StateDir: "/s", Env: map[string]string{"PATH": "/mine", "HOME": "/elsewhere", "KEY": "theirs", "A": "1"}}
	got := strings.Join(Environment(s, "/host", map[string]string{"KEY": "ours"}), " ")
	if want := "A=1 HOME=/s/home KEY=ours LANG=C.UTF-8 PATH=/mine TMPDIR=/s/tmp TZ=UTC"; got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
}

func TestStopped(t *testing.T) {
	s := agent.Session{Wall: time.Nanosecond}
	walled, cancel := WithWall(t.Context(), s)
	defer cancel()
	<-walled.Done()
	canceled, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx  context.Context
		kind agent.OutcomeKind
		yes  bool
	}{{t.Context(), agent.Errored, false}, {walled, agent.Turns, true}, {canceled, agent.Interrupted, true}} {
		if o, yes := Stopped(c.ctx, s, agent.Outcome{Kind: agent.Errored}); o.Kind != c.kind || yes != c.yes {
			t.Errorf("%+v, %v, wanted %s", o, yes, c.kind)
		}
	}
}

// TestVerdict names the endpoint where it is the cause, and gives an error for a fault outside of the session.
func TestVerdict(t *testing.T) {
	s := agent.Session{Endpoint: agent.Endpoint{BaseURL: "http://127.0.0.1:9/s/t", Upstream: "api.example.com"}}
	for _, c := range []struct {
		v    Verdict
		text string
	}{
		{Verdict{Kind: agent.Errored, Text: "no answer of 127.0.0.1:9"}, "no answer of api.example.com"},
		{Verdict{Kind: agent.Errored, Text: "it broke"}, "it broke"},
		{Verdict{Kind: agent.AuthFailed, Text: "wrong key"}, "wrong key (model endpoint api.example.com)"},
		{Verdict{Kind: agent.Errored, Text: "down", Fault: fault.Infra, Hint: "wait"}, "down (model endpoint api.example.com)"},
		{Verdict{Kind: agent.Errored, Text: "no such model", Fault: fault.Input, Hint: "choose"}, "no such model (model endpoint api.example.com)"},
	} {
		o, err := c.v.Outcome(agent.Outcome{}, s)
		if o.Text != c.text || o.Kind != c.v.Kind || fault.KindOf(err) != c.v.Fault || fault.HintOf(err) != c.v.Hint {
			t.Errorf("%+v: %+v, %v", c.v, o, err)
		}
		if _, unfit := errors.AsType[*agent.Unfit](err); unfit != (c.v.Fault == fault.Input) {
			t.Errorf("%+v: the agent can't work here: %t", c.v, unfit)
		}
	}
	s.Login = true
	s.ID, s.Dir, s.StateDir, s.Model, s.Prompt = uuid.NewString(), "/d", "/s", "m", "p"
	if _, unfit := errors.AsType[*agent.Unfit](CheckWithKey(s, "codex")); !unfit {
		t.Error("an agent that takes no login can work")
	}
}

// TestHasLine finds whole lines alone, and opens nothing that the agent may have left in the place of the file.
func TestHasLine(t *testing.T) {
	s, outside := agent.Session{StateDir: t.TempDir()}, filepath.Join(t.TempDir(), "x")
	in := func(name string) string { return filepath.Join(s.StateDir, name) }
	for _, err := range []error{os.WriteFile(in("whole"), []byte("a\nsought\nb"), 0o600), os.WriteFile(in("torn"), []byte("a\nsought"), 0o600),
		os.WriteFile(outside, []byte("sought\n"), 0o600), os.Symlink(outside, in("link")), syscall.Mkfifo(in("pipe"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{in("whole"): true, in("torn"): false, in("none"): false, in("link"): false, in("pipe"): false, outside: false} {
		if got := HasLine(s, path, func(line []byte) bool { return string(line) == "sought\n" }); got != want {
			t.Errorf("%s: %v", filepath.Base(path), got)
		}
	}
}
