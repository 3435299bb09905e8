package cli

import (
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// readEvery is how often a growing log is looked at.
const readEvery = 250 * time.Millisecond

// elsewhereAfter is how long a session may run without a log here before it must be on another host.
const elsewhereAfter = 5 * time.Second

// logsOptions are what logs uses, and its flags.
type logsOptions struct {
	viewer  *tasks.Viewer
	printer *term.Printer
	clock   environ.Clock
	config  *environ.Config
	out     io.Writer
	follow  bool
	session int
	debug   bool
}

func newLogsCommand(f *factory) *cobra.Command {
	o := &logsOptions{viewer: f.viewer, printer: f.printer, clock: f.clock, config: f.config, out: f.streams.Out}
	c := &cobra.Command{
		Use:   "logs <task>",
		Short: "Read the sessions' logs of a task on this host",
		Long: `Read what the agents of a task did, session by session. Logs are files in the data folder of the host
that ran the session; LONGSHIFT_DATA must be the worker's. -f goes on with each new session until the task ends.`,
		Example:           "  longshift logs x1y2z3\n  longshift logs -f x1y2z3\n  longshift logs x1y2z3 --session 2 -o jsonl",
		Args:              command.TakesTask(1),
		ValidArgsFunction: f.tasks.Complete,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			if o.session < 0 {
				return fault.New(fault.Input, "--session %d: no session number", o.session).WithHint("give a number from 1 up")
			}
			return o.run(c.Context(), args[0])
		},
	}
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on until the task ends")
	c.Flags().IntVar(&o.session, "session", 0, "only this session, by its `number`")
	tasks.DefineDebug(c.Flags(), &o.debug, "")
	return c
}

func (o *logsOptions) run(ctx context.Context, given string) error {
	c, f, err := o.viewer.LookUp(ctx, given)
	if err != nil {
		return err
	}
	config, err := o.config.Read()
	if err != nil {
		return err
	}
	if o.debug {
		if err := o.viewer.Events(ctx, c, f); err != nil {
			return err
		}
	}
	poll := o.viewer.Poller(c, f)
	status := poll.Poll(ctx).Status
	dir, err := taskFolder(config.Data, f, status)
	if err != nil {
		return err
	}
	r := newLogReader(o.printer, o.out, o.clock, filepath.Join(dir, "logs"))
	r.only, r.host = o.session, environ.OwnHost(config.Data)
	if o.follow && f.Running() {
		return r.follow(ctx, poll)
	}
	if err := r.read(true); err != nil {
		return err
	}
	r.missing(status, o.clock.Now())
	if err := r.nothing(f, status); err != nil {
		return err
	}
	if o.follow {
		r.ended(status)
	}
	return nil
}

// follow reads along until the task has ended and its logs have been read to their ends.
func (r *logReader) follow(ctx context.Context, poll *tasks.Poller) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	snapshots := poll.Watch(ctx)
	waiting := false
	for {
		if err := r.read(false); err != nil {
			return err
		}
		if !waiting && len(r.files) == 0 {
			waiting = true
			r.printer.Say("no session yet; waiting")
		}
		select {
		case s, ok := <-snapshots:
			if !ok {
				return term.ErrInterrupted
			}
			r.missing(s.Status, r.clock.Now())
			if s.Closed {
				return r.last(s)
			}
			if r.only > 0 && finished(s.Status, r.only) {
				return r.read(true)
			}
		case <-r.clock.After(readEvery):
		case <-ctx.Done():
			return term.ErrInterrupted
		}
	}
}

// last reads what is left when the task has ended.
func (r *logReader) last(s tasks.Snapshot) error {
	if err := r.read(true); err != nil {
		return err
	}
	r.ended(s.Status)
	return nil
}

func (r *logReader) ended(status *signals.Status) {
	if status != nil && status.Outcome != "" {
		r.printer.Say("task ended: %s", status.Outcome)
	}
}

func finished(status *signals.Status, n int) bool {
	if status == nil {
		return false
	}
	for _, s := range status.Sessions {
		if s.N == n {
			return s.Outcome != ""
		}
	}
	return false
}

// missing says once, for each session without a log here, where it ran.
func (r *logReader) missing(status *signals.Status, now time.Time) {
	if status == nil {
		return
	}
	for _, s := range status.Sessions {
		if _, here := r.files[s.N]; here || r.elsewhere[s.N] || (r.only > 0 && r.only != s.N) || !r.isElsewhere(s, now) {
			continue
		}
		r.elsewhere[s.N] = true
		r.printer.Say("session %d (%s) has no log in this data folder; it ran on host %s: run `longshift logs` there",
			s.N, s.Role, term.OneLine(s.Host))
	}
}

// isElsewhere tells whether a session runs on another host. Where this folder's own host is not known, time must tell.
func (r *logReader) isElsewhere(s signals.Session, now time.Time) bool {
	if r.host != "" {
		return s.Host != "" && s.Host != r.host
	}
	return now.Sub(s.Started) > elsewhereAfter
}

// nothing is the error of a task without any log here.
func (r *logReader) nothing(f tasks.Found, status *signals.Status) error {
	switch {
	case len(r.files) > 0:
		return nil
	case len(r.elsewhere) > 0 && r.printer.IsText(): // said already
		return term.Exit{Code: fault.ExitNotFound}
	case len(r.elsewhere) > 0:
		return fault.New(fault.NotFound, "no log of task %s in this data folder: its sessions ran on other hosts", f.ID).
			WithHint("run `longshift logs` there")
	case r.only > 0:
		return fault.New(fault.NotFound, "task %s has no log of session %d", f.ID, r.only).
			WithHint("see its sessions with `longshift show %s`", f.ID)
	case status != nil && status.TaskID != "" && len(status.Sessions) == 0:
		r.printer.Say("no session has started yet")
		return nil
	}
	return fault.New(fault.NotFound, "no log of task %s under %s", f.ID, filepath.Dir(filepath.Dir(filepath.Dir(r.dir)))).
		WithHint("logs are on the host that runs the task; set LONGSHIFT_DATA to its data folder")
}
