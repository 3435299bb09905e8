package workflows_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// arriving is a world with a limiter and a source.
type arriving struct {
	*world
	answer    func(activities.AcquireInput) signals.AcquireAnswer // in place of answers
	answers   []signals.AcquireAnswer                             // of the limiter, in order; the last one again and again
	acquired  []activities.AcquireInput
	released  []activities.ReleaseInput
	source    []activities.SourceInput
	asking    func() // called while the limiter is asked
	releasing func(in activities.ReleaseInput)
	refuse    func(in activities.SourceInput) error
	acts      []string   // what was done at limiter and source, in order
	mu        sync.Mutex // guards these lists and answer: a task asks two limiters beside each other
}

// note adds one to a list, and to the acts.
func note[T any](w *arriving, list *[]T, in T, act string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list, w.acts = append(*list, in), append(w.acts, act)
}

func newArriving(t *testing.T, answers ...signals.AcquireAnswer) *arriving {
	t.Helper()
	w := &arriving{world: newWorld(t), answers: answers}
	w.settings.Approval.Mode = task.ApprovalNone
	for name, f := range map[string]any{
		"AcquireAdmission": func(_ context.Context, in activities.AcquireInput) (signals.AcquireAnswer, error) {
			note(w, &w.acquired, in, "acquire")
			if w.asking != nil {
				w.asking()
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.answer != nil {
				return w.answer(in), nil
			}
			return w.answers[min(len(w.acquired), len(w.answers))-1], nil
		},
		"ReleaseAdmission": func(_ context.Context, in activities.ReleaseInput) error {
			note(w, &w.released, in, "release")
			if w.releasing != nil {
				w.releasing(in)
			}
			return nil
		},
		"ReportToSource": func(_ context.Context, in activities.SourceInput) error {
			note(w, &w.source, in, string(in.Stage))
			if w.refuse != nil {
				return w.refuse(in)
			}
			return nil
		},
	} {
		w.env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return w
}

var (
	letIn  = signals.AcquireAnswer{Limiter: "limiter:x", Admitted: true}
	waits  = signals.AcquireAnswer{Limiter: "limiter:x", Wait: signals.WaitSessions, Detail: "1 of 1 at work: a"}
	issue7 = `{"repository":"acme/web","task":"Resolve issue #7.","origin":{"intake":"web","source":"github","key":"7","label":"longshift","guard":{"sessions":1,"pauseIfOpenPR":true}}}`
	file1  = `{"repository":"/srv/web","task":"do it","origin":{"intake":"files","source":"backlog","key":"010.md","sum":"abc","guard":{"sessions":1}}}`
)

func TestTaskTakesItsTurn(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits)
	var queued signals.Status
	w.env.RegisterDelayedCallback(func() {
		queued = w.status(t)
		w.env.SignalWorkflow(signals.Admission, signals.AcquireAnswer{Limiter: "limiter:x", Wait: signals.WaitPull, Detail: "pull request #3"})
	}, time.Minute)
	var then signals.Status
	w.env.RegisterDelayedCallback(func() {
		then = w.status(t)
		w.env.SignalWorkflow(signals.Admission, signals.AcquireAnswer{Limiter: "limiter:x", Admitted: true, Ceiling: 5})
	}, 2*time.Minute)
	end := w.startWith(t, issue7)
	if queued.Phase != task.Queued || queued.Reason != "sessions" || !strings.Contains(queued.Detail, "1 of 1") || queued.NeedsHuman || queued.NextAction == "" {
		t.Errorf("while it waits: %+v", queued)
	}
	if then.Reason != "open_pull_request" || then.Detail != "pull request #3" {
		t.Errorf("then it waits for %s: %s", then.Reason, then.Detail)
	}
	if end.Outcome != task.PullRequest || end.Reason != "" || end.BudgetUSD != 5 {
		t.Errorf("ended %s, reason %q, budget %v", end.Outcome, end.Reason, end.BudgetUSD)
	}
	if !slices.ContainsFunc(end.Log, func(l signals.LogLine) bool {
		return strings.HasPrefix(l.Text, "the budget of $20.00 is cut to $5.00, ")
	}) {
		t.Errorf("that its budget is cut is not in the log: %+v", end.Log)
	}
	if want := []string{"acquire", "waits", "claimed", "release", "reported"}; !slices.Equal(w.acts, want) {
		t.Errorf("acts %q, want %q", w.acts, want)
	}
	if in := w.acquired[0].Request; in.Guard != (task.Guard{Sessions: 1, PauseIfOpenPR: true}) || in.Intake != "web" || in.Budget != task.DefaultBudget ||
		in.Priority != signals.PriorityIntake {
		t.Errorf("asked for %+v", in)
	}
	l := w.released[0].Request
	if l.Spent <= 0 || l.Spent != end.Usage.CostUSD || l.Pull == nil || l.Pull.Number != end.PullRequest.Number ||
		l.Pull.Task != end.WorkflowID {
		t.Errorf("left with %+v, spent %v", l, end.Usage.CostUSD)
	}
	if r := w.source[len(w.source)-1]; r.Outcome != task.PullRequest || r.PullRequest == "" || r.Origin.Key != "7" || r.TaskID != end.TaskID {
		t.Errorf("reported %+v", r)
	}
}

// The limiter's word may come before the answer to the question that asked for it.
func TestTurnComesBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits)
	w.asking = func() { w.env.SignalWorkflow(signals.Admission, letIn) }
	if end := w.startWith(t, issue7); end.Outcome != task.PullRequest {
		t.Errorf("ended %s", end.Outcome)
	}
}

