// Command bench measures the whole task against a shell script that does the same git work and the same agent launches, and against an earlier
// commit, in one run and taking turns, or what pull requests cost that wait, or many tasks at once, or an installation with thousands of tasks,
// and prints the figures of docs/performance.md. It needs the built programs, and Claude Code for whole tasks.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func main() {
	rounds := flag.Int("rounds", 7, "rounds of each side; the first one is not counted")
	waiting := flag.Int("waiting", 0, "measure so many pull requests that wait, in place of whole tasks")
	crowd := flag.Int("crowd", 0, "measure so many tasks at once, in place of one after the other")
	base := flag.String("base", "", "a folder with an earlier commit, built, whose whole tasks take turns with ours")
	agents := flag.Bool("agents", false, "measure tasks of Codex and OpenCode against launches of their own programs")
	many := flag.Bool("scale", false, "measure an installation with many tasks, of these sizes:")
	var o scale
	o.flags()
	flag.Parse()
	o.rounds = *rounds
	if *rounds < 2 {
		fmt.Fprintf(os.Stderr, "bench: -rounds %d: give 2 or more, because the first one is not counted\n", *rounds)
		os.Exit(2)
	}
	measure := func() error { return runWhole(*rounds, *base) }
	if *waiting > 0 {
		measure = func() error { return runWaiting(*waiting) }
	}
	if *agents {
		measure = func() error { return runAgents(*rounds) }
	}
	if *crowd > 0 {
		measure = func() error { return runCrowd(*crowd) }
	}
	if *many {
		measure = func() error { return runScale(o) }
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// ids are the deliverables of the measured task.
var ids = []string{"A-001", "A-002", "A-003"}

// script answers at once: a plan, three deliverables of one written file each, an approval.
func script() agenttest.Script {
	var deliverables []map[string]any
	rules := []agenttest.Rule{}
	for i, id := range ids {
		deliverables = append(deliverables, map[string]any{"id": id, "description": "write file " + id, "acceptance": []string{"it is there"}})
		end := "<PROGRESS>\ndid " + id + "\n</PROGRESS>"
		if i == len(ids)-1 {
			end = "<DONE>\ndid " + id + "\n</DONE>"
		}
		rules = append(rules, natively(id))
		// The prompts of both sides name the deliverable, ours among others of the plan.
		rules = append(rules, agenttest.Rule{Name: "do-" + id, Role: task.Implementer, Match: `/(^"?do |Deliverable: )` + id + "/",
			Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{{Name: "Bash", Input: map[string]any{"command": "echo " + id + " > " + id + ".txt", "description": "write"}}}},
				{Text: end},
			}})
	}
	plan, _ := json.Marshal(map[string]any{"verdict": "work", "summary": "three files", "approach": "write them", "files": []string{},
		"risks": []string{}, "evidence": "", "lines": 3, "split": []string{}, "deliverables": deliverables})
	review, _ := json.Marshal(map[string]any{"verdict": "approved", "text": "fine"})
	return agenttest.Script{Rules: append(rules,
		agenttest.Rule{Name: "plan", Role: task.Planner, Turns: []agenttest.Turn{{Answer: plan}, {Text: "planned"}}},
		agenttest.Rule{Name: "review", Role: task.Reviewer, Turns: []agenttest.Turn{{Answer: review}, {Text: "reviewed"}}},
	)}
}

// bench is the scene of one run.
type bench struct {
	dir, root, claude string
	bare              string // which agent the baseline launches; Claude Code when empty
	address           string // of the server
	model             *agenttest.Server
	temporal          client.Client
	ends              *ends
	worker            int              // its process
	weighs            bool             // the round's memory is followed, which takes a third of a core: such a round's time does not count
	memory            map[string][]int // bytes above what was held before, at the highest, by the side
}

// open makes the folder and starts the model, and gives what ends both and all that has been started since.
func (b *bench) open(s agenttest.Script) (clear func(), err error) {
	if b.root, err = os.Getwd(); err != nil {
		return nil, err
	}
	if b.claude == "" {
		b.claude = os.Getenv("LONGSHIFT_CLAUDE")
	}
	if b.claude == "" {
		b.claude = filepath.Join(b.root, "test", "agents", "node_modules", ".bin", "claude")
	}
	if _, err := os.Stat(b.claude); err != nil {
		return nil, fmt.Errorf("the agent's binary is missing, run `make agents` first: %w", err)
	}
	if b.model, err = agenttest.Start(s); err != nil {
		return nil, err
	}
	b.ends = &ends{}
	b.ends.add(b.model.Close)
	if b.dir, err = os.MkdirTemp("", "longshift-bench-"); err != nil {
		b.ends.run()
		return nil, err
	}
	b.ends.add(func() { os.RemoveAll(b.dir) })
	stop := b.ends.whenTold()
	return func() { stop(); b.ends.run() }, nil
}

// natively is what the model says to Longshift's own agent for a deliverable.
func natively(id string) agenttest.Rule {
	call := func(tool string, arguments map[string]any) agenttest.Turn {
		return agenttest.Turn{Tools: []agenttest.Tool{{Name: tool, Input: arguments}}}
	}
	return agenttest.Rule{Name: "native-" + id, Role: task.Implementer, Match: "Deliverable: " + id, MatchSystem: "You act by tools alone",
		Turns: []agenttest.Turn{call("run_command", map[string]any{"command": "echo " + id + " > " + id + ".txt"}),
			call("complete_run", map[string]any{"summary": "did " + id})}}
}

