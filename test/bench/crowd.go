package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// crowdThinks is how long the model takes for each answer, and crowdCheck the check of each task: what a crowd does in the time that
// its agents wait for is what is measured.
const (
	crowdThinks = 300 * time.Millisecond
	crowdCheck  = "sleep 1"
)

// runCrowd starts so many tasks at once on one worker of two slots, and measures how many agents it holds, what they need, and when
// the pull requests come.
func runCrowd(n int) (err error) {
	b := &bench{}
	clear, err := b.open(thinking(script()))
	if err != nil {
		return err
	}
	defer clear()
	if err := b.start(); err != nil {
		return err
	}
	remote, err := b.remote("crowd")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	begun := time.Now()
	ended, watching := make(chan struct{}), make(chan agents)
	go func() { watching <- watchAgents(ended) }()
	took, err := b.all(ctx, n, remote, begun)
	close(ended)
	most := <-watching
	if err != nil {
		return err
	}
	fmt.Printf("%d tasks at once on one worker of 2 slots, 3 deliverables each, real Claude Code, %s for each answer, the check %q:\n",
		n, crowdThinks, crowdCheck)
	fmt.Printf("  at most %d agent processes, %d MB of their own\n", most.count, most.bytes>>20)
	order := slices.SortedFunc(slices.Values(took), func(x, y pulled) int { return int(x.after - y.after) })
	fmt.Printf("  pull requests after %.0f s (the first), %.0f s (half of them), %.0f s (the last)\n",
		order[0].after.Seconds(), order[n/2].after.Seconds(), order[n-1].after.Seconds())
	fmt.Print("  in the order of their start:")
	for _, p := range order {
		fmt.Printf(" %d", p.task)
	}
	fmt.Println()
	return nil
}

// pulled is when a task had its pull request.
type pulled struct {
	task  int
	after time.Duration
}

// all starts the tasks, in turn, and waits for all of them.
func (b *bench) all(ctx context.Context, n int, remote string, begun time.Time) ([]pulled, error) {
	runs := make([]client.WorkflowRun, n)
	for i := range runs {
		run, err := b.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: fmt.Sprintf("crowd-%d", i), TaskQueue: signals.Queue},
			signals.CodingTask,
			map[string]any{"repository": remote, "task": "write three files",
				"config": map[string]any{"check": crowdCheck, "approval": map[string]any{"mode": "none"}}})
		if err != nil {
			return nil, err
		}
		runs[i] = run
	}
	took, failed := make([]pulled, n), make([]error, n)
	var wg sync.WaitGroup
	for i, run := range runs {
		wg.Go(func() {
			var s signals.Status
			if failed[i] = run.Get(ctx, &s); failed[i] == nil && s.Outcome != task.PullRequest {
				failed[i] = fmt.Errorf("task %d: outcome %s: %s", i, s.Outcome, s.Detail)
			}
			took[i] = pulled{i, time.Since(begun)}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return took, nil
}

// thinking makes the model take a while for each answer.
func thinking(s agenttest.Script) agenttest.Script {
	for _, r := range s.Rules {
		for i := range r.Turns {
			r.Turns[i].Before = func(*agenttest.Call) { time.Sleep(crowdThinks) }
		}
	}
	return s
}

// agents are the agent processes under this one.
type agents struct {
	count int
	bytes int // that each has to itself
}

// watchAgents looks at them until it is told to end, and gives the most of each.
func watchAgents(ended <-chan struct{}) (most agents) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return most
		case <-tick.C:
			now := agentsNow()
			most.count, most.bytes = max(most.count, now.count), max(most.bytes, now.bytes)
		}
	}
}

func agentsNow() (a agents) {
	parents, claudes := map[int]int{}, []int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil { // it has ended
			continue
		}
		name, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[0] != "Z" {
			parents[pid], _ = strconv.Atoi(fields[1])
			if strings.Contains(name, "(claude") {
				claudes = append(claudes, pid)
			}
		}
	}
	for _, pid := range claudes {
		if !under(parents, pid, os.Getpid()) {
			continue
		}
		var total, resident, shared int
		if size, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
			_, _ = fmt.Sscan(string(size), &total, &resident, &shared)
			a.count, a.bytes = a.count+1, a.bytes+(resident-shared)*os.Getpagesize()
		}
	}
	return a
}

// under tells whether a process was started by another, or by one that it has started.
func under(parents map[int]int, pid, by int) bool {
	for pid > 1 && pid != by {
		pid = parents[pid]
	}
	return pid == by
}
