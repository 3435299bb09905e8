// Package intakes manages the intakes' schedules on the Temporal server, one for each intake. It validates an intake before storing it,
// and reports how the last polls went. It knows no source: the workflow polls it.
package intakes

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Client is the part of client.Client that this package uses.
type Client interface {
	ScheduleClient() client.ScheduleClient
}

// Spec describes an intake: what it does and how often. Every is the interval of an adaptive intake while something comes.
type Spec struct {
	signals.IntakeInput
	Every time.Duration `json:"every"`
}

// memoSpec is the memo key that holds the Spec. Listed schedules include the memo and not the arguments.
const memoSpec = "intake"

// runTimeout limits one poll. While a poll hangs, the schedule skips the ones that follow.
const runTimeout = 30 * time.Minute

// Add validates an intake and creates its schedule. If the name is taken, the error is a fault of kind Conflict.
func Add(ctx context.Context, c Client, s Spec, paused bool) error {
	if err := s.Check(); err != nil {
		return err
	}
	attributes := temporal.NewSearchAttributes(
		temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(s.Repository[:min(len(s.Repository), 200)]))
	timing := timingOf(s.Every)
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: signals.IntakeScheduleID(s.Name), Memo: map[string]any{memoSpec: s}, TypedSearchAttributes: attributes,
		Spec:          client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: s.Every}}, Jitter: timing.jitter},
		Overlap:       enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: timing.catchup, Paused: paused, TriggerImmediately: !paused,
		Action: &client.ScheduleWorkflowAction{
			ID: "intake-" + s.Name, Workflow: signals.IssueIntake, Args: []any{s.IntakeInput}, TaskQueue: signals.Queue,
			WorkflowRunTimeout: runTimeout, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
			StaticSummary:         task.Literally(s.Source + " for " + s.Repository),
			TypedSearchAttributes: attributes,
		},
	})
	switch {
	case errors.Is(err, temporal.ErrScheduleAlreadyRunning):
		return fault.New(fault.Conflict, "intake %q exists", s.Name).
			WithHint("remove it first with `longshift intake remove %s`, or give another name", s.Name)
	case err != nil:
		return unreachable(err)
	}
	return nil
}

type Status struct {
	Spec
	Interval time.Duration `json:"interval"` // in force; that of an adaptive intake changes
	Paused   bool          `json:"paused"`
	Note     string        `json:"note,omitempty"` // why it is paused
	Next     time.Time     `json:"next,omitzero"`
	Runs     int           `json:"runs"`
	Missed   int           `json:"missed,omitempty"` // polls that were missed because the server was down
	Last     *LastPoll     `json:"last,omitempty"`
	Limiter  string        `json:"gate,omitempty"`   // workflow id of the repository's limiter
	NoGate   string        `json:"noGate,omitempty"` // why the limiter's state is missing, in a few words
	Queue    []QueueItem   `json:"queue,omitempty"`
}

// LastPoll is the poll that was started last.
type LastPoll struct {
	Workflow string              `json:"workflow"`
	Run      string              `json:"run"`
	At       time.Time           `json:"at"`
	Running  bool                `json:"running,omitempty"`
	Error    string              `json:"error,omitempty"`
	Pass     *signals.PollResult `json:"pass,omitempty"`
}

// QueueItem is a task of the intake that waits for admission.
type QueueItem struct {
	Task string       `json:"task"`
	For  signals.Wait `json:"for"`
	Why  string       `json:"why,omitempty"`
}

// List returns all intakes by name, without their last polls.
func List(ctx context.Context, c Client) ([]Status, error) {
	found, err := c.ScheduleClient().List(ctx, client.ScheduleListOptions{PageSize: 100})
	if err != nil {
		return nil, unreachable(err)
	}
	var all []Status
	for found.HasNext() {
		e, err := found.Next()
		if err != nil {
			return nil, unreachable(err)
		}
		spec, ours := specIn(e.Memo)
		if !ours {
			continue
		}
		s := Status{Spec: spec, Interval: inForce(e.Spec), Paused: e.Paused, Note: e.Note}
		if len(e.NextActionTimes) > 0 && !e.Paused {
			s.Next = e.NextActionTimes[0]
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// specIn reads an intake from the memo of its schedule. ok is false for other schedules, and for a format of another release.
func specIn(m *commonpb.Memo) (s Spec, ok bool) {
	p, ours := m.GetFields()[memoSpec]
	return s, ours && converter.GetDefaultDataConverter().FromPayload(p, &s) == nil
}