// printSent prints what one task sends to its model.
func (b *bench) printSent() {
	calls, bytes := map[string]int{}, map[string]int{}
	tasks := map[string]map[string]bool{}
	for _, c := range b.model.Calls() {
		side := "Claude Code"
		if slices.Contains(c.Tools, "run_command") {
			side = "native"
		}
		calls[side]++
		bytes[side] += c.Size
		if tasks[side] == nil {
			tasks[side] = map[string]bool{}
		}
		tasks[side][c.Session] = true
	}
	for _, side := range []string{"Claude Code", "native"} {
		n := max(1, len(tasks[side]))
		fmt.Printf("  %s: %.1f calls and %.1f KB sent in a session\n", side, float64(calls[side])/float64(n), float64(bytes[side])/float64(n)/1000)
	}
}

// median is the middle one, or the middle of the two in the middle.
func median[T ~int64 | ~int | ~float64](d []T) T {
	d = slices.Sorted(slices.Values(d))
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

// shell runs the baseline once.
func (b *bench) shell(n int) (time.Duration, error) {
	remote, err := b.remote(fmt.Sprintf("shell-%d", n))
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(b.root, "test", "bench", "baseline.sh"), remote, filepath.Join(b.dir, fmt.Sprintf("s%d", n)),
		b.model.URL, b.claude, cmp.Or(b.bare, "claude"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	end := b.weigh("shell script", cmd.Process.Pid, true)
	err = cmd.Wait()
	took := time.Since(begun)
	end()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, &out)
	}
	return took, nil
}

// weigh follows the memory of a process until end is called, in a round that weighs.
func (b *bench) weigh(side string, pid int, fresh bool) (end func()) {
	if !b.weighs {
		return func() {}
	}
	p := watch(pid)
	if fresh {
		p.resting = 0 // it began with this round
	}
	return func() { b.memory[side] = append(b.memory[side], p.end()) }
}

// task runs the same job as a task.
func (b *bench) task(n int, agent string) (time.Duration, string, error) {
	remote, err := b.remote(fmt.Sprintf("task-%s-%d", agent, n))
	if err != nil {
		return 0, "", err
	}
	id := fmt.Sprintf("bench-%s-%d", agent, n)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	defer b.weigh(agent, b.worker, false)()
	begun := time.Now()
	run, err := b.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: signals.Queue}, signals.CodingTask,
		map[string]any{"repository": remote, "task": "write three files",
			"config": map[string]any{"agent": agent, "check": "true", "approval": map[string]any{"mode": "none"}}})
	if err != nil {
		return 0, id, err
	}
	var s signals.Status
	if err := run.Get(ctx, &s); err != nil {
		return 0, id, err
	}
	if s.Outcome != task.PullRequest || len(s.Commits) != len(ids) {
		return 0, id, fmt.Errorf("outcome %s with %d commits: %s", s.Outcome, len(s.Commits), s.Detail)
	}
	return time.Since(begun), id, nil
}

// history gives the number of events and the bytes of a task's history.
func (b *bench) history(id string) (events, bytes int, err error) {
	iter := b.temporal.GetWorkflowHistory(context.Background(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			return 0, 0, err
		}
		events++
		bytes += e.Size()
	}
	return events, bytes, nil
}

// timeline prints where the last task's time went: for each step, when it was asked for, how long it waited, how long it ran.
func (b *bench) timeline(id string) error {
	iter := b.temporal.GetWorkflowHistory(context.Background(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	type step struct {
		name       string
		asked, got time.Time
	}
	steps := map[int64]step{}
	var begun, free time.Time
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			return err
		}
		at := e.EventTime.AsTime()
		if begun.IsZero() {
			begun, free = at, at
		}
		if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
			steps[e.EventId] = step{name: a.ActivityType.Name, asked: at}
		}
		if a := e.GetActivityTaskStartedEventAttributes(); a != nil {
			s := steps[a.ScheduledEventId]
			s.got = at
			steps[a.ScheduledEventId] = s
		}
		if a := e.GetActivityTaskCompletedEventAttributes(); a != nil {
			s := steps[a.ScheduledEventId]
			fmt.Printf("  %6.3f  %-17s workflow %3d ms, queue %3d ms, work %4d ms\n", s.asked.Sub(begun).Seconds(), s.name,
				s.asked.Sub(free).Milliseconds(), s.got.Sub(s.asked).Milliseconds(), at.Sub(s.got).Milliseconds())
			free = at
		}
	}
	return nil
}

func (b *bench) remote(name string) (string, error) {
	seed, bare := filepath.Join(b.dir, name), filepath.Join(b.dir, name+".git")
	if err := os.MkdirAll(seed, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(seed, "README.md"), []byte("# bench\n"), 0o644); err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"-C", seed, "init", "-q", "-b", "main"}, {"-C", seed, "add", "-A"},
		{"-C", seed, "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-q", "-m", "start"},
		{"clone", "-q", "--bare", seed, bare},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return bare, nil
}

func quiet() tlog.Logger {
	return tlog.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
}
