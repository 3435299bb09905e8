package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// door is a Gate with a scripted world around it.
type door struct {
	t       *testing.T
	env     *testsuite.TestWorkflowEnvironment
	mu      sync.Mutex
	seen    activities.Reconciled // what the next survey gives
	surveys int
	fails   error                            // of surveys
	refused bool                             // requests may be refused
	answers map[string]signals.AcquireAnswer // by task: the answer to its request, then what it is told
	heard   []string                         // "task: in", "task: sessions", in order
	at      []time.Time                      // when each was heard
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{t: t, env: workflows.NewEnv(), answers: map[string]signals.AcquireAnswer{}}
	d.env.SetStartTime(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC))
	d.env.RegisterWorkflow(workflows.Limiter)
	d.env.RegisterActivityWithOptions(func(context.Context, activities.ReconcileInput) (activities.Reconciled, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.surveys++
		seen := d.seen
		d.seen.Gone, d.seen.Ended = nil, nil
		return seen, d.fails
	}, activity.RegisterOptions{Name: "ReconcileLimiter"})
	d.env.OnSignalExternalWorkflow(mock.Anything, mock.Anything, mock.Anything, signals.Admission, mock.Anything).Return(
		func(_, id, _, _ string, arg any) error {
			d.hear(id, arg.(signals.AcquireAnswer))
			return nil
		})
	return d
}

func (d *door) hear(id string, a signals.AcquireAnswer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[id] = a
	what := string(a.Wait)
	if a.Admitted {
		what = "in"
	}
	d.heard, d.at = append(d.heard, id+": "+what), append(d.at, d.env.Now())
}

// world sets what the next survey sees.
func (d *door) world(s activities.Reconciled) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = s
}

func (d *door) after(at time.Duration, do func()) { d.env.RegisterDelayedCallback(do, at) }

// acquire asks for a task at a time.
func (d *door) enter(at time.Duration, id string, g task.Guard, change ...func(*signals.AcquireRequest)) {
	r := signals.AcquireRequest{Workflow: id, Run: "run-" + id, Guard: g, Repository: "acme/web"}
	for _, c := range change {
		c(&r)
	}
	d.after(at, func() {
		d.env.UpdateWorkflow(signals.Acquire, fmt.Sprintf("%s-%s", id, at), &testsuite.TestUpdateCallback{
			OnAccept: func() {},
			OnReject: func(err error) { d.t.Errorf("%s is rejected: %v", id, err) },
			OnComplete: func(result any, err error) {
				if err != nil {
					if d.refused {
						d.hear(id, signals.AcquireAnswer{Wait: "refused"})
						return
					}
					d.t.Errorf("%s: %v", id, err)
					return
				}
				d.hear(id, result.(signals.AcquireAnswer))
			},
		}, r)
	})
}

func (d *door) leave(at time.Duration, id string, change ...func(*signals.ReleaseRequest)) {
	r := signals.ReleaseRequest{Workflow: id, Run: "run-" + id}
	for _, c := range change {
		c(&r)
	}
	d.after(at, func() {
		d.env.UpdateWorkflow(signals.Release, fmt.Sprintf("leave-%s-%s", id, at), &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { d.t.Errorf("leaving: %v", err) }, OnComplete: func(any, error) {},
		}, r)
	})
}

// run plays it all, until a time.
func (d *door) run(until time.Duration) signals.LimiterState {
	d.t.Helper()
	var state signals.LimiterState
	d.after(until, func() {
		v, err := d.env.QueryWorkflow(signals.QueryLimiter)
		if err != nil || v.Get(&state) != nil {
			d.t.Errorf("query: %v", err)
		}
		d.env.CancelWorkflow()
	})
	d.env.ExecuteWorkflow(workflows.Limiter, (*signals.LimiterState)(nil))
	if err := d.env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "canceled") {
		d.t.Errorf("it ended with %v", err)
	}
	return state
}