// A limiter that was lost is asked again: the task does not wait for ever.
func TestTaskRemindsItsLimiter(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits, waits, letIn)
	end := w.startWith(t, issue7)
	if end.Outcome != task.PullRequest || len(w.acquired) != 3 {
		t.Errorf("ended %s after %d requests", end.Outcome, len(w.acquired))
	}
	if a, b := w.acquired[0], w.acquired[1]; a.N == b.N || a.Request.Run != b.Request.Run {
		t.Errorf("%+v and %+v must be two requests of one task", a, b)
	}
	if n := strings.Count(strings.Join(w.acts, " "), "waits"); n != 1 {
		t.Errorf("the source was told %d times that it waits", n)
	}
}

func TestWorkThatIsNotWantedAnyMore(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.refuse = func(in activities.SourceInput) error {
		if in.Stage == activities.Claimed {
			return temporal.NewNonRetryableApplicationError("the issue is closed", string(fault.Conflict), nil)
		}
		return nil
	}
	end := w.startWith(t, issue7)
	if end.Outcome != task.Declined || !strings.Contains(end.Detail, "closed") || len(end.Sessions) != 0 || w.takes != 0 {
		t.Errorf("ended %s: %s, %d sessions, %d hosts", end.Outcome, end.Detail, len(end.Sessions), w.takes)
	}
	if want := []string{"acquire", "claimed", "release"}; !slices.Equal(w.acts, want) {
		t.Errorf("acts %q, want %q: nothing is reported about work of others", w.acts, want)
	}
}

func TestAbandonedWhileQueued(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Abandon, signals.AbandonRequest{Reason: "not now"}) }, time.Minute)
	end := w.startWith(t, issue7)
	if want := []string{"acquire", "waits", "release", "reported"}; end.Outcome != task.Abandoned || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s, acts %q", end.Outcome, w.acts)
	}
	if l := w.released[0].Request; l.Spent != 0 || l.Pull != nil {
		t.Errorf("left with %+v", l)
	}
}

