package workflows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

func unanswered() error { return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil) }

// losesHost has the task's first host go during the first session in a role. Another one takes the task over.
func (w *world) losesHost(during task.Role) {
	w.hosts, w.probe = []string{"alpha", "beta"}, unanswered
	gone := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == during && !gone {
			gone = true
			return activities.SessionResult{}, stopping()
		}
		return activities.SessionResult{}, nil
	}
}

// atSecond is a host that goes during the second run of a command.
func atSecond(_ string, n int) error {
	if n == 2 {
		return stopping()
	}
	return nil
}

func TestWorkLostBeforeItsCommitIsDoneAgain(t *testing.T) {
	w := newWorld(t)
	w.hosts = []string{"alpha", "beta"}
	w.probe = unanswered
	lost := false
	w.commit = func(in activities.CommitInput) (activities.Committed, error) {
		switch {
		case !lost:
			lost = true
			return activities.Committed{}, stopping()
		case in.Session == 2: // on the new host there is nothing of that session
			return activities.Committed{Commit: "base"}, nil
		}
		return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piiir" {
		t.Errorf("outcome %s, sessions %s: the first deliverable must be done again", s.Outcome, w.roles())
	}
	if again := w.asked[2].Prompt.Deliverable; again.ID != "FIX-001" {
		t.Errorf("after the move came %s", again.ID)
	}
}

// cutOff has implementers cut off so often. The environment tries each six times, where the server gives the first cut back at once.
func (w *world) cutOff(times int) {
	cuts := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && cuts < 6*times {
			cuts++
			return activities.SessionResult{}, temporal.NewHeartbeatTimeoutError()
		}
		return activities.SessionResult{}, nil
	}
}

