package integration

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
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
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return p
}

func pollsOnce(ctx workflow.Context, in activities.PollSourceInput) (found activities.Found, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var control *activities.Control
	err = workflow.ExecuteActivity(ctx, control.PollSource, in).Get(ctx, &found)
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

// add adds work that has not changed for a day.
func (p *polled) add(n int) {
	for range n {
		key := strconv.Itoa(len(p.items) + 1)
		p.items = append(p.items, intake.Item{Key: key, ID: "work-" + key, Changed: polledAt.Add(-24 * time.Hour)})
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
	h, err := p.Client.UpdateWithStartWorkflow(p.t.Context(), client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: p.Client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{ID: limiter, TaskQueue: signals.Queue,
			WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING}, signals.Limiter),
		UpdateOptions: client.UpdateWorkflowOptions{WorkflowID: limiter, UpdateName: signals.Acquire, WaitForStage: client.WorkflowUpdateStageCompleted,
			Args: []any{signals.AcquireRequest{Workflow: id, Run: run.GetRunID(), Intake: of, Guard: g, Budget: 20}}},
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

// A task that waits for the money of the whole installation is at no limiter of its repository. It counts all the same.
func TestRoomBesideTheMoneyOfAll(t *testing.T) {
	t.Parallel()
	p := newPolled(t)
	p.add(5)
	room := func(source intake.Kind, sessions int) int {
		return len(p.poll(activities.PollSourceInput{Now: polledAt, Intake: signals.IntakeInput{Source: string(source), Queue: 2,
			Guard: task.Guard{Sessions: sessions}}}).Work)
	}
	want := func(when string, issues, files, files2, lists int) {
		t.Helper()
		got := [...]int{room(intake.GitHub, 1), room(intake.Backlog, 1), room(intake.Backlog, 2), room(intake.Heartbeat, 1)}
		if got != [...]int{issues, files, files2, lists} {
			t.Errorf("%s: there is room for %v", when, got)
		}
	}
	of, all, money := signals.LimiterID("github.com", task.Repository{Owner: "acme", Name: "web"}), signals.LimiterOfAll, task.Guard{DailyCost: 20}
	want("nobody is there", 2, 1, 2, 1)
	p.asks(all, "another", "other", money)
	p.asks(all, "person", "", money)
	want("others wait for money", 2, 1, 2, 1)
	p.asks(all, "first", "calc", money)
	want("one waits for money", 1, 0, 1, 0)
	p.asks(of, "first", "calc", task.Guard{})
	want("it has not given the repository's admission back yet", 1, 0, 1, 0)
	p.asks(all, "second", "calc", money)
	want("two wait for money", 0, 0, 0, 0)
	p.schedule(intakes.Spec{IntakeInput: signals.IntakeInput{Name: "calc", Repository: "acme/web"}, Every: time.Hour})
	s, err := intakes.Get(t.Context(), p.Client, "calc", "github.com")
	if err != nil || len(s.Queue) != 2 || s.Queue[0].Task != "first" || s.Queue[1].Task != "second" || s.Queue[1].For != signals.WaitCost {
		t.Errorf("the intake shows %+v, %v", s.Queue, err)
	}
}

// Many refused pieces of work at the head of a list keep nobody from what is behind them, however long the pause between two looks.
func TestRefusalsStarveNothing(t *testing.T) {
	t.Parallel()
	p := newPolled(t)
	p.add(61)
	for _, i := range p.items[:60] {
		p.refused = append(p.refused, i.Key)
	}
	var last signals.PollResult
	look := func(after time.Duration) (found []string) {
		t.Helper()
		p.read = nil
		f := p.poll(activities.PollSourceInput{Now: polledAt.Add(after), Refused: last.Refused, Past: last.Past, Last: last.At,
			Intake: signals.IntakeInput{Source: string(intake.GitHub), Queue: 10}})
		for _, w := range f.Work {
			found = append(found, w.Key)
		}
		last = f.PollResult
		return found
	}
	if found := look(0); len(found) > 0 || len(p.read) != 50 || !last.More {
		t.Errorf("found %q after %d were read", found, len(p.read))
	}
	p.refused = slices.DeleteFunc(p.refused, func(key string) bool { return key == "3" }) // somebody else has labelled it
	p.items[2].Changed = polledAt.Add(10 * time.Minute)
	if found := look(31 * time.Minute); !slices.Equal(found, []string{"3", "61"}) || len(p.read) != 12 || last.More {
		t.Errorf("found %q after %d were read", found, len(p.read))
	}
	if look(62 * time.Minute); p.read[0] != "1" {
		t.Errorf("the look after the end of the list begins at %s", p.read[0])
	}
}