// A task that waits for a person lets others work; one that has run into a wall holds its place, so that the next one does not run
// into the same; and in a backlog an open question holds up what comes behind it.
func TestWhoYields(t *testing.T) {
	t.Parallel()
	limit := func(kind agent.OutcomeKind) func(activities.SessionInput) (activities.SessionResult, error) {
		first := true
		return func(activities.SessionInput) (activities.SessionResult, error) {
			if !first {
				return activities.SessionResult{}, nil
			}
			first = false
			return activities.SessionResult{Kind: kind}, nil
		}
	}
	question := func() func(activities.SessionInput) (activities.SessionResult, error) {
		first := true
		return func(activities.SessionInput) (activities.SessionResult, error) {
			if !first {
				return activities.SessionResult{}, nil
			}
			first = false
			return activities.SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportSpecIssue, Text: "which colour?"}}, nil
		}
	}
	for name, c := range map[string]struct {
		input  string
		agent  func(activities.SessionInput) (activities.SessionResult, error)
		check  func(n int) signals.Check // may be nil
		yields bool
	}{
		"issue, question":   {issue7, question(), nil, true},
		"backlog, question": {file1, question(), nil, false},
		"issue, quota":      {issue7, limit(agent.Quota), nil, false},
		"issue, its check is killed": {issue7, nil, func(n int) signals.Check {
			if n == 2 || n == 3 {
				return signals.Check{Unfinished: "ended by SIGKILL"}
			}
			return signals.Check{}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newArriving(t, letIn)
			w.agent = c.agent
			if c.check != nil {
				w.check = c.check
			}
			var parked signals.Status
			w.env.RegisterDelayedCallback(func() {
				parked = w.status(t)
				w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{Note: "blue"})
			}, time.Hour)
			end := w.startWith(t, c.input)
			want := []string{"acquire", "claimed", "release", "reported"}
			if c.yields {
				want = []string{"acquire", "claimed", "release", "acquire", "release", "reported"}
			}
			if end.Outcome != task.PullRequest || parked.Phase != task.Suspended || !slices.Equal(w.acts, want) {
				t.Errorf("ended %s, was %s, acts %q, want %q", end.Outcome, parked.Phase, w.acts, want)
			}
			if c.yields && (w.acquired[1].Request.Priority != signals.PriorityResume || w.acquired[1].Request.Guard.PauseIfOpenPR) {
				t.Errorf("what stands half done asked with %+v", w.acquired[1].Request)
			}
		})
	}
}

func TestRequiredApprovalHoldsNoPlace(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.settings.Approval.Mode = task.ApprovalRequired
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Approve, signals.ApproveRequest{}) }, 48*time.Hour)
	end := w.startWith(t, issue7)
	if want := []string{"acquire", "claimed", "release", "acquire", "release", "reported"}; end.Outcome != task.PullRequest || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s, acts %q", end.Outcome, w.acts)
	}
}

// A decision on the plan is shown at once, and the task waits for its turn after that.
func TestDecisionIsShownBeforeTheTurn(t *testing.T) {
	t.Parallel()
	for verb, c := range map[string]struct {
		payload any
		log     string
	}{
		signals.Approve: {signals.ApproveRequest{}, "approved"}, signals.Edit: {signals.EditRequest{Text: "shorter"}, "edit"},
	} {
		w := newArriving(t, letIn, waits)
		w.settings.Approval.Mode = task.ApprovalRequired
		w.rooms = []task.Room{slackRoom}
		w.record()
		w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(verb, c.payload) }, time.Hour)
		w.env.RegisterDelayedCallback(func() {
			at := slices.IndexFunc(w.notices, func(n signals.Notice) bool { return n.Subject == signals.SubjectPlan && n.Settled })
			if s := w.status(t); at < 0 || w.notices[at].Kind != c.log || s.Phase != task.Queued || s.NeedsHuman {
				t.Errorf("%s: the task is %s, people were told %s", verb, s.Phase, w.told())
			}
			w.env.SignalWorkflow(signals.Abandon, nil)
		}, 2*time.Hour)
		w.startWith(t, issue7)
	}
}

