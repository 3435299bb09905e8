package listen

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// about asks a Conversation what the message is about that somebody answers. Unknown is also a Conversation that does not say.
func (e *Ear) about(ctx context.Context, ev channel.Event, talk string) (signals.TokenAnswer, error) {
	unknown := signals.TokenAnswer{State: signals.TokenUnknown}
	if ev.ReplyTo == "" || talk == "" {
		return unknown, nil
	}
	a := signals.TokenAnswer{}
	err := e.query(ctx, talk, "", signals.QueryAbout, false, &a, signals.AboutQuery{Room: ev.Room, Message: ev.ReplyTo})
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

// settle makes a decision say which plan or which command it decides about: the one whose message was answered, else the plan that
// there is now. With an answer, or an error, it goes no further.
func (e *Ear) settle(ctx context.Context, ev channel.Event, d *deed, c Command, talk string) (Command, *channel.Answer, error) {
	no := func(reason, text string) (Command, *channel.Answer, error) {
		a := e.refuse(ctx, ev, *d, reason, text)
		return c, &a, nil
	}
	onPlan := c.Verb == signals.Approve || c.Verb == signals.Edit || c.Verb == signals.Reject
	onCommand := c.Verb == signals.Allow || c.Verb == signals.Deny
	if !onPlan && !onCommand {
		return c, nil, nil
	}
	m, err := e.about(ctx, ev, talk)
	switch {
	case err != nil:
		return c, nil, err
	case m.State == signals.TokenStale:
		return no("stale: "+m.Why, e.staleText("The message that you answer", m))
	case onPlan && m.Question != "":
		return no("an answer to the message of a command", "The message that you answer is about a command that waits: `allow` or `deny` it. To decide about the plan, answer the plan's message.")
	case onCommand && m.Question != "" && !strings.HasPrefix(m.Question, c.Text):
		return no("an answer to the message of another command", fmt.Sprintf("The message that you answer is about the command %s. To decide about another one, answer its message.", e.mono(m.Question)))
	case onCommand && m.Question != "":
		c.Text, d.task, d.first = m.Question, m.Workflow, m.First
	case onPlan && m.Revision > 0:
		d.task, d.first = m.Workflow, m.First
		if c.Options["revision"] == "" {
			c.Options["revision"] = fmt.Sprint(m.Revision)
		}
	}
	if c.Verb == signals.Allow && (len(c.Text) < shortestQuestion && m.Question == "") {
		return no("no id of a command", fmt.Sprintf("Which command? Answer its message, or write `allow` and its id, at least the first %d characters; `status` shows the commands that wait.", shortestQuestion))
	}
	if onPlan && c.Options["revision"] == "" {
		return e.current(ctx, ev, *d, c)
	}
	return c, nil, nil
}

// shortestQuestion is how many characters of a command's id somebody has to give who lets it run.
const shortestQuestion = 6

// current makes a decision be about the plan that there is now, and no later one.
func (e *Ear) current(ctx context.Context, ev channel.Event, d deed, c Command) (Command, *channel.Answer, error) {
	s, err := e.status(ctx, d.task, "")
	switch {
	case fault.KindOf(err) == fault.NotFound:
		a, err := e.failed(ctx, ev, d, fault.New(fault.Conflict, "task %s has ended", d.task))
		return c, &a, err
	case err != nil && !final(err):
		return c, nil, err
	case err != nil || s.Plan == nil:
		a := e.refuse(ctx, ev, d, "no plan", "Task "+e.mono(d.task)+" shows no plan to decide about.")
		return c, &a, nil
	}
	c.Options["revision"] = fmt.Sprint(s.Plan.Revision)
	return c, nil, nil
}

// staleText says why nobody has to act any more.
func (e *Ear) staleText(what string, m signals.TokenAnswer) string {
	why := m.Why
	if why == "" {
		why = "this was settled already"
	}
	return what + " is no longer current: " + e.literal(why, 300)
}
