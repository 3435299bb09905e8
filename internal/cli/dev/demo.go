package dev

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// NewDemoCommand makes the command demo.
func NewDemoCommand(u Uses) *cobra.Command {
	var kill, keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch a whole task on a toy repository; no key, no network, no model",
		Long: `Make a toy repository in a temporary folder, start a Temporal server and a worker for it, and carry one
task to a pull request. The agent is scripted: no model is called and nothing costs money. The toy repository is
a Go package, so Go must be installed.

With --kill the worker is killed with SIGKILL in the middle of a session and started again; the task goes on
where it was, and the demo checks that nothing finished was done twice.`,
		Example:     "  longshift demo\n  longshift demo --kill\n  longshift demo --keep   # leave repository and logs to look at",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return newDemonstration(u).run(c.Context(), kill, keep) },
	}
	c.Flags().BoolVar(&kill, "kill", false, "kill the worker in the middle of a session")
	c.Flags().BoolVar(&keep, "keep", false, "keep the temporary folder")
	return c
}

// demonstration is one run of the demo: its folder, its server and worker, its task.
type demonstration struct {
	env         environ.Environ
	errs        io.Writer
	clock       environ.Clock
	git         environ.Git
	server      *server.Connector
	tasks       *tasks.Tasks
	printer     *term.Printer
	terminal    *term.Input
	viewer      *tasks.Viewer
	stack       *stack
	sandbox     func(ctx context.Context, process config.Config) ([]checkup.Layer, error)
	pullRequest func(ctx context.Context, path string, n int) (record, diff string, err error)
	demo        Demo

	golang     string // the command of Go, which the checks run
	dir        string // everything is in here
	repository string // bare
	web        string
}

func newDemonstration(u Uses) *demonstration {
	return &demonstration{env: u.Env, errs: u.Streams.Err, clock: u.Clock, git: u.Git, server: u.Server, tasks: u.Tasks, printer: u.Printer,
		terminal: u.Input, viewer: u.Viewer, stack: newStack(u, config.RoleAll, func(string) {}), sandbox: u.Machine.Sandbox,
		pullRequest: u.LocalPullRequest, demo: u.Demo()}
}

func (d *demonstration) run(ctx context.Context, kill, keep bool) (err error) {
	if d.golang, err = d.env.Program("go"); err != nil {
		return fault.New(fault.NotFound, "the demo's checks run Go: %w", err).WithHint("install Go, or add the folder of its command to PATH")
	}
	if d.dir, err = os.MkdirTemp(d.env.Get("TMPDIR"), "longshift-demo-"); err != nil {
		return fault.New(fault.Infra, "make temporary folder: %w", err).WithHint("set TMPDIR to a folder that you can write to")
	}
	defer d.clean(keep)
	defer d.stack.stop()
	d.printer.Say("The agent of this demo is scripted: it plays a scenario file, and no model is called.")
	if err := d.prepare(ctx); err != nil {
		return err
	}
	status, err := d.play(ctx, kill)
	if err != nil {
		return err
	}
	if err := d.result(ctx, status); err != nil {
		return err
	}
	if err := d.linger(ctx, status); err != nil {
		return err
	}
	if c := status.Check; c == nil || !c.Passed() {
		return fault.New(fault.Work, "the check of the demonstration did not pass: %s", cmp.Or(tasks.CheckText(c), "it was not run")).
			WithHint("`longshift doctor` says whether ordinary work works in this machine's sandbox")
	}
	return tasks.Ending(status, nil)
}

// clean takes the folder away, or says where it is.
func (d *demonstration) clean(keep bool) {
	if keep {
		d.printer.Say("kept: %s (repository demo.git, logs in data/tasks)", d.dir)
		return
	}
	if err := os.RemoveAll(d.dir); err != nil {
		d.printer.Say("longshift: remove temporary folder: %v", err)
	}
}

// play starts the task and follows it to its end.
func (d *demonstration) play(ctx context.Context, kill bool) (*signals.Status, error) {
	agent, mode, after, scenario := task.AgentScript, task.ApprovalAuto, "5s", d.scenario()
	in := task.Input{Repository: d.repository, Task: d.demo.Task, RequestedBy: &task.Person{Name: d.env.User(), Via: "cli"},
		Config: &task.Config{Agent: &agent, Scenario: &scenario, Approval: &task.ApprovalConfig{Mode: &mode, After: &after}}}
	id, err := tasks.NewTaskID(in, "")
	if err != nil {
		return nil, err
	}
	run, err := d.tasks.Start(ctx, d.stack.client, id, in)
	if err != nil {
		return nil, err
	}
	d.viewer.Greet(id, run)
	return d.follow(ctx, id, run, kill)
}

func (d *demonstration) follow(ctx context.Context, id, run string, kill bool) (*signals.Status, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	screen := d.printer.Screen()
	k := &killing{stack: d.stack, screen: screen, fail: fail}
	defer k.wait()
	go k.mourn(d.stack.server)
	go k.mourn(d.stack.worker)
	o := tasks.FollowOptions{Ends: true}
	if kill {
		o.Onto = func(s tasks.Snapshot) { k.look(ctx, s) }
	}
	f := d.viewer.Follower(id, d.stack.client, screen, o)
	status, err := f.Follow(ctx, d.viewer.Poller(d.stack.client, tasks.Found{ID: id, Run: run}))
	if cause := context.Cause(ctx); cause != nil && cause != ctx.Err() {
		return status, cause // not Ctrl-C: something broke
	}
	if err == nil && kill {
		err = k.verdict(status)
	}
	return status, err
}

// result prints what the task has come to, down to the diff.
func (d *demonstration) result(ctx context.Context, status *signals.Status) error {
	if status.PullRequest == nil {
		return d.viewer.PrintSummary(status)
	}
	record, diff, err := d.pullRequest(ctx, d.repository, status.PullRequest.Number)
	if err != nil {
		return fmt.Errorf("read pull request %d: %w", status.PullRequest.Number, err)
	}
	outcome := struct {
		*signals.Status
		Record string `json:"pullRequestRecord"`
		Diff   string `json:"diff"`
	}{status, record, diff}
	return d.printer.Print(outcome, func() string {
		text := "\n" + tasks.SummaryText(status, tasks.EndOf(status, d.clock.Now()))
		if status.Plan != nil {
			text += tasks.PlanText(status.Plan)
		}
		text += tasks.CheckReport("Check", status.Check)
		return text + "\nPull request record\n" + term.IndentAll(term.Plain(record)) + "\nDiff\n" + term.IndentAll(term.Plain(diff))
	})
}

// linger keeps Temporal Web up on a terminal, until Enter.
func (d *demonstration) linger(ctx context.Context, status *signals.Status) error {
	page := signals.WebURL(d.web, d.stack.options.Namespace, status.WorkflowID, status.RunID)
	d.printer.Say("\nEvery step is in Temporal Web: %s", page)
	if !d.printer.Interactive() {
		return nil
	}
	keys := d.terminal.Keyboard()
	if keys.Open() != nil {
		return nil
	}
	defer keys.Close()
	fmt.Fprint(d.errs, "It stays up until you press Enter.\r\n")
	for {
		select {
		case key, ok := <-keys.Pressed():
			if !ok || key == '\r' || key == '\n' {
				return nil
			}
			if key == term.KeyInterrupt {
				return nil // the demo is over: leaving now is no failure
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// restartPause is how long one can see that no worker is there.
const restartPause = 2 * time.Second
