package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// standIn is a small workflow that keeps the contract in signals as the real one does, so that the command line can be
// tested against a real server. Words in the task say what happens: "quick" has nothing to wait for, "suspend" runs out of
// money, "fail" ends with a typed error, "hold" stays in its session until it is told something, "merged" has its pull request merged.
type standIn struct {
	status  signals.Status
	decided string
	told    []string
	resumed bool
	logged  int
}

func (s *standIn) say(ctx workflow.Context, kind, text string) {
	s.logged++
	s.status.Log = append(s.status.Log, signals.LogLine{N: s.logged, Entry: task.Entry{Time: workflow.Now(ctx), Kind: kind, Text: text}})
}

func (s *standIn) enter(ctx workflow.Context, phase task.Phase) error {
	s.status.Phase = phase
	s.status.NeedsHuman = phase == task.Approving || phase == task.Suspended
	s.say(ctx, string(phase), "the task is "+string(phase))
	return workflow.UpsertTypedSearchAttributes(ctx,
		temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(phase)),
		temporal.NewSearchAttributeKeyBool(signals.AttrNeedsHuman).ValueSet(s.status.NeedsHuman))
}

func standInTask(ctx workflow.Context, in task.Input) (signals.Status, error) {
	info := workflow.GetInfo(ctx)
	s := &standIn{status: signals.Status{
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID, Repository: in.Repository, Task: in.Task,
		TaskID:  task.Slug(info.WorkflowExecution.ID, 60) + "-" + info.OriginalRunID[len(info.OriginalRunID)-8:],
		Started: workflow.Now(ctx), Phase: task.Preparing, BudgetUSD: 5, Agent: task.AgentScript, Branch: "longshift/stand-in", Base: in.Base,
		Images: in.Images,
	}}
	if err := s.listen(ctx); err != nil {
		return s.status, err
	}
	err := s.run(ctx, in)
	var done *standInEnd
	switch {
	case errors.As(err, &done):
		s.status.Outcome, s.status.Detail = done.outcome, done.detail
	case temporal.IsCanceledError(err):
		s.status.Outcome, s.status.Phase = task.Cancelled, task.Ended
		return s.status, temporal.NewCanceledError(s.status)
	case err != nil:
		s.status.Outcome, s.status.Phase = task.Failed, task.Ended
		return s.status, temporal.NewApplicationErrorWithOptions("clone repository: no such remote", string(fault.NotFound),
			temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"check the repository's name", s.status}})
	}
	s.say(ctx, "ended", string(s.status.Outcome))
	s.status.Phase = task.Ended
	err = workflow.UpsertTypedSearchAttributes(ctx, temporal.NewSearchAttributeKeyKeyword(signals.AttrOutcome).ValueSet(string(s.status.Outcome)),
		temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Ended)))
	return s.status, err
}

type standInEnd struct {
	outcome task.Outcome
	detail  string
}

func (e *standInEnd) Error() string { return string(e.outcome) }

func (s *standIn) run(ctx workflow.Context, in task.Input) error {
	if strings.Contains(in.Task, "fail") {
		return errors.New("fails")
	}
	if err := s.session(ctx, task.Planner, ""); err != nil {
		return err
	}
	s.plan(1, "Do it in two steps")
	if err := s.approval(ctx, in); err != nil {
		return err
	}
	if strings.Contains(in.Task, "suspend") {
		s.status.Reason, s.status.Detail, s.status.NextAction = signals.ReasonBudget, "$5.00 of $5.00 are used", "`resume` with more money, or `abandon`"
		if err := s.enter(ctx, task.Suspended); err != nil {
			return err
		}
		if err := workflow.Await(ctx, func() bool { return s.resumed || s.decided == signals.Abandon }); err != nil {
			return err
		}
		if s.decided == signals.Abandon {
			return &standInEnd{task.Abandoned, "abandoned"}
		}
		s.status.Reason, s.status.Detail, s.status.NextAction = "", "", ""
	}
	if err := s.enter(ctx, task.Executing); err != nil {
		return err
	}
	for i := range s.status.Plan.Deliverables {
		d := &s.status.Plan.Deliverables[i]
		if err := s.session(ctx, task.Implementer, d.ID); err != nil {
			return err
		}
		d.Status = task.Passed
		s.status.Commits = append(s.status.Commits, signals.Commit{ID: fmt.Sprintf("c0ffee%034d", i+1), Subject: "Do " + d.ID})
		s.status.Files, s.status.Added, s.status.Deleted = i+1, 10*(i+1), i
	}
	s.status.Check = &signals.Check{Command: "make test", Duration: 3 * time.Second}
	s.status.PullRequest = &signals.PullRequest{Number: 7, URL: "https://example.com/acme/web/pull/7"}
	if strings.Contains(in.Task, "merged") {
		if err := s.followed(ctx); err != nil {
			return err
		}
	}
	return &standInEnd{outcome: task.PullRequest}
}

