package devserver_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	file := filepath.Join(t.TempDir(), "x.db")
	for _, c := range []struct {
		flag  string
		value int
	}{
		{"--port", port}, {"--http-port", port}, {"--metrics-port", port}, {"--ui-port", port},
		{"--port", port - 1000}, // its Temporal Web would be at the taken port
	} {
		t.Run(fmt.Sprint(c.flag, " ", c.value), func(t *testing.T) {
			args := []string{"-f", file, c.flag, fmt.Sprint(c.value)}
			if c.flag != "--port" {
				args = append(args, "--port", "0")
			}
			line := refused(t, args...)
			flag := c.flag
			if c.value != port {
				flag = "--ui-port"
			}
			if !strings.Contains(line, fmt.Sprint(port)) || !strings.Contains(line, flag) || !strings.Contains(line, "in use") {
				t.Errorf("stderr = %q, want the port and %s", line, flag)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a database was made")
			}
		})
	}
}

func TestForeignAddress(t *testing.T) {
	// 192.0.2.0/24 is set aside for documentation: no machine has it.
	if line := refused(t, "--ip", "192.0.2.1", "--port", "0"); !strings.Contains(line, "192.0.2.1") || !strings.Contains(line, "--ip") {
		t.Errorf("stderr = %q", line)
	}
}

func TestEveryAddressAndCleanStop(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := launch(t, "--ip", "0.0.0.0", "--port", "0", "--headless", "--color", "never")
		_, port, err := net.SplitHostPort(p.printed["Temporal Server"])
		if err != nil {
			t.Fatalf("printed %q: %v", p.printed, err)
		}
		p.printed["Temporal Server"] = "127.0.0.1:" + port
		p.dial("default")
		if took := p.stop(sig); took > 10*time.Second {
			t.Errorf("stop by %s took %s", sig, took)
		}
		if out := p.stderr.String(); out != "" {
			t.Errorf("stderr of a whole run: %s", out)
		}
	}
}
