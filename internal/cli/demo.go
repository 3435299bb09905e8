package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func (p *program) demoCommand() *cobra.Command {
	var kill, keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch a whole task on a toy repository; no key, no network, no model",
		Long: `Make a toy repository in a temporary folder, start a Temporal server and a worker for it, and carry one
task to a pull request. The agent is scripted: no model is called and nothing costs money.

With --kill the worker is killed with SIGKILL in the middle of a session and started again; the task goes on
where it was, and the demo checks that nothing finished was done twice.`,
		Example:     "  longshift demo\n  longshift demo --kill\n  longshift demo --keep   # leave repository and logs to look at",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.demo(c.Context(), kill, keep) },
	}
	c.Flags().BoolVar(&kill, "kill", false, "kill the worker in the middle of a session")
	c.Flags().BoolVar(&keep, "keep", false, "keep the temporary folder")
	return c
}

// demonstration is one run of the demo: its folder, its server and worker, its task.
type demonstration struct {
	*stack
	demo       Demo
	dir        string // everything is in here
	repository string // bare
	web        string
}

func (p *program) demo(ctx context.Context, kill, keep bool) (err error) {
	d := &demonstration{demo: p.wiring.Demo(), stack: &stack{p: p, role: config.RoleAll, line: func(string) {}}}
	if d.dir, err = os.MkdirTemp(p.env.Get("TMPDIR"), "longshift-demo-"); err != nil {
		return fault.New(fault.Infra, "make temporary folder: %w", err).WithHint("set TMPDIR to a folder that you can write to")
	}
	defer d.clean(keep)
	defer d.stop()
	p.say("The agent of this demo is scripted: it plays a scenario file, and no model is called.")
	if err := d.prepare(ctx); err != nil {
		return err
	}
	status, id, err := d.play(ctx, kill)
	if err != nil {
		return err
	}
	if err := d.result(ctx, status); err != nil {
		return err
	}
	if err := d.linger(ctx, id); err != nil {
		return err
	}
	if c := status.Check; c == nil || !c.Passed() {
		return fault.New(fault.Work, "the check of the demonstration did not pass: %s", cmp.Or(checkText(c), "it was not run")).
			WithHint("`longshift doctor` says whether ordinary work works in this machine's sandbox")
	}
	return ending(status, nil)
}

// clean takes the folder away, or says where it is.
func (d *demonstration) clean(keep bool) {
	if keep {
		d.p.say("kept: %s (repository demo.git, logs in data/tasks)", d.dir)
		return
	}
	if err := os.RemoveAll(d.dir); err != nil {
		d.p.say("longshift: remove temporary folder: %v", err)
	}
}

// play starts the task and follows it to its end.
func (d *demonstration) play(ctx context.Context, kill bool) (*signals.Status, string, error) {
	agent, mode, after, scenario := task.AgentScript, task.ApprovalAuto, "5s", d.scenario()
	in := task.Input{Repository: d.repository, Task: d.demo.Task, RequestedBy: &task.Person{Name: d.p.by(), Via: "cli"},
		Config: &task.Config{Agent: &agent, Scenario: &scenario, Approval: &task.ApprovalConfig{Mode: &mode, After: &after}}}
	id, err := newTaskID(in, "")
	if err != nil {
		return nil, "", err
	}
	run, err := d.p.start(ctx, d.client, id, in)
	if err != nil {
		return nil, "", err
	}
	d.p.greet(id, run)
	status, err := d.follow(ctx, id, run, kill)
	return status, id, err
}

func (d *demonstration) follow(ctx context.Context, id, run string, kill bool) (*signals.Status, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	f := d.p.follower(id, d.client)
	f.ends = true
	k := &killing{d: d, screen: f.screen, fail: fail}
	defer k.wait()
	go k.mourn(d.server)
	go k.mourn(d.worker)
	if kill {
		f.onto = func(s snapshot) { k.look(ctx, s) }
	}
	status, err := f.follow(ctx, &watcher{client: d.client, id: id, run: run, clock: d.p.clock})
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
	p := d.p
	if status.PullRequest == nil {
		return p.printSummary(status)
	}
	record, diff, err := p.wiring.LocalPullRequest(ctx, d.repository, status.PullRequest.Number)
	if err != nil {
		return fmt.Errorf("read pull request %d: %w", status.PullRequest.Number, err)
	}
	outcome := struct {
		*signals.Status
		Record string `json:"pullRequestRecord"`
		Diff   string `json:"diff"`
	}{status, record, diff}
	return p.print(outcome, func() string {
		text := "\n" + summaryText(status, endOf(status, p.clock.now()))
		if status.Plan != nil {
			text += planText(status.Plan)
		}
		text += checkReport("Check", status.Check)
		return text + "\nPull request record\n" + indentAll(plain(record)) + "\nDiff\n" + indentAll(plain(diff))
	})
}

// linger keeps Temporal Web up on a terminal, until Enter.
func (d *demonstration) linger(ctx context.Context, id string) error {
	p := d.p
	p.say("\nEvery step is in Temporal Web: %s", signals.WebURL(d.web, d.options.Namespace, id, ""))
	if !p.interactive() {
		return nil
	}
	keys := p.keyboard()
	if keys.open() != nil {
		return nil
	}
	defer keys.close()
	fmt.Fprint(p.streams.Err, "It stays up until you press Enter.\r\n")
	for {
		select {
		case key, ok := <-keys.keys:
			if !ok || key == '\r' || key == '\n' {
				return nil
			}
			if key == keyInterrupt {
				return nil // the demo is over: leaving now is no failure
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// restartPause is how long one can see that no worker is there.
const restartPause = 2 * time.Second