// want compares what was heard. Within one moment there is no order: an answer and a signal take different ways.
func (d *door) want(lines ...string) {
	d.t.Helper()
	heard := slices.Clone(d.heard)
	for from := 0; from < len(heard); {
		to := from + 1
		for to < len(heard) && d.at[to].Equal(d.at[from]) {
			to++
		}
		slices.Sort(heard[from:to])
		if to <= len(lines) {
			slices.Sort(lines[from:to])
		}
		from = to
	}
	if !slices.Equal(heard, lines) {
		d.t.Errorf("heard\n  %s\nwant\n  %s", strings.Join(d.heard, "\n  "), strings.Join(lines, "\n  "))
	}
}

var one = task.Guard{Sessions: 1}

func TestGateLetsInOneAfterTheOther(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for i, id := range []string{"a", "b", "c"} {
		d.enter(time.Duration(i)*time.Second, id, one)
	}
	d.leave(10*time.Second, "a")
	d.leave(20*time.Second, "b")
	d.leave(21*time.Second, "b") // once more
	state := d.run(30 * time.Second)
	d.want("a: in", "b: sessions", "c: sessions", "b: in", "c: in")
	if len(state.Waiters) != 0 || len(state.Holders) != 1 || state.Holders[0].Workflow != "c" {
		t.Errorf("state %+v", state)
	}
}

func TestGateLetsInAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for i := range 5 {
		d.enter(time.Duration(i)*time.Second, fmt.Sprint(i), task.Guard{Sessions: 3})
	}
	d.run(30 * time.Second)
	d.want("0: in", "1: in", "2: in", "3: sessions", "4: sessions")
}

// Who asks again, because its worker died, keeps its place; an earlier run under the same id is forgotten.
func TestGateAskedAgain(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.enter(0, "a", one)
	d.enter(time.Second, "b", one)
	d.enter(2*time.Second, "c", one)
	d.enter(3*time.Second, "a", one)
	d.enter(4*time.Second, "b", one)
	d.enter(5*time.Second, "a", one, func(r *signals.AcquireRequest) { r.Run = "another" }) // the first has ended unseen
	state := d.run(10 * time.Second)
	d.want("a: in", "b: sessions", "c: sessions", "a: in", "b: sessions", "a: sessions", "b: in")
	if len(state.Holders) != 1 || state.Holders[0].Workflow != "b" || len(state.Waiters) != 2 || state.Waiters[0].Workflow != "c" {
		t.Errorf("state %+v", state)
	}
}

func TestGateMindsPriority(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.enter(0, "a", one)
	d.enter(1*time.Second, "issue", one)
	d.enter(2*time.Second, "person", one, func(r *signals.AcquireRequest) { r.Priority = signals.PriorityPerson })
	d.enter(3*time.Second, "resumed", one, func(r *signals.AcquireRequest) { r.Priority = signals.PriorityResume })
	for i, id := range []string{"a", "resumed", "person"} {
		d.leave(time.Duration(10*(i+1))*time.Second, id)
	}
	d.run(time.Minute)
	d.want("a: in", "issue: sessions", "person: sessions", "resumed: sessions", "resumed: in", "person: in", "issue: in")
}

// A holder that was killed says nothing. Within the lease the next one works.
func TestGateFreesTheDead(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	lease := func(r *signals.AcquireRequest) { r.Lease = time.Minute }
	d.enter(0, "a", one, lease)
	d.enter(time.Second, "b", one, lease)
	d.after(10*time.Second, func() {
		d.world(activities.Reconciled{Gone: []signals.ReleaseRequest{{Workflow: "a", Run: "run-a", Spent: 2}}})
	})
	var before int
	d.after(55*time.Second, func() { d.mu.Lock(); before = len(d.heard); d.mu.Unlock() })
	state := d.run(62 * time.Second)
	d.want("a: in", "b: sessions", "b: in")
	if before != 2 || state.Spent != 2 {
		t.Errorf("%d heard before the lease was over; spent %v", before, state.Spent)
	}
}

// While nobody waits, nothing is done: no timer, no look.
func TestGateRestsWhileNobodyWaits(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.enter(0, "a", one)
	d.run(72 * time.Hour)
	if d.surveys != 1 {
		t.Errorf("%d looks", d.surveys)
	}
}

