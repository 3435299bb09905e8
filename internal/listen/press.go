package listen

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

const notValid = "This button is not valid here."

// pressed takes a button, or the text that one asked for.
func (e *Ear) pressed(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	d := deed{verb: string(ev.Kind), delivery: clip(oneLine(ev.Token), 100)}
	if !e.served(ev) {
		return e.turnAway(ctx, ev, d, "the room is not served", notValid), nil
	}
	if ok, a, err := e.permit(ctx, ev, d, toRead); !ok {
		return a, err
	}
	if e.late(ev.At, lateInChat) {
		return e.refuseLate(ctx, ev, d), nil
	}
	meaning, err := e.meaning(ctx, ev)
	if err != nil {
		if final(err) {
			return e.refuse(ctx, ev, d, err.Error(), notValid), nil
		}
		return channel.Answer{}, err
	}
	d.verb, d.task, d.first = meaning.Verb, meaning.Workflow, meaning.First
	if meaning.State == signals.TokenStale {
		return e.refuse(ctx, ev, d, "stale: "+meaning.Why, e.staleText("This button", meaning)), nil
	}
	r, _ := needs(meaning.Verb)
	if ok, a, err := e.permit(ctx, ev, d, r); !ok {
		return a, err
	}
	c := Command{Verb: meaning.Verb, Options: map[string]string{}}
	if meaning.Verb == signals.AllowForTask {
		c.Verb, c.Options[optForTask] = signals.Allow, "true"
		d.verb = signals.Allow
	}
	switch {
	case ev.Kind == channel.Form:
		d.delivery += ".form" // a form counts once, whatever text a second one brings
		c.Text = readable(e.c.Redact(ev.Text))
	case meaning.Verb == signals.Edit:
		return channel.Answer{Form: &channel.Question{Title: "What is to change?", Label: "Change", Token: ev.Token,
			Hint: "Reply to the plan with what is to change."}}, nil
	}
	return e.send(ctx, ev, d, c, meaning)
}

// meaning asks the Conversation of a button what it stands for. An error that is final says why it stands for nothing here.
func (e *Ear) meaning(ctx context.Context, ev channel.Event) (signals.TokenAnswer, error) {
	var a signals.TokenAnswer
	id, ok := signals.TokenConversation(ev.Token)
	if !ok || !eventForm.MatchString(ev.Token) {
		return a, fault.New(fault.Input, "no button of ours")
	}
	err := e.query(ctx, id, "", signals.QueryToken, false, &a, signals.TokenQuery{Token: ev.Token, Room: ev.Room})
	if err != nil {
		return a, err
	}
	if a.State == signals.TokenStale {
		return a, nil
	}
	switch a.Verb {
	case signals.Approve, signals.Edit, signals.Reject, signals.Allow, signals.AllowForTask, signals.Deny, signals.Resume, signals.Abandon:
	default:
		a.State = signals.TokenUnknown
	}
	if a.State != signals.TokenLive || a.Workflow == "" || ev.Kind == channel.Form && a.Verb != signals.Edit {
		return a, fault.New(fault.Input, "a button that is not known in this room")
	}
	return a, nil
}

// send gives a command that a button stands for to its task.
func (e *Ear) send(ctx context.Context, ev channel.Event, d deed, c Command, meaning signals.TokenAnswer) (channel.Answer, error) {
	if meaning.Revision > 0 {
		c.Options["revision"] = fmt.Sprint(meaning.Revision)
	}
	if c.Verb == signals.Allow || c.Verb == signals.Deny {
		c.Text = meaning.Question
		if strings.TrimSpace(c.Text) == "" { // a button is about one command; without its id another one could be meant
			return e.refuse(ctx, ev, d, "a button without its command", notValid), nil
		}
	}
	return e.deliver(ctx, ev, d, c)
}

// deliver sends a command to its task as an update.
func (e *Ear) deliver(ctx context.Context, ev channel.Event, d deed, c Command) (channel.Answer, error) {
	request, err := c.Request(signals.Message{ID: d.delivery, By: e.name(ev.User)})
	if err != nil {
		return e.refuse(ctx, ev, d, err.Error(), e.said(err)), nil
	}
	var refused error
	a, err := e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		ack, err := e.update(ctx, d, request)
		refused = err
		return done{answer: sentence(e.literal(ack.Text, 600)), reason: ack.Text}, err
	})
	if refused != nil && err == nil && ev.Kind == channel.Said { // a button means the same at any time; words could become possible later
		e.memory.refuse(keyOf(ev, "meaning"), a.Text)
	}
	return a, err
}