func (s *standIn) plan(revision int, summary string) {
	s.status.Plan = &task.Plan{Revision: revision, Summary: summary, Files: []string{"main.go"}, Risks: []string{"none to speak of"},
		Deliverables: []task.Deliverable{{ID: "FEAT-001", Description: "The first step", Acceptance: []string{"it works"}},
			{ID: "FEAT-002", Description: "The second step"}}}
}

// approval waits for a decision, or for the timer of the input's configuration.
func (s *standIn) approval(ctx workflow.Context, in task.Input) error {
	mode, after := task.ApprovalAuto, "1s"
	if in.Config != nil && in.Config.Approval != nil {
		if a := in.Config.Approval; a.Mode != nil {
			mode = *a.Mode
		}
		if a := in.Config.Approval; a.After != nil {
			after = *a.After
		}
	}
	if strings.Contains(in.Task, "quick") || mode == task.ApprovalNone {
		return nil
	}
	wait, err := time.ParseDuration(after)
	if err != nil {
		return err
	}
	for {
		s.decided = ""
		if mode == task.ApprovalAuto {
			s.status.WaitingUntil = workflow.Now(ctx).Add(wait)
		}
		if err := s.enter(ctx, task.Approving); err != nil {
			return err
		}
		decided := func() bool { return s.decided != "" }
		if mode == task.ApprovalAuto {
			_, err = workflow.AwaitWithTimeout(ctx, wait, decided)
		} else {
			err = workflow.Await(ctx, decided)
		}
		if err != nil {
			return err
		}
		switch s.decided {
		case signals.Edit:
			s.plan(s.status.Plan.Revision+1, "Do it as you said: "+s.told[len(s.told)-1])
		case signals.Reject:
			return &standInEnd{task.Rejected, "not wanted"}
		case signals.Abandon:
			return &standInEnd{task.Abandoned, "abandoned"}
		default:
			s.status.WaitingUntil = time.Time{}
			return nil
		}
	}
}

func (s *standIn) session(ctx workflow.Context, role task.Role, deliverable string) error {
	n := len(s.status.Sessions) + 1
	id := fmt.Sprintf("%s-session-%d", s.status.RunID, n)
	s.status.Sessions = append(s.status.Sessions, signals.Session{N: n, ID: id, Role: role, Deliverable: deliverable, Started: workflow.Now(ctx), Host: "here"})
	s.say(ctx, "session", fmt.Sprintf("session %d: %s", n, role))
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, HeartbeatTimeout: time.Second, WaitForCancellation: true})
	started := workflow.Now(ctx)
	var resumed int
	if err := workflow.ExecuteActivity(ctx, "RunSession", standInSession{N: n, ID: id, Role: role, TaskID: s.status.TaskID,
		Task: s.status.Task}).Get(ctx, &resumed); err != nil {
		return err
	}
	last := &s.status.Sessions[n-1]
	last.Outcome, last.Duration, last.Turns, last.Resumed = "completed", workflow.Now(ctx).Sub(started), 3, resumed
	last.Usage = task.Usage{CostUSD: 0.25, Calls: 3}
	s.status.Usage = s.status.Usage.Add(last.Usage)
	return nil
}

