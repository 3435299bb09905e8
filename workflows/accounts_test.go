package workflows_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

// TestAccounts keeps accounts until their quota is back, the later of two times, and ends then.
func TestAccounts(t *testing.T) {
	env := workflows.NewEnv()
	env.RegisterWorkflow(workflows.Accounts)
	began := env.Now()
	cool := func(account string, d time.Duration) func() {
		return func() {
			env.UpdateWorkflow(signals.Cool, fmt.Sprint(account, d), &replies{func(_ any, err error) {
				if err != nil {
					t.Errorf("it refuses: %v", err)
				}
			}}, signals.Cooling{Account: account, Until: began.Add(d), Why: "used up"})
		}
	}
	cooling := func() (names []string) {
		v, err := env.QueryWorkflow(signals.QueryAccounts)
		var s signals.AccountsState
		if err != nil || v.Get(&s) != nil {
			t.Fatalf("query: %v", err)
		}
		for _, c := range s.Cooling {
			names = append(names, c.Account+" "+c.Until.Sub(began).String())
		}
		return names
	}
	env.RegisterDelayedCallback(cool("openai", time.Hour), 0)
	env.RegisterDelayedCallback(cool("anthropic", 3*time.Hour), time.Minute)
	env.RegisterDelayedCallback(cool("anthropic", 2*time.Hour), 2*time.Minute)
	env.RegisterDelayedCallback(cool("openai", 90*time.Minute), 3*time.Minute)
	for after, want := range map[time.Duration][]string{
		5 * time.Minute:   {"anthropic 3h0m0s", "openai 1h30m0s"},
		100 * time.Minute: {"anthropic 3h0m0s"},
	} {
		env.RegisterDelayedCallback(func() {
			if got := cooling(); !slices.Equal(got, want) {
				t.Errorf("after %s: %q, wanted %q", after, got, want)
			}
		}, after)
	}
	env.ExecuteWorkflow(workflows.Accounts, nil)
	if err := env.GetWorkflowError(); !env.IsWorkflowCompleted() || err != nil {
		t.Errorf("it has not ended: %v", err)
	}
	if took := env.Now().Sub(began); took < 3*time.Hour || took > 3*time.Hour+time.Minute {
		t.Errorf("it ended after %s", took)
	}
}