// The intake has asked for a place already: it is given back however early the task ends.
func TestPlaceIsGivenBackBeforeItWasAskedFor(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.noForge = temporal.NewNonRetryableApplicationError("no such forge", string(fault.Input), nil)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended { // the next one would meet the same
			t.Errorf("phase %s", s.Phase)
		}
		w.env.SignalWorkflow(signals.Abandon, signals.AbandonRequest{})
	}, time.Minute)
	end := w.startWith(t, issue7)
	if want := []string{"release"}; end.Outcome != task.Abandoned || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s, acts %q", end.Outcome, w.acts)
	}
}

// What is wrong with the surroundings stops what came by itself, and holds its place: it does not fail one after the other.
func TestArrivingWorkIsSuspendedWhereOthersFail(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	broken := true
	w.world.prepare = func(activities.PrepareInput) error {
		if broken {
			return temporal.NewNonRetryableApplicationError("branch release is not there", string(fault.NotFound), nil)
		}
		return nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || !strings.Contains(s.Detail, "release") {
			t.Errorf("phase %s: %s", s.Phase, s.Detail)
		}
		broken = false
		w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{})
	}, time.Hour)
	end := w.startWith(t, issue7)
	if want := []string{"acquire", "claimed", "release", "reported"}; end.Outcome != task.PullRequest || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s, acts %q", end.Outcome, w.acts)
	}
}

// A resume of a task that waits lets it go before what has come by itself.
func TestResumeWhileQueued(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits, letIn)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{AddCost: 5}) }, time.Minute)
	end := w.startWith(t, issue7)
	if len(w.acquired) != 2 || w.acquired[1].Request.Priority != signals.PriorityPerson || w.acquired[1].Request.Guard.PauseIfOpenPR ||
		w.acquired[1].Request.Budget != task.DefaultBudget+5 {
		t.Errorf("asked with %+v", w.acquired)
	}
	if end.Outcome != task.PullRequest || end.BudgetUSD != task.DefaultBudget+5 {
		t.Errorf("ended %s with a budget of %v", end.Outcome, end.BudgetUSD)
	}
}

// What is added before the settings are known does not pass the operator's limit.
func TestResumeWhileQueuedIsLimited(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits, letIn)
	w.most = task.DefaultBudget + 2
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{AddCost: 500}) }, time.Minute)
	if end := w.startWith(t, issue7); end.Outcome != task.PullRequest || end.BudgetUSD != w.most {
		t.Errorf("ended %s with a budget of %v, of at most %v", end.Outcome, end.BudgetUSD, w.most)
	}
}

// What a person adds to a task at work does not pass what its limiter has reserved, whether its settings are known or not.
func TestAddedMoneyIsReserved(t *testing.T) {
	t.Parallel()
	kept := signals.AcquireAnswer{Limiter: "limiter:x", Admitted: true, Ceiling: 7}
	w := newArriving(t, kept)
	w.asking = func() { w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{AddCost: 5}) }
	var said *answer
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		if said == nil {
			said = w.update(signals.Resume, signals.ResumeRequest{AddCost: 5})
		}
		return activities.SessionResult{}, nil
	}
	end := w.startWith(t, issue7)
	if end.Outcome != task.PullRequest || end.BudgetUSD != 7 {
		t.Errorf("ended %s with a budget of %v", end.Outcome, end.BudgetUSD)
	}
	if !strings.Contains(said.ack.Text, "a day's cost leaves it $7.00") {
		t.Errorf("who has added hears %+v", said)
	}
}

// An abandon that comes while the claim is on its way leaves nothing claimed.
func TestAbandonedWhileClaiming(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.refuse = func(in activities.SourceInput) error {
		if in.Stage == activities.Claimed {
			w.env.SignalWorkflow(signals.Abandon, signals.AbandonRequest{})
		}
		return nil
	}
	end := w.startWith(t, issue7)
	if want := []string{"acquire", "claimed", "release", "reported"}; end.Outcome != task.Abandoned || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s, acts %q", end.Outcome, w.acts)
	}
}

