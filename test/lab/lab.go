// Package lab sets up the real parts of Longshift for tests: the server binary, worker binaries, git over HTTP, a GitHub
// that checks every request, a scripted model behind the real agent. It may be imported by tests and benchmarks only.
package lab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"

	"github.com/longshift/longshift/internal/repo/toolcache/toolcachetest"
	"github.com/longshift/longshift/internal/sourcetree"
)

// Program gives a built program of ours.
func Program(t testing.TB, name string) string {
	t.Helper()
	if err := build(); err != nil {
		t.Fatalf("build: %v", err)
	}
	return filepath.Join(sourcetree.Root(), "bin", name)
}

// build brings the programs up to date, once per test process.
var build = sync.OnceValue(func() error {
	cmd := exec.Command("make", "-s", "build")
	cmd.Dir = sourcetree.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make build: %w\n%s", err, out)
	}
	return nil
})

// Claude gives the real Claude Code binary. Without it the test is skipped, and fails where CI is set.
func Claude(t testing.TB) string {
	t.Helper()
	path := os.Getenv("LONGSHIFT_CLAUDE")
	if path == "" {
		path = filepath.Join(sourcetree.Root(), "test", "agents", "node_modules", ".bin", "claude")
	}
	if _, err := os.Stat(path); err != nil {
		missing(t, "the Claude Code binary is missing: run `make agents` (%v)", err)
	}
	return path
}

// missing skips a test that lacks a part, and fails it where CI is set.
func missing(t testing.TB, format string, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, err)
	}
	t.Skipf(format, err)
}

// FreePort gives a port that was free a moment ago, and that nobody else gets here. It is below those that the system gives to
// connections that go out: one of them could hold it while a server that a test has killed comes back.
func FreePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := lowestPort + rand.IntN(portCount)
		if _, given := ports.LoadOrStore(port, true); given {
			continue
		}
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

// The ports of tests: below those of the server binary's own choice, too.
const lowestPort, portCount = 10000, 10000

var ports sync.Map // that were given

// Server is a Temporal server process with its data in a file.
type Server struct {
	t       testing.TB
	port    int
	metrics int
	UIPort  int
	launch  func() *process
	cmd     *process
	logs    []string // files, of each start
	Client  client.Client
	Address string
}

// StartServer starts the server binary on free ports.
func StartServer(t testing.TB, ui bool) *Server {
	t.Helper()
	s := &Server{t: t, port: FreePort(t), metrics: FreePort(t)}
	args := []string{"server", "start-dev", "--ip", "127.0.0.1", "--port", fmt.Sprint(s.port), "--metrics-port", fmt.Sprint(s.metrics),
		"--db-filename", filepath.Join(t.TempDir(), "temporal.db")}
	if ui {
		s.UIPort = FreePort(t)
		args = append(args, "--ui-port", fmt.Sprint(s.UIPort))
	} else {
		args = append(args, "--headless")
	}
	s.launch = func() *process { return start(t, Program(t, "longshift-devserver"), args, os.Environ(), "server") }
	s.open(func(context.Context, string) error { return nil })
	return s
}

// open starts the process, prepares its namespace and connects to it.
func (s *Server) open(prepare func(ctx context.Context, address string) error) {
	s.t.Helper()
	s.Address = fmt.Sprintf("127.0.0.1:%d", s.port)
	s.Start()
	s.t.Cleanup(s.Kill)
	// The port opens a moment before the server is healthy, and a call in between is refused.
	Eventually(s.t, 30*time.Second, "the server is healthy", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if prepare(ctx, s.Address) != nil {
			return false
		}
		c, err := client.DialContext(ctx, client.Options{HostPort: s.Address, Logger: tlog.NewStructuredLogger(discard())})
		if err == nil {
			s.Client = c
		}
		return err == nil
	})
	s.t.Cleanup(s.Client.Close)
}

