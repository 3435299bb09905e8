// Package intakes manages the intakes' schedules on the Temporal server, one for each intake. It validates an intake before storing it,
// and reports how the last polls went. It knows no source: the workflow polls it.
package intakes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Client is the part of client.Client that this package uses.
type Client interface {
	ScheduleClient() client.ScheduleClient
}

// Spec describes an intake: what it does and how often.
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
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: signals.IntakeScheduleID(s.Name), Memo: map[string]any{memoSpec: s}, TypedSearchAttributes: attributes,
		Spec:          client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: s.Every}}, Jitter: min(s.Every/10, time.Minute)},
		Overlap:       enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchupWindow: max(2*s.Every, 10*time.Second), Paused: paused, TriggerImmediately: !paused,
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
	Paused  bool        `json:"paused"`
	Note    string      `json:"note,omitempty"` // why it is paused
	Next    time.Time   `json:"next,omitzero"`
	Runs    int         `json:"runs"`
	Missed  int         `json:"missed,omitempty"` // polls that were missed because the server was down
	Last    *LastPoll   `json:"last,omitempty"`
	Limiter string      `json:"gate,omitempty"`   // workflow id of the repository's limiter
	NoGate  string      `json:"noGate,omitempty"` // why the limiter's state is missing, in a few words
	Queue   []QueueItem `json:"queue,omitempty"`
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
		p, ours := e.Memo.GetFields()[memoSpec]
		if !ours {
			continue
		}
		s := Status{Paused: e.Paused, Note: e.Note}
		if err := converter.GetDefaultDataConverter().FromPayload(p, &s.Spec); err != nil {
			continue // written by another release in an unknown format
		}
		if len(e.NextActionTimes) > 0 && !e.Paused {
			s.Next = e.NextActionTimes[0]
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Pause pauses an intake until it is resumed. Tasks that it has started continue.
func Pause(ctx context.Context, c Client, name, by string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		return h.Pause(ctx, client.SchedulePauseOptions{Note: "paused by " + cmp.Or(by, "somebody")})
	})
}

func Resume(ctx context.Context, c Client, name, by string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		return h.Unpause(ctx, client.ScheduleUnpauseOptions{Note: "resumed by " + cmp.Or(by, "somebody")})
	})
}

// Run starts a poll now, even if the intake is paused. If a poll is running, another one follows it.
func Run(ctx context.Context, c Client, name string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		return h.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
	})
}

// Remove deletes an intake. Tasks that it has started continue.
func Remove(ctx context.Context, c Client, name string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error { return h.Delete(ctx) })
}

// Look starts a poll of every intake of a repository's issues that selects the label or the account, because something has changed there.
// found is false when there is none. A paused intake does not poll; if a poll is running, another one follows it.
func Look(ctx context.Context, c Client, host, owner, name, label string) (found bool, err error) {
	all, err := List(ctx, c)
	if err != nil {
		return false, err
	}
	for _, s := range all {
		r, err := task.ParseRepository(s.Repository)
		if err != nil || s.Source != string(intake.GitHub) || !strings.EqualFold(r.Owner, owner) || !strings.EqualFold(r.Name, name) ||
			!sameHost(r.Host, host) || s.Label != "" && !strings.EqualFold(s.Label, label) {
			continue
		}
		found = true
		if s.Paused {
			continue
		}
		err = onSchedule(ctx, c, s.Name, func(h client.ScheduleHandle) error {
			return h.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
		})
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return true, err
		}
	}
	return found, nil
}

// sameHost reports whether two forge hosts may be the same. It ignores ports, and a missing host matches any.
func sameHost(a, b string) bool {
	a, _, _ = strings.Cut(a, ":")
	b, _, _ = strings.Cut(b, ":")
	return a == "" || b == "" || strings.EqualFold(a, b)
}

func onSchedule(ctx context.Context, c Client, name string, do func(client.ScheduleHandle) error) error {
	if !nameForm.MatchString(name) {
		return noIntake(name)
	}
	err := do(c.ScheduleClient().GetHandle(ctx, signals.IntakeScheduleID(name)))
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone):
		return noIntake(name)
	case err != nil:
		return unreachable(err)
	}
	return nil
}

func noIntake(name string) error {
	return fault.New(fault.NotFound, "there is no intake %q", name).WithHint("see `longshift intake list`")
}

func unreachable(err error) error {
	var refused *serviceerror.InvalidArgument
	if errors.As(err, &refused) && strings.Contains(refused.Message, "search attribute") {
		return fault.New(fault.Input, "the server does not know Longshift's search attributes").
			WithHint("register them with `longshift doctor --fix`, or start a worker")
	}
	return fault.New(fault.Infra, "the Temporal server does not answer: %w", err)
}
