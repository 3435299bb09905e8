package lab

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	confined "github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/process/guard"
)

type process struct {
	*exec.Cmd
	done chan struct{} // closed when it has ended
	log  string        // file with its output
}

// start starts a program whose output goes to the test's log file, which is shown when the test fails.
func start(t testing.TB, path string, args, env []string, name string) *process {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.SysProcAttr = env, guard.ChildAttr()
	return run(t, cmd, name)
}

// run starts a command, as start does. With the attributes of a guard's child it ends when the test process is killed: a worker that lived on
// would take tasks from the next test's server at the same port.
func run(t testing.TB, cmd *exec.Cmd, name string) *process {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".log")
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	p := &process{cmd, make(chan struct{}), file}
	if err := confined.StartBound(cmd, func(error) { close(p.done) }); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	t.Cleanup(func() {
		p.kill()
		out.Close()
		if t.Failed() {
			t.Logf("%s (pid %d) said:\n%s", name, cmd.Process.Pid, lastLines(file, 60))
		}
	})
	return p
}

// kill ends it with SIGKILL, and waits until it has ended: only then are its ports free.
func (p *process) kill() {
	if p != nil {
		_ = p.Process.Kill()
		<-p.done
	}
}

// Logs gives what each of the server's processes has said, one after the other.
func (s *Server) Logs() string { return join(s.logs) }

// Logs gives what each of the worker's processes has said, one after the other.
func (w *Worker) Logs() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return join(w.logs)
}

func join(files []string) string {
	var all strings.Builder
	for n, file := range files {
		text, err := os.ReadFile(file)
		fmt.Fprintf(&all, "--- start %d (%v)\n%s", n+1, err, text)
	}
	return all.String()
}

func lastLines(file string, n int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func discard() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// Programs gives the living programs that this worker's sessions and commands have started, its guards included.
func (w *Worker) Programs() []string {
	w.t.Helper()
	return Marked(w.t, "LONGSHIFT_SESSION=", w.Data)
}

// Marked gives the living processes whose environment carries all of the texts.
func Marked(t testing.TB, texts ...string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	var found []string
	for _, e := range entries {
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		carries := func(text string) bool { return strings.Contains(string(env), text) }
		if err == nil && !slices.ContainsFunc(texts, func(text string) bool { return !carries(text) }) {
			line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			found = append(found, e.Name()+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
