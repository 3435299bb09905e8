package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

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
	if d.dir, err = os.MkdirTemp("", "longshift-demo-"); err != nil {
		return fault.New(fault.Infra, "make temporary folder: %w", err).WithHint("set TMPDIR to a folder that you can write to")
	}
	defer d.clean(keep)
	defer d.stop()
	p.say("The agent of this demo is scripted: it plays a scenario file, and no model is called.")
	if err := d.prepare(ctx); err != nil {
		return p.stopped(ctx, err)
	}
	status, id, err := d.play(ctx, kill)
	if err != nil {
		return p.stopped(ctx, err)
	}
	if err := d.result(ctx, status); err != nil {
		return p.stopped(ctx, err)
	}
	if err := d.linger(ctx, id); err != nil {
		return err
	}
	return ending(status, nil)
}

// stopped makes one error of everything that Ctrl-C breaks.
func (p *program) stopped(ctx context.Context, err error) error {
	var silent exit
	if ctx.Err() != nil && !errors.As(err, &silent) {
		return errInterrupted
	}
	return err
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

// prepare makes the repository and starts server and worker on free ports.
func (d *demonstration) prepare(ctx context.Context) error {
	if err := d.makeRepository(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(d.scenario(), d.demo.Scenario, 0o600); err != nil {
		return fmt.Errorf("write scenario: %w", err)
	}
	var f serverFlags
	var err error
	if f.port, err = freePort(); err != nil {
		return err
	}
	if f.uiPort, err = freePort(); err != nil {
		return err
	}
	f.database = filepath.Join(d.dir, "temporal.db")
	d.web = fmt.Sprintf("http://localhost:%d", f.uiPort)
	f.namespace = client.DefaultNamespace
	d.options = d.p.localOptions(f.port, f.namespace)
	d.p.say("starting a Temporal server and a worker...")
	if err := d.startServer(ctx, f); err != nil {
		return err
	}
	d.p.use(d.stack, d.web)
	d.env = append(d.p.bareEnv(), localProfile(d.options)...)
	d.env = append(d.env, "LONGSHIFT_DATA="+filepath.Join(d.dir, "data"), "LONGSHIFT_SCENARIO="+d.scenario(),
		"LONGSHIFT_WEB_URL="+d.web, "LONGSHIFT_HEARTBEAT=3s", "LONGSHIFT_PROBE=30s", "LONGSHIFT_LOG=warn")
	return d.startWorker(ctx)
}

// scenario is the file that the scripted agent plays.
func (d *demonstration) scenario() string { return filepath.Join(d.dir, "scenario.yaml") }

// use makes the demo's server the one that this program talks to.
func (p *program) use(s *stack, web string) {
	p.connected, p.address, p.namespace, p.web = s.client, s.options.HostPort, s.options.Namespace, web
}

// makeRepository makes a bare repository with one commit of the demo's files.
func (d *demonstration) makeRepository(ctx context.Context) error {
	seed := filepath.Join(d.dir, "seed")
	d.repository = filepath.Join(d.dir, "demo.git")
	for name, content := range d.demo.Files {
		file := filepath.Join(seed, filepath.FromSlash(name))
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fault.New(fault.Internal, "demo file %q is not a local path", name)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write demo repository: %w", err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			return fmt.Errorf("write demo repository: %w", err)
		}
	}
	author := []string{"-c", "user.name=Longshift demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		append(author, "commit", "--quiet", "--message=Start of the demo"),
		{"clone", "--quiet", "--bare", ".", d.repository},
	} {
		if _, err := d.p.git(ctx, seed, args...); err != nil {
			return fault.New(fault.KindOf(err), "make demo repository: %w", err)
		}
	}
	return nil
}

// play starts the task and follows it to its end.
func (d *demonstration) play(ctx context.Context, kill bool) (*signals.Status, string, error) {
	agent, mode, after, scenario := task.AgentScript, task.ApprovalAuto, "5s", d.scenario()
	in := task.Input{Repository: d.repository, Task: d.demo.Task, RequestedBy: &task.Person{Name: d.p.by(), Via: "cli"},
		Config: &task.Config{Agent: &agent, Scenario: &scenario, Approval: &task.ApprovalConfig{Mode: &mode, After: &after}}}
	id, err := newTaskID(in)
	if err != nil {
		return nil, "", err
	}
	run, err := d.p.start(ctx, d.client, id, in)
	if err != nil {
		return nil, "", err
	}
	d.p.greet(id, run)
	f := d.p.follower(id, d.client)
	f.ends = true
	w := &watcher{client: d.client, id: id, run: run, clock: d.p.clock}
	if !kill {
		status, err := f.follow(ctx, w)
		return status, id, err
	}
	k := &killing{d: d, screen: f.screen}
	defer k.wait()
	f.onto = func(s snapshot) { k.look(ctx, s) }
	status, err := f.follow(ctx, w)
	if err == nil {
		err = k.verdict(status)
	}
	return status, id, err
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
	p.say("\nEvery step is in Temporal Web: %s", webLink(d.web, d.options.Namespace, id, ""))
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
