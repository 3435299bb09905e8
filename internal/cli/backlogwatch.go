package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/dirwatch"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intakes"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workfile"
	"github.com/longshift/longshift/signals"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	intakeOptions
	quiet  time.Duration
	noBell bool
}

func (p *program) watchCommand() *cobra.Command {
	var o watchOptions
	c := &cobra.Command{
		Use:   "watch",
		Short: "Work off a folder of Markdown files, and follow it",
		Long: `Work off the backlog of a repository, one file after the other by their names, and follow it. Each file is a task. It is removed
when its task has ended with a pull request, with nothing left to do, or at its last iteration; unless it was edited meanwhile, which makes it
new work. With every other end it stays, and is not begun again until it is edited. A question about the specification stops the queue until
it is answered with ` + "`longshift resume`" + `.

A file is taken when nobody has written to the folder for the quiet time. Nothing new begins without this command, unless an intake looks at
the same folder (` + "`longshift intake add --source backlog`" + `): then what that one begins is followed. Ctrl-C leaves the task running; the next
watch follows it again. The repository must be a work tree on this machine, and on the worker's. Its tasks work in that folder, also in a
clone from GitHub: the files are there, and are removed there. Pull requests are records in it.

On a terminal the bell rings when a task has ended, stops, or waits for somebody. With -o jsonl each event is one JSON object a line:
waiting, found, started, log, blocked, unblocked, ended, kept, error, recovered.`,
		Example: `  longshift watch
  longshift watch --repo /srv/web --path work/backlog -c approval.mode=none
  longshift watch -o jsonl --no-bell | jq -c 'select(.type == "ended")'`,
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.watch(c.Context(), &o) },
	}
	f, s := c.Flags(), &o.spec
	f.SortFlags = false
	f.StringVar(&s.Repository, "repo", "", "`path` of the repository's work tree (default: that of the current folder, else the current workspace)")
	f.StringVar(&s.Path, "path", "", "`folder` of the files, below the repository (default backlog)")
	f.StringVar(&s.Base, "base", "", "`branch` to start from and to merge into (default: the repository's own)")
	f.StringArrayVarP(&o.config, "config", "c", nil, "configuration of its tasks, `key=value`; repeatable")
	f.StringVar(&o.configFile, "config-file", "", "configuration of its tasks, a JSON or YAML `file`")
	f.DurationVar(&o.quiet, "quiet-time", 30*time.Second, "look when nobody has written for so long, `duration`; the worker waits for LONGSHIFT_BACKLOG_QUIET too")
	f.BoolVar(&o.noBell, "no-bell", false, "don't ring the terminal's bell")
	return c
}

// watch works off a backlog until it is interrupted.
func (p *program) watch(ctx context.Context, o *watchOptions) error {
	w, err := p.watching(ctx, o)
	if err != nil {
		return err
	}
	files, err := dirwatch.New(w.repo.Path, w.folder, isOrder)
	if err != nil {
		return err
	}
	defer files.Close()
	w.changes = files.Changes()
	w.connect = func(ctx context.Context) (backlogClient, error) {
		c, err := p.client(ctx)
		if err != nil { // not a nil client in an interface that is none
			return nil, err
		}
		return c, nil
	}
	return w.run(ctx)
}

// watching checks what is to be watched, before anything is started.
func (p *program) watching(ctx context.Context, o *watchOptions) (*watching, error) {
	s := &o.spec
	if p.format == formatJSON {
		return nil, fault.New(fault.Input, "--output json: watch has no end, so it makes no document").WithHint("give jsonl, which is one event a line")
	}
	if o.quiet < 0 || o.quiet > time.Hour {
		return nil, fault.New(fault.Input, "--quiet-time %s is not possible", o.quiet).WithHint("give a duration from 0s to 1h")
	}
	if _, err := p.config(); err != nil {
		return nil, err
	}
	path, err := p.repository(ctx, s.Repository)
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
	if s.Config, err = p.intakeConfig(&o.intakeOptions); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return &watching{p: p, repo: repo, folder: folder, in: s.IntakeInput, quiet: o.quiet, rings: p.streams.ErrTTY && !o.noBell,
		screen: p.screen(), parked: map[string]*job{}, news: make(chan news), left: map[string]string{},
		known: map[string]bool{}, strange: map[string]bool{}, since: p.clock.now()}, nil
}

// defaultBacklog is the folder of a backlog where nothing else is said.
const defaultBacklog = "backlog"

func backlogFolder(path string) string {
	if path == "" {
		return defaultBacklog
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// isOrder tells whether a file of this name may be work.
func isOrder(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".md") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "-")
}

// run watches until it is interrupted.
func (w *watching) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer w.screen.clear()
	w.stop = stop
	err := w.begin(ctx)
	for err == nil {
		if w.now, err = w.next(ctx); err == nil {
			err = w.work(ctx, w.now)
		}
	}
	if w.broken != nil {
		return w.broken
	}
	if errors.Is(err, errInterrupted) || ctx.Err() != nil {
		return w.interrupted()
	}
	return err
}

// interrupted says in one line what goes on.
func (w *watching) interrupted() error {
	w.screen.clear()
	if w.p.format != formatText {
		return errInterrupted
	}
	switch n := len(w.parked); {
	case w.now != nil:
		w.p.say("stopped watching; task %s goes on: longshift status -f %s", w.now.id, w.now.id)
	case n > 0:
		w.p.say("stopped watching; %s for somebody: longshift status", waitsFor(n))
	default:
		w.p.say("stopped watching; no task runs")
	}
	return exit{fault.ExitInterrupt}
}

func waitsFor(tasks int) string {
	if tasks == 1 {
		return "a task waits"
	}
	return count(tasks, "task") + " wait"
}
