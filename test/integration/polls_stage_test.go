package integration

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
	"github.com/longshift/longshift/workflows"
)

// polled is a server with limiters, and a source that is polled by hand and at any time.
type polled struct {
	*lab.Server
	intake.Reporter
	t       *testing.T
	items   []intake.Item
	refused []string // keys of work that must not be started
	read    []string // keys that were read since they were last asked for
	noted   []string // keys of work and what the source was told of its task
	closed  bool     // the source can't be told
}

func newPolled(t *testing.T) *polled {
	t.Helper()
	p := &polled{Server: lab.StartServer(t, false), t: t}
	sources := map[intake.Kind]activities.Source{intake.GitHub: p, intake.Backlog: p, intake.Heartbeat: p}
	w := worker.New(p.Client, signals.Queue, worker.Options{})
	(&activities.Control{Sources: sources, Host: "github.com", Redact: redact.New()}).Register(w)
	w.RegisterWorkflow(workflows.Limiter)
	w.RegisterWorkflow(pollsOnce)
	w.RegisterWorkflow(goesOn)
	w.RegisterWorkflowWithOptions(goesOn, workflow.RegisterOptions{Name: signals.CodingTask})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	_, err := p.Client.OperatorService().AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{Namespace: "default",
		SearchAttributes: map[string]enumspb.IndexedValueType{signals.AttrRepository: enumspb.INDEXED_VALUE_TYPE_KEYWORD}})
	if err != nil {
		t.Fatal(err)
	}
	lab.Eventually(t, time.Minute, "tasks of a repository can be listed", func() bool {
		_, err := p.Client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: signals.AttrRepository + " = 'acme/web'"})
		return err == nil
	})
	return p
}

func pollsOnce(ctx workflow.Context, in activities.PollSourceInput) (found activities.Found, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var sources *activities.Sources
	err = workflow.ExecuteActivity(ctx, sources.PollSource, in).Get(ctx, &found)
	return found, err
}

func (p *polled) poll(in activities.PollSourceInput) (found activities.Found) {
	p.t.Helper()
	in.Intake.Name, in.Intake.Repository = "calc", "acme/web"
	run, err := p.Client.ExecuteWorkflow(p.t.Context(), client.StartWorkflowOptions{TaskQueue: signals.Queue}, pollsOnce, in)
	if err == nil {
		err = run.Get(p.t.Context(), &found)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return found
}

func (p *polled) List(_ context.Context, _ intake.Query, visit func(intake.Item) bool) error {
	for _, i := range p.items {
		if !visit(i) {
			break
		}
	}
	return nil
}

func (p *polled) Read(_ context.Context, _ intake.Query, key string) (w intake.Work, err error) {
	p.read = append(p.read, key)
	w.Item, w.Task = p.items[slices.IndexFunc(p.items, func(i intake.Item) bool { return i.Key == key })], "Resolve it."
	if slices.Contains(p.refused, key) {
		w.No = "labelled by eve, who has no write access"
	}
	return w, nil
}

func (p *polled) Record(_ context.Context, _ intake.Query, key string, n intake.Note) error {
	p.noted = append(p.noted, key+": "+n.Text)
	if p.closed {
		return fault.New(fault.Denied, "labels can't be set here")
	}
	return nil
}

// add adds work that has not changed for a day.
func (p *polled) add(n int) {
	for range n {
		key := strconv.Itoa(len(p.items) + 1)
		p.items = append(p.items, intake.Item{Key: key, ID: "work-" + key, Changed: polledAt.Add(-24 * time.Hour),
			Created: polledAt.Add(-48*time.Hour + time.Duration(len(p.items))*time.Minute)})
	}
}

var polledAt = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// asks has a task ask a limiter. The task never ends.
func (p *polled) asks(limiter, id, of string, g task.Guard) {
	p.t.Helper()
	run, err := p.Client.ExecuteWorkflow(p.t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: signals.Queue}, goesOn)
	if err != nil {
		p.t.Fatal(err)
	}
	p.acquire(limiter, run, of, g)
}

func (p *polled) acquire(limiter string, run client.WorkflowRun, of string, g task.Guard) {
	p.t.Helper()
	h, err := p.Client.UpdateWithStartWorkflow(p.t.Context(), client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: p.Client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{ID: limiter, TaskQueue: signals.Queue,
			WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING}, signals.Limiter),
		UpdateOptions: client.UpdateWorkflowOptions{WorkflowID: limiter, UpdateName: signals.Acquire, WaitForStage: client.WorkflowUpdateStageCompleted,
			Args: []any{signals.AcquireRequest{Workflow: run.GetID(), Run: run.GetRunID(), Intake: of, Guard: g, Budget: 20}}},
	})
	if err == nil {
		err = h.Get(p.t.Context(), nil)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// schedule adds the schedule of an intake, as people see it; it never looks.
func (p *polled) schedule(s intakes.Spec) {
	p.t.Helper()
	_, err := p.Client.ScheduleClient().Create(p.t.Context(), client.ScheduleOptions{ID: signals.IntakeScheduleID(s.Name), Paused: true,
		Memo: map[string]any{"intake": s}, Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: s.Every}}},
		Action: &client.ScheduleWorkflowAction{ID: "calc", Workflow: goesOn, TaskQueue: signals.Queue}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// room is how many tasks an intake with a queue of two may start now.
func (p *polled) room(source intake.Kind, sessions int) int {
	p.t.Helper()
	return len(p.poll(activities.PollSourceInput{Now: polledAt, Intake: signals.IntakeInput{Source: string(source), Queue: 2,
		Guard: task.Guard{Sessions: sessions}}}).Work)
}
