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

// limiterBench is a limiter with a scripted world around it.
type limiterBench struct {
	t       *testing.T
	env     *testsuite.TestWorkflowEnvironment
	mu      sync.Mutex
	seen    activities.Reconciled            // what reconciling gives next
	asked   int                              // how often it was asked
	fails   error                            // of reconciling
	refused bool                             // requests may be refused
	answers map[string]signals.AcquireAnswer // by task: the answer to its request, then what it is told
	heard   []string                         // "task: in", "task: sessions", in order
	at      []time.Time                      // when each was heard
}

func newLimiterBench(t *testing.T) *limiterBench {
	t.Helper()
	b := &limiterBench{t: t, env: workflows.NewEnv(), answers: map[string]signals.AcquireAnswer{}}
	b.env.SetStartTime(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC))
	b.env.RegisterWorkflow(workflows.Limiter)
	b.env.RegisterActivityWithOptions(func(context.Context, activities.ReconcileInput) (activities.Reconciled, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.asked++
		seen := b.seen
		b.seen.Gone, b.seen.Ended = nil, nil
		return seen, b.fails
	}, activity.RegisterOptions{Name: "ReconcileLimiter"})
	b.env.OnSignalExternalWorkflow(mock.Anything, mock.Anything, mock.Anything, signals.Admission, mock.Anything).Return(
		func(_, id, _, _ string, arg any) error {
			b.hear(id, arg.(signals.AcquireAnswer))
			return nil
		})
	return b
}

func (b *limiterBench) hear(id string, a signals.AcquireAnswer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers[id] = a
	what := string(a.Wait)
	if a.Admitted {
		what = "in"
	}
	b.heard, b.at = append(b.heard, id+": "+what), append(b.at, b.env.Now())
}

// world sets what reconciling sees next.
func (b *limiterBench) world(s activities.Reconciled) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = s
}

func (b *limiterBench) after(at time.Duration, do func()) { b.env.RegisterDelayedCallback(do, at) }

// acquire asks for a task at a time.
func (b *limiterBench) acquire(at time.Duration, id string, g task.Guard, change ...func(*signals.AcquireRequest)) {
	r := signals.AcquireRequest{Workflow: id, Run: "run-" + id, Guard: g, Repository: "acme/web"}
	for _, c := range change {
		c(&r)
	}
	b.after(at, func() {
		b.env.UpdateWorkflow(signals.Acquire, fmt.Sprintf("%s-%s", id, at), &testsuite.TestUpdateCallback{
			OnAccept: func() {},
			OnReject: func(err error) { b.t.Errorf("%s is rejected: %v", id, err) },
			OnComplete: func(result any, err error) {
				if err != nil {
					if b.refused {
						b.hear(id, signals.AcquireAnswer{Wait: "refused"})
						return
					}
					b.t.Errorf("%s: %v", id, err)
					return
				}
				b.hear(id, result.(signals.AcquireAnswer))
			},
		}, r)
	})
}

func (b *limiterBench) release(at time.Duration, id string, change ...func(*signals.ReleaseRequest)) {
	r := signals.ReleaseRequest{Workflow: id, Run: "run-" + id}
	for _, c := range change {
		c(&r)
	}
	b.after(at, func() {
		b.env.UpdateWorkflow(signals.Release, fmt.Sprintf("release-%s-%s", id, at), &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { b.t.Errorf("release: %v", err) }, OnComplete: func(any, error) {},
		}, r)
	})
}

// run plays it all, until a time.
func (b *limiterBench) run(until time.Duration) signals.LimiterState {
	b.t.Helper()
	var state signals.LimiterState
	b.after(until, func() {
		v, err := b.env.QueryWorkflow(signals.QueryLimiter)
		if err != nil || v.Get(&state) != nil {
			b.t.Errorf("query: %v", err)
		}
		b.env.CancelWorkflow()
	})
	b.env.ExecuteWorkflow(workflows.Limiter, (*signals.LimiterState)(nil))
	if err := b.env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "canceled") {
		b.t.Errorf("it ended with %v", err)
	}
	return state
}

