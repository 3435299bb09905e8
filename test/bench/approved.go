package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// storm is the scene of many tasks that are approved at the same moment. Their hosts, git, checks and the forge's client are real, the
// agent is scripted.
type storm struct {
	*lab.Stage
	forge *meter
	hosts int
	pause time.Duration // that the forge asks for in the middle of it
}

// stormScript has one deliverable, which a session of a second and more fulfils, and a review that finds it good.
func stormScript() agenttest.Script {
	review, _ := json.Marshal(map[string]any{"verdict": "approved", "text": "fine"})
	fix := lab.Session("fix", "Deliverable: FIX-001", "fix: make Add give the sum", lab.Fixed, "calc.go")
	work := agenttest.Turn{Tools: []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": "sleep 1"}}}}
	fix.Turns = append([]agenttest.Turn{work}, fix.Turns...)
	return agenttest.Script{Rules: []agenttest.Rule{
		lab.Planning("plan", "", "make Add give the sum"),
		fix,
		{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{{Answer: review}}},
	}}
}

func stormID(n int) string { return fmt.Sprintf("storm-%03d-acme-calc", n) }

// carried is how a task of the storm ended.
type carried struct {
	task  int
	host  string
	after time.Duration
}

// rows has the hosts plan n tasks, approves all of them at once, and says how they were carried on.
func (s *storm) rows(ctx context.Context, c client.Client, n int, note func(string, ...any)) ([]row, error) {
	for range s.hosts {
		w := s.NewWorker(lab.Claude(s.T), s.env()...)
		lab.Eventually(s.T, time.Minute, "the host is ready", func() bool { return strings.Contains(w.Log(), "Worker ready") })
	}
	begun := time.Now()
	for i := range n {
		if err := begin(ctx, c, stormID(i), map[string]any{"agent": task.AgentScript}); err != nil {
			return nil, err
		}
	}
	if err := listed(ctx, c, waitForApproval("storm-"), n); err != nil {
		return nil, err
	}
	note("%d tasks are planned after %s", n, time.Since(begun).Round(time.Second))
	s.forge.clear()
	if s.pause > 0 {
		s.forge.askForPause(n/2, s.pause)
	}
	all, err := s.approve(ctx, c, n)
	if err != nil {
		return nil, err
	}
	api, git, refused := s.forge.clear()
	return s.said(all, api, git, refused), nil
}

// approve approves each of the tasks in the same moment and waits for their ends.
func (s *storm) approve(ctx context.Context, c client.Client, n int) ([]carried, error) {
	all, failed := make([]carried, n), make([]error, n)
	begun := time.Now()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			_, failed[i] = c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: stormID(i), UpdateName: signals.Approve,
				UpdateID: stormID(i), Args: []any{signals.ApproveRequest{Message: signals.Message{ID: stormID(i), By: "ann"}}},
				WaitForStage: client.WorkflowUpdateStageCompleted})
			var end signals.Status
			if failed[i] == nil {
				failed[i] = c.GetWorkflow(ctx, stormID(i), "").Get(ctx, &end)
			}
			if failed[i] == nil && end.Outcome != task.PullRequest {
				failed[i] = fmt.Errorf("task %d: outcome %s: %s", i, end.Outcome, end.Detail)
			}
			all[i] = carried{i, end.Host, time.Since(begun)}
		})
	}
	wg.Wait()
	return all, errors.Join(failed...)
}

// said are the figures of the tasks that were carried on.
func (s *storm) said(all []carried, api, git traffic, refused int) []row {
	one := func(what, format string, value float64) row {
		return row{what: what, format: format, now: []float64{value}}
	}
	slices.SortFunc(all, func(a, b carried) int { return int(a.after - b.after) })
	n, hosts := len(all), map[string][]carried{}
	for _, c := range all {
		hosts[c.host] = append(hosts[c.host], c)
	}
	fewest, most, ordered, pairs := n, 0, 0, 0
	var spread []float64
	for _, of := range hosts {
		fewest, most = min(fewest, len(of)), max(most, len(of))
		spread = append(spread, of[len(of)-1].after.Seconds())
		for i := range of {
			for j := i + 1; j < len(of); j++ {
				if pairs++; of[i].task < of[j].task {
					ordered++
				}
			}
		}
	}
	rows := []row{
		one("pull requests: the first after", "%.1f s", all[0].after.Seconds()),
		one("half of them after", "%.1f s", all[n/2].after.Seconds()),
		one("the last after", "%.1f s", all[n-1].after.Seconds()),
		one("hosts that carried any", "%.0f", float64(len(hosts))),
		one("tasks of the host with the fewest", "%.0f", float64(fewest)),
		one("tasks of the host with the most", "%.0f", float64(most)),
		one("the host that was done first had its last after", "%.1f s", slices.Min(spread)),
	}
	if pairs > 0 {
		rows = append(rows, one("pairs of a host in the order of their start", "%.0f %%", 100*float64(ordered)/float64(pairs)))
	}
	rows = append(rows, traffics("forge", api)...)
	if s.pause > 0 {
		rows = append(rows, one(fmt.Sprintf("requests in a pause of %s that the forge asked for", s.pause), "%.0f", float64(refused)))
	}
	return append(rows, traffics("git", git)[:3]...)
}

// traffics are the figures of requests of one kind.
func traffics(of string, t traffic) []row {
	one := func(what, format string, value, budget float64) row {
		return row{what: of + ": " + what, format: format, budget: budget, now: []float64{value}}
	}
	return []row{
		one("requests", "%.0f", float64(len(t.came)), 0),
		one("requests at the same time, at most", "%.0f", float64(t.most), mostAtOnce),
		one("requests in a second, at most", "%.0f", float64(within(t.came, time.Second)), 0),
		one("requests that write, in a minute, at most", "%.0f", float64(within(t.wrote, time.Minute)), mostWrites),
	}
}

func (s *storm) env() []string {
	return []string{"LONGSHIFT_SCENARIO=" + lab.Scenario(s.T, stormScript()), "LONGSHIFT_GITHUB_URL=" + s.forge.URL, "LONGSHIFT_HEARTBEAT=30s",
		"LONGSHIFT_PROBE=60s"}
}
