package listen

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// listCron shows the jobs of the one who asks.
func (e *Ear) listCron(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	all, err := e.c.Schedules.List(ctx, owner(ev))
	switch {
	case err != nil && final(err):
		return channel.Answer{Text: e.said(err)}, nil
	case err != nil:
		return channel.Answer{}, err
	case len(all) == 0:
		return channel.Answer{Text: "You have no cron jobs. " + cronUsage}, nil
	}
	lines := make([]string, 0, len(all))
	for _, j := range all {
		line := fmt.Sprintf("- %s `%s` %s, %s: %s", e.mono(j.ID), j.Expression, e.literal(j.TimeZone, 100), e.place(j.Repository), e.literal(j.Message, 100))
		switch {
		case j.Paused:
			line += "; paused"
		case len(j.Next) > 0:
			line += "; next " + e.literal(cronTime(j.Next[0]), 60)
		}
		if j.Last != nil && j.Last.Running {
			line += "; " + e.mono(j.Last.Task) + " runs"
		} else if j.Last != nil && j.Last.Outcome != "" {
			line += "; last " + e.literal(strings.ReplaceAll(string(j.Last.Outcome), "_", " "), 60)
		}
		if j.Skipped > 0 {
			line += fmt.Sprintf("; **%d skipped** because a task was not over", j.Skipped)
		}
		lines = append(lines, line)
	}
	return channel.Answer{Text: strings.Join(lines, "\n")}, nil
}

// deleteCron takes a job back, once for an event: a second time it could hit what was made in the same place since.
func (e *Ear) deleteCron(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	if c.Text == "" || len(strings.Fields(c.Text)) > 1 {
		return e.failed(ctx, ev, d, fault.New(fault.Input, "the id of one cron job is wanted").WithHint("cron list shows yours"))
	}
	k := keyOf(ev, cronDelete)
	if !e.memory.claim(k) {
		return channel.Answer{Text: "That has been deleted."}, nil
	}
	settled := false
	defer func() {
		if !settled {
			e.memory.release(k)
		}
	}()
	return e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		j, err := e.c.Schedules.Delete(ctx, owner(ev), strings.Trim(c.Text, "`"))
		settled = err == nil
		if err != nil {
			return done{}, err
		}
		return done{answer: "Cron job " + e.mono(j.ID) + " is deleted. Tasks that it has started go on.", reason: "deleted " + j.ID}, nil
	})
}