// want compares what was heard. Within one moment there is no order: an answer and a signal take different ways.
func (b *limiterBench) want(lines ...string) {
	b.t.Helper()
	heard := slices.Clone(b.heard)
	for from := 0; from < len(heard); {
		to := from + 1
		for to < len(heard) && b.at[to].Equal(b.at[from]) {
			to++
		}
		slices.Sort(heard[from:to])
		if to <= len(lines) {
			slices.Sort(lines[from:to])
		}
		from = to
	}
	if !slices.Equal(heard, lines) {
		b.t.Errorf("heard\n  %s\nwant\n  %s", strings.Join(b.heard, "\n  "), strings.Join(lines, "\n  "))
	}
}

var one = task.Guard{Sessions: 1}

func TestLimiterAdmitsOneAfterTheOther(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	for i, id := range []string{"a", "b", "c"} {
		b.acquire(time.Duration(i)*time.Second, id, one)
	}
	b.release(10*time.Second, "a")
	b.release(20*time.Second, "b")
	b.release(21*time.Second, "b") // once more
	state := b.run(30 * time.Second)
	b.want("a: in", "b: sessions", "c: sessions", "b: in", "c: in")
	if len(state.Waiters) != 0 || len(state.Holders) != 1 || state.Holders[0].Workflow != "c" {
		t.Errorf("state %+v", state)
	}
}

func TestLimiterAdmitsAsManyAsTheLimit(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	for i := range 5 {
		b.acquire(time.Duration(i)*time.Second, fmt.Sprint(i), task.Guard{Sessions: 3})
	}
	b.run(30 * time.Second)
	b.want("0: in", "1: in", "2: in", "3: sessions", "4: sessions")
}

// Who asks again, because its worker died, keeps its place; an earlier run under the same id is forgotten.
func TestLimiterAskedAgain(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.acquire(0, "a", one)
	b.acquire(time.Second, "b", one)
	b.acquire(2*time.Second, "c", one)
	b.acquire(3*time.Second, "a", one)
	b.acquire(4*time.Second, "b", one)
	b.acquire(5*time.Second, "a", one, func(r *signals.AcquireRequest) { r.Run = "another" }) // the first has ended unseen
	state := b.run(10 * time.Second)
	b.want("a: in", "b: sessions", "c: sessions", "a: in", "b: sessions", "a: sessions", "b: in")
	if len(state.Holders) != 1 || state.Holders[0].Workflow != "b" || len(state.Waiters) != 2 || state.Waiters[0].Workflow != "c" {
		t.Errorf("state %+v", state)
	}
}

func TestLimiterMindsPriority(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.acquire(0, "a", one)
	b.acquire(1*time.Second, "issue", one)
	b.acquire(2*time.Second, "person", one, func(r *signals.AcquireRequest) { r.Priority = signals.PriorityPerson })
	b.acquire(3*time.Second, "resumed", one, func(r *signals.AcquireRequest) { r.Priority = signals.PriorityResume })
	for i, id := range []string{"a", "resumed", "person"} {
		b.release(time.Duration(10*(i+1))*time.Second, id)
	}
	b.run(time.Minute)
	b.want("a: in", "issue: sessions", "person: sessions", "resumed: sessions", "resumed: in", "person: in", "issue: in")
}

// A holder that was killed says nothing. Within the lease the next one works.
func TestLimiterFreesTheDead(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	lease := func(r *signals.AcquireRequest) { r.Lease = time.Minute }
	b.acquire(0, "a", one, lease)
	b.acquire(time.Second, "b", one, lease)
	b.after(10*time.Second, func() {
		b.world(activities.Reconciled{Gone: []signals.ReleaseRequest{{Workflow: "a", Run: "run-a", Spent: 2}}})
	})
	var before int
	b.after(55*time.Second, func() { b.mu.Lock(); before = len(b.heard); b.mu.Unlock() })
	state := b.run(62 * time.Second)
	b.want("a: in", "b: sessions", "b: in")
	if before != 2 || state.Spent != 2 {
		t.Errorf("%d heard before the lease was over; spent %v", before, state.Spent)
	}
}