func TestGateWaitsForPullRequests(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	guard := task.Guard{Sessions: 1, PauseIfOpenPR: true}
	pull := signals.OpenPull{Workflow: "pull:1", Number: 1, URL: "https://example.com/1"}
	d.enter(0, "a", guard)
	d.enter(time.Second, "b", guard)
	d.enter(2*time.Second, "c", task.Guard{Sessions: 2}) // minds no pull request, and is not held up by who does
	d.leave(10*time.Second, "a", func(r *signals.ReleaseRequest) { r.Pull = &pull })
	d.leave(time.Hour, "pull:1", func(r *signals.ReleaseRequest) { r.Closed = "pull:1" })
	d.world(activities.Reconciled{})
	d.after(59*time.Minute, func() { d.world(activities.Reconciled{Open: []signals.OpenPull{{Workflow: "pull:1"}}}) }) // still listed when it has said that it ends
	d.leave(30*time.Minute, "c")
	d.run(2 * time.Hour)
	d.want("a: in", "b: sessions", "c: sessions", "c: in", "b: open_pull_request", // c waits for no pull request, and has the one place now
		"b: sessions", "b: open_pull_request", "b: in")
}

// A pull request that people's own tasks have opened counts too, and so do their tasks.
func TestGateSeesWhatPassedItBy(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.world(activities.Reconciled{Others: 1, Open: []signals.OpenPull{{Workflow: "pull:9", URL: "https://example.com/9"}}})
	d.enter(0, "a", task.Guard{Sessions: 1, PauseIfOpenPR: true})
	d.after(time.Minute, func() { d.world(activities.Reconciled{Open: []signals.OpenPull{{Workflow: "pull:9"}}}) })
	d.after(time.Hour, func() {
		d.world(activities.Reconciled{Ended: []signals.OpenPull{{Workflow: "pull:9", URL: "https://example.com/9"}}})
	})
	d.run(2 * time.Hour)
	d.want("a: sessions", "a: open_pull_request", "a: in")
}

// What is kept for those at work and what was spent never pass the day's limit; a new day begins at midnight, UTC.
func TestGateKeepsTheDaysMoney(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	guard := task.Guard{DailyCost: 50}
	money := func(usd float64) func(*signals.AcquireRequest) {
		return func(r *signals.AcquireRequest) { r.Budget = usd }
	}
	d.enter(0, "a", guard, money(20))
	d.enter(1*time.Second, "b", guard, money(20))
	d.enter(2*time.Second, "c", guard, money(20))
	d.enter(3*time.Second, "free", task.Guard{}, money(20))
	d.leave(time.Minute, "a", func(r *signals.ReleaseRequest) { r.Spent = 15 }) // 15 + 20 kept + 20 > 50
	d.leave(2*time.Minute, "b", func(r *signals.ReleaseRequest) { r.Spent = 5 })
	d.enter(time.Hour, "big", guard, money(80))
	d.leave(2*time.Hour, "c", func(r *signals.ReleaseRequest) { r.Spent = 20 })
	state := d.run(15 * time.Hour)
	d.want("a: in", "b: in", "c: daily_cost", "free: in", "c: in", "big: daily_cost", "big: in")
	if a := d.answers["big"]; a.Ceiling != 50 {
		t.Errorf("the whole day is %v", a.Ceiling)
	}
	if a := d.answers["c"]; a.Ceiling != 20 {
		t.Errorf("20 were asked for, %v are kept", a.Ceiling)
	}
	if state.Day != "2026-11-21" || state.Spent != 0 {
		t.Errorf("day %s, spent %v", state.Day, state.Spent)
	}
}

// One that has ended while it waited is passed over.
func TestGatePassesOverWhoHasGone(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.enter(0, "a", one)
	d.enter(time.Second, "b", one)
	d.enter(2*time.Second, "c", one)
	d.leave(3*time.Second, "b") // it was cancelled
	d.leave(10*time.Second, "a")
	d.run(time.Minute)
	if got := d.heard[len(d.heard)-1]; got != "c: in" {
		t.Errorf("%s, heard %q", got, d.heard)
	}
}

func TestGateContinuesAsNew(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.enter(0, "a", one)
	d.enter(time.Second, "b", one)
	d.after(time.Minute, func() { d.env.SetContinueAsNewSuggested(true) })
	d.leave(2*time.Minute, "nobody")
	d.env.ExecuteWorkflow(workflows.Limiter, (*signals.LimiterState)(nil))
	err := d.env.GetWorkflowError()
	if err == nil || !strings.Contains(err.Error(), "continue as new") {
		t.Fatalf("ended with %v", err)
	}
}

