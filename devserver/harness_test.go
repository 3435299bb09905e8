package devserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
)

const patience = 30 * time.Second

// process is one running server binary.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	printed map[string]string // what it said on stdout, by label
	stderr  *lockedBuffer
	exited  chan struct{} // closed when Wait has returned
}

// launch starts the server and returns when it has said that it serves.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p, lines := spawn(t, append([]string{"--metrics-port", "0"}, args...)...)
	timeout := time.After(patience)
	for p.printed["Temporal Metrics"] == "" { // the last line
		select {
		case line, open := <-lines:
			if !open {
				t.Fatalf("server ended before it was ready: %s", p.stderr)
			}
			if label, value, ok := strings.Cut(line, ":"); ok {
				p.printed[label] = strings.TrimSpace(value)
			}
		case <-timeout:
			t.Fatalf("server not ready within %s: %s", patience, p.stderr)
		}
	}
	go func() {
		for range lines { // keep reading, so that the server never blocks on a full pipe
		}
	}()
	return p
}

// spawn starts the process. It ends with the test at the latest.
func spawn(t *testing.T, args ...string) (*process, <-chan string) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{
		t:       t,
		cmd:     exec.Command(binary, append([]string{"server", "start-dev"}, args...)...),
		printed: map[string]string{},
		stderr:  &lockedBuffer{},
		exited:  make(chan struct{}),
	}
	p.cmd.Stdout, p.cmd.Stderr = write, p.stderr
	err = p.cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		t.Fatalf("start server: %v", err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code is read from ProcessState
		close(p.exited)
	}()
	t.Cleanup(p.kill)
	lines := make(chan string)
	go func() {
		defer close(lines)
		defer read.Close()
		for s := bufio.NewScanner(read); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return p, lines
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // an error means that it has ended
	<-p.exited
}

// stop asks for a clean end and returns how long it took.
func (p *process) stop(sig os.Signal) time.Duration {
	p.t.Helper()
	begin := time.Now()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatalf("signal server: %v", err)
	}
	select {
	case <-p.exited:
	case <-time.After(patience):
		p.t.Fatalf("server still runs %s after %s", patience, sig)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Fatalf("exit code after %s = %d, want 0; stderr: %s", sig, code, p.stderr)
	}
	return time.Since(begin)
}

func (p *process) dial(namespace string) client.Client {
	p.t.Helper()
	c, err := client.Dial(client.Options{HostPort: p.printed["Temporal Server"], Namespace: namespace, Logger: silent{}})
	if err != nil {
		p.t.Fatalf("dial: %v", err)
	}
	p.t.Cleanup(c.Close)
	return c
}

// refused runs a server that must not start, and returns its one line on stderr.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"server", "start-dev"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("%q: %v, want exit code 1; stderr: %s", args, err, &stderr)
	}
	if stdout.Len() > 0 {
		t.Errorf("%q wrote to stdout: %s", args, &stdout)
	}
	line := strings.TrimSuffix(stderr.String(), "\n")
	if line == "" || strings.Contains(line, "\n") {
		t.Errorf("%q: stderr is not one line: %q", args, line)
	}
	return line
}
