package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// follower shows a task while it runs and takes decisions on its plan from the keyboard.
type follower struct {
	p      *program
	id     string
	wait   bool           // stay when the task is suspended and no terminal is there
	ends   bool           // the task ends with this command, server and all, and whoever started it says what happens to them
	onto   func(snapshot) // told of every snapshot with a status; may be nil
	among  *among         // set when tasks are followed one after the other; nil for one alone
	send   func(ctx context.Context, name string, payload payload) (delivery, error)
	screen *screen
	keys   *keyboard // nil when nobody can be asked

	now     snapshot
	phase   task.Phase
	since   time.Time // when the phase was first seen
	line    int       // number of the last log line shown
	shown   int       // plan revision shown
	said    string    // the last stop that was announced
	asking  bool      // the keyboard is open for a decision
	typing  *lineEditor
	sending bool
	sent    chan sent
}

// among is what differs when a task is one of several, and somebody else tells of its stops and its end.
type among struct {
	sees      func(*signals.Status)       // told of every status, before anything of it is shown
	suspended func(*signals.Status) error // told again and again while the task is suspended; an error ends the following
	trouble   func(trouble)               // told of every change
}

type sent struct {
	name     string
	delivery delivery
	err      error
}

func (p *program) follower(id string, c messenger) *follower {
	f := &follower{p: p, id: id, screen: p.screen(), sent: make(chan sent, 1), since: p.clock.now()}
	if p.interactive() {
		f.keys = p.keyboard()
	}
	f.send = func(ctx context.Context, name string, m payload) (delivery, error) {
		return p.send(ctx, c, id, name, m)
	}
	return f
}

// follow shows the task until it has ended, and gives its last status. Ctrl-C leaves the task running.
func (f *follower) follow(ctx context.Context, w *watcher) (*signals.Status, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer f.release()
	snapshots := w.watch(ctx)
	for {
		f.screen.set(f.liveLine())
		select {
		case s, ok := <-snapshots:
			if !ok {
				return f.now.status, f.interrupted()
			}
			if err := f.take(s); err != nil {
				return s.status, err
			}
			if s.closed {
				return s.status, s.err
			}
		case key, ok := <-f.pressed():
			if !ok {
				f.stopAsking()
				f.keys = nil // the terminal is gone
			} else if f.key(ctx, key) {
				return f.now.status, f.interrupted()
			}
		case s := <-f.sent:
			f.answered(s)
		case <-f.p.clock.after(time.Second):
		case <-ctx.Done():
			return f.now.status, f.interrupted()
		}
	}
}

// release gives the terminal back.
func (f *follower) release() {
	if f.keys != nil {
		f.keys.close()
	}
	f.screen.clear()
}

// interrupted tells how to go on with the task, which is not stopped by this.
func (f *follower) interrupted() error {
	f.release()
	if f.ends || f.among != nil || f.p.format != formatText {
		return errInterrupted
	}
	f.p.say("interrupted; the task goes on:")
	f.p.say("  longshift status -f %s   # follow it again", f.id)
	f.p.say("  longshift logs -f %s     # read along", f.id)
	f.p.say("  longshift cancel %s      # end it", f.id)
	return exit{fault.ExitInterrupt}
}

// take shows what is new in a snapshot.
func (f *follower) take(s snapshot) error {
	before := f.now.trouble
	f.now = s
	f.announce(before)
	if s.status == nil {
		return nil
	}
	if s.status.Phase != f.phase {
		f.phase, f.since = s.status.Phase, f.p.clock.now()
	}
	if f.among != nil {
		f.among.sees(s.status)
	}
	if err := f.log(s.status); err != nil {
		return err
	}
	f.plan(s.status)
	if f.onto != nil {
		f.onto(s)
	}
	return f.stops(s.status)
}

// announce says once that nobody answers, and once that somebody does again.
func (f *follower) announce(before trouble) {
	if f.now.closed || f.now.trouble == before || f.ends {
		return
	}
	if f.among != nil {
		f.among.trouble(f.now.trouble)
		return
	}
	switch {
	case f.now.trouble == noWorker:
		f.event("worker", "no worker is answering; the task is safe and goes on when one is back")
	case f.now.trouble == noServer:
		f.event("server", "the Temporal server does not answer; the task is safe there; trying again")
	case before == noWorker:
		f.event("worker", "a worker answers again")
	default:
		f.event("server", "the Temporal server answers again")
	}
}

// log shows the lines of the task's log that have not been shown.
func (f *follower) log(status *signals.Status) error {
	for _, l := range status.Log {
		if l.N <= f.line {
			continue
		}
		if f.line > 0 && l.N > f.line+1 {
			f.event("gap", fmt.Sprintf("%s left out; see `longshift logs %s`", count(l.N-f.line-1, "line"), f.id))
		}
		f.line = l.N
		if f.p.format == formatJSONL {
			value := map[string]any{"type": "log", "line": l}
			if f.among != nil {
				value["task"] = f.id
			}
			if err := f.p.encode(value, ""); err != nil {
				return fmt.Errorf("write output: %w", err)
			}
			continue
		}
		if status.Notify == nil || status.Notify.Wants(l.Kind) {
			f.screen.line(logLine(l.Entry))
		}
	}
	return nil
}

// event shows a line of our own.
func (f *follower) event(kind, text string) {
	f.screen.line(logLine(task.Entry{Time: f.p.clock.now(), Kind: kind, Text: text}))
}

// logLine is one permanent line: time, kind, text. More lines of text are put below it.
func logLine(e task.Entry) string {
	return fmt.Sprintf("%s  %-12s %s", e.Time.Local().Format("15:04:05"), e.Kind, indent(plain(e.Text), 23))
}

// stops says what the task waits for. Without a terminal a suspended task ends the command, for nobody is there.
func (f *follower) stops(status *signals.Status) error {
	if f.among != nil && status.Phase == task.Suspended {
		return f.among.suspended(status)
	}
	stop := string(status.Phase) + "/" + string(status.Reason) + "/" + status.WaitingUntil.String()
	if stop == f.said {
		return nil
	}
	f.said = stop
	switch status.Phase {
	case task.Suspended:
		f.screen.line(suspendedText(status))
		if f.keys == nil && !f.wait {
			f.screen.clear()
			return exit{fault.ExitSuspended}
		}
	case task.Waiting:
		if !f.screen.live {
			f.screen.line(waitingText(status, f.p.clock.now()))
		}
	}
	return nil
}
