package workflows_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// world stands in for everything outside the workflow. Each session is answered by what the test has scripted for it, and
// otherwise by a session that goes well.
type world struct {
	env      *testsuite.TestWorkflowEnvironment
	settings task.Settings
	hosts    []string // that take the task, in order; the last one again and again
	takes    int
	agent    func(in activities.SessionInput) (activities.SessionResult, error) // nil result kind: the default answer
	prepare  func(in activities.PrepareInput) error
	most     float64                                 // the operator's limit of cost, 0 for none
	behind   func(in activities.PrepareInput) string // head that a workspace is behind at, "" when it is not; may be nil
	ahead    string                                  // head of the workspace on hosts after the first one: nobody has reported it; "" for none
	notes    []string                                // of every workspace
	probe    func() error
	outage   bool // the host did not hear the server
	noForge  error
	checked  activities.Checked
	commit   func(in activities.CommitInput) (activities.Committed, error)
	asked    []activities.SessionInput
	commits  []activities.CommitInput
	requests []activities.PullRequestInput
	cleaned  int
	cleans   []activities.CleanInput
	clean    func(in activities.CleanInput) error // may be nil
	commands []string
	check    func(n int) signals.Check // what the nth run of the check comes to, from 1; nil: it passes
	setup    signals.Check             // what setup comes to
	checks   int
	walls    []time.Duration                           // what each run of the check may take
	cut      func(command string, n int) error         // with what the nth run of the check, or of a proof, is cut off; may be nil
	prove    func(command string, n int) signals.Check // what the nth run of a proof comes to, from 1; nil: it fails the first time
	proofs   map[string]int                            // runs of proofs

	checkouts   int
	checkout    func(n int) error // what the nth checkout comes to, from 1; may be nil
	cleanSetups int               // setups of clean checkouts
	records     []activities.RecordInput
	known       []activities.Known                                         // what the status file lists
	planned     bool                                                       // they are of the specification as it is
	others      []string                                                   // other specifications, of which it lists some
	recorded    func(activities.RecordInput) (activities.Committed, error) // may be nil

	rooms   []task.Room // in which tasks are shown
	notices []signals.Notice

	show    func(in activities.ShowInput) error
	showing sync.Mutex
	shown   []activities.ShowInput
	moved   map[string]string // ids of rooms, by those that they had before
	merge   func(in activities.MergeInput) (activities.Merged, error)
	merges  int
	aborted int
	look    func(n int) (forge.Snapshot, error) // nth look, from 1
	looking sync.Mutex                          // a follower looks before it pushes, beside its poller
	looks   []activities.PollInput
	replies []activities.AnswerInput
	push    func() (string, error)
	pushes  int
	pushed  []activities.PushInput
	follow  bool // pull requests can be looked after

	takesRuns bool         // the forge takes check runs
	runFails  func() error // what writing the newest one comes to; may be nil
	runs      []activities.CheckRunInput
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{env: workflows.NewEnv(), settings: project.Defaults(), hosts: []string{"alpha"}}
	w.settings.Check = "go test ./..."
	w.env.RegisterWorkflow(workflows.CodingTask)
	for name, f := range map[string]any{
		"AssignTask": w.AssignTask, "Probe": w.Probe, "PrepareWorkspace": w.PrepareWorkspace, "RunAgent": w.RunAgent,
		"RunSetup": w.RunSetup, "RunChecks": w.RunChecks, "RunProof": w.RunProof, "CommitWork": w.CommitWork, "CheckOut": w.CheckOut,
		"RecordDeliverables": w.RecordDeliverables, "PushBranch": w.PushBranch,
		"CleanUp": w.CleanUp, "OpenPullRequest": w.OpenPullRequest, "CheckForge": w.CheckForge, "MergeBase": w.MergeBase, "AbortMerge": w.AbortMerge,
		"Show": w.Show, "PollPullRequest": w.PollPullRequest, "AnswerPullRequest": w.AnswerPullRequest,
		"WriteCheckRun": w.WriteCheckRun,
	} {
		w.env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return w
}

func (w *world) AssignTask(context.Context) (activities.Assignment, error) {
	h := w.hosts[min(w.takes, len(w.hosts)-1)]
	w.takes++
	return activities.Assignment{Host: h, Heartbeat: time.Second, Probe: time.Second}, nil
}

func (w *world) Probe(context.Context) (out activities.Alive, err error) {
	if w.probe != nil {
		err = w.probe()
	}
	return activities.Alive{OutOfTouch: w.outage}, err
}

func (w *world) PrepareWorkspace(_ context.Context, in activities.PrepareInput) (activities.Prepared, error) {
	if w.prepare != nil {
		if err := w.prepare(in); err != nil {
			return activities.Prepared{}, err
		}
	}
	out := activities.Prepared{Branch: "longshift/x", Base: cmp.Or(in.Base, "main"), BaseCommit: "base", Head: "base", Settings: w.settings, Notes: w.notes,
		Known: w.known, Planned: w.planned, Others: w.others, MaxCost: w.most}
	if w.ahead != "" && w.takes > 1 {
		out.Head = w.ahead
	}
	if w.behind != nil {
		if head := w.behind(in); head != "" {
			out.Head, out.Behind = head, true
		}
	}
	return out, nil
}

func (w *world) RunAgent(_ context.Context, in activities.SessionInput) (activities.SessionResult, error) {
	w.asked = append(w.asked, in)
	if w.agent != nil {
		if res, err := w.agent(in); err != nil || res.Kind != "" {
			return res, err
		}
	}
	return well(in), nil
}

// well is a session that goes well, in any role.
func well(in activities.SessionInput) activities.SessionResult {
	res := activities.SessionResult{Kind: agent.Completed, Usage: task.Usage{Input: 10, CostUSD: 0.01, Calls: 1}, Duration: time.Minute, Turns: 2}
	switch in.Role {
	case task.Planner:
		res.Plan = aPlan("FIX-001", "API-002")
	case task.Reviewer:
		res.Review = &task.Review{Approved: true, Text: "good"}
	default:
		res.Report = task.Report{Kind: task.ReportProgress, Text: "did " + in.Prompt.Deliverable.ID}
	}
	return res
}

func aPlan(ids ...string) *task.Plan {
	p := &task.Plan{Verdict: task.VerdictWork, Summary: "a plan"}
	for _, id := range ids {
		p.Deliverables = append(p.Deliverables, task.Deliverable{ID: id, Description: "do " + id, Status: task.Pending})
	}
	return p
}

func (w *world) RunSetup(_ context.Context, in activities.CommandInput) (signals.Check, error) {
	w.commands = append(w.commands, in.Command)
	if in.Clean {
		w.cleanSetups++
	}
	c := w.setup
	c.Command, c.Duration = in.Command, time.Second
	return c, nil
}

func (w *world) RunChecks(_ context.Context, in activities.CommandInput) (signals.Check, error) {
	w.commands = append(w.commands, in.Command)
	c := signals.Check{Command: in.Command, Duration: time.Second}
	w.checks++
	w.walls = append(w.walls, in.Wall)
	if w.cut != nil {
		if err := w.cut(in.Command, w.checks); err != nil {
			return signals.Check{}, err
		}
	}
	if w.check != nil {
		c = w.check(w.checks)
		c.Command, c.Duration = in.Command, time.Second
	}
	c.Commit = in.Commit
	return c, nil
}

func (w *world) RunProof(_ context.Context, in activities.CommandInput) (signals.Check, error) {
	if w.proofs == nil {
		w.proofs = map[string]int{}
	}
	w.proofs[in.Command]++
	if w.cut != nil {
		if err := w.cut(in.Command, w.proofs[in.Command]); err != nil {
			return signals.Check{}, err
		}
	}
	c := signals.Check{ExitCode: 1}
	switch n := w.proofs[in.Command]; {
	case w.prove != nil:
		c = w.prove(in.Command, n)
	case n > 1:
		c.ExitCode = 0
	}
	c.Command, c.Duration, c.Commit = in.Command, time.Second, in.Commit
	return c, nil
}

func (w *world) CommitWork(_ context.Context, in activities.CommitInput) (activities.Committed, error) {
	w.commits = append(w.commits, in)
	if w.commit != nil {
		return w.commit(in)
	}
	return activities.Committed{Commit: fmt.Sprintf("commit%d", len(w.commits)), Created: true, Files: 1, Added: 2, Deleted: 1}, nil
}

func (w *world) CheckOut(context.Context, activities.Ref) error {
	if w.checkouts++; w.checkout != nil {
		return w.checkout(w.checkouts)
	}
	return nil
}

func (w *world) RecordDeliverables(_ context.Context, in activities.RecordInput) (activities.Committed, error) {
	w.records = append(w.records, in)
	if w.recorded != nil {
		return w.recorded(in)
	}
	return activities.Committed{Commit: "recorded", Created: true}, nil
}

func (w *world) PushBranch(_ context.Context, in activities.PushInput) (string, error) {
	w.pushes++
	w.pushed = append(w.pushed, in)
	if w.push != nil {
		return w.push()
	}
	return "pushed", nil
}

func (w *world) CleanUp(_ context.Context, in activities.CleanInput) error {
	w.cleaned++
	w.cleans = append(w.cleans, in)
	if w.clean != nil {
		return w.clean(in)
	}
	return nil
}

func (w *world) CheckForge(context.Context, task.Repository) (activities.Checked, error) {
	known := w.checked
	known.Rooms = w.rooms
	return known, w.noForge
}

func (w *world) Show(_ context.Context, in activities.ShowInput) (task.MessageRef, error) {
	if w.show != nil {
		if err := w.show(in); err != nil {
			return task.MessageRef{}, err
		}
	}
	w.showing.Lock() // activities run beside each other
	defer w.showing.Unlock()
	w.shown = append(w.shown, in)
	if in.At != nil {
		return *in.At, nil
	}
	to := in.Room
	to.ID = cmp.Or(w.moved[to.ID], to.ID)
	return task.MessageRef{Room: to, Message: fmt.Sprintf("m%d", len(w.shown))}, nil
}

func (w *world) MergeBase(_ context.Context, in activities.MergeInput) (activities.Merged, error) {
	w.merges++
	if w.merge != nil {
		return w.merge(in)
	}
	return activities.Merged{Base: "main2", Conflicts: []string{"calc.go"}}, nil
}

func (w *world) AbortMerge(context.Context, activities.MergeInput) error {
	w.aborted++
	return nil
}

func (w *world) PollPullRequest(_ context.Context, in activities.PollInput) (forge.Snapshot, error) {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.looks = append(w.looks, in)
	if w.look == nil {
		return forge.Snapshot{Unchanged: true}, nil
	}
	return w.look(len(w.looks))
}

func (w *world) AnswerPullRequest(_ context.Context, in activities.AnswerInput) error {
	w.replies = append(w.replies, in)
	return nil
}

func (w *world) OpenPullRequest(_ context.Context, in activities.PullRequestInput) (forge.PullRequest, error) {
	w.requests = append(w.requests, in)
	pr := forge.PullRequest{Number: 7, URL: "https://forge.example/acme/calc/pull/7"}
	pr.CheckRuns = w.takesRuns
	if w.follow {
		pr.Host, pr.Owner, pr.Name = "forge.example", "acme", "calc"
	}
	return pr, nil
}

// start runs the task to its end.
func (w *world) start(t *testing.T) signals.Status {
	t.Helper()
	return w.startWith(t, `{"repository":"acme/calc","task":"fix the failing test"}`)
}

func (w *world) startWith(t *testing.T, input string) signals.Status {
	t.Helper()
	w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(input))
	if !w.env.IsWorkflowCompleted() {
		t.Fatal("the workflow did not end")
	}
	var s signals.Status
	if err := w.env.GetWorkflowError(); err != nil {
		t.Fatalf("the workflow failed: %v", err)
	}
	if err := w.env.GetWorkflowResult(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// status asks the running task.
func (w *world) status(t *testing.T) signals.Status {
	t.Helper()
	v, err := w.env.QueryWorkflow(signals.QueryStatus)
	if err != nil {
		t.Fatal(err)
	}
	var s signals.Status
	if err := v.Get(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// update sends an update and gives how it was answered.
func (w *world) update(name string, payload any) *answer {
	a := &answer{}
	w.env.UpdateWorkflow(name, "", &testsuite.TestUpdateCallback{
		OnAccept:   func() {},
		OnReject:   func(err error) { a.refused = err },
		OnComplete: func(v any, err error) { a.ack, _ = v.(signals.Ack); a.err = err },
	}, payload)
	return a
}

type answer struct {
	ack     signals.Ack
	refused error
	err     error
}

// roles lists the roles of the sessions that were asked for.
func (w *world) roles() string {
	text := ""
	for _, in := range w.asked {
		text += string(in.Role[:1])
	}
	return text
}

func (w *world) WriteCheckRun(_ context.Context, in activities.CheckRunInput) error {
	w.runs = append(w.runs, in)
	if w.runFails != nil {
		return w.runFails()
	}
	return nil
}
