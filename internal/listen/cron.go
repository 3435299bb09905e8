package listen

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/cron"
	"github.com/longshift/longshift/internal/jobs"
)

// Schedules keeps people's cron jobs.
type Schedules interface {
	Create(ctx context.Context, r jobs.Request) (jobs.Job, error)
	List(ctx context.Context, user string) ([]jobs.Job, error)
	Delete(ctx context.Context, user, id string) (jobs.Job, error)
}

// The words behind "cron", together with it. For rights, options and the record each is a verb of its own.
const (
	cronCreate = Cron + " create"
	cronList   = Cron + " list"
	cronDelete = Cron + " delete"
)

func isCron(verb string) bool { return verb == Cron || strings.HasPrefix(verb, Cron+" ") }

// ofCron takes the second word into the verb.
func (c Command) ofCron() Command {
	word, rest := cutWord(c.Text)
	switch verb := Cron + " " + strings.ToLower(word); verb {
	case cronCreate, cronList, cronDelete:
		c.Verb, c.Text = verb, rest
	}
	return c
}

const cronUsage = "Write `cron create \"0 9 * * 1-5\" TEXT --timezone Europe/Rome`, `cron list` or `cron delete ID`."

// cron does what a command about cron jobs asks for. People have their own only.
func (e *Ear) cron(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	d.task = "" // in a thread, too
	const none = "Cron jobs are not set up here."
	switch {
	case c.Verb == Cron:
		return channel.Answer{Text: cronUsage}, nil
	case e.c.Schedules == nil && c.Verb == cronList:
		return channel.Answer{Text: none}, nil
	case e.c.Schedules == nil:
		return e.refuse(ctx, ev, d, "no cron jobs here", none), nil
	case c.Verb == cronCreate:
		return e.newCron(ctx, ev, d, c)
	case c.Verb == cronDelete:
		return e.deleteCron(ctx, ev, d, c)
	}
	return e.listCron(ctx, ev)
}

// owner is whose cron jobs are meant.
func owner(ev channel.Event) string { return ev.Room.Channel + ":" + ev.User.ID }

// newCron makes a cron job. Each of its tasks may do what a run of the same person might, and no more.
func (e *Ear) newCron(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	approver, a, err := e.approver(ctx, ev, d, c)
	if a != nil || err != nil {
		return answer(a), err
	}
	expression, text := cutSchedule(c.Text)
	if _, err := cron.Parse(expression); err != nil {
		return e.failed(ctx, ev, d, err)
	}
	if _, err := cron.Zone(c.Options["timezone"]); err != nil {
		return e.failed(ctx, ev, d, err)
	}
	c.Text = text
	in, guarded, err := e.input(ctx, ev, c, approver)
	if err != nil {
		return e.failed(ctx, ev, d, err)
	}
	if in.Room != nil && in.Room.Channel == channel.Slack {
		in.Room.Thread = "" // each task begins a thread of its own
	}
	return e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		j, err := e.c.Schedules.Create(ctx, jobs.Request{User: owner(ev), Expression: expression, TimeZone: c.Options["timezone"], Input: in,
			Delivery: ev.Room.Channel + ":" + clip(ev.ID, 200)})
		if err != nil {
			return done{}, err
		}
		text := fmt.Sprintf("Cron job %s starts tasks in %s, by `%s` in %s.", e.mono(j.ID), e.place(j.Repository), j.Expression, e.literal(j.TimeZone, 100))
		if guarded {
			text += " Somebody who may approve has to let each plan pass, because you have chosen the branch or the repository."
		}
		if len(j.Next) > 0 {
			text += "\n\nNext:"
			for _, at := range j.Next[:min(len(j.Next), 3)] {
				text += "\n- " + e.literal(cronTime(at), 60)
			}
		}
		return done{answer: text, reason: "made " + j.ID}, nil
	})
}

func cronTime(at time.Time) string { return at.Format("Mon 2 January 2006, 15:04 MST") }

// cutSchedule takes the schedule off the beginning of a text: what stands in quotes, or a name behind an @, or five words.
func cutSchedule(text string) (expression, rest string) {
	if inner, behind, ok := strings.Cut(strings.TrimPrefix(text, "`"), "`"); ok && strings.HasPrefix(text, "`") {
		return inner, strings.TrimSpace(behind)
	}
	words := split(text)
	switch {
	case len(words) == 0:
		return "", ""
	case words[0].quoted || strings.HasPrefix(words[0].text, "@"):
		return straight(words[0].text), restFrom(text, words, 1)
	}
	var five []string
	for _, w := range words[:min(len(words), 5)] {
		five = append(five, w.text)
	}
	return straight(strings.Join(five, " ")), restFrom(text, words, 5)
}

func restFrom(text string, words []word, n int) string {
	if n >= len(words) {
		return ""
	}
	return text[words[n].start:]
}

// straight writes hyphens where phones have made dashes of them.
func straight(expression string) string {
	return strings.NewReplacer("–", "-", "—", "-", "‑", "-").Replace(expression)
}
