// Package watch is the command watch: it works off a folder of Markdown files, and follows the tasks of it.
package watch

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/dirwatch"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Uses is what watch uses of the command line.
type Uses struct {
	Config       *environ.Config
	Configs      command.ConfigReader
	Repositories *repository.Repositories
	Server       *server.Connector
	Printer      *term.Printer
	Viewer       *tasks.Viewer
	Clock        environ.Clock
	Bell         bool // there is a terminal to ring
}

// options are what watch uses, and its flags.
type options struct {
	Uses
	spec   intakes.Spec
	set    command.ConfigFlags
	quiet  time.Duration
	noBell bool
}

// NewCommand makes the command watch.
func NewCommand(uses Uses) *cobra.Command {
	o := &options{Uses: uses}
	c := &cobra.Command{
		Use:   "watch",
		Short: "Work off a folder of Markdown files, and follow it",
		Long: `Work off the backlog of a repository, one file after the other by their names, and follow it. Each file is a task. It is removed
when its task has ended with a pull request, with nothing left to do, or at its last iteration; unless it was edited meanwhile,
which makes it new work. With every other end it stays, and is not begun again until it is edited. A question about the
specification stops the queue until it is answered with ` + "`longshift resume`" + `.

A file is taken when nobody has written to the folder for the quiet time. Nothing new begins without this command, unless an intake looks at
the same folder (` + "`longshift intake add --source backlog`" + `): then what that one begins is followed. Ctrl-C leaves the task running;
the next watch follows it again. The repository must be a work tree on this machine, and on the worker's. Its tasks work in
that folder, also in a clone from GitHub: the files are there, and are removed there. Pull requests are records in it.

On a terminal the bell rings when a task has ended, stops, or waits for somebody. With -o jsonl each event is one JSON object a line:
waiting, found, started, log, blocked, unblocked, ended, kept, error, recovered.`,
		Example: `  longshift watch
  longshift watch --repo /srv/web --path work/backlog -c approval.mode=none
  longshift watch -o jsonl --no-bell | jq -c 'select(.type == "ended")'`,
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	flags, s := c.Flags(), &o.spec
	flags.SortFlags = false
	flags.StringVar(&s.Repository, "repo", "",
		"`path` of the repository's work tree (default: that of the current folder, else the current workspace)")
	flags.StringVar(&s.Path, "path", "", "`folder` of the files, below the repository (default backlog)")
	flags.StringVar(&s.Base, "base", "", "`branch` to start from and to merge into (default: the repository's own)")
	o.set.Define(flags, "its tasks")
	flags.DurationVar(&o.quiet, "quiet-time", 30*time.Second,
		"look when nobody has written for so long, `duration`; the worker waits for LONGSHIFT_BACKLOG_QUIET too")
	flags.BoolVar(&o.noBell, "no-bell", false, "don't ring the terminal's bell")
	return c
}

// watch works off a backlog until it is interrupted.
func (o *options) run(ctx context.Context) error {
	w, err := o.watching(ctx)
	if err != nil {
		return err
	}
	files, err := dirwatch.New(w.backlog.repo.Path, w.backlog.path, isOrder)
	if err != nil {
		return err
	}
	defer files.Close()
	w.changes = files.Changes()
	w.connect = func(ctx context.Context) (serverClient, error) {
		c, err := o.Server.Connect(ctx)
		if err != nil { // not a nil client in an interface that is none
			return nil, err
		}
		return c, nil
	}
	return w.run(ctx)
}

// watching checks what is to be watched, before anything is started.
func (o *options) watching(ctx context.Context) (*watching, error) {
	s := &o.spec
	if o.Printer.Format == term.FormatJSON {
		return nil, fault.New(fault.Input, "--output json: watch has no end, so it makes no document").
			WithHint("give jsonl, which is one event a line")
	}
	if o.quiet < 0 || o.quiet > time.Hour {
		return nil, fault.New(fault.Input, "--quiet-time %s is not possible", o.quiet).WithHint("give a duration from 0s to 1h")
	}
	if _, err := o.Config.Read(); err != nil {
		return nil, err
	}
	path, err := o.Repositories.Find(ctx, s.Repository)
	if err != nil {
		return nil, err
	}
	repo, err := task.ParseRepository(path)
	if err != nil {
		return nil, err
	}
	if repo.Path == "" {
		return nil, fault.New(fault.Input, "--repo %s: watch needs the files of a work tree on this machine", s.Repository).
			WithHint("give its path, or let an intake do it: longshift intake add")
	}
	folder, more := backlogFolder(s.Path), s.Path
	if folder == defaultBacklog {
		more = ""
	}
	f, err := workfile.Open(repo, folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s.Source, s.Name, s.Repository = string(intake.Backlog), "watch-"+f.Slug(more), path
	s.Every, s.Queue, s.Guard = intakes.DefaultEvery(intake.Backlog), signals.DefaultQueue, task.Guard{Sessions: 1}
	if s.Config, err = o.Configs.Read(o.set); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return newWatching(o, backlog{repo, folder}), nil
}

// newWatching makes a watch. Where the server is, and which files change, is for the caller to add.
func newWatching(o *options, b backlog) *watching {
	screen := o.Printer.Screen()
	report := newReporter(o.Printer, screen, o.Clock.Now, o.Bell && !o.noBell)
	return &watching{backlog: b, in: o.spec.IntakeInput, quiet: o.quiet, server: o.Server, viewer: o.Viewer, clock: o.Clock, screen: screen,
		report: report, calls: &caller{report: report, screen: screen, clock: o.Clock}}
}
