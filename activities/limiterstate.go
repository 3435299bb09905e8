package activities

import (
	"context"
	"maps"
	"math"
	"slices"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// roomFor returns how many tasks of an intake may be started, and who is there. Tasks of a tracker may wait, so that people see them. A task
// for a file starts only when nobody else is at work: until then people may change the file, or put another one before it. It does wait for
// pull requests, money and errors, so that people see what holds it up and can resume it. If its file is changed meanwhile, it is declined at
// its claim, and the intake polls again.
func (l *Limiters) roomFor(ctx context.Context, r task.Repository, in signals.IntakeInput) (room int, there census, err error) {
	file := !intake.Kind(in.Source).Tracker()
	if there, err = l.census(ctx, r, in.Name, file); err != nil {
		return 0, there, err
	}
	if !file {
		return in.Queue - there.waiting, there, nil
	}
	room = 1
	if intake.Kind(in.Source) == intake.Backlog {
		room = max(in.Guard.Sessions, 1)
	}
	most := in.Guard.And(task.Guard{Sessions: l.limits.Sessions}).Sessions
	if most > 0 {
		room = min(room, most-there.others)
	}
	return room - there.inside - there.waiting, there, nil
}

// census counts who works in a repository, or waits to.
type census struct {
	inside, waiting int // tasks of the intake that are admitted, and that wait
	others          int // tasks of people that are at work; counted for files alone
}

// census asks the limiters. A task that waits for that of the whole installation has given the repository's admission back.
func (l *Limiters) census(ctx context.Context, r task.Repository, name string, others bool) (n census, err error) {
	admitted, waits, people := map[string]bool{}, map[string]bool{}, map[string]bool{} // by workflow id: a task may be at both limiters
	count := func(limiter string) (state signals.LimiterState, err error) {
		if state, err = intakes.LimiterState(ctx, activity.GetClient(ctx), limiter); err != nil {
			return state, err
		}
		var waiters []signals.Holder
		for _, w := range state.Waiters { // one that waits spends nothing
			waiters = append(waiters, signals.Holder{Workflow: w.Workflow, Run: w.Run, Intake: w.Intake, Before: math.MaxFloat64})
		}
		if err = countRunning(ctx, limiter, waiters, name, waits); err != nil {
			return state, err
		}
		return state, countRunning(ctx, limiter, state.Holders, name, admitted)
	}
	limiter := l.limiterID(r, false)
	state, err := count(limiter)
	if err != nil {
		return n, err
	}
	if _, err = count(l.limiterID(r, true)); err != nil {
		return n, err
	}
	n.waiting = len(waits)
	for id := range admitted {
		if !waits[id] {
			n.inside++
		}
	}
	if !others {
		return n, nil
	}
	// Among intakes each gets its turn: a file that waited for the tasks of the others might never begin.
	if err := countRunning(ctx, limiter, state.Holders, "", people); err != nil {
		return n, err
	}
	in := ReconcileInput{Repository: r.Text, Holders: slices.Concat(state.Holders, state.Released),
		Known: slices.AppendSeq(slices.Collect(maps.Keys(waits)), maps.Keys(admitted))}
	for _, w := range state.Waiters {
		in.Known = append(in.Known, w.Workflow)
	}
	unknown, err := l.unadmitted(ctx, in)
	n.others = len(people) + unknown
	return n, err
}

// countRunning adds the tasks of an intake that run, of those that a limiter knows; "" are the tasks of people. A limiter checks its holders only
// while somebody waits, so a task that has ended is removed from it here.
func countRunning(ctx context.Context, limiter string, known []signals.Holder, name string, running map[string]bool) error {
	for _, h := range known {
		if h.Intake != name {
			continue
		}
		gone, spent, err := hasEnded(ctx, h)
		if err == nil && gone {
			request := signals.ReleaseRequest{Workflow: h.Workflow, Run: h.Run, Spent: spent}
			err = updateLimiter(ctx, limiter, signals.Release, "gone/"+h.Run, request, nil)
		}
		if err != nil {
			return err
		}
		if !gone {
			running[h.Workflow] = true
		}
	}
	return nil
}
