package inbound

import (
	"context"
	"slices"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
)

// People lists, by user id, who may do what on one channel. Everybody on a list may read the state of tasks.
type People struct {
	Start    []string // run tasks
	Approve  []string // approve, edit, reject, tell, resume, abandon, cancel
	Commands []string // allow and deny commands
}

type right int

const (
	toRead right = iota
	toStart
	toApprove
	toCommand
)

// needs returns the right that a verb needs. ok is false for verbs that no right allows.
func needs(verb string) (r right, ok bool) {
	switch verb {
	case command.Status, command.Logs, command.List, command.Help, command.Cron, command.CronList,
		command.Projects: // to switch to a project needs toStart
		return toRead, true
	case command.Run, command.CronCreate, command.CronDelete:
		return toStart, true
	case signals.Approve, signals.Edit, signals.Reject, signals.Tell, signals.Resume, signals.Abandon, command.Cancel:
		return toApprove, true
	case signals.Allow, signals.AllowForTask, signals.Deny:
		return toCommand, true
	}
	return 0, false
}

func changes(verb string) bool {
	r, ok := needs(verb)
	return ok && r != toRead
}

func (p People) has(user string, r right) bool {
	switch r {
	case toStart:
		return slices.Contains(p.Start, user)
	case toApprove:
		return slices.Contains(p.Approve, user)
	case toCommand:
		return slices.Contains(p.Commands, user)
	case toRead:
		return p.has(user, toStart) || p.has(user, toApprove) || p.has(user, toCommand)
	}
	return false
}

// rights knows who may do what: the people on the operator's lists, and those who have bound their chat, who have every right.
type rights struct {
	people   map[string]People // by channel
	bindings *bindings
}

// may reports whether the author of an event has a right. An error, of kind Infra, means that this is not known.
func (r rights) may(ctx context.Context, ev channel.Event, wanted right) (bool, error) {
	if ev.User.ID == "" {
		return false, nil
	}
	if r.people[ev.Room.Channel].has(ev.User.ID, wanted) {
		return true, nil
	}
	all, err := r.bindings.get(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all, func(b signals.Binding) bool { return b.Channel == ev.Room.Channel && b.User == ev.User.ID }), nil
}
