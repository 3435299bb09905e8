package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/schedule/cron"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Catchup is how late a run may start. The server makes up for a run that it missed while it was down, if it is back within this time.
const Catchup = time.Hour

// Create creates a cron job in the user's first free slot. A repeated request returns the same job. An invalid expression, time zone or
// repository is a fault of kind Input, before anything is stored. A user who already has Most jobs gets a Conflict.
func (b Book) Create(ctx context.Context, r Request) (Job, error) {
	s, err := cron.Parse(r.Expression)
	if err != nil {
		return Job{}, err
	}
	zone, err := cron.Zone(r.TimeZone)
	if err != nil {
		return Job{}, err
	}
	repository, err := task.ParseRepository(r.Input.Repository)
	if err != nil {
		return Job{}, err
	}
	rec := newRecord(r, s, zone.String(), repository)
	taken, err := b.slots(ctx, r.User)
	if err != nil {
		return Job{}, err
	}
	for _, j := range taken {
		if j != nil && r.Delivery != "" && j.delivery == r.Delivery {
			return j.Job, nil
		}
	}
	for i := range taken {
		if taken[i] != nil {
			continue
		}
		id := slot(r.User, i+1)
		call, cancel := context.WithTimeout(ctx, answerWithin)
		_, err := b.Client.ScheduleClient().Create(call, options(id, rec, r.Input, s))
		cancel()
		if err != nil && !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			return Job{}, explain(err)
		}
		j, known := b.describe(ctx, id)
		switch {
		case err == nil && known != nil: // the job exists; only its times are unknown
			return rec.job(id), nil
		case err == nil:
			return j.Job, nil
		case known != nil && !isGone(known):
			return Job{}, explain(known)
		case known == nil && r.Delivery != "" && j.delivery == r.Delivery: // a concurrent delivery of the same request has created it
			return j.Job, nil
		}
	}
	return Job{}, fault.New(fault.Conflict, "you have %d cron jobs, which is the most", Most).
		WithHint("delete one first; cron list shows them")
}

func newRecord(r Request, s cron.Spec, zone string, repository task.Repository) record {
	rec := record{User: r.User, Expression: s.String(), TimeZone: zone, Message: excerpt.Clip(r.Input.Task, 1000),
		Repository: excerpt.Clip(repository.Text, 255), Delivery: r.Delivery}
	if r.Input.RequestedBy != nil {
		rec.Name = r.Input.RequestedBy.Name
	}
	return rec
}

// options returns the schedule of a job.
func options(id string, r record, in task.Input, s cron.Spec) client.ScheduleOptions {
	first, _, _ := strings.Cut(strings.TrimSpace(in.Task), "\n")
	repository := temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(r.Repository)
	return client.ScheduleOptions{
		ID: id, Spec: spec(s, r.TimeZone), Memo: map[string]any{memoKey: r},
		TypedSearchAttributes: temporal.NewSearchAttributes(repository),
		Overlap:               enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: Catchup,
		Action: &client.ScheduleWorkflowAction{
			ID: runID(id, first), Workflow: signals.CodingTask, Args: []any{in}, TaskQueue: signals.Queue,
			WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
			StaticSummary:       task.Literally(excerpt.Clip(first, 180)), StaticDetails: details(id, r, in.Task),
			TypedSearchAttributes: temporal.NewSearchAttributes(
				repository, temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Preparing)),
			),
		},
	}
}

// runID begins the ids of a job's tasks. It names what they do, which the schedule's id can't: that is one of its owner's places.
func runID(id, firstLine string) string {
	if words := task.Slug(firstLine, 32); words != "" {
		return prefix + words + "-" + strings.TrimPrefix(id, prefix)
	}
	return id
}

// spec lists every value of every field explicitly. When clocks repeat an hour, the server can also take the hour after a matching one
// for a match, so hours that the expression does not have are excluded.
func spec(s cron.Spec, zone string) client.ScheduleSpec {
	all := client.ScheduleSpec{TimeZoneName: zone}
	for _, c := range s.Calendars() {
		all.Calendars = append(all.Calendars, client.ScheduleCalendarSpec{
			Second: ranges([]int{0}), Minute: ranges(c.Minutes), Hour: ranges(c.Hours),
			DayOfMonth: ranges(c.Days), Month: ranges(c.Months), DayOfWeek: ranges(c.Weekdays)})
	}
	if off := s.OffHours(); len(off) > 0 {
		all.Skip = []client.ScheduleCalendarSpec{{Second: ranges([]int{0}), Minute: []client.ScheduleRange{{Start: 0, End: 59}},
			Hour: ranges(off), DayOfMonth: []client.ScheduleRange{{Start: 1, End: 31}},
			Month: []client.ScheduleRange{{Start: 1, End: 12}}, DayOfWeek: []client.ScheduleRange{{Start: 0, End: 6}}}}
	}
	return all
}

// ranges converts ascending values to ranges without steps.
func ranges(values []int) (all []client.ScheduleRange) {
	for i, v := range values {
		if i > 0 && values[i-1] == v-1 {
			all[len(all)-1].End = v
			continue
		}
		all = append(all, client.ScheduleRange{Start: v, End: v})
	}
	return all
}

// details is the Markdown that Temporal Web shows at the top of each task.
func details(id string, r record, words string) string {
	text := fmt.Sprintf("**Repository** %s\n\n**Cron job** %s: %s, %s\n\n", task.Literally(r.Repository), id,
		task.Literally(r.Expression), task.Literally(r.TimeZone))
	if r.Name != "" {
		text += "**Requested by** " + task.Literally(r.Name) + "\n\n"
	}
	for line := range strings.Lines(excerpt.Clip(words, 14000)) { // line by line, to keep paragraphs
		text += task.Literally(strings.TrimRight(line, "\n")) + "\n"
	}
	return text
}
