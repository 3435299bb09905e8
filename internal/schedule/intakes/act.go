package intakes

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Pause pauses an intake until it is resumed. Tasks that it has started continue.
func Pause(ctx context.Context, c Client, name, by string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		return h.Pause(ctx, client.SchedulePauseOptions{Note: "paused by " + cmp.Or(by, "somebody")})
	})
}

// Resume resumes an intake.
func Resume(ctx context.Context, c Client, name, by string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error {
		return resume(ctx, h, "resumed by "+cmp.Or(by, "somebody"))
	})
}

// resume lets a schedule poll again. One that has become slow polls at once, too: who resumes it wants to see what has come meanwhile.
func resume(ctx context.Context, h client.ScheduleHandle, note string) error {
	if err := h.Unpause(ctx, client.ScheduleUnpauseOptions{Note: note}); err != nil {
		return err
	}
	d, err := h.Describe(ctx)
	if err != nil {
		return err
	}
	if s, ours := specIn(d.Memo); !ours || inForce(d.Schedule.Spec) <= s.Every {
		return nil
	}
	return pollNow(ctx, h)
}

// pollNow starts a poll of a schedule. If one is running, another one follows it.
func pollNow(ctx context.Context, h client.ScheduleHandle) error {
	return h.Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
}

// Run starts a poll now, even if the intake is paused. If a poll is running, another one follows it.
func Run(ctx context.Context, c Client, name string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error { return pollNow(ctx, h) })
}

// Remove deletes an intake. Tasks that it has started continue.
func Remove(ctx context.Context, c Client, name string) error {
	return onSchedule(ctx, c, name, func(h client.ScheduleHandle) error { return h.Delete(ctx) })
}

// Look starts a poll of every intake of a repository's issues that selects an issue with this label ("" without the one that is asked for) and these
// assignees, because something has changed there. The account of the token is "me" among them too; nil are assignees that are not known. found is false
// when there is no such intake. A paused intake does not poll; if a poll is running, another one follows it.
func Look(ctx context.Context, c Client, host, owner, name, label string, assignees []string) (found bool, err error) {
	all, err := List(ctx, c)
	if err != nil {
		return false, err
	}
	for _, s := range all {
		r, err := task.ParseRepository(s.Repository)
		if err != nil || s.Source != string(intake.GitHub) || !strings.EqualFold(r.Owner, owner) || !strings.EqualFold(r.Name, name) ||
			!sameHost(r.Host, host) || !s.selects(label, assignees) {
			continue
		}
		found = true
		if s.Paused {
			continue
		}
		err = onSchedule(ctx, c, s.Name, func(h client.ScheduleHandle) error { return pollNow(ctx, h) })
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return true, err
		}
	}
	return found, nil
}

// selects reports whether an intake takes issues with this label and these assignees, as Look has them.
func (s Spec) selects(label string, assignees []string) bool {
	is := func(a string) bool { return strings.EqualFold(a, s.Assignee) }
	return (s.Label == "" || strings.EqualFold(s.Label, label)) && (s.Assignee == "" || assignees == nil || slices.ContainsFunc(assignees, is))
}

// sameHost reports whether two forge hosts may be the same. A missing host matches any.
func sameHost(a, b string) bool {
	return a == "" || b == "" || task.HostName(a) == task.HostName(b)
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