// Whoever waits at the limiter of the whole installation holds no place at the repository's.
func TestWaitsAtOneLimiterOnly(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.checked = activities.Checked{Shared: true}
	all := signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Wait: signals.WaitCost, Detail: "no money"}
	w.answer = func(in activities.AcquireInput) signals.AcquireAnswer {
		if in.All {
			return all
		}
		return letIn
	}
	w.env.RegisterDelayedCallback(func() {
		if len(w.released) != 1 || w.released[0].All {
			t.Errorf("while it waits it has left %+v", w.released)
		}
		all = signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Admitted: true, Ceiling: 7}
		w.env.SignalWorkflow(signals.Admission, all)
	}, time.Minute)
	end := w.startWith(t, issue7)
	if want := []string{"acquire", "acquire", "release", "waits", "acquire", "claimed", "release", "release", "reported"}; end.Outcome != task.PullRequest ||
		end.BudgetUSD != 7 || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s with a budget of %v, acts %q", end.Outcome, end.BudgetUSD, w.acts)
	}
}

// Whoever waits for one limiter waits for no other one: that could admit the task unheard, and keep money for it.
func TestWaitsForOneOnly(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.checked = activities.Checked{Shared: true}
	repository, all := letIn, signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Wait: signals.WaitCost, Detail: "no money"}
	w.answer = func(in activities.AcquireInput) signals.AcquireAnswer {
		if in.All {
			return all
		}
		return repository
	}
	w.env.RegisterDelayedCallback(func() { // it asks again, and now there is no place
		repository = waits
		w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{})
	}, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if last := w.released[len(w.released)-1]; len(w.released) != 2 || !last.All {
			t.Errorf("while it waits for the repository it has left %+v", w.released)
		}
		repository, all = letIn, signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Admitted: true}
		w.env.SignalWorkflow(signals.Admission, letIn)
	}, 2*time.Minute)
	if end := w.startWith(t, issue7); end.Outcome != task.PullRequest {
		t.Errorf("ended %s, acts %q", end.Outcome, w.acts)
	}
}

// An admission that comes while the task gives another one back is heard.
func TestAdmittedWhileItReleases(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.checked = activities.Checked{Shared: true}
	asked := 0
	w.answer = func(in activities.AcquireInput) signals.AcquireAnswer {
		if asked++; in.All && asked < 4 {
			return signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Wait: signals.WaitCost, Detail: "no money"}
		}
		return letIn
	}
	w.releasing = func(in activities.ReleaseInput) {
		if !in.All && asked == 2 {
			w.env.SignalWorkflow(signals.Admission, signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Admitted: true, Ceiling: 7})
		}
	}
	began := w.env.Now()
	end := w.startWith(t, issue7)
	if end.Outcome != task.PullRequest || end.BudgetUSD != 7 || asked != 3 || w.env.Now().Sub(began) > 10*time.Minute {
		t.Errorf("ended %s with a budget of %v after %s, asked %d times, acts %q", end.Outcome, end.BudgetUSD, w.env.Now().Sub(began), asked, w.acts)
	}
}

// passed is what a task that was admitted hands over.
func passed(f *signals.PullRequestInput) {
	f.Limiter = "limiter:x"
	f.Input.Origin = &task.Origin{Intake: "web", Source: "github", Key: "7", Guard: &task.Guard{Sessions: 1, PauseIfOpenPR: true}}
}

