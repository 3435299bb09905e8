package compose_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/test/compose"
)

func TestScripts(t *testing.T) {
	checked, broken := compose.CheckScripts(filepath.Join(root(t), "deploy"))
	if checked < 4 {
		t.Errorf("%d scripts found in deploy/, want 4 and more", checked)
	}
	report(t, broken)
}

func TestBrokenScripts(t *testing.T) {
	for _, c := range []struct {
		name, content string
		mode          os.FileMode
		want          string
	}{
		{"mistake", "#!/bin/sh\nset -eu\nif true; then\n", 0o755, "case.sh"},
		{"language of another shell", "#!/bin/sh\nset -eu\nx=(a b)\n", 0o755, "case.sh"},
		{"no shell", "set -eu\n", 0o755, "case.sh"},
		{"goes on", "#!/bin/sh\necho hello\n", 0o755, "goes on after an error"},
		{"not to be run", "#!/bin/sh\nset -eu\n", 0o644, "can't be run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "case.sh"), []byte(c.content), c.mode); err != nil {
				t.Fatal(err)
			}
			_, broken := compose.CheckScripts(dir)
			only(t, broken, c.want)
		})
	}
}

// health runs the health check against an address and gives its exit code.
func health(t *testing.T, address string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(root(t), "deploy", "worker-health.sh"))
	cmd.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+address)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run health check: %v\n%s", err, out)
	}
	return cmd.ProcessState.ExitCode()
}

// connect starts a process of the given name that holds a connection to the address until the returned function ends it.
func connect(t *testing.T, name string, to net.Addr) (end func()) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(bash, program); err != nil {
		t.Fatal(err)
	}
	at := to.(*net.TCPAddr)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "-c", fmt.Sprintf("exec 3<>/dev/tcp/%s/%d && echo connected && read -r _", at.IP, at.Port))
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	end = func() {
		cancel()
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}
	t.Cleanup(end)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "connected\n" {
		t.Fatalf("connect: %q, %v", line, err)
	}
	return end
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	switch {
	case err != nil && os.Getenv("CI") != "true":
		t.Skipf("this machine can't listen on %s: %v", address, err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestWorkerHealth(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) {
			server := listen(t, address)
			to := server.Addr().String()
			if got := health(t, to); got != 1 {
				t.Errorf("nobody is connected: exit code %d, want 1", got)
			}
			connect(t, "somebody-else", server.Addr())
			if got := health(t, to); got != 1 {
				t.Errorf("another program is connected: exit code %d, want 1", got)
			}
			end := connect(t, "longshift-worker", server.Addr())
			if got := health(t, to); got != 0 {
				t.Errorf("the worker is connected: exit code %d, want 0", got)
			}
			end()
			if got := health(t, to); got != 1 {
				t.Errorf("the worker is gone: exit code %d, want 1", got)
			}
		})
	}
}

func TestWorkerHealthNeedsAPort(t *testing.T) {
	if got := health(t, "temporal"); got != 2 {
		t.Errorf("address without a port: exit code %d, want 2", got)
	}
}

// Connections that come and go meanwhile hide no worker's.
func TestWorkerHealthAmongOthers(t *testing.T) {
	temporal, other := listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0")
	connect(t, "longshift-worker", temporal.Addr())
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	for range 2 {
		go func() {
			var held []net.Conn
			for t.Context().Err() == nil {
				c, err := net.Dial("tcp", other.Addr().String())
				if err != nil {
					continue
				}
				_ = c.(*net.TCPConn).SetLinger(0)
				if held = append(held, c); len(held) == 60 {
					for _, c := range held {
						_ = c.Close()
					}
					held = nil
				}
			}
		}()
	}
	for n := range 20 {
		if code := health(t, temporal.Addr().String()); code != 0 {
			t.Fatalf("look %d: exit code %d", n, code)
		}
	}
}
