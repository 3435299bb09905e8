package workflows_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// market is a world in which accounts can be used up.
type market struct {
	*world
	signals.AccountsState
	told []signals.Cooling
}

func newMarket(t *testing.T) *market {
	t.Helper()
	m := &market{world: newWorld(t)}
	m.settings.Approval.Mode, m.settings.Quota, m.settings.Fallback = task.ApprovalNone, task.QuotaNext, []string{"codex"}
	for name, f := range map[string]any{
		"CoolingAccounts": func(context.Context) (signals.AccountsState, error) { return m.AccountsState, nil },
		"CoolAccount": func(_ context.Context, c signals.Cooling) error {
			m.told = append(m.told, c)
			m.Cooling = append(m.Cooling, c)
			return nil
		},
	} {
		m.env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return m
}

// worked are the agents of the sessions, in order.
func (m *market) worked() (list []string) {
	for _, in := range m.asked {
		list = append(list, string(in.Role)[:1]+":"+in.Agent+"/"+in.Model)
	}
	return list
}

func used(reset time.Time) activities.SessionResult {
	return activities.SessionResult{Kind: agent.Quota, Reset: reset, Error: "used up"}
}

// TestNextAgent goes on with the next agent when an account is used up, in a session of its own, and leaves the account alone until its reset.
func TestNextAgent(t *testing.T) {
	m := newMarket(t)
	began := m.env.Now()
	reset := began.Add(3 * time.Hour)
	m.play(activities.SessionResult{}, used(reset))
	s := m.start(t)
	want := []string{"p:claude/opus", "i:claude/sonnet", "i:codex/gpt-5.5", "i:codex/gpt-5.5", "r:codex/gpt-5.5"}
	if s.Outcome != task.PullRequest || !slices.Equal(m.worked(), want) {
		t.Errorf("outcome %s, sessions %q, wanted %q", s.Outcome, m.worked(), want)
	}
	if len(m.told) != 1 || m.told[0].Account != "anthropic" || !m.told[0].Until.Equal(reset) || m.told[0].Why != "used up" {
		t.Errorf("told of %+v", m.told)
	}
	if took := m.env.Now().Sub(began); took > time.Hour {
		t.Errorf("it took %s", took)
	}
	if m.asked[1].ID == m.asked[2].ID || s.Sessions[2].Agent != "codex" || m.asked[2].Prompt.Deliverable == nil {
		t.Errorf("the next agent's session: %+v", s.Sessions[2])
	}
}

// TestAccountThatIsUsedUpAlready is not tried by a task that another one has told.
func TestAccountThatIsUsedUpAlready(t *testing.T) {
	m := newMarket(t)
	m.Cooling = []signals.Cooling{{Account: "anthropic", Until: m.env.Now().Add(time.Hour)}}
	if s := m.start(t); s.Outcome != task.PullRequest || strings.Contains(strings.Join(m.worked(), " "), "claude") {
		t.Errorf("outcome %s, sessions %q", s.Outcome, m.worked())
	}
}

// TestEveryAccountIsUsedUp waits for the first that is back, and takes it.
func TestEveryAccountIsUsedUp(t *testing.T) {
	m := newMarket(t)
	began := m.env.Now()
	m.Cooling = []signals.Cooling{{Account: "anthropic", Until: began.Add(3 * time.Hour)}, {Account: "openai", Until: began.Add(2 * time.Hour)}}
	m.env.RegisterDelayedCallback(func() {
		if s := m.status(t); s.Phase != task.Waiting || s.NeedsHuman || !strings.Contains(s.Detail, "anthropic is used up until") || !strings.Contains(s.Detail, "openai is used up until") {
			t.Errorf("while it waits: %s, %s", s.Phase, s.Detail)
		}
	}, time.Hour)
	s := m.start(t)
	if took := m.env.Now().Sub(began); s.Outcome != task.PullRequest || m.asked[0].Agent != "codex" || took < 2*time.Hour || took > 3*time.Hour {
		t.Errorf("outcome %s after %s, sessions %q", s.Outcome, took, m.worked())
	}
}

// TestPersonDoesNotWaitForQuota has a person resume a task whose accounts are used up: the preferred agent is tried then.
func TestPersonDoesNotWaitForQuota(t *testing.T) {
	m := newMarket(t)
	began := m.env.Now()
	m.Cooling = []signals.Cooling{{Account: "anthropic", Until: began.Add(3 * time.Hour)}, {Account: "openai", Until: began.Add(2 * time.Hour)}}
	m.play(activities.SessionResult{}, used(began.Add(4*time.Hour)))
	m.env.RegisterDelayedCallback(func() { m.update(signals.Resume, map[string]any{}) }, time.Minute)
	s := m.start(t)
	if m.asked[0].Agent != "claude" || s.Outcome != task.PullRequest {
		t.Errorf("outcome %s, sessions %q", s.Outcome, m.worked())
	}
}

// TestUnknownReset leaves an account alone for an hour, and one that is used up again and again ever longer.
func TestUnknownReset(t *testing.T) {
	m := newMarket(t)
	m.settings.Fallback = nil
	began := m.env.Now()
	m.play(used(time.Time{}), used(began.Add(-time.Hour)), used(began.Add(-time.Hour)))
	if s := m.start(t); s.Outcome != task.PullRequest || len(m.told) != 3 {
		t.Fatalf("outcome %s, told of %+v", s.Outcome, m.told)
	}
	if rest := m.told[0].Until.Sub(began); rest < time.Hour || rest > 61*time.Minute {
		t.Errorf("the first rest is %s", rest)
	}
	if !m.told[2].Until.After(m.told[1].Until.Add(2 * time.Minute)) {
		t.Errorf("the rests end at %s and %s", m.told[1].Until, m.told[2].Until)
	}
}

// TestRoles gives roles agents of their own, and the review to another one than wrote.
func TestRoles(t *testing.T) {
	for name, c := range map[string]struct {
		agents task.AgentSettings
		review string
		want   []string
	}{
		"roles":           {task.AgentSettings{Planner: "claude/fable", Implementer: "codex", Reviewer: "opencode/qwen"}, task.ReviewAny, []string{"p:claude/fable", "i:codex/gpt-5.5", "i:codex/gpt-5.5", "r:opencode/qwen"}},
		"another reviews": {task.AgentSettings{}, task.ReviewOther, []string{"p:claude/opus", "i:claude/sonnet", "i:claude/sonnet", "r:codex/gpt-5.5"}},
		"another wrote":   {task.AgentSettings{Implementer: "codex"}, task.ReviewOther, []string{"p:claude/opus", "i:codex/gpt-5.5", "i:codex/gpt-5.5", "r:claude/sonnet"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMarket(t)
			m.settings.Quota, m.settings.Agents, m.settings.Review = task.QuotaWait, c.agents, c.review
			if s := m.start(t); s.Outcome != task.PullRequest || !slices.Equal(m.worked(), c.want) {
				t.Errorf("outcome %s, sessions %q, wanted %q", s.Outcome, m.worked(), c.want)
			}
		})
	}
}

// unfit is the error of an agent that can't work on its host.
func unfit(text string) error {
	return temporal.NewApplicationErrorWithOptions(text, string(fault.Input), temporal.ApplicationErrorOptions{
		NonRetryable: true, Cause: temporal.NewApplicationError("it can't work here", activities.UnfitAgent)})
}

// TestStandInThatCannotWork has the agent that stands in be none of its host's, or its key be refused. Nobody is asked: the task waits for the
// preferred one.
func TestStandInThatCannotWork(t *testing.T) {
	for name, c := range map[string]struct {
		answer func() (activities.SessionResult, error)
		told   []string // accounts that all tasks leave alone
	}{
		"codex/gpt-5.5 can't work here, and is left alone": {func() (activities.SessionResult, error) {
			return activities.SessionResult{}, unfit("agent codex is not set up on this host")
		}, nil},
		"openai is refused, and left alone": {func() (activities.SessionResult, error) {
			return activities.SessionResult{Kind: agent.AuthFailed, Error: "no key"}, nil
		}, []string{"openai"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMarket(t)
			began := m.env.Now()
			m.Cooling = []signals.Cooling{{Account: "anthropic", Until: began.Add(30 * time.Minute)}}
			m.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				if in.Agent == "codex" {
					return c.answer()
				}
				return activities.SessionResult{}, nil
			}
			m.env.RegisterDelayedCallback(func() {
				if s := m.status(t); s.Phase != task.Waiting || strings.Contains(s.Detail, "can't work here") != (c.told == nil) {
					t.Errorf("while it waits: %s, %s", s.Phase, s.Detail)
				}
			}, 10*time.Minute)
			s := m.start(t)
			var told []string
			for _, c := range m.told {
				told = append(told, c.Account)
			}
			if took := m.env.Now().Sub(began); s.Outcome != task.PullRequest || took < 30*time.Minute || took > time.Hour || !slices.Equal(told, c.told) {
				t.Errorf("outcome %s after %s, told of %+v", s.Outcome, m.env.Now().Sub(began), m.told)
			}
			said := false
			for _, l := range s.Log {
				if said = said || strings.HasPrefix(l.Text, name+" until "); l.Kind == "suspended" {
					t.Errorf("a person was asked: %s", l.Text)
				}
			}
			if !said {
				t.Errorf("the log does not say why the agent is left alone\n%s", logText(s))
			}
		})
	}
}

