package cli

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/dirwatch"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

const (
	lookLater   = time.Second // on top of the quiet time: the worker counts it by the times of the files, which are less exact
	againLater  = 300 * time.Millisecond
	seldom      = 10 * time.Second // between looks at what nobody follows: parked tasks, rounds on pull requests
	lookPatient = 10 * time.Second // until a look that nobody makes is talked about
)

// watching is a backlog that is worked off while somebody looks on.
type watching struct {
	p       *program
	connect func(context.Context) (backlogClient, error)
	client  backlogClient
	repo    task.Repository
	folder  string // below the repository, with slashes
	in      signals.IntakeInput
	quiet   time.Duration
	changes <-chan dirwatch.Change
	screen  *screen
	rings   bool
	stop    context.CancelFunc
	broken  error // why nothing can be printed any more

	now       *job            // that is followed; nil while waiting
	parked    map[string]*job // that wait for a person and hold up nobody, by their ids
	news      chan news       // of those
	awake     []*job          // that are to be followed next
	known     map[string]bool // ids of tasks that were told of
	strange   map[string]bool // ids of tasks of other folders
	since     time.Time       // when this command began
	scheduled string          // name of the intake that looks at the same folder
	adopted   bool            // what ran before this command is known
	busy      bool            // something of ours is at the gate that can't be followed
	wrote     time.Time       // when somebody wrote to a file last
	said      string          // the last words about waiting
	left      map[string]string
	state     trouble
	failed    string // the last error of a look
	failures  int    // in a row
}

// next waits for a task to follow: one that runs already, or that of a file that is taken up.
func (w *watching) next(ctx context.Context) (*job, error) {
	w.now = nil
	for {
		w.screen.set("⚡ Looking at " + w.folder + "...")
		if len(w.awake) > 0 {
			return w.wake(), nil
		}
		if err := w.others(ctx); err != nil {
			return nil, err
		}
		j, err := w.running(ctx)
		if j != nil || err != nil {
			return j, err
		}
		var due time.Time
		if w.scheduled == "" {
			if j, due, err = w.takeUp(ctx); j != nil || err != nil {
				return j, err
			}
		}
		if err := w.idle(ctx, due); err != nil {
			return nil, err
		}
	}
}

// takeUp looks once. It gives the task of the file that was begun by that, or when to look again; the zero time is for nothing to wait for.
func (w *watching) takeUp(ctx context.Context) (*job, time.Time, error) {
	w.drain()
	pass, err := w.look(ctx)
	now := w.p.clock.now()
	switch {
	case err != nil:
		return nil, time.Time{}, err
	case pass == nil: // it has failed, which was told
		return nil, now.Add(min(5*time.Second<<min(w.failures, 10), 10*time.Minute)), nil
	}
	if j, err := w.taken(ctx, pass); j != nil || err != nil {
		return j, time.Time{}, err
	}
	var due time.Time
	if pass.Again > 0 { // somebody writes: the worker lists nothing until then
		due = now.Add(pass.Again + againLater)
	}
	if quiet := w.wrote.Add(w.quiet); quiet.After(now) && quiet.Add(lookLater).After(due) {
		due = quiet.Add(lookLater)
	}
	return nil, due, nil
}

// idle waits until it is time to look again: because somebody has written to a file and stopped, or because a task goes on. due is when to
// look again by itself; the zero time is never.
func (w *watching) idle(ctx context.Context, due time.Time) error {
	var poll <-chan time.Time
	if w.scheduled != "" || w.busy { // nothing tells of what happens there
		poll = w.p.clock.after(seldom)
	}
	for {
		var timer, tick <-chan time.Time
		line := "⏳ Waiting for files in " + w.folder
		if due.IsZero() {
			w.waits()
		} else {
			left := max(due.Sub(w.p.clock.now()), 0)
			timer = w.p.clock.after(left)
			if line = "⏳ Somebody is writing in " + w.folder + "; looking in " + duration(left); w.failures > 0 {
				line = "⏳ Looking again in " + duration(left)
			}
			if w.screen.live {
				tick = w.p.clock.after(time.Second)
			}
		}
		w.screen.set(line)
		select {
		case c, ok := <-w.changes:
			if !ok {
				return w.blind()
			}
			if c.Wrote {
				w.wrote = c.At
				due = c.At.Add(w.quiet + lookLater)
			}
		case n := <-w.news:
			if w.hears(n) {
				return nil
			}
		case <-poll:
			return nil
		case <-timer:
			return nil
		case <-tick:
		case <-ctx.Done():
			return errInterrupted
		}
	}
}

// drain takes what has happened to files so far: the look that follows sees it.
func (w *watching) drain() {
	select {
	case c, ok := <-w.changes:
		if ok && c.Wrote {
			w.wrote = c.At
		}
	default:
	}
}

func (w *watching) blind() error {
	return fault.New(fault.NotFound, "%s can't be watched any more: it is gone, or may not be read", w.repo.Path).WithHint("start watch again when it is back")
}
