package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/test/lab"
)

const endsEnv = "LONGSHIFT_TEST_ENDS"

// TestEndedBenchLeavesNothing ends a bench that has started a program.
func TestEndedBenchLeavesNothing(t *testing.T) {
	if dir := os.Getenv(endsEnv); dir != "" {
		benchUntilEnded(t, dir)
		return
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sleep, err := exec.LookPath("sleep")
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{os.Mkdir(filepath.Join(dir, "bin"), 0o700), os.Symlink(sleep, filepath.Join(dir, "bin", "sleep"))} {
				if err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestEndedBenchLeavesNothing$", "-test.v")
			cmd.Env = append(os.Environ(), endsEnv+"="+dir)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := 0
			for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
				if text, is := strings.CutPrefix(lines.Text(), "started "); is {
					pid, _ = strconv.Atoi(text)
				}
			}
			_ = cmd.Process.Signal(signal)
			if err := cmd.Wait(); err == nil || pid == 0 {
				t.Fatalf("it has ended by itself, after it started process %d", pid)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			lab.Eventually(t, 10*time.Second, "the program has ended", func() bool { return len(lab.Marked(t, "STARTED_IN="+dir)) == 0 })
			if _, err := os.Stat(filepath.Join(dir, "work")); signal != syscall.SIGKILL && err == nil {
				t.Error("its folder is left")
			}
		})
	}
}

func benchUntilEnded(t *testing.T, dir string) {
	b := &bench{root: dir, dir: filepath.Join(dir, "work"), ends: &ends{}}
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b.ends.add(func() { os.RemoveAll(b.dir) })
	b.ends.whenTold()
	pid, err := b.program("sleep", []string{"STARTED_IN=" + dir}, "60")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("started", pid)
	<-t.Context().Done()
}
