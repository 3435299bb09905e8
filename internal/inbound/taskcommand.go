package inbound

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

// taskCommands decides about commands whose task is known and whose author has the right to them.
type taskCommands struct {
	server server
	recent *recent
	render render.Markdown
}

// decide resolves a command to one for a certain plan or a certain question of the task, once for each event. conversation is the
// Conversation with the message that the event answers, empty for none.
func (d taskCommands) decide(ctx context.Context, ev channel.Event, r request, c command.Command, conversation string) (decision, error) {
	k := keyOf(ev, forTask)
	if known, ok := d.recent.get(k); ok {
		if known.refused != "" {
			return answer(known.refused), nil
		}
		return d.action(ev, known.request, known.command)
	}
	r, c, err := d.resolve(ctx, ev, r, c, conversation)
	if err != nil {
		return decision{}, err
	}
	d.recent.put(k, resolution{request: r, command: c})
	return d.action(ev, r, c)
}

// action makes the update or the cancellation of a command that is resolved.
func (d taskCommands) action(ev channel.Event, r request, c command.Command) (decision, error) {
	author := d.render.Name(ev.User.Name, ev.User.ID)
	if c.Verb == command.Cancel {
		words, err := c.TextOr("reason")
		if err != nil {
			return decision{}, r.failed(err)
		}
		reason := "cancelled by " + author
		if words != "" {
			reason += ": " + render.Line(words, 500)
		}
		return decision{action: cancellation{r, reason}}, nil
	}
	payload, err := c.Payload(signals.Message{ID: r.delivery, By: author})
	if err != nil {
		return decision{}, r.invalid(err)
	}
	return decision{action: update{r, payload}}, nil
}

// minQuestion is the shortest part of a command's id with which a person may let it run.
const minQuestion = 6

// resolve adds to a decision which plan or which question it is about: that of the message it answers, else the plan that is current.
// Refusals last.
func (d taskCommands) resolve(
	ctx context.Context, ev channel.Event, r request, c command.Command, conversation string,
) (request, command.Command, error) {
	onPlan := c.Verb == signals.Approve || c.Verb == signals.Edit || c.Verb == signals.Reject
	onQuestion := c.Verb == signals.Allow || c.Verb == signals.Deny
	if !onPlan && !onQuestion {
		return r, c, nil
	}
	m, err := d.about(ctx, ev, conversation)
	if err != nil {
		return r, c, err
	}
	no := func(reason, text string) (request, command.Command, error) {
		no := r.refuse(reason, text)
		no.lasting = true
		return r, c, no
	}
	switch {
	case m.State == signals.TokenStale:
		return no("stale: "+m.Why, d.render.NotCurrent("The message that you answer", m.Why))
	case onPlan && m.Question != "":
		return no("an answer to the message of a command", "The message that you answer is about a command that waits: `allow` or `deny` it. "+
			"To decide about the plan, answer the plan's message.")
	case onQuestion && m.Question != "" && !strings.HasPrefix(m.Question, c.Text):
		return no("an answer to the message of another command", fmt.Sprintf("The message that you answer is about the command %s. "+
			"To decide about another one, answer its message.", d.render.Mono(m.Question)))
	case onQuestion && m.Question != "":
		c.Text, r.task, r.firstRun = m.Question, m.Workflow, m.First
	case onPlan && m.Revision > 0:
		r.task, r.firstRun = m.Workflow, m.First
		if c.Options["revision"] == "" {
			c.Options["revision"] = strconv.Itoa(m.Revision)
		}
	}
	if c.Verb == signals.Allow && len(c.Text) < minQuestion && m.Question == "" {
		return no("no id of a command", fmt.Sprintf("Which command? Answer its message, or write `allow` and its id, at least the first "+
			"%d characters; `status` shows the commands that wait.", minQuestion))
	}
	if onPlan && c.Options["revision"] == "" {
		revision, err := d.currentPlan(ctx, r)
		if err != nil {
			return r, c, err
		}
		c.Options["revision"] = strconv.Itoa(revision)
	}
	return r, c, nil
}

// about asks a Conversation what the message is about that an event answers. The state is unknown when it does not tell.
func (d taskCommands) about(ctx context.Context, ev channel.Event, conversation string) (signals.TokenAnswer, error) {
	unknown := signals.TokenAnswer{State: signals.TokenUnknown}
	if ev.ReplyTo == "" || conversation == "" {
		return unknown, nil
	}
	a := signals.TokenAnswer{}
	err := d.server.query(ctx, conversation, "", signals.QueryAbout, false, &a, signals.AboutQuery{Room: ev.Room, Message: ev.ReplyTo})
	switch {
	case err != nil && final(err):
		return unknown, nil
	case err != nil:
		return unknown, err
	case a.State == signals.TokenStale, a.State == signals.TokenLive && a.Workflow != "":
		return a, nil
	}
	return unknown, nil
}

// currentPlan returns the revision of the task's current plan, so that a decision does not count for a later one.
func (d taskCommands) currentPlan(ctx context.Context, r request) (int, error) {
	s, err := d.server.status(ctx, r.task)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return 0, r.failed(fault.New(fault.Conflict, "task %s has ended", r.task))
	case err != nil && !final(err):
		return 0, err
	case err != nil || s.Plan == nil:
		no := r.refuse("no plan", "Task "+d.render.Mono(r.task)+" shows no plan to decide about.")
		no.lasting = true
		return 0, no
	}
	return s.Plan.Revision, nil
}
