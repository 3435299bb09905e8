package script

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// playEnv makes the test program play the session that it holds, as a worker would.
const playEnv = "LONGSHIFT_TEST_PLAY"

func playAndReport() {
	var s agent.Session
	if err := json.Unmarshal([]byte(os.Getenv(playEnv)), &s); err != nil {
		fmt.Println("error", err)
		return
	}
	s.Permit = agenttest.Inside(s)
	out, err := New(Config{}).Run(context.Background(), s, func(e agent.Event) {
		if e.Kind == agent.Text || e.Kind == agent.ToolCall {
			fmt.Println(e.Kind, e.Text)
		}
	})
	fmt.Println("outcome", out.Kind, out.Resumed, out.Usage.Input, err)
}

// A killed worker loses no finished step, and the programs that it left running are ended.
func TestKilledWorkerGoesOn(t *testing.T) {
	t.Parallel()
	s := session(t, task.Implementer, `
sessions:
  - steps:
      - usage: {input: 5}
      - write: {path: a.txt, content: one}
      - run: echo 1 >> ran; test -e open || { echo up > ready; cat gate; }
      - usage: {input: 7}
      - say: the end
`)
	agenttest.Pipe(t, s.Dir, "gate")
	ready := agenttest.Pipe(t, s.Dir, "ready")
	_, kill := playElsewhere(t, s)
	<-ready
	kill()
	if err := os.WriteFile(filepath.Join(s.Dir, "open"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Resume = true
	lines, _ := playElsewhere(t, s)
	var told []string
	for line := range lines {
		told = append(told, line)
	}
	all := strings.Join(told, "\n")
	if !strings.Contains(all, "outcome completed true 12 <nil>") || strings.Contains(all, "a.txt") || strings.Count(all, "text the end") != 1 {
		t.Errorf("the second attempt:\n%s", all)
	}
	if left := agenttest.Processes(t, s.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
	if ran, _ := os.ReadFile(filepath.Join(s.Dir, "ran")); string(ran) != "1\n1\n" {
		t.Errorf("the command that was cut off runs once more, nothing else: %q", ran)
	}
}

// playElsewhere plays a session in a process of its own and returns what it tells, and a way to kill it.
func playElsewhere(t *testing.T, s agent.Session) (lines <-chan string, kill func()) {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"PATH=" + defaultPath, playEnv + "=" + string(data)}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(told)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			told <- sc.Text()
		}
		_ = cmd.Wait()
	}()
	kill = func() {
		_ = cmd.Process.Kill()
		<-done
	}
	t.Cleanup(kill)
	return told, kill
}
