package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// intakeOptions are what the commands of intake use.
type intakeOptions struct {
	server       *server.Connector
	config       *environ.Config
	configs      command.ConfigReader
	repositories *repository.Repositories
	targets      *targets
	printer      *term.Printer
	now          func() time.Time
	user         string
}

func newIntakeCommand(f *factory) *cobra.Command {
	o := &intakeOptions{f.server, f.config, f.configs, f.repositories, newTargets(f), f.printer, f.clock.Now, f.env.User()}
	c := &cobra.Command{
		Use:   "intake",
		Short: "Let work arrive automatically: issues, a backlog, a heartbeat file",
		Long: `An intake looks at a source again and again, and starts a task for what is new there, within limits. It is a Temporal Schedule:
it survives everything, and nothing arrives unless an intake was added. A piece of work has one task, whoever starts it.`,
		Example: `  longshift intake add --source github --repo acme/web --label longshift
  longshift intake add nightly --source linear --repo acme/web --label longshift --team ENG --every 1h --daily-cost 50
  longshift intake add --source backlog --repo /srv/web --path backlog
  longshift intake list`,
		Args: command.Takes(0, 0, ""), Annotations: command.Exits(),
		RunE: command.NeedsCommand,
	}
	c.AddCommand(o.addCommand(), o.listCommand(), o.showCommand(),
		o.actCommand("pause", "Stop looking until it is resumed; tasks that were started go on", "paused",
			func(ctx context.Context, c intakes.Client, name string) error {
				return intakes.Pause(ctx, c, name, o.user)
			}),
		o.actCommand("resume", "Look again", "resumed",
			func(ctx context.Context, c intakes.Client, name string) error {
				return intakes.Resume(ctx, c, name, o.user)
			}),
		o.actCommand("run", "Look now, whatever the time", "looking", intakes.Run),
		o.actCommand("remove", "End an intake; tasks that were started go on", "removed", intakes.Remove))
	return c
}

// intakeFlags are the flags of intake add.
type intakeFlags struct {
	spec   intakes.Spec
	pause  bool
	config command.ConfigFlags
	paused bool
}

func (o *intakeOptions) addCommand() *cobra.Command {
	var flags intakeFlags
	c := &cobra.Command{
		Use:   "add [name]",
		Short: "Add an intake; it looks at once, then again and again",
		Long: `Add an intake. The name is made of source and repository when none is given. Of trackers, only work with the label or of the
assignee is taken; of GitHub only when somebody with write access has set it, of Linear whoever may edit the issue counts.
A backlog is a folder of Markdown files, a heartbeat one file, in a repository on the worker's machine. Without --every an intake looks
less often while nothing comes, down to each hour (heartbeat 15m, backlog 5m), and often again once something has come.`,
		Example: "  longshift intake add --source github --repo acme/web --label longshift\n" +
			"  longshift intake add nightly --source linear --repo acme/web --assignee me --every 1h -c budget.cost=5 --daily-cost 20",
		Args:        command.Takes(0, 1, "the name"),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, args []string) error { return o.add(c, &flags, args) },
	}
	f, s := c.Flags(), &flags.spec
	f.SortFlags = false
	f.StringVar(&s.Source, "source", "", "where work comes from, `kind`: github, linear, backlog or heartbeat")
	f.StringVar(&s.Repository, "repo", "",
		"`repository` that is worked on: owner/name, git URL or path "+
			"(default: that of the current folder; for trackers on GitHub where it is a clone from there)")
	f.StringVar(&s.Label, "label", "", "github, linear: take what has this `label` (default "+intakes.DefaultLabel+", without --assignee)")
	f.StringVar(&s.Assignee, "assignee", "", "github, linear: take what is assigned to this `user`; me is the account of the token")
	f.StringVar(&s.Team, "team", "", "linear: only this team, its `key` such as ENG")
	f.StringVar(&s.Path, "path", "", "backlog: the `folder` (default backlog); heartbeat: the file (default HEARTBEAT.md)")
	f.StringVar(&s.Base, "base", "", "`branch` to start from and to merge into (default: the repository's own)")
	f.DurationVar(&s.Every, "every", 0, "how often to look, always, `duration` from 30s (default 15m, heartbeat 5m, backlog 1m, and less often while nothing comes)")
	f.IntVar(&s.Guard.Sessions, "sessions", 1, "tasks of the repository that work at a time, `count`; people's own are counted too")
	f.BoolVar(&flags.pause, "pause-if-open-pr", true,
		"begin nothing while a pull request of ours is open; for a backlog only when it is given")
	command.DollarsVar(f, &s.Guard.DailyCost, "daily-cost", "US `dollars` that the repository's tasks may cost in a day, UTC; 0 is no limit")
	f.IntVar(&s.Queue, "queue", signals.DefaultQueue, "tasks that may wait for their turn at a time, `count`; the rest waits where it is")
	flags.config.Define(f, "its tasks")
	f.BoolVar(&flags.paused, "paused", false, "add it, but begin only when it is resumed")
	return c
}