// Start starts the process; on the same data when it ran before.
func (s *Server) Start() {
	s.t.Helper()
	s.cmd = s.launch()
	s.logs = append(s.logs, s.cmd.log)
	Eventually(s.t, 60*time.Second, "the server answers", func() bool {
		s.again()
		c, err := net.DialTimeout("tcp", s.Address, time.Second)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
}

// again starts the process anew when another program was quicker at one of the ports that its parts talk to each other by.
func (s *Server) again() {
	select {
	case <-s.cmd.done:
		if strings.Contains(lastLines(s.cmd.log, 20), "address already in use") {
			s.cmd = s.launch()
			s.logs = append(s.logs, s.cmd.log)
		}
	default:
	}
}

func (s *Server) Kill() { s.cmd.kill() }

// Worker is a worker process with a data directory of its own: one host.
type Worker struct {
	t    testing.TB
	Data string
	env  []string
	cmd  *process
	logs []string // files, of each start
	mu   sync.Mutex
}

// CompilerCache is the setting that gives tasks the compiled standard library. Each task copies its 1300 files, so only workers whose
// tasks compile get it.
func CompilerCache(t testing.TB) string {
	t.Helper()
	seed, err := toolcachetest.Seed()
	if err != nil {
		t.Fatal(err)
	}
	return "LONGSHIFT_CACHE=" + seed
}

// StartWorker starts a worker. env is added to what every worker of the lab gets.
func (s *Server) StartWorker(t testing.TB, data string, env ...string) *Worker {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil && runtime.GOOS == "linux" { // the worker ends at once, and all that follows waits
		missing(t, "bubblewrap is missing: run `make parts` (%v)", err)
	}
	w := &Worker{t: t, Data: data}
	w.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(data, "operator"), "TEMPORAL_ADDRESS=" + s.Address,
		"LONGSHIFT_DATA=" + data, "LONGSHIFT_HEARTBEAT=2s", "LONGSHIFT_PROBE=4s", "GOTOOLCHAIN=local",
	}, env...)
	w.Start()
	t.Cleanup(w.Kill)
	return w
}

// Start starts the process again on the same data.
func (w *Worker) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cmd = start(w.t, Program(w.t, "longshift-worker"), nil, w.env, "worker")
	w.logs = append(w.logs, w.cmd.log)
}

// Log gives what the process has said since its last start.
func (w *Worker) Log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, err := os.ReadFile(w.cmd.log)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// Kill ends the process with SIGKILL. It may be called while a server's handler waits for it.
func (w *Worker) Kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cmd.kill()
}

func (w *Worker) Pid() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cmd.Process.Pid
}

// Stop tells the process to end, and gives its exit code.
func (w *Worker) Stop() int {
	w.t.Helper()
	_ = syscall.Kill(w.Pid(), syscall.SIGTERM)
	return w.Wait(time.Minute)
}

// Frozen keeps the process from running during a function, also when that fails the test, and tells whether the process was there before
// and after. What it has started runs on.
func (w *Worker) Frozen(during func()) (there bool) {
	pid := w.Pid()
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	defer func() { there = syscall.Kill(pid, syscall.SIGCONT) == nil }()
	during()
	return there
}

// Wait waits until the process has ended by itself, and gives its exit code.
func (w *Worker) Wait(limit time.Duration) int {
	w.t.Helper()
	select {
	case <-w.cmd.done:
	case <-time.After(limit):
		w.t.Fatalf("the worker still runs after %s", limit)
	}
	return w.cmd.ProcessState.ExitCode()
}

// Eventually waits for a condition. It looks often at first, less often later, and pauses five times as long as a look takes, at most two
// seconds: a look starts a program or asks the server, and takes from a small machine what the answer is waiting for. A look that took
// long may have waited for a worker that is dead.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	const seldom = 150 * time.Millisecond
	for pause := 10 * time.Millisecond; ; pause = min(pause*5/4, seldom) {
		begun := time.Now()
		if ok() {
			return
		}
		next := time.NewTimer(max(pause, min(5*time.Since(begun), 2*time.Second)))
		select {
		case <-deadline.C:
			next.Stop()
			t.Fatalf("waited %s in vain: %s", limit, what)
		case <-next.C:
		}
	}
}