// While nobody waits, nothing is done: no timer, no look.
func TestLimiterRestsWhileNobodyWaits(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.acquire(0, "a", one)
	b.run(72 * time.Hour)
	if b.asked != 1 {
		t.Errorf("%d looks", b.asked)
	}
}

func TestLimiterWaitsForPullRequests(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	guard := task.Guard{Sessions: 1, PauseIfOpenPR: true}
	pull := signals.OpenPull{Workflow: "pull:1", Number: 1, URL: "https://example.com/1"}
	b.acquire(0, "a", guard)
	b.acquire(time.Second, "b", guard)
	b.acquire(2*time.Second, "c", task.Guard{Sessions: 2}) // minds no pull request, and is not held up by who does
	b.release(10*time.Second, "a", func(r *signals.ReleaseRequest) { r.Pull = &pull })
	b.release(time.Hour, "pull:1", func(r *signals.ReleaseRequest) { r.Closed = "pull:1" })
	b.world(activities.Reconciled{})
	b.after(59*time.Minute, func() { b.world(activities.Reconciled{Open: []signals.OpenPull{{Workflow: "pull:1"}}}) }) // still listed when it has said that it ends
	b.release(30*time.Minute, "c")
	b.run(2 * time.Hour)
	b.want("a: in", "b: sessions", "c: sessions", "c: in", "b: open_pull_request", // c waits for no pull request, and has the one place now
		"b: sessions", "b: open_pull_request", "b: in")
}

// A pull request that nobody follows any more is waited for until the forge says that it is closed.
func TestLimiterWaitsForWhatIsLeftOpen(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	guard := task.Guard{Sessions: 1, PauseIfOpenPR: true}
	pull := signals.OpenPull{Workflow: "pull:1", Number: 1, URL: "https://example.com/1"}
	left := signals.OpenPull{Task: "a", Number: 1, URL: "https://example.com/1"}
	b.acquire(0, "a", guard)
	b.acquire(time.Second, "b", guard)
	b.release(10*time.Second, "a", func(r *signals.ReleaseRequest) { r.Pull = &pull })
	b.world(activities.Reconciled{})
	b.release(time.Hour, "pull:1", func(r *signals.ReleaseRequest) { r.Closed, r.Pull = "pull:1", &left })
	b.after(2*time.Hour, func() { b.world(activities.Reconciled{Ended: []signals.OpenPull{left}}) })
	before := 0
	b.after(119*time.Minute, func() { b.mu.Lock(); before = len(b.heard); b.mu.Unlock() })
	b.run(4 * time.Hour)
	b.want("a: in", "b: sessions", "b: open_pull_request", "b: open_pull_request", "b: in")
	if before != 4 {
		t.Errorf("%d answers while it was open", before)
	}
}

// A pull request that nobody follows names the way out, and is dropped also when a worker of an earlier release reports its end.
func TestLimiterNamesTheWayOut(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	guard := task.Guard{Sessions: 1, PauseIfOpenPR: true}
	pull := signals.OpenPull{Task: "heartbeat:web:1", Number: 1, URL: "/srv/web, pull request 1"}
	b.acquire(0, "a", guard)
	b.release(10*time.Second, "a", func(r *signals.ReleaseRequest) { r.Pull = &pull })
	b.acquire(time.Minute, "b", guard)
	b.world(activities.Reconciled{})
	detail := ""
	b.after(2*time.Minute, func() {
		detail = b.answers["b"].Detail
		b.world(activities.Reconciled{Ended: []signals.OpenPull{{Number: pull.Number, URL: pull.URL}}})
	})
	b.run(2 * time.Hour)
	b.want("a: in", "b: open_pull_request", "b: in")
	if !strings.Contains(detail, "`longshift undo heartbeat:web:1`") {
		t.Errorf("it waits: %s", detail)
	}
}