type standInSession struct {
	N      int
	ID     string
	Role   task.Role
	TaskID string
	Task   string
}

// standInHost runs the sessions of the stand-in.
type standInHost struct{ data string }

// RunSession writes a log and reports heartbeats. A "hold" or "kill" in the task makes an implementer's first attempt stay
// until it is cancelled or its worker dies.
func (h standInHost) RunSession(ctx context.Context, in standInSession) (int, error) {
	dir := filepath.Join(h.data, "tasks", in.TaskID, "logs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	file, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%02d-%s.log", in.N, in.Role)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	resumed := int(activity.GetInfo(ctx).Attempt) - 1
	stays := in.Role == task.Implementer && resumed == 0 && (strings.Contains(in.Task, "hold") || strings.Contains(in.Task, "kill") && in.N == 3)
	beat := signals.Heartbeat{Session: in.ID, N: in.N, Role: in.Role, Activity: "Running Bash", Started: time.Now()}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for beat.Tools < 3 || stays {
		beat.Tools++
		beat.Usage.CostUSD += 0.01
		fmt.Fprintf(file, "attempt %d, tool call %d of session %d\n", resumed+1, beat.Tools, in.N)
		activity.RecordHeartbeat(ctx, beat)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return resumed, ctx.Err()
		}
	}
	return resumed, nil
}

// listen keeps the messages of the contract.
func (s *standIn) listen(ctx workflow.Context) error {
	if err := workflow.SetQueryHandler(ctx, signals.QueryStatus, func() (signals.Status, error) { return s.status, nil }); err != nil {
		return err
	}
	decidable := func(revision int) error {
		switch {
		case s.status.Phase != task.Approving:
			return standInRefusal(fault.Conflict, "nothing to decide: the task is "+string(s.status.Phase), "")
		case revision != 0 && revision != s.status.Plan.Revision:
			return standInRefusal(fault.Conflict, fmt.Sprintf("plan revision %d is stale: the current one is %d", revision, s.status.Plan.Revision),
				"look at the plan again")
		}
		return nil
	}
	return errors.Join(
		standInMessage(ctx, s, signals.Approve, func(r signals.ApproveRequest) error { return decidable(r.Revision) },
			func(r signals.ApproveRequest) string { s.decided = signals.Approve; return "approved by " + r.By }),
		standInMessage(ctx, s, signals.Edit, func(r signals.EditRequest) error { return decidable(r.Revision) },
			func(r signals.EditRequest) string {
				s.told, s.decided = append(s.told, r.Text), signals.Edit
				return "the plan goes back"
			}),
		standInMessage(ctx, s, signals.Reject, func(r signals.RejectRequest) error { return decidable(r.Revision) },
			func(signals.RejectRequest) string { s.decided = signals.Reject; return "rejected" }),
		standInMessage(ctx, s, signals.Resume, func(signals.ResumeRequest) error { return nil },
			func(r signals.ResumeRequest) string {
				s.resumed = true
				s.status.BudgetUSD += r.AddCost
				return fmt.Sprintf("the task continues, %s %s %s", term.USD(r.AddCost), r.AddTime, r.Note)
			}),
		standInMessage(ctx, s, signals.Abandon, func(signals.AbandonRequest) error { return nil },
			func(signals.AbandonRequest) string { s.decided = signals.Abandon; return "the task ends" }),
		standInMessage(ctx, s, signals.Tell, func(signals.TellRequest) error { return nil },
			func(r signals.TellRequest) string {
				s.told = append(s.told, r.Text)
				s.status.Tells++
				return "the next session will be told"
			}),
	)
}

