package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// actor is a host that a session of our own agent is carried out on. Each answer of its model is a list of calls: r reads, w does more, e is
// the last report, an empty one calls nothing, and "sum" is a summary.
type actor struct {
	env     *testsuite.TestWorkflowEnvironment
	answers []string
	asked   []activities.AskInput
	ran     []activities.RunInput
	ended   []activities.EndInput
	fail    func(step string, n int) error
	last    string
	gone    bool
	used    task.Usage // before this ask
	final   task.Usage // as the end of the ask says
	probes  int
}

func newActor(answers ...string) *actor {
	a := &actor{env: NewEnv(), answers: answers, fail: func(string, int) error { return nil }}
	for name, f := range map[string]any{"OpenSession": a.open, "AskModel": a.ask, "RunTools": a.run, "EndSession": a.end, "Probe": a.probe} {
		a.env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return a
}

func (a *actor) open(context.Context, activities.OpenInput) (activities.Opened, error) {
	return activities.Opened{Head: "begin", Said: &activities.Said{Text: "earlier words", Messages: 1}}, a.fail("open", 1)
}

func (a *actor) ask(_ context.Context, in activities.AskInput) (activities.ActResult, error) {
	a.asked = append(a.asked, in)
	if err := a.fail("ask", len(a.asked)); err != nil {
		return activities.ActResult{}, err
	}
	out := activities.ActResult{Head: fmt.Sprint("answer", in.N), Usage: task.Usage{CostUSD: 0.5}, Took: time.Minute}
	a.last, a.answers = a.answers[0], a.answers[1:]
	if a.last == "sum" {
		out.Summed = true
		return out, nil
	}
	for _, c := range a.last {
		out.Calls = append(out.Calls, activities.PlannedCall{Line: "call " + string(c), Read: c == 'r'})
	}
	out.Empty = a.last == ""
	return out, nil
}

func (a *actor) run(_ context.Context, in activities.RunInput) (activities.ActResult, error) {
	a.ran = append(a.ran, in)
	if err := a.fail("run", len(a.ran)); err != nil {
		return activities.ActResult{}, err
	}
	made := a.last[:in.Calls]
	a.last = a.last[in.Calls:]
	return activities.ActResult{Head: fmt.Sprint("results", in.N), Lines: strings.Split(made, ""), Ended: strings.Contains(made, "e"), Took: time.Minute}, nil
}

func (a *actor) end(_ context.Context, in activities.EndInput) (activities.SessionResult, error) {
	a.ended = append(a.ended, in)
	return activities.SessionResult{Kind: in.Kind, Error: in.Text, Head: in.Head, Duration: in.Duration, Turns: in.Turns, Usage: a.final}, nil
}

func (a *actor) probe(context.Context) (activities.Alive, error) {
	if a.probes++; a.gone {
		return activities.Alive{}, temporal.NewNonRetryableApplicationError("nobody", string(fault.Infra), nil)
	}
	return activities.Alive{}, nil
}

func (a *actor) play(t *testing.T, limits SessionLimits) (res activities.SessionResult, err error) {
	t.Helper()
	a.env.ExecuteWorkflow(AgentSession, SessionRun{Used: a.used, Open: activities.OpenInput{SessionInput: activities.SessionInput{ID: "s", Ask: 1, Model: "sonnet", CeilingUSD: 5}},
		Assignment: activities.Assignment{Host: "h", Heartbeat: time.Second, Probe: time.Second}, About: "session 2", Limits: limits})
	if err = a.env.GetWorkflowError(); err == nil {
		err = a.env.GetWorkflowResult(&res)
	}
	return res, err
}

var plenty = SessionLimits{Steps: 100, Time: time.Hour}

// TestAgentSessionIsSummarised asks again after a summary, and says what the summary did not take.
func TestAgentSessionIsSummarised(t *testing.T) {
	a := newActor("sum", "e")
	res, err := a.play(t, plenty)
	if err != nil || res.Kind != agent.Completed || res.Turns != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if again := a.asked[1]; again.Head != "answer1" || again.Said == nil || again.Said.Text != "earlier words" {
		t.Errorf("asked again with %+v", again)
	}
}

// TestAgentSession asks and makes calls in turn: those that read together, all others one by one.
func TestAgentSession(t *testing.T) {
	a := newActor("rrwrw", "e")
	a.env.RegisterDelayedCallback(func() {
		a.env.SignalWorkflow(signals.SessionTell, signals.SessionMessage{Text: "ann says: quick", N: 2})
	}, 0)
	res, err := a.play(t, plenty)
	if err != nil || res.Kind != agent.Completed || res.Turns != 2 || res.Duration != 7*time.Minute {
		t.Fatalf("%+v, %v", res, err)
	}
	var groups []int
	for _, r := range a.ran {
		groups = append(groups, r.Calls)
	}
	if !slices.Equal(groups, []int{2, 1, 1, 1, 1}) {
		t.Errorf("calls were made in groups of %v", groups)
	}
	said := a.asked[0].Said
	if said == nil || !strings.HasPrefix(said.Text, "earlier words") {
		t.Errorf("the model is told %+v first", said)
	}
	if told := fmt.Sprint(a.asked[0].Said, a.asked[1].Said); !strings.Contains(told, "ann says: quick") || strings.Count(told, "ann") != 1 {
		t.Errorf("the model is told %s", told)
	}
	if left := a.ran[0].Left; left != "[left: $4.50, 59m, 99 calls]" {
		t.Errorf("the model is told %q", left)
	}
}

// TestAgentSessionEnds says why a session ends that has not reported.
func TestAgentSessionEnds(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		limits  SessionLimits
		kind    agent.OutcomeKind
		text    string
	}{
		"silent":       {[]string{"", ""}, plenty, agent.Completed, ""},
		"silent twice": {[]string{"", "w", "", ""}, plenty, agent.Completed, ""},
		"steps":        {[]string{"ww", "ww"}, SessionLimits{Steps: 3, Time: time.Hour}, agent.Steps, "3 calls of tools"},
		"no loop":      {[]string{"rrr"}, SessionLimits{Steps: 1, Time: time.Hour}, agent.Steps, "1 calls of tools"},
		"time":         {[]string{"w", "w"}, SessionLimits{Steps: 100, Time: 3 * time.Minute}, agent.Turns, "the running time is used up"},
	} {
		a := newActor(c.answers...)
		res, err := a.play(t, c.limits)
		if err != nil || res.Kind != c.kind || res.Error != c.text || len(a.ended) != 1 {
			t.Errorf("%s: %+v, %v, ended %d times", name, res, err, len(a.ended))
		}
	}
}