// A pull request that people's own tasks have opened counts too, and so do their tasks.
func TestLimiterSeesWhatPassedItBy(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.world(activities.Reconciled{Others: 1, Open: []signals.OpenPull{{Workflow: "pull:9", URL: "https://example.com/9"}}})
	b.acquire(0, "a", task.Guard{Sessions: 1, PauseIfOpenPR: true})
	b.after(time.Minute, func() { b.world(activities.Reconciled{Open: []signals.OpenPull{{Workflow: "pull:9"}}}) })
	b.after(time.Hour, func() {
		b.world(activities.Reconciled{Ended: []signals.OpenPull{{Workflow: "pull:9", URL: "https://example.com/9"}}})
	})
	b.run(2 * time.Hour)
	b.want("a: sessions", "a: open_pull_request", "a: in")
}

// What is kept for those at work and what was spent never pass the day's limit; a new day begins at midnight, UTC.
func TestLimiterKeepsTheDaysMoney(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	guard := task.Guard{DailyCost: 50}
	money := func(usd float64) func(*signals.AcquireRequest) {
		return func(r *signals.AcquireRequest) { r.Budget = usd }
	}
	b.acquire(0, "a", guard, money(20))
	b.acquire(1*time.Second, "b", guard, money(20))
	b.acquire(2*time.Second, "c", guard, money(20))
	b.acquire(3*time.Second, "free", task.Guard{}, money(20))
	b.release(time.Minute, "a", func(r *signals.ReleaseRequest) { r.Spent = 15 }) // 15 + 20 kept + 20 > 50
	b.release(2*time.Minute, "b", func(r *signals.ReleaseRequest) { r.Spent = 5 })
	b.acquire(time.Hour, "big", guard, money(80))
	b.release(2*time.Hour, "c", func(r *signals.ReleaseRequest) { r.Spent = 20 })
	state := b.run(15 * time.Hour)
	b.want("a: in", "b: in", "c: daily_cost", "free: in", "c: in", "big: daily_cost", "big: in")
	if a := b.answers["big"]; a.Ceiling != 50 {
		t.Errorf("the whole day is %v", a.Ceiling)
	}
	if a := b.answers["c"]; a.Ceiling != 20 {
		t.Errorf("20 were asked for, %v are kept", a.Ceiling)
	}
	if state.Day != "2026-11-21" || state.Spent != 0 {
		t.Errorf("day %s, spent %v", state.Day, state.Spent)
	}
}

// One that has ended while it waited is passed over.
func TestLimiterPassesOverWhoHasGone(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.acquire(0, "a", one)
	b.acquire(time.Second, "b", one)
	b.acquire(2*time.Second, "c", one)
	b.release(3*time.Second, "b") // it was cancelled
	b.release(10*time.Second, "a")
	b.run(time.Minute)
	if got := b.heard[len(b.heard)-1]; got != "c: in" {
		t.Errorf("%s, heard %q", got, b.heard)
	}
}

func TestLimiterContinuesAsNew(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.acquire(0, "a", one)
	b.acquire(time.Second, "b", one)
	b.after(time.Minute, func() { b.env.SetContinueAsNewSuggested(true) })
	b.release(2*time.Minute, "nobody")
	b.env.ExecuteWorkflow(workflows.Limiter, (*signals.LimiterState)(nil))
	err := b.env.GetWorkflowError()
	if err == nil || !strings.Contains(err.Error(), "continue as new") {
		t.Fatalf("ended with %v", err)
	}
}