// A round waits for its turn too, and works on what there is to do then. What becomes of it is told at the pull request, not at the source.
func TestRoundTakesItsTurn(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits, letIn)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Queued || s.Reason != "sessions" {
			t.Errorf("phase %s, reason %s", s.Phase, s.Reason)
		}
		w.env.SignalWorkflow(signals.Admission, letIn)
	}, 10*time.Minute)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at < 5*time.Minute:
			return open(thread(11, "rename it")) // settled by somebody else before the turn comes
		case at < 2*time.Hour || len(w.replies) > 0 && at < 4*time.Hour:
			return open()
		case at < 4*time.Hour:
			return open(thread(12, "why?"))
		}
		return merged()
	}, passed)
	if s.Outcome != task.PullMerged || s.Rounds != 1 || len(w.source) != 0 {
		t.Errorf("ended %s after %d rounds; the source was told %+v", s.Outcome, s.Rounds, w.source)
	}
	for _, in := range w.asked {
		if f := in.Prompt.Feedback; f != nil && f.Text == "rename it" {
			t.Error("what was settled was worked on")
		}
	}
	if p := w.acquired[0].Request; p.Priority != signals.PriorityResume || p.Guard.PauseIfOpenPR {
		t.Errorf("asked for %+v", p)
	}
	if last := w.released[len(w.released)-1]; last.Limiter != "limiter:x" || last.Request.Closed == "" {
		t.Errorf("at the end it said %+v", last)
	}
}

// A pull request that nobody follows any more keeps others waiting while it is open.
func TestFollowerLeavesAnOpenPullRequest(t *testing.T) {
	t.Parallel()
	left := &signals.OpenPull{Task: "task-1", Repository: task.Repository{Text: "acme/calc", Owner: "acme", Name: "calc"}, Number: 7,
		URL: "https://forge.example/acme/calc/pull/7"}
	for outcome, want := range map[task.Outcome]*signals.OpenPull{task.Abandoned: left, task.PullClosed: nil, task.PullMerged: nil} {
		w := newArriving(t)
		if outcome == task.Abandoned {
			w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Abandon, signals.AbandonRequest{}) }, time.Minute)
		}
		s := w.lookAfter(t, until(time.Hour, open(), map[task.Outcome]forge.Snapshot{
			task.Abandoned: open(), task.PullClosed: {State: forge.Closed}, task.PullMerged: merged()}[outcome]), passed)
		r := w.released[len(w.released)-1].Request
		if s.Outcome != outcome || r.Closed != r.Workflow || r.Closed == "" || !reflect.DeepEqual(r.Pull, want) {
			t.Errorf("ended %s, not %s, and told the limiter %+v with %+v", s.Outcome, outcome, r, r.Pull)
		}
	}
}

// A merge in the middle of a round gives the place back, with what it has cost.
func TestMergeGivesThePlaceBack(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		return activities.SessionResult{}, temporal.NewNonRetryableApplicationError("away", string(fault.Denied), nil) // so it is suspended, in the round
	}
	s := w.lookAfter(t, until(time.Hour, open(thread(11, "rename it")), merged()), passed)
	if want := []string{"acquire", "release", "release"}; s.Outcome != task.PullMerged || !slices.Equal(w.acts, want) {
		t.Errorf("ended %s, acts %q, want %q", s.Outcome, w.acts, want)
	}
}

// Money that is limited for the whole installation is limited for rounds too, where nothing limits the repository.
func TestRoundAsksWhatLimitsEverything(t *testing.T) {
	t.Parallel()
	all := signals.AcquireAnswer{Limiter: signals.LimiterOfAll, Admitted: true}
	w := newArriving(t, all)
	w.checked, w.follow = activities.Checked{Shared: true}, true
	handedOver := w.handedOver()
	w.startWith(t, `{"repository":"acme/web","task":"do it"}`)
	if handedOver.Limiter != signals.LimiterOfAll {
		t.Errorf("who follows is told of the limiter %q", handedOver.Limiter)
	}
	w = newArriving(t, all)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 4*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(thread(11, "rename it"))
	}, func(f *signals.PullRequestInput) { f.Limiter, f.Shared = handedOver.Limiter, handedOver.Shared })
	if want := []string{"acquire", "release"}; s.Rounds != 1 || !slices.Equal(w.acts, want) || !w.acquired[0].All || w.released[0].Request.Spent == 0 {
		t.Errorf("%d rounds, acts %q, want %q; asked %+v, left %+v", s.Rounds, w.acts, want, w.acquired, w.released)
	}
}

