package inbound

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

const notValid = "This button is not valid here."

// buttons decides about presses of buttons, and about the texts of forms that buttons have opened.
type buttons struct {
	access   access
	server   server
	commands taskCommands
	render   render.Markdown
}

func (b buttons) decide(ctx context.Context, ev channel.Event) (decision, error) {
	r := request{verb: string(ev.Kind), delivery: render.Line(ev.Token, 100)}
	if !b.access.served(ev) {
		return decision{}, r.refuseStranger("the room is not served", notValid)
	}
	if err := b.access.permit(ctx, ev, r, toRead); err != nil {
		return decision{}, err
	}
	if err := b.access.fresh(ev, r); err != nil {
		return decision{}, err
	}
	button, err := b.resolve(ctx, ev)
	if err != nil {
		if final(err) {
			return decision{}, r.refuse(err.Error(), notValid)
		}
		return decision{}, err
	}
	r.verb, r.task, r.firstRun = button.Verb, button.Workflow, button.First
	if button.State == signals.TokenStale {
		return decision{}, r.refuse("stale: "+button.Why, b.render.NotCurrent("This button", button.Why))
	}
	need, _ := needs(button.Verb)
	if err := b.access.permit(ctx, ev, r, need); err != nil {
		return decision{}, err
	}
	if button.Verb == signals.Edit && ev.Kind == channel.Press {
		return decision{answer: channel.Answer{Form: &channel.Question{Title: "What should change?", Label: "Change", Token: ev.Token,
			Hint: "Reply to the plan with what is to change."}}}, nil
	}
	c := b.command(ev, button)
	r.verb = c.Verb
	if (c.Verb == signals.Allow || c.Verb == signals.Deny) && strings.TrimSpace(c.Text) == "" { // any command could be meant
		return decision{}, r.refuse("a button without its command", notValid)
	}
	if ev.Kind == channel.Form {
		r.delivery += formID(ev.User) // a form counts once for each person, even if it is sent again with another text
	}
	return b.commands.action(ev, r, c)
}

// formID tells the forms of several people apart that one button has opened.
func formID(u channel.User) string {
	sum := sha256.Sum256([]byte(u.ID))
	return ".form." + hex.EncodeToString(sum[:6])
}

// command is the command that a button stands for.
func (b buttons) command(ev channel.Event, button signals.TokenAnswer) command.Command {
	c := command.Command{Verb: button.Verb, Options: map[string]string{}}
	if button.Verb == signals.AllowForTask {
		c.Verb, c.Options[command.ForTask] = signals.Allow, "true"
	}
	if button.Revision > 0 {
		c.Options["revision"] = strconv.Itoa(button.Revision)
	}
	switch {
	case c.Verb == signals.Allow || c.Verb == signals.Deny:
		c.Text = button.Question
	case ev.Kind == channel.Form:
		c.Text = render.Readable(b.render.Redact(ev.Text))
	}
	return c
}

// resolve asks the Conversation of a button what the button stands for. A final error says why it stands for nothing in this room.
func (b buttons) resolve(ctx context.Context, ev channel.Event) (signals.TokenAnswer, error) {
	var a signals.TokenAnswer
	id, ok := signals.TokenConversation(ev.Token)
	if !ok || !eventForm.MatchString(ev.Token) {
		return a, fault.New(fault.Input, "no button of ours")
	}
	err := b.server.query(ctx, id, "", signals.QueryToken, false, &a, signals.TokenQuery{Token: ev.Token, Room: ev.Room})
	if err != nil || a.State == signals.TokenStale {
		return a, err
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
