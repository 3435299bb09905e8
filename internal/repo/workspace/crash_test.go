package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// breakAt makes the manager's git die at its nth call: before it has done anything, or after all of it.
// It returns a function that reports whether that has happened.
func breakAt(t *testing.T, m *Manager, n int, after bool) func() bool {
	t.Helper()
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	must(t, os.WriteFile(calls, []byte("0\n"), 0o600))
	// The shell itself counts, because there are thousands of calls.
	script := fmt.Sprintf("#!/bin/sh\nread n <%[1]s; n=$((n+1)); echo $n >%[1]s\n[ $n = %[2]d ] || exec %[3]s \"$@\"\n", calls, n, m.runner.git.Program)
	if after {
		script += m.runner.git.Program + ` "$@" > /dev/null 2>&1` + "\n"
	}
	script += "kill -9 $$\n"
	program := filepath.Join(dir, "git")
	gittest.Program(t, program, script)
	m.runner.git.Program = program
	return func() bool {
		text, _ := os.ReadFile(calls)
		made, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return made >= n
	}
}

// wholeTask does what a task does with its workspace.
func wholeTask(ctx context.Context, m *Manager, spec Spec) error {
	ws, err := m.Prepare(ctx, spec)
	if err != nil {
		return err
	}
	tree, err := m.Open(ctx, spec.TaskID, spec.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	for _, key := range []string{"1", "2"} {
		if err := os.WriteFile(filepath.Join(ws.Dir, key+".txt"), []byte(key+"\n"), 0o644); err != nil {
			return err
		}
		if key == "2" {
			if _, err := tree.PushSnapshot(ctx, SnapshotSpec{Note: key, Inspect: func(func(io.Writer) error) error { return nil }}); err != nil {
				return err
			}
		}
		if _, err := tree.Commit(ctx, CommitSpec{Key: key, Message: "Work " + key}); err != nil {
			return err
		}
		if err := tree.Checkpoint(ctx); err != nil {
			return err
		}
	}
	_, err = tree.Push(ctx)
	return err
}

// TestCrashAtEveryStep breaks the task off at each call of git in turn and starts over: after the call has had its effect,
// and at some also before, which is nearly the same as after the call before it. Signed, a commit that is made again has another id.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		after, signs bool
		step         int
	}{{false, false, 5}, {true, false, 1}, {true, true, 3}} {
		after := c.after
		t.Run(fmt.Sprintf("after=%v,signs=%v", after, c.signs), func(t *testing.T) {
			t.Parallel()
			var s signer
			if c.signs {
				s = sshSigner(t, "ecdsa", "")
			}
			for n := 1; ; n += c.step {
				bare := gittest.NewBare(t, start)
				b := newSigningBench(t, bare, s)
				dir, spec := b.m.config.Dir, b.spec("t-1", 1)
				broken := breakAt(t, b.m, n, after)
				err := wholeTask(t.Context(), b.m, spec)
				if !broken() {
					if err != nil || n < 20 {
						t.Fatalf("only %d calls; the test breaks nothing: %v", n, err)
					}
					return
				}
				m := b.manager(dir)
				if n%2 == 0 {
					spec.Fence = 2 // the next attempt, not the same one again
				}
				if err := wholeTask(t.Context(), m, spec); err != nil {
					t.Fatalf("after a crash at call %d (%v): %v", n, err, err)
				}
				if got := gittest.Git(t, bare, "log", "--format=%s", "refs/heads/longshift/t-1"); got != "Work 2\nWork 1\nFirst commit" {
					t.Fatalf("after a crash at call %d: commits %q", n, got)
				}
				if refs := gittest.Refs(t, bare); refs["refs/longshift/t-1"] != refs["refs/heads/longshift/t-1"] {
					t.Fatalf("after a crash at call %d: refs %v", n, refs)
				}
				if c.signs {
					wantSigned(t, s, bare, "refs/heads/longshift/t-1", 2)
				}
				if n%4 > 0 {
					continue
				}
				must(t, m.Remove(t.Context(), "t-1", false))
				if refs := gittest.Refs(t, bare); len(refs) != 2 {
					t.Fatalf("after a crash at call %d: refs left %v", n, refs)
				}
			}
		})
	}
}

// workerMain is a worker that pushes a checkpoint and is killed in the middle of it.
func workerMain() {
	url := os.Getenv("WORKSPACE_TEST_WORKER")
	m, err := New(Config{Dir: os.Getenv("WORKSPACE_TEST_DIR"), Author: author,
		RemoteURL: func(task.Repository) (string, error) { return url, nil }})
	if err == nil {
		var tree *Tree
		if tree, err = m.Open(context.Background(), "t-1", 1); err == nil {
			err = tree.Checkpoint(context.Background())
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

func TestWorkerKilledInTheMiddleOfAPush(t *testing.T) {
	t.Parallel()
	for _, landed := range []bool{false, true} {
		t.Run(fmt.Sprintf("landed=%v", landed), func(t *testing.T) {
			h := gittest.NewHTTP(t, start)
			b := newBench(t, h.URL)
			_, tree := b.prepare("t-1", 1)
			one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			self, err := os.Executable()
			must(t, err)
			worker := exec.Command(self)
			worker.Env = append(os.Environ(), "WORKSPACE_TEST_WORKER="+h.URL, "WORKSPACE_TEST_DIR="+b.m.config.Dir)
			started := make(chan *os.Process, 1)
			kill := func(service, step string) gittest.Action {
				if service != "receive-pack" || step != "serve" {
					return gittest.Action{}
				}
				h.Before(nil)
				h.After(nil)
				(<-started).Kill()
				return gittest.Action{Drop: true}
			}
			if landed {
				h.After(kill)
			} else {
				h.Before(kill)
			}
			must(t, worker.Start())
			started <- worker.Process
			if err := worker.Wait(); err == nil || worker.ProcessState.Exited() {
				t.Fatalf("the worker was not killed: %v", err)
			}
			// The next worker on this host. What the last one had started must be gone before it gets the lock for long.
			m := b.manager(b.m.config.Dir)
			tree, err = m.Open(t.Context(), "t-1", 1)
			must(t, err)
			must(t, tree.Checkpoint(t.Context()))
			two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
			must(t, tree.Checkpoint(t.Context()))
			if refs := gittest.Refs(t, h.Bare); refs["refs/longshift/t-1"] != two.ID || two.ID == one.ID {
				t.Errorf("refs %v", refs)
			}
			if left := gitsLeft(b.m.config.Dir); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
		})
	}
}

// gitsLeft lists the gits of a killed worker that don't end by themselves. That takes those who watch over them a moment.
func gitsLeft(dir string) (left []string) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if left = gitsIn(dir); len(left) == 0 {
			break
		}
	}
	return left
}

// gitsIn lists the gits that work on a data directory.
func gitsIn(dir string) (out []string) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range list {
		if env, err := os.ReadFile(f); err == nil && strings.Contains(string(env), "GIT_DIR="+dir) {
			out = append(out, filepath.Dir(f))
		}
	}
	return out
}

func TestCancelledPushLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	h.Before(func(service, step string) gittest.Action {
		hang := service == "receive-pack" && step == "serve"
		if hang {
			cancel()
		}
		return gittest.Action{Hang: hang}
	})
	err := tree.Checkpoint(ctx)
	if ctx.Err() == nil || err == nil || fault.KindOf(err) != fault.Internal {
		t.Errorf("got %v", err)
	}
	if left := gitsIn(b.m.config.Dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	h.Before(nil)
	must(t, tree.Checkpoint(t.Context()))
}
