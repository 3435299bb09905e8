package app

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestEndedBySignal: a hangup that a process was started to ignore does not end it, as nohup means it. An interrupt does, also in the
// background of a script. The last signal is one that ends it.
func TestEndedBySignal(t *testing.T) {
	t.Parallel()
	for ignored, sent := range map[string][]syscall.Signal{
		"": {syscall.SIGHUP}, "HUP": {syscall.SIGHUP, syscall.SIGINT}, "INT": {syscall.SIGINT},
		"HUP INT":      {syscall.SIGHUP, syscall.SIGINT},
		"HUP INT TERM": {syscall.SIGHUP, syscall.SIGTERM},
	} {
		t.Run(ignored, func(t *testing.T) {
			t.Parallel()
			last := sent[len(sent)-1]
			if last == syscall.SIGHUP && signal.Ignored(last) {
				t.Skipf("this test was started to ignore %s, as with nohup", last)
			}
			cmd := exec.Command("/bin/sh", "-c", `for s in $1; do trap "" "$s"; done; exec "$0"`, os.Args[0], ignored)
			cmd.Env = append(os.Environ(), endingEnv+"=yes")
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }() // they fail when it has ended
			said := bufio.NewReader(out)
			if line, err := said.ReadString('\n'); line != "waiting\n" {
				t.Fatalf("%q, %v", line, err)
			}
			for _, s := range sent {
				must(t, cmd.Process.Signal(s))
			}
			ended, err := io.ReadAll(said)
			must(t, err)
			if !strings.HasPrefix(string(ended), last.String()+" signal") {
				t.Errorf("ended by %q, want %s", ended, last)
			}
		})
	}
}
