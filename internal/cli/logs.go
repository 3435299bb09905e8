package cli

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// readEvery is how often a growing log is looked at.
const readEvery = 250 * time.Millisecond

// elsewhereAfter is how long a session may run without a log here before it must be on another host.
const elsewhereAfter = 5 * time.Second

func (p *program) logsCommand() *cobra.Command {
	var follow bool
	var session int
	c := &cobra.Command{
		Use:   "logs <task>",
		Short: "Read the sessions' logs of a task on this host",
		Long: `Read what the agents of a task did, session by session. Logs are files in the data folder of the host
that ran the session; LONGSHIFT_DATA must be the worker's. -f goes on with each new session until the task ends.`,
		Example:           "  longshift logs x1y2z3\n  longshift logs -f x1y2z3\n  longshift logs x1y2z3 --session 2 -o jsonl",
		Args:              takes(1, 1, "the task"),
		ValidArgsFunction: p.completeTask,
		Annotations:       exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			if session < 0 {
				return fault.New(fault.Input, "--session %d: no session number", session).WithHint("give a number from 1 up")
			}
			return p.logs(c.Context(), args[0], follow, session)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the task ends")
	c.Flags().IntVar(&session, "session", 0, "only this session, by its `number`")
	return c
}

func (p *program) logs(ctx context.Context, given string, follow bool, session int) error {
	c, f, err := p.lookUp(ctx, given)
	if err != nil {
		return err
	}
	config, err := p.config()
	if err != nil {
		return err
	}
	w := &watcher{client: c, id: f.id, run: f.run, clock: p.clock}
	w.look(ctx)
	dir, err := logFolder(config.Data, f, w.last.status)
	if err != nil {
		return err
	}
	r := &logReader{p: p, dir: dir, only: session, host: ownHost(config.Data), files: map[int]*logFile{}, elsewhere: map[int]bool{}}
	if follow && f.running() {
		return r.follow(ctx, w)
	}
	if err := r.read(true); err != nil {
		return err
	}
	r.missing(w.last.status, p.clock.now())
	if err := r.nothing(f, w.last.status); err != nil {
		return err
	}
	if follow {
		r.ended(w.last.status)
	}
	return nil
}

// follow reads along until the task has ended and its logs have been read to their ends.
func (r *logReader) follow(ctx context.Context, w *watcher) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	snapshots := w.watch(ctx)
	waiting := false
	for {
		if err := r.read(false); err != nil {
			return err
		}
		if !waiting && len(r.files) == 0 {
			waiting = true
			r.p.say("no session yet; waiting")
		}
		select {
		case s, ok := <-snapshots:
			if !ok {
				return errInterrupted
			}
			r.missing(s.status, r.p.clock.now())
			if s.closed {
				return r.last(s)
			}
			if r.only > 0 && finished(s.status, r.only) {
				return r.read(true)
			}
		case <-r.p.clock.after(readEvery):
		case <-ctx.Done():
			return errInterrupted
		}
	}
}

// last reads what is left when the task has ended.
func (r *logReader) last(s snapshot) error {
	if err := r.read(true); err != nil {
		return err
	}
	r.ended(s.status)
	return nil
}

func (r *logReader) ended(status *signals.Status) {
	if status != nil && status.Outcome != "" {
		r.p.say("task ended: %s", status.Outcome)
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
		r.p.say("session %d (%s) has no log in this data folder; it ran on host %s: run `longshift logs` there", s.N, s.Role, oneLine(s.Host))
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
func (r *logReader) nothing(f found, status *signals.Status) error {
	switch {
	case len(r.files) > 0:
		return nil
	case len(r.elsewhere) > 0: // said already
		return exit{fault.ExitNotFound}
	case r.only > 0:
		return fault.New(fault.NotFound, "task %s has no log of session %d", f.id, r.only).WithHint("see its sessions with `longshift show %s`", f.id)
	case status != nil && status.TaskID != "" && len(status.Sessions) == 0:
		r.p.say("no session has started yet")
		return nil
	}
	return fault.New(fault.NotFound, "no log of task %s under %s", f.id, filepath.Dir(filepath.Dir(filepath.Dir(r.dir)))).
		WithHint("logs are on the host that runs the task; set LONGSHIFT_DATA to its data folder")
}
