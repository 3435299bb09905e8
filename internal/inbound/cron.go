package inbound

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/internal/schedule/cron"
	"github.com/longshift/longshift/internal/schedule/jobs"
)

// Schedules stores people's cron jobs.
type Schedules interface {
	Create(ctx context.Context, r jobs.Request) (jobs.Job, error)
	List(ctx context.Context, user string) ([]jobs.Job, error)
	Delete(ctx context.Context, user, id string) (jobs.Job, error)
}

// jobVerbs decides about commands for cron jobs. People see and change their own only.
type jobVerbs struct {
	schedules interface { // nil where there are none
		List(ctx context.Context, user string) ([]jobs.Job, error)
	}
	inputs inputs
	render render.Markdown
}

const cronUsage = "Write `cron create \"0 9 * * 1-5\" TEXT --timezone Europe/Rome`, `cron list` or `cron delete ID`."

func (d jobVerbs) decide(ctx context.Context, ev channel.Event, r request, c command.Command) (decision, error) {
	const none = "Cron jobs are not set up here."
	switch {
	case c.Verb == command.Cron:
		return answer(cronUsage), nil
	case d.schedules == nil && c.Verb == command.CronList:
		return answer(none), nil
	case d.schedules == nil:
		return decision{}, r.refuse("no cron jobs here", none)
	case c.Verb == command.CronCreate:
		return d.create(ctx, ev, r, c)
	case c.Verb == command.CronList:
		return d.list(ctx, ev)
	case c.Text == "" || len(strings.Fields(c.Text)) > 1:
		return decision{}, r.failed(fault.New(fault.Input, "the id of one cron job is wanted").WithHint("cron list shows yours"))
	}
	return decision{action: jobDeletion{request: r, owner: owner(ev), id: strings.Trim(c.Text, "`")}}, nil
}

// owner is the owner of a person's cron jobs.
func owner(ev channel.Event) string { return ev.Room.Channel + ":" + ev.User.ID }

// create decides about a new cron job. Its tasks have the rights of a run by the same person.
func (d jobVerbs) create(ctx context.Context, ev channel.Event, r request, c command.Command) (decision, error) {
	approver, err := d.inputs.approver(ctx, ev, r, c)
	if err != nil {
		return decision{}, err
	}
	zone := c.Options["timezone"]
	expression, text := command.CutSchedule(c.Text)
	if _, err := cron.Parse(expression); err != nil {
		return decision{}, r.failed(err)
	}
	if _, err := cron.Zone(zone); err != nil {
		return decision{}, r.failed(err)
	}
	c.Text = text
	in, guarded, err := d.inputs.make(ctx, ev, c, approver)
	if err != nil {
		return decision{}, r.failed(err)
	}
	if in.Room != nil && in.Room.Channel == channel.Slack {
		in.Room.Thread = "" // each task begins a thread of its own
	}
	x := jobCreation{request: r, job: jobs.Request{User: owner(ev), Expression: expression, TimeZone: zone, Input: in,
		Delivery: ev.Room.Channel + ":" + excerpt.Clip(ev.ID, 200)}}
	if guarded {
		x.note = " Somebody who may approve has to let each plan pass, because you have chosen the branch or the repository."
	}
	return decision{action: x}, nil
}

func (d jobVerbs) list(ctx context.Context, ev channel.Event) (decision, error) {
	all, err := d.schedules.List(ctx, owner(ev))
	switch {
	case err != nil && final(err):
		return answer(d.render.Error(err)), nil
	case err != nil:
		return decision{}, err
	case len(all) == 0:
		return answer("You have no cron jobs. " + cronUsage), nil
	}
	lines := make([]string, 0, len(all))
	for _, j := range all {
		lines = append(lines, d.line(j))
	}
	return answer(strings.Join(lines, "\n")), nil
}

func (d jobVerbs) line(j jobs.Job) string {
	line := fmt.Sprintf("- %s `%s` %s, %s: %s", d.render.Mono(j.ID), j.Expression, d.render.Literal(j.TimeZone, 100),
		d.render.Repository(j.Repository), d.render.Literal(j.Message, 100))
	switch {
	case j.Paused:
		line += "; paused"
	case len(j.Next) > 0:
		line += "; next " + d.render.Literal(cronTime(j.Next[0]), 60)
	}
	if j.Last != nil && j.Last.Running {
		line += "; " + d.render.Mono(j.Last.Task) + " runs"
	} else if j.Last != nil && j.Last.Outcome != "" {
		line += "; last " + d.render.Literal(strings.ReplaceAll(string(j.Last.Outcome), "_", " "), 60)
	}
	if j.Skipped > 0 {
		line += fmt.Sprintf("; **%d skipped** because a task was not over", j.Skipped)
	}
	return line
}

func cronTime(at time.Time) string { return at.Format("Mon 2 January 2006, 15:04 MST") }

type jobWriter struct {
	schedules Schedules
	render    render.Markdown
}

func (w jobWriter) create(ctx context.Context, x jobCreation) (outcome, error) {
	j, err := w.schedules.Create(ctx, x.job)
	if err != nil {
		return outcome{}, err
	}
	text := fmt.Sprintf("Cron job %s starts tasks in %s, by `%s` in %s.", w.render.Mono(j.ID), w.render.Repository(j.Repository), j.Expression,
		w.render.Literal(j.TimeZone, 100)) + x.note
	if len(j.Next) > 0 {
		text += "\n\nNext:"
		for _, at := range j.Next[:min(len(j.Next), 3)] {
			text += "\n- " + w.render.Literal(cronTime(at), 60)
		}
	}
	return outcome{answer: text, reason: "made " + j.ID}, nil
}

func (w jobWriter) delete(ctx context.Context, x jobDeletion) (outcome, error) {
	j, err := w.schedules.Delete(ctx, x.owner, x.id)
	if err != nil {
		return outcome{}, err
	}
	return outcome{answer: "Cron job " + w.render.Mono(j.ID) + " is deleted. Tasks that it has started go on.", reason: "deleted " + j.ID}, nil
}