// TestNextStandIn goes on at once with another agent of the same account when the first that stands in can't work here.
func TestNextStandIn(t *testing.T) {
	m := newMarket(t)
	m.settings.Fallback, m.settings.OpenCode.API = []string{"codex", "opencode/qwen"}, task.APIOpenAI
	m.Cooling = []signals.Cooling{{Account: "anthropic", Until: m.env.Now().Add(5 * time.Hour)}}
	m.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Agent == "codex" {
			return activities.SessionResult{}, unfit("agent codex is not set up on this host")
		}
		return activities.SessionResult{}, nil
	}
	s := m.start(t)
	want := []string{"p:codex/gpt-5.5", "p:opencode/qwen", "i:opencode/qwen", "i:opencode/qwen", "r:opencode/qwen"}
	if s.Outcome != task.PullRequest || !slices.Equal(m.worked(), want) || len(m.told) != 0 {
		t.Errorf("outcome %s, sessions %q, wanted %q, told of %+v", s.Outcome, m.worked(), want, m.told)
	}
}

// TestStandInIsTriedAgain has the host set up the agent that stands in meanwhile.
func TestStandInIsTriedAgain(t *testing.T) {
	m := newMarket(t)
	began := m.env.Now()
	m.Cooling = []signals.Cooling{{Account: "anthropic", Until: began.Add(5 * time.Hour)}}
	m.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if len(m.asked) == 1 {
			return activities.SessionResult{}, unfit("agent codex is not set up on this host")
		}
		return activities.SessionResult{}, nil
	}
	s := m.start(t)
	if took := m.env.Now().Sub(began); s.Outcome != task.PullRequest || strings.Contains(strings.Join(m.worked(), " "), "claude") ||
		took < time.Hour || took > 2*time.Hour {
		t.Errorf("outcome %s after %s, sessions %q", s.Outcome, took, m.worked())
	}
}

// TestStandInAPersonCanHelp asks a person about what would stop every agent, and goes on with the same one.
func TestStandInAPersonCanHelp(t *testing.T) {
	m := newMarket(t)
	m.Cooling = []signals.Cooling{{Account: "anthropic", Until: m.env.Now().Add(5 * time.Hour)}}
	lifted := false
	m.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if !lifted {
			return activities.SessionResult{}, temporal.NewNonRetryableApplicationError("writing is switched off", string(fault.Denied), nil)
		}
		return activities.SessionResult{}, nil
	}
	m.env.RegisterDelayedCallback(func() {
		if s := m.status(t); s.Phase != task.Suspended || s.Reason != signals.ReasonAccess {
			t.Errorf("nobody was asked: %s, %s", s.Phase, s.Detail)
		}
		lifted = true
		m.update(signals.Resume, map[string]any{})
	}, time.Minute)
	if s := m.start(t); s.Outcome != task.PullRequest || strings.Contains(strings.Join(m.worked(), " "), "claude") || len(m.told) != 0 {
		t.Errorf("outcome %s, sessions %q, told of %+v", s.Outcome, m.worked(), m.told)
	}
}
