package main

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// accounts are the branches of accounts that are used up.
func accounts() []branch {
	return []branch{{
		// The first account is used up for long. So the next agent goes on, until its account is used up too, for a moment.
		name: "quota-next", config: `{"quota":"next","fallback":["codex"]}`, outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			res := activities.SessionResult{}
			switch {
			case in.Role == task.Implementer && n == 1:
				res = spent(agent.Quota, "the limit of seven days is used up")
				res.Reset = time.Now().UTC().Add(time.Hour)
			case in.Role == task.Implementer && n == 2:
				res = spent(agent.Quota, "the limit of the minute is used up")
				res.Reset = soon()
			}
			return res, nil
		},
	}, {
		// The first agent that stands in is not set up, and the second, of the same account, does the work.
		name: "stand-in-unfit", config: `{"quota":"next","fallback":["codex","opencode/qwen"],"opencode":{"api":"openai"}}`,
		outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			res := activities.SessionResult{}
			switch {
			case in.Role == task.Implementer && n == 1:
				res = spent(agent.Quota, "the limit of seven days is used up")
				res.Reset = time.Now().UTC().Add(time.Hour)
			case in.Agent == task.AgentCodex:
				return res, &agent.Unfit{Err: fault.New(fault.Input, "agent %q is not set up on this host", in.Agent)}
			}
			return res, nil
		},
	}, {
		name: "accounts", flow: signals.Accounts, drive: func(ctx context.Context, p *play) error {
			cool := func(account string, d time.Duration) func() error {
				return func() error {
					return p.updateAs(ctx, signals.Cool, account+d.String(), signals.Cooling{Account: account, Until: time.Now().UTC().Add(d), Why: "used up"})
				}
			}
			return inTurn(cool("openai", time.Second), cool("anthropic", 2*time.Second), cool("openai", 1500*time.Millisecond))
		},
	}}
}

// accountSteps know which accounts are used up, for each play alone, where Accounts does so for all tasks.
type accountSteps struct {
	mu      sync.Mutex
	cooling map[string][]signals.Cooling // by workflow id
}

// CoolAccount keeps that one is used up.
func (s *accountSteps) CoolAccount(ctx context.Context, in signals.Cooling) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := activity.GetInfo(ctx).WorkflowExecution.ID
	s.cooling[id] = append(s.cooling[id], in)
	return nil
}

// CoolingAccounts tells which ones are.
func (s *accountSteps) CoolingAccounts(ctx context.Context) (signals.AccountsState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return signals.AccountsState{Cooling: s.cooling[activity.GetInfo(ctx).WorkflowExecution.ID]}, nil
}
