package workflows

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// What a Directory keeps. More is a fault of whoever calls.
const (
	mostInvitations = 20
	mostBindings    = 100
	mostWorkspaces  = 500
	longestInvite   = 24 * time.Hour
)

// directory is the state of the one Directory.
type directory struct {
	signals.DirectoryState
}

// Directory remembers which chats people have bound with a one-time code, and which workspace they work in. state is what the
// run before has left, nil for none.
func Directory(ctx workflow.Context, state *signals.DirectoryState) error {
	d := &directory{}
	if state != nil {
		d.DirectoryState = *state
	}
	err := workflow.SetQueryHandlerWithOptions(ctx, signals.QueryBound, func() ([]signals.Binding, error) { return d.Bindings, nil },
		workflow.QueryHandlerOptions{Description: "who may do what from which chat, because they had a code"})
	if err != nil {
		return err
	}
	err = workflow.SetQueryHandlerWithOptions(ctx, signals.QueryWorkspace, d.workspace,
		workflow.QueryHandlerOptions{Description: "the current workspace of a user: {channel, user}"})
	if err != nil {
		return err
	}
	err = errors.Join(
		onUpdate(ctx, signals.Invite, notForPeople+"make a code known; use `longshift chats invite`", nil, pictured(d, d.invite)),
		onUpdate(ctx, signals.Bind, notForPeople+"a chat has sent its code", nil, pictured(d, d.bind)),
		onUpdate(ctx, signals.Unbind, "take a binding back: {channel, user}", nil, pictured(d, d.unbind)),
		onUpdate(ctx, signals.Switch, notForPeople+"a chat chooses its workspace: {channel, user, workspace}",
			d.canChoose, pictured(d, d.choose)))
	if err != nil {
		return err
	}
	d.picture(ctx)
	err = workflow.Await(ctx, func() bool {
		return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
	})
	if err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, signals.Directory, &d.DirectoryState)
}

func (d *directory) invite(ctx workflow.Context, i signals.Invitation) (signals.BindAnswer, error) {
	now := workflow.Now(ctx)
	d.expire(now)
	switch {
	case i.Channel == "" || len(i.Hash) != 64:
		return signals.BindAnswer{}, fault.New(fault.Input, "an invitation needs a channel and the hash of a code")
	case !i.Expires.After(now) || i.Expires.Sub(now) > longestInvite:
		return signals.BindAnswer{}, fault.New(fault.Input, "an invitation ends within %s, and not in the past", spell(longestInvite))
	}
	d.Invitations = append(d.Invitations, i)
	d.Invitations = d.Invitations[max(0, len(d.Invitations)-mostInvitations):]
	return signals.BindAnswer{Text: "the code is good until " + i.Expires.UTC().Format(time.RFC3339)}, nil
}

func (d *directory) bind(ctx workflow.Context, r signals.BindRequest) (signals.BindAnswer, error) {
	d.expire(workflow.Now(ctx))
	at := slices.IndexFunc(d.Invitations, func(i signals.Invitation) bool { return i.Channel == r.Channel && i.Hash == r.Hash })
	known := slices.IndexFunc(d.Bindings, func(b signals.Binding) bool {
		return b.Channel == r.Channel && b.User == r.User && b.Hash == r.Hash
	})
	switch {
	case r.User == "" || r.Room.ID == "":
		return signals.BindAnswer{}, fault.New(fault.Input, "a binding needs a user and a room")
	case known >= 0: // the same message once more
		return signals.BindAnswer{Bound: true, Text: "this chat is bound"}, nil
	case at < 0:
		return signals.BindAnswer{Text: "this code is not valid, or not any more"}, nil
	}
	d.Invitations = slices.Delete(d.Invitations, at, at+1)
	d.drop(r.Channel, r.User)
	d.Bindings = append(d.Bindings, signals.Binding{Channel: r.Channel, User: r.User, Name: excerpt.Clip(r.Name, 100), Room: r.Room,
		Hash: r.Hash, Since: workflow.Now(ctx)})
	d.Bindings = d.Bindings[max(0, len(d.Bindings)-mostBindings):]
	return signals.BindAnswer{Bound: true, Text: "this chat is bound"}, nil
}

func (d *directory) unbind(_ workflow.Context, r signals.UnbindRequest) (signals.BindAnswer, error) {
	d.leave(r.Channel, r.User) // whoever is bound again begins anew
	return signals.BindAnswer{Bound: d.drop(r.Channel, r.User)}, nil
}

func (d *directory) drop(channel, user string) bool {
	before := len(d.Bindings)
	d.Bindings = slices.DeleteFunc(d.Bindings, func(b signals.Binding) bool { return b.Channel == channel && b.User == user })
	return len(d.Bindings) < before
}

func (d *directory) expire(now time.Time) {
	d.Invitations = slices.DeleteFunc(d.Invitations, func(i signals.Invitation) bool { return !i.Expires.After(now) })
}
