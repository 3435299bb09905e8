package cli

import (
	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
)

// runOptions are what run uses, and its flags.
type runOptions struct {
	server *server.Connector
	config *environ.Config
	reader *inputReader
	clones *cloneCheck
	forges *forgeCheck
	advice advice
	launch *launcher
	flags  inputFlags
}

func newRunOptions(f *factory) *runOptions {
	return &runOptions{server: f.server, config: f.config, reader: newInputReader(f), clones: newCloneCheck(f), forges: newForgeCheck(f),
		advice: newAdvice(f), launch: newLauncher(f)}
}

// runExits are the exit codes of commands that start a task and follow it.
func runExits() map[string]string {
	return command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitSuspended, fault.ExitServer,
		fault.ExitChecks, fault.ExitInterrupt)
}

func newRunCommand(f *factory) *cobra.Command {
	o := newRunOptions(f)
	c := &cobra.Command{
		Use:   "run <task>",
		Short: "Start a task and follow it",
		Long: `Start a task and follow it to its end. Ctrl-C leaves the task running.

In a clone from GitHub the task works on GitHub, with the token of LONGSHIFT_GITHUB_TOKEN, GH_TOKEN, GITHUB_TOKEN or gh, and opens the
pull request there: in the repository that gh would take. GITHUB_REPO names another one. With --fork the token needs no write access.
Elsewhere, and with --local, it pushes its branch to the folder's repository; your files there do not change.

On a terminal the plan is shown when it is ready, and a key decides: a approves, e edits, r rejects.
Without a terminal the command ends with exit code 5 when the task is suspended, unless --wait is given.`,
		Example: `  longshift run "fix the failing tests"
  longshift run "add a --json flag to list" --repo acme/web --budget 5 --time 60m
  longshift run --file task.md --approval required --check "go test ./..."
  longshift run "make the page look like this" --image drawing.png
  longshift run --issue 42 --repo acme/web --detach`,
		Args:        command.Takes(0, 1, ""),
		Annotations: runExits(),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c, args)
		},
	}
	o.flags.define(c)
	o.launch.define(c)
	return c
}

func (o *runOptions) run(c *cobra.Command, args []string) error {
	ctx := c.Context()
	conf, err := o.config.Read()
	if err != nil {
		return err
	}
	images, contents, err := o.reader.images(o.flags.images)
	if err != nil {
		return err
	}
	in, err := o.reader.input(ctx, c, &o.flags, args, images...)
	if err != nil {
		return err
	}
	o.launch.images = contents
	folder := ""
	if t := o.flags.target.forge; t != nil {
		folder, err = t.clone, o.forges.settle(ctx, t, &in)
	} else {
		folder, err = o.clones.settle(ctx, &in)
	}
	if err != nil {
		return err
	}
	if o.flags.target.forge == nil && o.flags.base == "" {
		o.advice.base(ctx, folder, in.Base)
	}
	o.advice.give(ctx, folder, in)
	if err := o.launch.name(in, conf.GitHub.Host()); err != nil {
		return err
	}
	cl, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	o.launch.follow.UntilPlan = o.flags.planOnly
	return o.launch.start(ctx, cl, in)
}
