package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// nextSettings have Longshift's own agent, on an account of OpenAI, take over from Claude Code.
const nextSettings = lab.QuickSettings + "quota: next\nfallback: [native/gpt-5.5]\nnative: {api: openai}\n"

// usedUpFor is an answer of Anthropic's API whose account has no quota for so long.
func usedUpFor(d time.Duration) *agenttest.Fault {
	return &agenttest.Fault{Status: http.StatusTooManyRequests, Body: "This request would exceed your account's rate limit. Please try again later.",
		Header: map[string]string{"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-representative-claim": "seven_day",
			"anthropic-ratelimit-unified-reset": fmt.Sprint(time.Now().Add(d).Unix())}}
}

// takenOver is the story of Brief in which the quota ends after the first edit, and the other agent finds what the first one has left.
func takenOver() agenttest.Script {
	s := lab.Brief()
	plan, fix, approve := s.Rules[0], s.Rules[1], s.Rules[2]
	fix.MatchSystem = "Claude Code"
	fix.Turns[1].Fault = usedUpFor(time.Hour)
	goOn := agenttest.Rule{Name: "go-on", Role: task.Implementer, Turns: []agenttest.Turn{
		lab.Call("run_command", lab.Args{"command": "git diff"}), lab.Passed("FIX-001", lab.Messages[0])}}
	return agenttest.Script{KeepBodies: true, Rules: []agenttest.Rule{plan, fix, goOn, approve}}
}

// TestNextAgentTakesOver has the first account used up in the middle of a session: the next agent goes on with the plan, the log and the tree,
// also when the worker is killed in the middle of the change, and the first one is left alone until its reset.
func TestNextAgentTakesOver(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		rule string
		turn int
	}{"undisturbed": {}, "killed at the refusal": {"fix", 1}, "killed when the next one begins": {"go-on", 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := takenOver()
			killed := make(chan struct{})
			var s *lab.Stage
			if at.rule != "" {
				script = lab.With(script, at.rule, at.turn, func(turn *agenttest.Turn) {
					turn.Before = func(c *agenttest.Call) {
						select {
						case <-killed:
						default:
							close(killed)
							s.Worker.Kill()
							s.Worker.Start()
						}
					}
				})
			}
			s = lab.NewStage(t, script, nextSettings, "LONGSHIFT_AGENTS=claude,native")
			s.Play()
			end := ended(t, s)
			s.Carried(end, lab.Messages[0])
			var worked []string
			for _, one := range end.Sessions {
				worked = append(worked, one.Agent)
			}
			if got := strings.Join(worked, " "); got != "claude claude native native" {
				t.Errorf("the agents were %s%s", got, lab.Log(end))
			}
			found := s.Heard("go-on", 1)
			if len(found) == 0 || !strings.Contains(string(found[0].Body), "a + b") {
				t.Error("the next agent did not find what the first one has left")
			}
			if !strings.Contains(lab.Log(end), "anthropic is used up until") {
				t.Errorf("the log does not say which account is used up%s", lab.Log(end))
			}
			var refused time.Time
			for _, c := range s.Model.Calls() {
				if c.Rule == "fix" && c.Status == http.StatusTooManyRequests {
					refused = c.Time
				}
			}
			for _, c := range s.Model.Calls() {
				if strings.HasPrefix(c.Model, "claude-") && c.Time.After(refused) {
					t.Errorf("the account is asked again: %s %d", c.Rule, c.Turn)
				}
			}
			if ran := s.OnHost("agents"); !strings.Contains(ran.Out, "anthropic until ") || ran.Code != 0 {
				t.Errorf("agents says %s%s", ran.Out, ran.Err)
			}
			left := cooling(t, s)
			if len(left.Cooling) != 1 || left.Cooling[0].Account != "anthropic" || time.Until(left.Cooling[0].Until) < 50*time.Minute {
				t.Errorf("accounts that are left alone: %+v", left)
			}
		})
	}
}

// cooling asks which accounts are left alone.
func cooling(t *testing.T, s *lab.Stage) (left signals.AccountsState) {
	t.Helper()
	answer, err := s.Client.QueryWorkflow(t.Context(), signals.AccountsID, "", signals.QueryAccounts)
	if err == nil {
		err = answer.Get(&left)
	}
	if err != nil {
		t.Errorf("ask which accounts are left alone: %v", err)
	}
	return left
}

// TestTwentyTasksDoNotStampede starts twenty tasks at once whose first account is used up. Those that run at that moment ask it; all others know.
func TestTwentyTasksDoNotStampede(t *testing.T) {
	t.Parallel()
	const tasks, slots = 20, 2
	script := takenOver()
	script.Rules[0].MatchSystem = "Claude Code"
	script.Rules[0].Turns[0].Fault = usedUpFor(time.Hour)
	planning := lab.Brief().Rules[0]
	planning.Name = "plan-anew"
	doing := agenttest.Rule{Name: "do", Role: task.Implementer, Turns: []agenttest.Turn{
		lab.Call("run_command", lab.Args{"command": `sed -i 's/a - b/a + b/' calc.go`}), lab.Passed("FIX-001", lab.Messages[0])}}
	s := lab.NewStage(t, agenttest.Script{Rules: []agenttest.Rule{script.Rules[0], planning, doing, script.Rules[3]}},
		strings.Replace(nextSettings, "after: 1s", "mode: none", 1), "LONGSHIFT_AGENTS=claude,native", fmt.Sprintf("LONGSHIFT_SLOTS=%d", slots))
	var runs []client.WorkflowRun
	for i := range tasks {
		runs = append(runs, s.Begin(t, fmt.Sprintf("one-of-%d-%d", tasks, i), map[string]any{"repository": lab.Name, "task": lab.Ask}))
	}
	for _, run := range runs {
		if end := s.End(t, run, 4*time.Minute); end.Outcome != task.PullRequest {
			text, _ := json.Marshal(end)
			t.Errorf("%s ended with %s: %s", run.GetID(), end.Outcome, text)
		}
	}
	refused := 0
	for _, c := range s.Model.Calls() {
		if c.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 || refused > slots {
		t.Errorf("the account was asked %d times after it was used up, by %d tasks", refused, tasks)
	}
	t.Logf("%d tasks, the account was asked %d times", tasks, refused)
}