// TestAgentSessionLosesItsWorker makes an act again when the worker is back, and tells the task how far it came when it is not.
func TestAgentSessionLosesItsWorker(t *testing.T) {
	lost := func(step string, n int) error {
		if step == "run" && n <= 6 { // as often as the test environment tries it, which knows no final errors
			return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_HEARTBEAT, nil)
		}
		return nil
	}
	a := newActor("w", "e")
	a.fail = lost
	if res, err := a.play(t, plenty); err != nil || res.Kind != agent.Completed || len(a.asked) != 2 || a.probes == 0 {
		t.Errorf("%+v, %v, asked %d times, %d probes", res, err, len(a.asked), a.probes)
	}
	if a.ran[0] != a.ran[6] {
		t.Errorf("the act was made again as another: %+v, %+v", a.ran[0], a.ran[6])
	}
	a = newActor("w", "e")
	a.fail, a.gone = lost, true
	_, err := a.play(t, plenty)
	p, ok := progressOf(err)
	inQuestion, _ := hostInQuestion(err)
	if !ok || p.Head != "answer1" || p.Usage.CostUSD != 0.5 || !inQuestion || len(a.ended) != 0 {
		t.Errorf("%v: %+v, in question %v, ended %d times", err, p, inQuestion, len(a.ended))
	}
	a = newActor("w", "e")
	a.fail = func(step string, n int) error {
		if step == "ask" {
			return temporal.NewNonRetryableApplicationError("the disk is full", string(fault.Infra), nil)
		}
		return nil
	}
	if _, err = a.play(t, plenty); kindOf(err) != fault.Infra || len(a.ended) != 1 {
		t.Errorf("%v, ended %d times", err, len(a.ended))
	}
}

// TestAgentSessionWaitsForASlot: an act that waits for a slot kills no worker, however often its worker is killed meanwhile.
func TestAgentSessionWaitsForASlot(t *testing.T) {
	for name, c := range map[string]struct {
		beat any
		lost bool
	}{"at work": {lost: true}, "waiting": {beat: signals.Heartbeat{Waiting: true}}} {
		a := newActor("w", "e")
		a.fail = func(step string, n int) error {
			if step == "ask" && n <= 60 {
				return temporal.NewHeartbeatTimeoutError(c.beat)
			}
			return nil
		}
		if res, err := a.play(t, plenty); c.lost != (err != nil) || !c.lost && res.Kind != agent.Completed {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}

// TestAgentSessionKeepsWhatWasUsed fails before the first answer of an ask, and is cancelled after one: neither lowers what the session has used.
func TestAgentSessionKeepsWhatWasUsed(t *testing.T) {
	a := newActor("w")
	a.used = task.Usage{CostUSD: 15}
	a.fail = func(step string, _ int) error {
		if step == "ask" {
			return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_HEARTBEAT, nil)
		}
		return nil
	}
	a.gone = true
	_, err := a.play(t, plenty)
	if p, ok := progressOf(err); !ok || p.Usage.CostUSD != 15 {
		t.Errorf("%v: %+v", err, p)
	}

	a = newActor("w", "w")
	a.final = task.Usage{CostUSD: 0.75}
	a.fail = func(step string, _ int) error {
		if step == "run" {
			a.env.CancelWorkflow()
		}
		return nil
	}
	_, err = a.play(t, plenty)
	if p, ok := progressOf(err); !temporal.IsCanceledError(err) || !ok || p.Usage.CostUSD != 0.75 || len(a.ended) != 1 {
		t.Errorf("%v: %+v, ended %d times", err, p, len(a.ended))
	}
}
