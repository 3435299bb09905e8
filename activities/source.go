package activities

import (
	"context"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Sources finds work at its sources, and shows there what becomes of it.
type Sources struct {
	sources  map[intake.Kind]Source
	limiters *Limiters
	redact   *redact.Redactor
	web      string // address of Temporal Web; may be empty
}

// Source provides work, and is told the results.
type Source interface {
	intake.Source
	intake.Reporter
}

// Stage is the state of a task that is reported to its source.
type Stage string

const (
	Waits    Stage = "waits"    // the task waits for admission
	Claimed  Stage = "claimed"  // it works from now on
	Reported Stage = "reported" // it has ended
)

// SourceInput reports the state of a task to its source.
type SourceInput struct {
	Stage       Stage           `json:"stage"`
	Repository  task.Repository `json:"repository"`
	Origin      task.Origin     `json:"origin"`
	TaskID      string          `json:"taskId"`
	RequestedBy string          `json:"requestedBy,omitempty"`
	Reason      signals.Reason  `json:"reason,omitempty"`
	Detail      string          `json:"detail,omitempty"`
	Outcome     task.Outcome    `json:"outcome,omitempty"`
	PullRequest string          `json:"pullRequest,omitempty"`
	Branch      string          `json:"branch,omitempty"`
	CostUSD     float64         `json:"costUsd,omitempty"`
	Sessions    int             `json:"sessions,omitempty"`
}

// ReportToSource shows at the source that a task waits, claims the work for it, or reports its outcome. When the source does not want the
// work done any more, a claim fails with fault.Conflict or fault.NotFound; the other stages ignore it.
func (so *Sources) ReportToSource(ctx context.Context, in SourceInput) error {
	s, err := so.source(in.Origin.Source)
	if err != nil {
		return err
	}
	q := queryOf(in.Repository, in.Origin)
	n := intake.Note{TaskID: in.TaskID, Outcome: in.Outcome, Branch: in.Branch, Sum: in.Origin.Sum,
		Text: so.redact.String(so.sourceText(ctx, in))}
	switch in.Stage {
	case Waits:
		err = s.Queue(ctx, q, in.Origin.Key, n)
	case Claimed:
		err = s.Claim(ctx, q, in.Origin.Key, n)
	case Reported:
		err = s.Report(ctx, q, in.Origin.Key, n)
	default:
		return fault.New(fault.Internal, "there is no stage %q", in.Stage)
	}
	if kind := fault.KindOf(err); in.Stage != Claimed && (kind == fault.NotFound || kind == fault.Conflict) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("tell %s that %s is %s: %w", in.Origin.Source, in.Origin.Key, in.Stage, err)
	}
	if in.Stage == Reported && continues(in.Outcome) && !intake.Kind(in.Origin.Source).Tracker() {
		pollAgain(ctx, in.Origin.Intake)
	}
	return nil
}

// continues tells whether the next file may begin at once. After a failure the next task may fail too. A task is declined also when its file
// was changed while it waited for more than its turn: that file is new work.
func continues(o task.Outcome) bool { return o.Good() || o == task.MaxIterations || o == task.Declined }

// pollAgain triggers an intake at once, so that the next file does not wait for the interval. A paused intake stays paused. Failures are
// only logged: the schedule triggers the intake later.
func pollAgain(ctx context.Context, name string) {
	h := activity.GetClient(ctx).ScheduleClient().GetHandle(ctx, signals.IntakeScheduleID(name))
	d, err := h.Describe(ctx)
	if err == nil && !d.Schedule.State.Paused {
		err = h.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
	}
	if err != nil {
		activity.GetLogger(ctx).Info("The intake looks by its interval only", "intake", name, "error", err)
	}
}

func (so *Sources) source(kind string) (Source, error) {
	s, ok := so.sources[intake.Kind(kind)]
	if !ok {
		return nil, fault.New(fault.Denied, "there is no source %q here", kind).WithHint("set its token for every worker")
	}
	return s, nil
}

func queryOf(r task.Repository, o task.Origin) intake.Query {
	return intake.Query{Repository: r, Label: o.Label, Assignee: o.Assignee, Team: o.Team, Path: o.Path}
}

const mostDetail = 400 // characters

// sourceText returns what people read at the source, as Markdown. What models and people have written is neutralised; our links work.
func (so *Sources) sourceText(ctx context.Context, in SourceInput) string {
	var b strings.Builder
	name := "`" + activity.GetInfo(ctx).WorkflowExecution.ID + "`"
	if page := taskURL(ctx, so.web); page != "" {
		name = "[" + name + "](" + page + ")"
	}
	switch in.Stage {
	case Waits:
		fmt.Fprintf(&b, "Longshift has queued this as task %s. It waits for: %s (%s).\n", name, waitWords(in.Reason), forge.CommentLine(in.Detail, mostDetail))
	case Claimed:
		fmt.Fprintf(&b, "Longshift works on this. The plan and how it goes: task %s.\n", name)
	case Reported:
		fmt.Fprintf(&b, "Longshift has ended its work on this: **%s**.\n", outcomeWords(in.Outcome))
		if in.PullRequest != "" {
			fmt.Fprintf(&b, "\nPull request: %s\n", in.PullRequest)
		}
		if in.Detail != "" && in.Outcome != task.PullRequest {
			fmt.Fprintf(&b, "\n%s\n", forge.CommentLine(in.Detail, mostDetail))
		}
		fmt.Fprintf(&b, "\nTask %s, %d sessions, %.2f USD.\n", name, in.Sessions, in.CostUSD)
	}
	if in.RequestedBy != "" && in.Stage != Reported {
		fmt.Fprintf(&b, "\nAsked for by %s.\n", forge.CommentLine(in.RequestedBy, 100))
	}
	return b.String()
}

func waitWords(r signals.Reason) string {
	switch signals.Wait(r) {
	case signals.WaitSessions:
		return "its turn"
	case signals.WaitPull:
		return "the end of an open pull request"
	case signals.WaitCost:
		return "tomorrow's money"
	case signals.WaitErrors:
		return "somebody who looks at the errors of other tasks"
	}
	return string(r)
}

func outcomeWords(o task.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") }
