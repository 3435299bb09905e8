package activities

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/toolchain"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// tailSize is how much of a command's output goes into history, in bytes. The full output stays in a file on the host.
const tailSize = 4 << 10

// Commands runs the setup and check commands of projects.
type Commands struct {
	data       string
	workspaces *workspace.Manager
	caches     *toolcache.Store
	slots      *slots
	prestarter *prestarter
	runner     *commandRunner
	rules      *enforcers // for commands that agents have proposed
	redact     *redact.Redactor
	log        *slog.Logger
}

// CommandInput asks for a run of the setup or the check command.
type CommandInput struct {
	Ref
	N       int           `json:"n"` // number of the run among those of its kind in the task, from 1
	Command string        `json:"command"`
	Commit  string        `json:"commit,omitempty"` // that it runs on; copied to the result
	Wall    time.Duration `json:"wall"`
	Again   bool          `json:"again,omitempty"` // it repeats a failed run on the same content
	Clean   bool          `json:"clean,omitempty"` // in a home folder that only such runs use; see CheckOut
	Next    *SessionInput `json:"next,omitempty"`  // the session that most likely follows

	Paths task.PathSettings `json:"paths,omitzero"` // the task's settings for paths
	Env   map[string]string `json:"env,omitempty"`  // variables that the task sets

	Commands task.CommandSettings `json:"commands,omitzero"` // the task's rules, for a command that an agent has proposed

	Precedence Precedence `json:"precedence,omitzero"`
}

// RunSetup runs the setup command. Its failure is a result, not an error.
func (c *Commands) RunSetup(ctx context.Context, in CommandInput) (signals.Check, error) {
	ctx, release, err := c.slots.acquire(ctx, in.Precedence, in.Wall)
	if err != nil {
		return signals.Check{}, err
	}
	defer release()
	return c.command(ctx, in, "setup")
}

// RunChecks runs the check command. Its failure is a result, not an error. A check that fails is repeated once: when it passes then, it
// counts as passed and as flaky.
func (c *Commands) RunChecks(ctx context.Context, in CommandInput) (signals.Check, error) {
	ctx, release, err := c.slots.acquire(ctx, in.Precedence, in.Wall)
	if err != nil {
		return signals.Check{}, err
	}
	defer release()
	out, err := c.checks(ctx, in, "check")
	if err == nil && out.Unfinished == "" {
		c.leaveCaches(ctx, in.Ref, out.Passed())
	}
	return out, err
}

// checks runs a command that judges the work, and repeats it once when it fails.
func (c *Commands) checks(ctx context.Context, in CommandInput, kind string) (signals.Check, error) {
	first, err := c.command(ctx, in, kind)
	if err != nil || first.ExitCode == 0 || first.Unfinished != "" || first.Duration >= in.Wall {
		return first, err
	}
	in.Again, in.Next, in.Wall = true, nil, in.Wall-first.Duration
	again, err := c.command(ctx, in, kind)
	if err != nil {
		return again, err
	}
	again.Duration += first.Duration
	if again.Passed() {
		again.Flaky, again.Failing = true, first.Failing
	}
	return again, nil
}

func (c *Commands) command(ctx context.Context, in CommandInput, kind string) (signals.Check, error) {
	c.prestarter.start(ctx, in.Next)
	tree, err := c.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return signals.Check{}, err
	}
	defer tree.Close()
	ctx, stop := untilStopping(ctx)
	defer stop()
	mark := in.TaskID + "-" + kind
	if _, err := process.ReapSession(ctx, mark); err != nil {
		return signals.Check{}, orInterrupted(ctx, fault.New(fault.Infra, "end what an earlier attempt left: %w", err))
	}
	key := fmt.Sprintf("%s-%02d", kind, in.N)
	name := key
	if in.Again {
		name += "-again"
	}
	file := filepath.Join("tasks", in.TaskID, "logs", name+".log")
	if err := os.MkdirAll(filepath.Join(c.data, filepath.Dir(file)), 0o700); err != nil {
		return signals.Check{}, fault.New(fault.Infra, "make the log folder: %w", err)
	}
	judges := kind != "setup"
	if err := tree.BeforeCommand(ctx, key, judges); err != nil {
		return signals.Check{}, err
	}
	res, err := c.runner.run(ctx, in, tree, process.Spec{
		Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-c", in.Command}, Dir: tree.Dir(),
		Session: mark, OutputFile: filepath.Join(c.data, file), Grace: 2 * time.Second,
		// Terminal sequences are removed first: they could split a secret.
		Filter: func(to io.Writer) io.WriteCloser { return plaintext.Writer(redact.FileWriter(to, c.redact)) },
	}, kind)
	if err := interrupted(ctx); err != nil {
		return signals.Check{}, err
	}
	if err != nil {
		return signals.Check{}, fmt.Errorf("run the %s command: %w", kind, err)
	}
	if err := tree.AfterCommand(ctx, key, judges); err != nil {
		return signals.Check{}, err
	}
	if res.Exit.Code != 0 {
		if err := disk.Full(c.data); err != nil { // the disk was full, so the exit code says nothing about the tests
			return signals.Check{}, fmt.Errorf("run the %s command: %w", kind, err)
		}
	}
	out := signals.Check{Command: in.Command, ExitCode: res.Exit.Code, Duration: res.Duration,
		Tail: excerpt.Tail(c.redact.String(plaintext.Of(res.Output)), tailSize), File: file, Commit: in.Commit, Unfinished: unfinished(res)}
	if judges {
		c.readOutput(ctx, filepath.Join(c.data, file), &out)
	}
	return out, nil
}

// outOfMemory is the exit code of a shell whose program the kernel has killed.
const outOfMemory = 128 + int(syscall.SIGKILL)

// unfinished says why a command was ended from outside; it returns "" when it ended by itself.
func unfinished(res process.Result) string {
	switch {
	case res.TimedOut:
		return fmt.Sprintf("it was stopped after %s", res.Duration.Round(time.Second))
	case res.Exit.Code == outOfMemory:
		return "a program of it was killed, most likely for want of memory"
	case res.Exit.Signal != "" || res.Exit.Err != nil || res.Exit.Code < 0:
		return res.Exit.String()
	}
	return ""
}

// readOutput reads from a check's output how many tests have run, and the names of those that failed.
func (c *Commands) readOutput(ctx context.Context, file string, out *signals.Check) {
	f, err := os.Open(file)
	if err == nil {
		defer f.Close()
		out.Ran = toolchain.Ran(f)
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		c.log.WarnContext(ctx, "the output of a check can't be read; its tests are neither counted nor named", "error", err)
		return
	}
	if out.Passed() {
		return
	}
	out.Failing = toolchain.Failing(f)
	for i, name := range out.Failing {
		out.Failing[i] = testName(c.redact.String(name))
	}
}

// testName puts the name of a test on one line of at most 200 bytes. What is left of a longer one ends with a hash of all of it: names are
// compared, and many differ only at their end.
func testName(name string) string {
	const most = 200
	if name = excerpt.OneLine(name); len(name) <= most {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s %x", excerpt.Clip(name, most-13), sum[:6])
}