// Failures stop the intakes of their repository alone.
func TestFailureIsToldToTheRepositoryOnly(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.checked = activities.Checked{Shared: true}
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		return activities.SessionResult{Kind: agent.Quota, Error: "the week is used up"}, nil
	}
	w.settings.Quota = "end"
	w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(issue7))
	if w.env.GetWorkflowError() == nil || len(w.released) != 2 {
		t.Fatalf("ended well, left %+v", w.released)
	}
	for _, in := range w.released {
		if in.Request.Failed == in.All {
			t.Errorf("a limiter is told %+v, all: %t", in.Request, in.All)
		}
	}
}

// A run that ends for the next one gives back what that would not know of.
func TestNextRunIsOwedNothing(t *testing.T) {
	t.Parallel()
	w := newArriving(t, waits, letIn)
	w.look = func(int) (forge.Snapshot, error) { // what there was to do is settled when its turn comes
		if len(w.acquired) == 0 {
			return open(thread(11, "rename it")), nil
		}
		return open(), nil
	}
	w.env.RegisterDelayedCallback(func() {
		w.env.SetContinueAsNewSuggested(true)
		w.env.SignalWorkflow(signals.Admission, letIn)
	}, 10*time.Minute)
	in := w.handover()
	passed(&in)
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, in)
	handed[signals.PullRequestInput](t, w.world)
	if want := []string{"acquire", "release"}; !slices.Equal(w.acts, want) {
		t.Errorf("acts %q, want %q", w.acts, want)
	}
}

// Whoever waits for an answer about a command lets others work, and has its turn again before new work.
func TestCommandHoldsNoPlace(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn)
	w.settings.Approval.Mode = task.ApprovalAuto
	needs(w.world)
	w.env.RegisterDelayedCallback(func() { w.askFor("aaaa1111", "terraform plan") }, 5*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if want := []string{"acquire", "claimed", "release"}; !slices.Equal(w.acts, want) {
			t.Errorf("while it waits: acts %q, want %q", w.acts, want)
		}
		w.update(signals.Allow, signals.AllowRequest{Question: "aaaa"})
	}, 3*time.Hour)
	end := w.startWith(t, issue7)
	want := []string{"acquire", "claimed", "release", "acquire", "release", "reported"}
	if end.Outcome != task.PullRequest || !slices.Equal(w.acts, want) || w.acquired[1].Request.Priority != signals.PriorityResume {
		t.Errorf("ended %s, acts %q, want %q; asked with %+v", end.Outcome, w.acts, want, w.acquired)
	}
}

// An answer for one run holds longer by the time for which the task waits for its turn, in which no session can use it.
func TestAnswerHoldsWhileTheTaskWaits(t *testing.T) {
	t.Parallel()
	w := newArriving(t, letIn, waits)
	w.settings.Approval.Mode = task.ApprovalAuto
	n := 0
	var again *asked
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Implementer {
			return activities.SessionResult{}, nil
		}
		if n++; n == 1 {
			return activities.SessionResult{Kind: agent.NeedsApproval, Error: "a person has been asked"}, nil
		}
		if n == 2 {
			again = w.askFor("aaaa1111", "terraform plan")
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() { w.askFor("aaaa1111", "terraform plan") }, 5*time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Allow, signals.AllowRequest{Question: "aaaa"}) }, 3*time.Hour)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Admission, letIn) }, 20*time.Hour)
	end := w.startWith(t, issue7)
	if end.Outcome != task.PullRequest || again == nil || again.answer.Verdict != signals.Yes {
		t.Errorf("ended %s, the session was told %+v", end.Outcome, again)
	}
}