// Three tasks in a row that stop with errors are enough: no other one begins by itself, until one ends well or a person wants it.
func TestLimiterStopsAfterErrors(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	trouble := func(r *signals.ReleaseRequest) { r.Failed = true }
	for i, id := range []string{"a", "b", "c"} {
		at := time.Duration(i) * time.Minute
		b.acquire(at, id, one)
		b.release(at+time.Second, id, trouble)
	}
	b.acquire(5*time.Minute, "d", one)
	b.acquire(6*time.Minute, "person", one, func(r *signals.AcquireRequest) { r.Priority = signals.PriorityPerson })
	b.release(7*time.Minute, "person", func(r *signals.ReleaseRequest) { r.Succeeded = true })
	b.run(10 * time.Minute)
	b.want("a: in", "b: in", "c: in", "d: errors", "person: in", "d: in")
}

// A task that is resumed and stops again is one task with errors, and an end that goes well forgets all of them.
func TestLimiterCountsATaskOnce(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	trouble := func(r *signals.ReleaseRequest) { r.Failed = true }
	at := time.Duration(0)
	stops := func(id string) {
		b.acquire(at, id, one)
		b.release(at+time.Second, id, trouble)
		at += time.Minute
	}
	for range 3 {
		stops("a")
	}
	b.acquire(at, "b", one)
	b.release(at+time.Second, "b", func(r *signals.ReleaseRequest) { r.Succeeded = true })
	at += time.Minute
	for _, id := range []string{"a", "b", "c"} {
		stops(id)
	}
	b.acquire(at, "d", one)
	b.run(at + time.Minute)
	b.want("a: in", "a: in", "a: in", "b: in", "a: in", "b: in", "c: in", "d: errors")
}

// The limiter outlives a forge that says no, and admits those who wait for nothing of it.
func TestLimiterOutlivesAFailedReconciliation(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.fails = temporal.NewNonRetryableApplicationError("403", "LongshiftDenied", nil)
	b.acquire(0, "a", one)
	b.acquire(time.Second, "b", one)
	b.release(time.Minute, "a")
	b.run(10 * time.Minute)
	b.want("a: in", "b: sessions", "b: in")
}

// A late request of the intake does not bring back who has left; what replaces a task under its id pays for what was kept.
func TestLimiterAndThePast(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	b.refused = true
	guard := task.Guard{DailyCost: 50}
	b.acquire(0, "a", guard, func(r *signals.AcquireRequest) { r.Budget = 20 })
	b.release(time.Second, "a", func(r *signals.ReleaseRequest) { r.Spent = 1 })
	b.acquire(2*time.Second, "a", guard, func(r *signals.AcquireRequest) { r.Reserve = true })
	b.acquire(3*time.Second, "b", guard, func(r *signals.AcquireRequest) { r.Budget = 20 })
	b.acquire(4*time.Second, "b", guard, func(r *signals.AcquireRequest) { r.Run, r.Budget = "another", 20 })
	state := b.run(time.Minute)
	b.want("a: in", "a: refused", "b: in", "b: in")
	if state.Spent != 21 || len(state.Holders) != 1 {
		t.Errorf("spent %v, inside %+v", state.Spent, state.Holders)
	}
}

// Nobody overtakes one who waits for money with a smaller wish.
func TestLimiterKeepsTheOrderOfMoney(t *testing.T) {
	t.Parallel()
	b := newLimiterBench(t)
	money := func(usd float64) func(*signals.AcquireRequest) {
		return func(r *signals.AcquireRequest) { r.Budget = usd }
	}
	guard := task.Guard{DailyCost: 50}
	b.acquire(0, "a", guard, money(20))
	b.acquire(time.Second, "big", guard, money(40))
	b.acquire(2*time.Second, "small", guard, money(10))
	b.acquire(3*time.Second, "none left", guard, money(0))
	b.release(time.Hour, "a", func(r *signals.ReleaseRequest) { r.Spent = 5 })
	b.run(2 * time.Hour)
	b.want("a: in", "big: daily_cost", "small: daily_cost", "none left: in", "big: in")
}