func TestAStepThatKillsItsWorkerAsksAPerson(t *testing.T) {
	w := newWorld(t)
	w.cutOff(6)
	asked := false
	w.env.RegisterDelayedCallback(func() {
		asked = true
		if s := w.status(t); s.Reason != signals.ReasonInfra || !strings.Contains(s.Detail, "the worker was lost") {
			t.Errorf("%s %s", s.Phase, s.Detail)
		}
		w.env.SignalWorkflow(signals.Resume, nil)
	}, 6*time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || !asked {
		t.Errorf("outcome %s, a person was asked: %v", s.Outcome, asked)
	}
}

// The server was away, again and again: that is nobody's failure, and no person is asked.
func TestOutagesOfTheServerAreNotCharged(t *testing.T) {
	w := newWorld(t)
	w.outage = true
	w.cutOff(8)
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.takes != 1 {
		t.Errorf("outcome %s, taken %d times", s.Outcome, w.takes)
	}
	said := 0
	for _, l := range s.Log {
		if l.Kind == "host" && strings.Contains(l.Text, "did not reach the server") {
			said++
		}
	}
	if said != 8 {
		t.Errorf("%d lines say why: %v", said, s.Log)
	}
}

func TestAQuotaResetInThePastIsNoCircle(t *testing.T) {
	w := newWorld(t)
	asks := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && asks < 3 {
			asks++
			return activities.SessionResult{Kind: agent.Quota, Reset: w.env.Now().Add(-time.Hour)}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.settings.Approval.Mode = "none"
	begun := w.env.Now()
	w.start(t)
	if took := w.env.Now().Sub(begun); took < 7*time.Minute {
		t.Errorf("three quotas were waited out in %s, want one, two and four minutes", took)
	}
}

// The reviewer is shown what is committed, and its check has run.
func TestFailedCommitIsMadeUpBeforeTheReview(t *testing.T) {
	w := newWorld(t)
	tries, checks := 0, 0
	w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
		if in.Role == task.Reviewer && (tries != 4 || w.checks == checks) {
			t.Errorf("the reviewer is asked after %d tries to commit and %d checks, %d before the last commit", tries, w.checks, checks)
		}
		return res, nil
	}
	w.commit = func(in activities.CommitInput) (activities.Committed, error) {
		if tries++; tries == 2 || tries == 3 {
			return activities.Committed{Commit: "c", Failed: "no space"}, nil
		}
		checks = w.checks
		return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Reason != signals.ReasonInfra || len(w.requests) != 0 {
			t.Errorf("%s %s, %d pull requests", s.Phase, s.Detail, len(w.requests))
		}
		w.env.SignalWorkflow(signals.Resume, nil)
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || tries != 4 {
		t.Errorf("outcome %s after %d tries to commit", s.Outcome, tries)
	}
}

// Work that is refused is the reviewer's business. What is approved without it is approved again with it, and a person is asked before.
func TestRefusedWorkIsReviewed(t *testing.T) {
	for name, c := range map[string]struct {
		mended   int // review after which a session mends it; 0 for never
		sessions string
		asked    bool
		late     bool // it is refused when its commit is made up, and failed for another reason before
	}{
		"asked for changes": {mended: 1, sessions: "piirpir"}, "refused late": {mended: 1, sessions: "piirpir", late: true},
		"approved nonetheless": {sessions: "piirr", asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.FixAttempts, w.settings.Approval.Mode = 0, task.ApprovalNone
			refused, reviews := true, 0
			w.agent = func(in activities.SessionInput) (res activities.SessionResult, err error) {
				if in.Role == task.Planner && reviews > 0 {
					res = well(in)
					res.Plan = aPlan("FIX-003")
				}
				if in.Role != task.Reviewer {
					return res, nil
				}
				if reviews++; !strings.Contains(in.Prompt.Refused, "big.bin") == refused {
					t.Errorf("review %d is told %q", reviews, in.Prompt.Refused)
				}
				if res = well(in); reviews == c.mended {
					res.Review, refused = &task.Review{Text: "big.bin is too large"}, false
				}
				return res, nil
			}
			w.commit = func(activities.CommitInput) (activities.Committed, error) {
				if refused {
					return activities.Committed{Failed: "big.bin has 60 MB", Refused: !c.late || len(w.commits) > 2}, nil
				}
				return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
			}
			asked := false
			w.env.RegisterDelayedCallback(func() {
				if w.env.IsWorkflowCompleted() {
					return
				}
				s := w.status(t)
				asked, refused = s.NeedsHuman && s.Reason == signals.ReasonUnfit && len(w.requests) == 0, false
				w.env.SignalWorkflow(signals.Resume, nil)
			}, time.Hour)
			if s := w.start(t); s.Outcome != task.PullRequest || w.roles() != c.sessions || asked != c.asked {
				t.Errorf("outcome %s after %s, a person was asked: %v\n%s", s.Outcome, w.roles(), asked, logText(s))
			}
		})
	}
}

func TestCostsOfEachHostCountOnce(t *testing.T) {
	w := newWorld(t)
	w.hosts = []string{"alpha", "beta"}
	w.probe = unanswered
	cut := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && !cut {
			cut = true
			beat := signals.Heartbeat{Session: in.ID, Usage: task.Usage{CostUSD: 3}}
			return activities.SessionResult{}, temporal.NewNonRetryableApplicationError("stopping", string(fault.Stopping), nil, "", beat)
		}
		return activities.SessionResult{}, nil
	}
	s := w.start(t)
	if got := s.Usage.CostUSD; got < 3.0399 || got > 3.0401 {
		t.Errorf("cost %v, want 3 on the host that went and 0.04 on the other", got)
	}
	if c := w.asked[2].CeilingUSD; c > 17 {
		t.Errorf("the new host may spend %v of what is left", c)
	}
}

// The running time of an attempt that failed counts, as often as the session is asked again, and once for a host.
func TestTimeOfFailedAsksCounts(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = task.ApprovalNone
	w.settings.Budget.Time = task.Duration(2 * time.Hour)
	n := 0
	var walls []time.Duration
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Implementer {
			return activities.SessionResult{}, nil
		}
		walls = append(walls, in.Wall.Round(time.Minute))
		beat := signals.Heartbeat{Session: in.ID, Worked: 30 * time.Minute}
		switch n++; n {
		case 1, 3: // the worker is restarted, and goes on with the ask
			return activities.SessionResult{}, temporal.NewNonRetryableApplicationError("stopping", string(fault.Stopping), nil, "", beat)
		case 2, 4: // the model is away
			beat.Worked = 40 * time.Minute
			return activities.SessionResult{}, temporal.NewNonRetryableApplicationError("away", string(fault.Infra), nil, "", beat)
		}
		return activities.SessionResult{}, nil
	}
	s := w.start(t)
	if got := fmt.Sprint(walls[:5]); got != "[1h59m0s 1h59m0s 1h19m0s 1h19m0s 39m0s]" {
		t.Errorf("walls %s", got)
	}
	if s.Outcome != task.PullRequest || s.Worked < 80*time.Minute || s.Worked > 90*time.Minute {
		t.Errorf("outcome %s, worked %s", s.Outcome, s.Worked)
	}
}

