package acceptance

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	agentscript "github.com/longshift/longshift/internal/agent/script"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/toolcache/toolcachetest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// demo runs the README's second command: a killed worker, and a task that goes on to a pull request whose check is green.
func demo(t *testing.T, p *person) {
	begun := time.Now()
	r := p.longshift(t, within, p.home, []string{"TMPDIR=" + p.folder("tmp")}, "demo", "--kill", "-o", "json")
	if r.code != 0 {
		t.Fatalf("longshift demo ended with %d:\n%s\n%s", r.code, r.err, r.out)
	}
	var end signals.Status
	if err := json.Unmarshal([]byte(r.out), &end); err != nil {
		t.Fatalf("read the last status: %v\n%s", err, r.out)
	}
	if end.Outcome != task.PullRequest || end.Check == nil || !end.Check.Passed() {
		t.Errorf("outcome %s, last check %+v\n%s", end.Outcome, end.Check, r.err)
	}
	for _, want := range []string{`kill -9 \d+: the worker is dead`, `session \d+ \(implementer .*\) was resumed: 1 time`, `none of them ran again`, `approved:`} {
		if !regexp.MustCompile(want).MatchString(r.err) {
			t.Errorf("it does not say %s:\n%s", want, r.err)
		}
	}
	empty(t, filepath.Join(p.home, "tmp"))
	t.Logf("demo with a kill: %.1fs", time.Since(begun).Seconds())
}

// TestDemo has people do with the demo what its README does not say: keep its folder, end it early, lose its worker.
func TestDemo(t *testing.T) {
	t.Parallel()
	p := newPerson(t, nil)
	p.compiled("", "longshift/demo")
	settings := filepath.Join(p.folder(".config/longshift"), "config.toml") // of a worker that takes no work itself
	must(t, os.WriteFile(settings, []byte("LONGSHIFT_ROLE = \"control\"\n"), 0o600))
	t.Cleanup(p.leftNothing)
	t.Cleanup(func() { must(t, os.RemoveAll(filepath.Join(p.home, ".config"))) })
	t.Run("kept", func(t *testing.T) {
		t.Parallel()
		demoKept(t, p)
	})
	for name, at := range map[string]string{"at its start": "starting a Temporal server", "in a session": " approved "} {
		t.Run("interrupted "+name, func(t *testing.T) {
			t.Parallel()
			w, tmp := demoTerminal(t, p)
			w.waits(at, "\x03")
			if code := w.code(time.Minute); code != fault.ExitInterrupt || strings.Contains(w.shown(), "the task continues") {
				t.Errorf("exit code %d; its server is gone, so the task can't go on:\n%s", code, w.shown())
			}
			empty(t, tmp)
		})
	}
	t.Run("worker lost", func(t *testing.T) { // nobody would start another
		t.Parallel()
		w, tmp := demoTerminal(t, p)
		w.waits(" approved ", "")
		kill(t, filepath.Join(tmp, "*", "data", "worker.lock"))
		if code := w.code(time.Minute); code != fault.ExitServer || !strings.Contains(w.shown(), "longshift: the worker has ended: signal: killed\r\n") {
			t.Errorf("exit code %d:\n%s", code, w.shown())
		}
		empty(t, tmp)
		lab.Eventually(t, 10*time.Second, "what the worker had started ends with it", func() bool { return len(lab.Marked(t, tmp)) == 0 })
	})
}

// compiled puts what has been compiled before, or a part of it, into a folder of the person's caches.
func (p *person) compiled(part, cache string) {
	p.t.Helper()
	seed, err := toolcachetest.Seed()
	must(p.t, err)
	must(p.t, os.CopyFS(filepath.Join(p.home, ".cache", cache), os.DirFS(filepath.Join(seed, part))))
}

// demoKept reads what the demo prints, and looks at the folder that it leaves when it is asked to.
func demoKept(t *testing.T, p *person) {
	tmp := p.folder("tmp/kept")
	r := p.longshift(t, within, p.home, []string{"TMPDIR=" + tmp}, "demo", "--keep")
	if r.code != 0 {
		t.Fatalf("longshift demo ended with %d:\n%s\n%s", r.code, r.err, r.out)
	}
	for _, want := range []string{`Pull request: \S+`, `  Cost  `, `Plan, revision \d`, `Check: passed`, `Pull request record$`, `Diff$`, ` *\+`} {
		if !regexp.MustCompile("(?m)^" + want).MatchString(r.out) {
			t.Errorf("no line %s:\n%s", want, r.out)
		}
	}
	kept, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil || len(kept) != 1 || !strings.Contains(r.err, "kept: "+kept[0]) {
		t.Fatalf("kept: %q, %v\n%s", kept, err, r.err)
	}
	want := strings.Join(slices.Sorted(maps.Keys(agentscript.DemoRepository())), "\n")
	if got := p.git(t, filepath.Join(kept[0], "demo.git"), "ls-tree", "-r", "--name-only", "main"); got != want {
		t.Errorf("main of the repository has %q, want %q", got, want)
	}
}

// demoTerminal starts a demo on a terminal, with a folder for temporary files of its own.
func demoTerminal(t *testing.T, p *person) (w *terminal, tmp string) {
	t.Helper()
	tmp = p.folder(filepath.Join("tmp", filepath.Base(t.Name())))
	cmd := p.command(t.Context(), p.home, filepath.Join(p.home, "longshift", "longshift"), "demo")
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
	return openTerminal(t, cmd), tmp
}

// empty fails the test when something is left in a folder.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
}

// kill ends the process whose number stands in a file.
func kill(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %q, %v", pattern, files, err)
	}
	text, err := os.ReadFile(files[0])
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(t, err)
	must(t, syscall.Kill(pid, syscall.SIGKILL))
}