// Three tasks in a row that stop with errors are enough: no other one begins by itself, until one ends well or a person wants it.
func TestGateStopsAfterErrors(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	trouble := func(r *signals.ReleaseRequest) { r.Failed = true }
	for i, id := range []string{"a", "b", "c"} {
		at := time.Duration(i) * time.Minute
		d.enter(at, id, one)
		d.leave(at+time.Second, id, trouble)
	}
	d.enter(5*time.Minute, "d", one)
	d.enter(6*time.Minute, "person", one, func(r *signals.AcquireRequest) { r.Priority = signals.PriorityPerson })
	d.leave(7*time.Minute, "person", func(r *signals.ReleaseRequest) { r.Succeeded = true })
	d.run(10 * time.Minute)
	d.want("a: in", "b: in", "c: in", "d: errors", "person: in", "d: in")
}

// A task that is resumed and stops again is one task with errors, and an end that goes well forgets all of them.
func TestGateCountsATaskOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	trouble := func(r *signals.ReleaseRequest) { r.Failed = true }
	at := time.Duration(0)
	stops := func(id string) {
		d.enter(at, id, one)
		d.leave(at+time.Second, id, trouble)
		at += time.Minute
	}
	for range 3 {
		stops("a")
	}
	d.enter(at, "b", one)
	d.leave(at+time.Second, "b", func(r *signals.ReleaseRequest) { r.Succeeded = true })
	at += time.Minute
	for _, id := range []string{"a", "b", "c"} {
		stops(id)
	}
	d.enter(at, "d", one)
	d.run(at + time.Minute)
	d.want("a: in", "a: in", "a: in", "b: in", "a: in", "b: in", "c: in", "d: errors")
}

// The gate outlives a forge that says no, and lets in those who wait for nothing of it.
func TestGateOutlivesItsSurvey(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.fails = temporal.NewNonRetryableApplicationError("403", "LongshiftDenied", nil)
	d.enter(0, "a", one)
	d.enter(time.Second, "b", one)
	d.leave(time.Minute, "a")
	d.run(10 * time.Minute)
	d.want("a: in", "b: sessions", "b: in")
}

// A late request of the intake does not bring back who has left; what replaces a task under its id pays for what was kept.
func TestGateAndThePast(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.refused = true
	guard := task.Guard{DailyCost: 50}
	d.enter(0, "a", guard, func(r *signals.AcquireRequest) { r.Budget = 20 })
	d.leave(time.Second, "a", func(r *signals.ReleaseRequest) { r.Spent = 1 })
	d.enter(2*time.Second, "a", guard, func(r *signals.AcquireRequest) { r.Reserve = true })
	d.enter(3*time.Second, "b", guard, func(r *signals.AcquireRequest) { r.Budget = 20 })
	d.enter(4*time.Second, "b", guard, func(r *signals.AcquireRequest) { r.Run, r.Budget = "another", 20 })
	state := d.run(time.Minute)
	d.want("a: in", "a: refused", "b: in", "b: in")
	if state.Spent != 21 || len(state.Holders) != 1 {
		t.Errorf("spent %v, inside %+v", state.Spent, state.Holders)
	}
}

// Nobody overtakes one who waits for money with a smaller wish.
func TestGateKeepsTheOrderOfMoney(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	money := func(usd float64) func(*signals.AcquireRequest) {
		return func(r *signals.AcquireRequest) { r.Budget = usd }
	}
	guard := task.Guard{DailyCost: 50}
	d.enter(0, "a", guard, money(20))
	d.enter(time.Second, "big", guard, money(40))
	d.enter(2*time.Second, "small", guard, money(10))
	d.enter(3*time.Second, "none left", guard, money(0))
	d.leave(time.Hour, "a", func(r *signals.ReleaseRequest) { r.Spent = 5 })
	d.run(2 * time.Hour)
	d.want("a: in", "big: daily_cost", "small: daily_cost", "none left: in", "big: in")
}