// The running time of Longshift's own agent counts once when its host is lost: the session tells it, and the heartbeat of the act that was cut off.
func TestTimeOfLostSessionCountsOnce(t *testing.T) {
	w := newWorld(t)
	w.settings.Agent, w.settings.Approval.Mode = task.AgentNative, task.ApprovalNone
	w.hosts, w.probe = []string{"alpha", "beta"}, unanswered
	lost := false
	w.env.RegisterWorkflowWithOptions(func(_ workflow.Context, run workflows.SessionRun) (activities.SessionResult, error) {
		in := run.Open.SessionInput
		if in.Role != task.Implementer || lost {
			return well(in), nil
		}
		lost = true
		beat := signals.Heartbeat{Session: in.ID, Worked: 40 * time.Minute}
		return activities.SessionResult{}, temporal.NewApplicationErrorWithOptions("lost", string(fault.Infra), temporal.ApplicationErrorOptions{
			NonRetryable: true, Cause: temporal.NewHeartbeatTimeoutError(beat),
			Details: []any{"", workflows.SessionProgress{Head: "answer1", Worked: 30 * time.Minute}}})
	}, workflow.RegisterOptions{Name: signals.AgentSession})
	if s := w.start(t); s.Outcome != task.PullRequest || s.Worked < 30*time.Minute || s.Worked > 40*time.Minute {
		t.Errorf("outcome %s, worked %s", s.Outcome, s.Worked)
	}
}

func TestResumeHasBounds(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var refused []*answer
	w.env.RegisterDelayedCallback(func() {
		for _, r := range []signals.ResumeRequest{{AddCost: -1}, {AddCost: 1e9}, {AddTime: "2562047h"}, {AddTime: "-5m"}, {AddTime: "soon"}} {
			refused = append(refused, w.update(signals.Resume, r))
		}
	}, time.Minute)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Approve, nil) }, time.Hour)
	s := w.start(t)
	for i, a := range refused {
		if a.refused == nil {
			t.Errorf("resume %d was taken", i)
		}
	}
	if s.BudgetUSD != 20 || s.BudgetTime != 2*time.Hour {
		t.Errorf("budget %v, %s", s.BudgetUSD, s.BudgetTime)
	}
}