func (o *intakeOptions) add(c *cobra.Command, flags *intakeFlags, args []string) error {
	ctx, s := c.Context(), &flags.spec
	kind := intake.Kind(s.Source)
	repository, err := o.repository(ctx, kind, s.Repository)
	if err != nil {
		return err
	}
	s.Repository = repository
	if s.Every == 0 && !c.Flags().Changed("every") {
		s.Every, s.Adaptive = intakes.DefaultEvery(kind), true
	}
	if kind.Tracker() && s.Label == "" && s.Assignee == "" && !c.Flags().Changed("label") {
		s.Label = intakes.DefaultLabel
	}
	s.Guard.PauseIfOpenPR = flags.pause
	if !c.Flags().Changed("pause-if-open-pr") {
		s.Guard.PauseIfOpenPR = intakes.DefaultPause(kind)
	}
	if s.Name = strings.Join(args, ""); s.Name == "" {
		s.Name = intakeName(s.Source, repository)
	}
	if s.Config, err = o.configs.Read(flags.config); err != nil {
		return err
	}
	if err := s.Check(); err != nil { // before the server is asked
		return err
	}
	cl, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	call, cancel := server.Answer(ctx)
	defer cancel()
	if err := intakes.Add(call, cl, *s, flags.paused); err != nil {
		return o.server.Explain(err, "")
	}
	return o.printer.Print(s, func() string {
		text := fmt.Sprintf("%s looks at %s for %s every %s\n", s.Name, s.Source, term.Visible(s.Repository), everyText(*s, s.Every))
		if flags.paused {
			text = fmt.Sprintf("%s is added, and paused; start it with `longshift intake resume %s`\n", s.Name, s.Name)
		}
		return text + "  " + guardText(s.Guard) + "\n"
	})
}

// repository is what an intake's tasks work on: for a tracker what a task would that is started here; for files the folder that has
// them.
func (o *intakeOptions) repository(ctx context.Context, kind intake.Kind, given string) (string, error) {
	if kind == intake.GitHub || kind == intake.Linear {
		return o.targets.target(ctx, &targetFlags{repo: given})
	}
	return o.repositories.Find(ctx, given)
}

func intakeName(source, repository string) string {
	r, err := task.ParseRepository(repository)
	if err != nil {
		return source
	}
	return task.Slug(source+"-"+r.Slug(), 60)
}

// actCommand does one thing with an intake that is there.
func (o *intakeOptions) actCommand(verb, short, done string, act func(context.Context, intakes.Client, string) error) *cobra.Command {
	return &cobra.Command{
		Use: verb + " <name>", Short: short, Example: "  longshift intake " + verb + " github-acme-web", Args: command.Takes(1, 1, "the name"),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := o.server.Connect(c.Context())
			if err != nil {
				return err
			}
			call, cancel := server.Answer(c.Context())
			defer cancel()
			if err := act(call, cl, args[0]); err != nil {
				return o.server.Explain(err, "")
			}
			return o.printer.Print(map[string]string{"name": args[0], "done": done}, func() string { return args[0] + ": " + done + "\n" })
		},
	}
}

// guardText says in a line what holds an intake back.
func guardText(g task.Guard) string {
	parts := []string{fmt.Sprintf("%d at a time", g.Sessions)}
	if g.PauseIfOpenPR {
		parts = append(parts, "none while a pull request of ours is open")
	}
	if g.DailyCost > 0 {
		parts = append(parts, term.USD(g.DailyCost)+" a day")
	}
	return strings.Join(parts, ", ")
}