func standInMessage[T any](ctx workflow.Context, s *standIn, name string, allowed func(T) error, apply func(T) string) error {
	once := func(ctx workflow.Context, r T) signals.Ack {
		text := apply(r)
		s.say(ctx, name, text)
		return signals.Ack{Phase: s.status.Phase, Text: text}
	}
	ch := workflow.GetSignalChannel(ctx, name)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var r T
			if !ch.Receive(ctx, &r) {
				return
			}
			if allowed(r) == nil {
				once(ctx, r)
			}
		}
	})
	return workflow.SetUpdateHandlerWithOptions(ctx, name, func(ctx workflow.Context, r T) (signals.Ack, error) { return once(ctx, r), nil },
		workflow.UpdateHandlerOptions{Validator: allowed})
}

func standInRefusal(kind fault.Kind, message, hint string) error {
	return temporal.NewApplicationErrorWithOptions(message, string(kind), temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{hint}})
}

// standInUndo is an Undo. Words in the task's id say what it finds.
func standInUndo(_ workflow.Context, in signals.UndoInput) (signals.Undone, error) {
	switch {
	case strings.Contains(in.TaskID, "merged"):
		return signals.Undone{}, standInRefusal(fault.Conflict, fmt.Sprintf("pull request #%d is merged", in.PullRequest), "revert the merge instead")
	case strings.Contains(in.TaskID, "moved"):
		return signals.Undone{Moved: "c0ffee0000000000"}, nil
	case strings.Contains(in.TaskID, "gone"):
		return signals.Undone{}, nil
	}
	return signals.Undone{Closed: in.PullRequest > 0, Deleted: []string{"refs/heads/" + in.Branch}}, nil
}

// newStandInWorker polls the queues that a worker polls.
func newStandInWorker(c client.Client, data string) (start func() error, stop func()) {
	control := worker.New(c, signals.Queue, worker.Options{})
	control.RegisterWorkflowWithOptions(standInTask, workflow.RegisterOptions{Name: signals.CodingTask})
	control.RegisterWorkflowWithOptions(standInFollower, workflow.RegisterOptions{Name: signals.PullRequestFlow})
	control.RegisterWorkflowWithOptions(standInUndo, workflow.RegisterOptions{Name: signals.Undo})
	control.RegisterActivity(standInHost{data}.RunSession)
	control.RegisterWorkflowWithOptions(workflows.Checkup, workflow.RegisterOptions{Name: signals.Checkup})
	control.RegisterWorkflowWithOptions(workflows.Attachment, workflow.RegisterOptions{Name: signals.Attachment})
	host := worker.Options{DisableWorkflowWorker: true, Identity: signals.HostIdentity(farHost, 1)}
	hosts := worker.New(c, signals.QueueHosts, host)
	hosts.RegisterActivity(standInHost{data}.RunSession)
	far, old := worker.New(c, signals.HostControlQueue(farHost), host), worker.New(c, signals.HostControlQueue("old-host"), worker.Options{})
	far.RegisterActivity(standInHost{data}.Examine)
	old.RegisterActivity(standInHost{data}.RunSession)
	all := []worker.Worker{control, hosts, far, old}
	start = func() (err error) {
		for _, w := range all {
			err = errors.Join(err, w.Start())
		}
		for deadline := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
			var d *workflowservice.DescribeTaskQueueResponse
			d, err = c.DescribeTaskQueue(context.Background(), signals.QueueHosts, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
			if len(d.GetPollers()) > 0 {
				break
			}
		}
		return err
	}
	return start, func() {
		for _, w := range all {
			w.Stop()
		}
	}
}

// farHost is a host on another machine.
const farHost = "build-2-00aa11"

// Examine finds a tool chain that fails.
func (h standInHost) Examine(context.Context) ([]signals.HostFinding, error) {
	return []signals.HostFinding{{Check: "version", State: signals.HostOK, Detail: "v1.0.0"}, {Check: "disk", State: signals.HostOK, Detail: "9.0 GiB free"},
		{Check: "work in sandbox", State: signals.HostWarn, Detail: "tool chains that fail there: cargo", Hint: "let tasks see its folder"}}, nil
}
