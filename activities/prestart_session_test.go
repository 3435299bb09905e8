package activities

import (
	"context"
	"net/http"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// The session takes over the endpoint of its prestarted agent, with its own limit of cost.
func TestRunAgentTakesTheEarlyAgent(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, nil)
	for _, c := range []struct {
		before, now float64
		status      int
	}{{-1, 5, http.StatusOK}, {5, -1, http.StatusPaymentRequired}} {
		in := b.session(task.Implementer, "script")
		next := in
		next.CeilingUSD = c.before
		b.prestarter.start(t.Context(), &next)
		e := b.prestarted(in.ID)
		warm, _ := w.waits(in.ID)
		status := 0
		w.play = func(ctx context.Context, s agent.Session, _ func(agent.Event)) (out agent.Outcome, err error) {
			if s.BaseURL != warm.BaseURL || s.Token != warm.Token || s.System != warm.System || s.Prompt == "" {
				t.Errorf("run with %+v, warmed with %+v", s, warm)
			}
			status, err = askModel(ctx, s)
			return agent.Outcome{Kind: agent.Completed}, err
		}
		in.CeilingUSD = c.now
		_, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if status != c.status {
			t.Errorf("ceiling %v then %v: the call was answered with %d", c.before, c.now, status)
		}
		if e.stop.Stop() {
			t.Error("the timer of the prestarted agent still runs")
		}
		b.free(in)
	}
	if _, cooled, wrong := w.counts(); cooled != 0 || len(wrong) > 0 {
		t.Errorf("cooled %d times; %v", cooled, wrong)
	}
}

// A session that fails before its agent runs leaves no prestarted process.
func TestEarlyAgentEndsWithTheAttempt(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("<APPROVED>ok</APPROVED>"))
	in := b.session(task.Reviewer, "script")
	in.Prompt.BaseCommit = "0123456789012345678901234567890123456789" // the diff fails
	b.prestarter.start(t.Context(), &in)
	b.prestarted(in.ID)
	if _, err := b.attempt().session(b.Sessions, in); err == nil {
		t.Fatal("the review of a commit that isn't there ran")
	}
	if _, ok := w.waits(in.ID); ok {
		t.Error("the agent still waits")
	}
	b.free(in)
}

// The next session's agent is prestarted when this one begins, and again as soon as it has reported that its deliverable is done. After a session
// that has used its budget up, or that leads to no other, the task may be parked, and a parked task has no process.
func TestSessionStartsTheNextAgent(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, nil)
	for _, c := range []struct {
		text    string
		ceiling float64
		starts  bool
	}{
		{"<NOTE>a</NOTE>", 0, false}, {"<BLOCKED>a</BLOCKED>", 0, false}, {"<DONE>a</DONE>", 0, true}, {"<PROGRESS>a</PROGRESS><DONE>a</DONE>", 5, true},
		{"<DONE>a</DONE>", 0.002, false},
	} {
		in, next := b.session(task.Implementer, "script"), b.session(task.Implementer, "script")
		in.Next, in.CeilingUSD = &next, c.ceiling
		w.play = func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
			if _, err := askModel(ctx, s); err != nil { // $0.0045
				return agent.Outcome{}, err
			}
			b.prestarted(next.ID)
			if _, waits := w.waits(next.ID); !waits {
				t.Error("no agent is started when the session begins")
			}
			b.prestarter.drop(next.ID) // it has waited for too long
			emit(agent.Event{Kind: agent.Text, Text: c.text})
			b.prestarted(next.ID)
			if _, waits := w.waits(next.ID); waits != c.starts {
				t.Errorf("%s with a ceiling of $%v: an agent waits: %v", c.text, c.ceiling, waits)
			}
			return agent.Outcome{Kind: agent.Completed}, nil
		}
		_, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if _, waits := w.waits(next.ID); waits != c.starts {
			t.Errorf("after %s with a ceiling of $%v an agent waits: %v", c.text, c.ceiling, waits)
		}
		b.prestarter.drop(next.ID)
		b.free(next)
	}
	if _, _, wrong := w.counts(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// TestEarlyAgentOfTheNextRole: a planner's session starts the first implementer's agent, and a plan that leads nowhere ends it.
func TestEarlyAgentOfTheNextRole(t *testing.T) {
	t.Parallel()
	for plan, goesOn := range map[string]bool{
		`"verdict":"work","deliverables":[{"id":"A-001","description":"d","acceptance":["it is there"]}]`: true,
		`"verdict":"declined","deliverables":[]`:                                                          false,
	} {
		b, w := newPrestart(t, nil)
		in, next := b.session(task.Planner, "script"), b.session(task.Implementer, "script")
		in.Next = &next
		w.play = func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) {
			b.prestarted(next.ID)
			if s, waits := w.waits(next.ID); !waits || s.ReadOnly {
				t.Errorf("an agent waits: %v, read-only: %v", waits, s.ReadOnly)
			}
			return agent.Outcome{Kind: agent.Completed, Answer: []byte(`{"summary":"s","approach":"a","files":[],"risks":[],"evidence":"e","lines":1,"split":[],` + plan + "}")}, nil
		}
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if _, waits := w.waits(next.ID); waits != goesOn || res.Plan == nil {
			t.Errorf("after %+v: an agent waits: %v", res, waits)
		}
		b.prestarter.drop(next.ID)
		b.free(next)
	}
}

// TestEarlyAgentInAnotherBox: an agent whose sandbox turns out to be another than the session's is not used.
func TestEarlyAgentInAnotherBox(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("<DONE>ok</DONE>"))
	in := b.session(task.Implementer, "script")
	b.prestarter.start(t.Context(), &in)
	b.prestarted(in.ID)
	warm, _ := w.waits(in.ID)
	in.Paths.HideFromImplementer = []string{"README.md"}
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if ran := w.sessions(); len(ran) != 1 || ran[0].Token == warm.Token {
		t.Errorf("run as %+v, warmed for %+v", ran, warm)
	}
	if _, waits := w.waits(in.ID); waits {
		t.Error("the agent still waits")
	}
	b.free(in)
}

// TestEarlyAgentOfAnotherModel: a session that turns out to have another model reaches its own, in the role that was expected and in another.
func TestEarlyAgentOfAnotherModel(t *testing.T) {
	t.Parallel()
	for name, likely := range map[string]task.Role{task.AgentScript: task.Implementer, task.AgentClaude: task.Reviewer} {
		status := 0
		w := newWarmer(&player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (out agent.Outcome, err error) {
			status, err = askFor(ctx, "private-implementer", s)
			return agent.Outcome{Kind: agent.Completed}, err
		}})
		b := newBench(t, map[string]agent.Agent{name: w})
		b.useModel(replies)
		b.prepare()
		in := b.session(task.Implementer, name)
		next := in
		next.Role, next.Model, in.Model = likely, "private-reviewer", "private-implementer"
		b.prestarter.start(t.Context(), &next)
		b.prestarted(in.ID)
		warm, _ := w.waits(in.ID)
		_, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if ran := w.sessions(); status != http.StatusOK || len(ran) != 1 || ran[0].Token == warm.Token {
			t.Errorf("%s: the model answered %d; run as %+v, warmed for %+v", name, status, ran, warm)
		}
		if _, waits := w.waits(in.ID); waits {
			t.Errorf("%s: the agent still waits", name)
		}
		b.free(in)
	}
}
