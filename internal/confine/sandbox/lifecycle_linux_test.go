package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// marked lists the processes of the host with the mark in their command line.
func marked(mark string) (out []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range list {
		b, err := os.ReadFile(file)
		if pid, _ := strconv.Atoi(strings.Split(file, "/")[2]); err == nil && pid != os.Getpid() && strings.Contains(string(b), mark) {
			out = append(out, fmt.Sprintf("%d %q", pid, b))
		}
	}
	return out
}

func gone(t testing.TB, mark string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		left := marked(mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("still there: %v", left)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func newMark() string { return "mark-" + randomName() }

// runaways escape from their parent in various ways. $m is their mark.
const runaways = `
setsid bash -c 'trap "" TERM HUP INT; while :; do sleep 1; done' "$m" &
(setsid nohup bash -c 'while :; do sleep 1; done' "$m" >/dev/null 2>&1 &)
python3 -c 'import os,time,signal
for i in range(2):
    if os.fork(): os._exit(0)
    os.setsid()
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while 1: time.sleep(1)' "$m" &
while [ $(grep -la "$m" /proc/[0-9]*/cmdline 2>/dev/null | wc -l) -lt 4 ]; do :; done
`

func TestNothingOutlivesTheProgram(t *testing.T) {
	c, mark := workIn(t), newMark()
	nothingLeft(t)
	s := bash(c, "m="+mark+runaways+"echo out; exit 4")
	r := inside(t, c, s)
	if r.Code != 4 || r.Output != "out\n" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
	if left := marked(mark); len(left) > 0 {
		t.Errorf("left at the end: %v", left)
	}
}

func TestNothingOutlivesAStop(t *testing.T) {
	c, mark := workIn(t), newMark()
	nothingLeft(t)
	p, err := theBox(t).Start(t.Context(), bash(c, "m="+mark+runaways+"echo ready; sleep 1000"), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	for len(marked(mark)) < 3 && t.Context().Err() == nil { // python's double fork takes a moment
		<-time.After(time.Millisecond)
	}
	p.Stop()
	if left := marked(mark); len(left) > 0 {
		t.Errorf("left after the stop: %v", left)
	}
}

func TestNothingOutlivesTheContext(t *testing.T) {
	c, mark := workIn(t), newMark()
	nothingLeft(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := theBox(t).Start(ctx, bash(c, "m="+mark+runaways+"echo ready; sleep 1000"), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	cancel()
	p.Wait()
	if left := marked(mark); len(left) > 0 {
		t.Errorf("left after the end: %v", left)
	}
}

func TestNothingOutlivesTheWorker(t *testing.T) {
	theBox(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, victim := range []string{"worker", "worker and guards"} {
		mark, work, tmp := newMark(), workIn(t).Work, realPath(t, t.TempDir())
		cmd := exec.Command(exe)
		cmd.Env = []string{testPath, "SANDBOX_TEST_PART=worker", "SANDBOX_TEST_WORK=" + work, "TMPDIR=" + tmp,
			"SANDBOX_TEST_SCRIPT=m=" + mark + runaways + "echo ready; sleep 1000"}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		if line := readLine(t, out); line != "ready" {
			t.Fatalf("the worker says %q", line)
		}
		guards := children(cmd.Process.Pid)
		cmd.Process.Kill()
		if victim != "worker" {
			for _, pid := range guards {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		gone(t, mark)
		cmd.Wait()
		gone(t, tmp) // the launcher's command line names a file there
		t.Setenv("TMPDIR", tmp)
		sweep()
		if left := tree(t, tmp) + tree(t, work); strings.Contains(left, boxPrefix) || strings.Contains(left, "held") {
			t.Errorf("left behind: %s", left)
		}
	}
}

func children(pid int) (out []int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	list, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range list {
		if more, err := os.ReadFile(file); err == nil {
			b = append(append(b, ' '), more...)
		}
	}
	for f := range strings.FieldsSeq(string(b)) {
		if n, err := strconv.Atoi(f); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// A sweep must not touch folders in use, nor follow links that others have planted.
func TestSweepSparesOthers(t *testing.T) {
	tmp := realPath(t, t.TempDir())
	t.Setenv("TMPDIR", tmp)
	c := workIn(t)
	c.Protected = []string{filepath.Join(c.Work, "held")}
	s := bash(c, "echo ready; read x; ! mkdir held/x && ! rmdir held")
	s.StdinPipe = true
	p, err := theBox(t).Start(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	put(t, tmp, "real/empty/", "full/file", boxPrefix+"old/x")
	if err := os.Symlink(filepath.Join(tmp, "real"), filepath.Join(tmp, "link")); err != nil {
		t.Fatal(err)
	}
	made := strings.Join([]string{filepath.Join(tmp, "link/empty"), filepath.Join(tmp, "full"), filepath.Join(tmp, "full/file"), ""}, "\x00")
	if err := os.WriteFile(filepath.Join(tmp, boxPrefix+"old", madeFile), []byte(made), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep()
	for _, name := range []string{"real/empty", "full/file"} {
		if _, err := os.Stat(filepath.Join(tmp, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(tmp, boxPrefix+"old")); !os.IsNotExist(err) {
		t.Errorf("an old folder is left: %v", err)
	}
	io.WriteString(p.Stdin(), "go\n")
	if exit := p.Wait(); !exit.Success() {
		t.Errorf("%s: %s", exit, p.Stderr())
	}
}