// A resume that leaves the money or the running time used up is refused with what lifts it; the task stays suspended until one does.
func TestResumeLiftsWhatIsUsedUp(t *testing.T) {
	dear, long := activities.SessionResult{Kind: agent.Budget}, activities.SessionResult{Kind: agent.Turns, Duration: 100 * time.Minute}
	dear.Usage.CostUSD = 6.5
	both := long
	both.Usage = dear.Usage
	for name, c := range map[string]struct {
		used  activities.SessionResult
		most  float64
		tries []signals.ResumeRequest // all but the last one are refused
		says  string
		hint  string
		end   task.Outcome
	}{
		"money": {dear, 0, []signals.ResumeRequest{{}, {AddTime: "9h"}, {AddCost: 1.5}, {AddCost: 1.6}},
			"addCost 1.5: $6.51 of $5.00 are used", "`--add-cost 6`", task.PullRequest},
		"time": {long, 0, []signals.ResumeRequest{{}, {AddCost: 9}, {AddTime: "40m"}, {AddTime: "50m"}},
			"addTime 40m: 1h41m1s of 1h of running time are used", "`--add-time 1h`", task.PullRequest},
		"both": {both, 0, []signals.ResumeRequest{{AddTime: "1h"}, {AddCost: 5}, {AddCost: 5, AddTime: "1h"}},
			"addTime 0s: 1h41m1s of 1h of running time are used", "`--add-time 1h`", task.PullRequest},
		"the operator's": {dear, 6, []signals.ResumeRequest{{AddCost: 5}, {}},
			"addCost 5: $6.51 of $5.00 are used", "operator allows $6.00 in all", task.Abandoned},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.settings.Budget.Cost, w.settings.Budget.Time, w.most = 5, task.Duration(time.Hour), c.most
			w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				if in.N == 2 && in.Ask == 1 {
					return c.used, nil
				}
				return activities.SessionResult{}, nil
			}
			refused, last := c.tries[:len(c.tries)-1], c.tries[len(c.tries)-1]
			answers := make([]*answer, len(refused))
			for i, r := range refused {
				w.env.RegisterDelayedCallback(func() { answers[i] = w.update(signals.Resume, r) }, time.Hour+time.Duration(i)*time.Minute)
			}
			w.env.RegisterDelayedCallback(func() {
				if c.end == task.Abandoned {
					w.update(signals.Abandon, nil)
				}
				w.update(signals.Resume, last)
			}, 2*time.Hour)
			s := w.start(t)
			if s.Outcome != c.end || strings.Count(logText(s), "suspended") != 1 {
				t.Errorf("outcome %s:\n%s", s.Outcome, logText(s))
			}
			for i, a := range answers {
				if a == nil || a.refused == nil {
					t.Fatalf("%+v was taken: %+v", refused[i], a)
				}
			}
			var app *temporal.ApplicationError
			var hint string
			if err := answers[len(answers)-1].refused; !errors.As(err, &app) || app.Details(&hint) != nil ||
				!strings.HasPrefix(app.Message(), c.says) || !strings.Contains(hint, c.hint) {
				t.Errorf("refused with %v; %s", err, hint)
			}
		})
	}
}

func TestNothingIsAskedOfPeopleOnceATaskHasEnded(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	w.env.RegisterDelayedCallback(func() { w.update(signals.Abandon, signals.AbandonRequest{}) }, time.Hour)
	if s := w.start(t); s.NeedsHuman || s.NextAction != "" || !s.WaitingUntil.IsZero() {
		t.Errorf("needs human %v: %s", s.NeedsHuman, s.NextAction)
	}
}

func TestWhatPeopleSaidHoldsAfterASpecIssue(t *testing.T) {
	w := newWorld(t)
	asked := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && !asked {
			asked = true
			return activities.SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportSpecIssue, Text: "which?"}}, nil
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Approve, signals.ApproveRequest{Comment: "leave api.go alone"}) }, time.Minute)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, signals.ResumeRequest{Note: "the first"}) }, time.Hour)
	w.start(t)
	if tells := w.asked[2].Prompt.Messages; len(tells) != 2 || tells[0].Text != "leave api.go alone" || tells[1].Text != "the first" {
		t.Errorf("told %+v", tells)
	}
}

// What is to be known of a workspace is told once, however often the workspace is made: to every session, in the log, in the pull request.
func TestNotesOfTheWorkspaceAreTold(t *testing.T) {
	w := newWorld(t)
	w.hosts, w.probe, w.notes = []string{"alpha", "beta"}, unanswered, []string{"submodules that could not be filled: part"}
	lost := false
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if !lost {
			lost = true
			return activities.Committed{}, stopping()
		}
		return activities.Committed{Commit: "c", Created: true, Files: 1, Notes: w.notes}, nil
	}
	s := w.start(t)
	for _, in := range w.asked {
		n := 0
		for _, e := range in.Prompt.Progress {
			if e.Kind == string(task.Note) && e.Text == w.notes[0] {
				n++
			}
		}
		if n != 1 {
			t.Errorf("session %d (%s) was told %d times", in.N, in.Role, n)
		}
	}
	n := 0
	for _, line := range s.Log {
		if line.Kind == "note" {
			n++
		}
	}
	if w.takes != 2 || n != 1 || !slices.Equal(w.request(t).Summary.Notes, w.notes) {
		t.Errorf("%d hosts, %d lines in the log, the pull request notes %q", w.takes, n, w.request(t).Summary.Notes)
	}
}
