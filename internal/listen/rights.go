package listen

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// right is what somebody may do.
type right int

const (
	toRead right = iota
	toStart
	toApprove
	toCommand
)

// needs gives the right that a verb needs. ok is false for what no right allows.
func needs(verb string) (right, bool) {
	switch verb {
	case Status, Logs, List, Help, Workspaces, Cron, cronList: // to switch needs more
		return toRead, true
	case Run, cronCreate, cronDelete:
		return toStart, true
	case signals.Approve, signals.Edit, signals.Reject, signals.Tell, signals.Resume, signals.Abandon, Cancel:
		return toApprove, true
	case signals.Allow, signals.AllowForTask, signals.Deny:
		return toCommand, true
	}
	return 0, false
}

// has tells whether the lists give a user a right.
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

// may tells whether the one who did something has a right. The error, of kind Infra, says that it could not be found out.
func (e *Ear) may(ctx context.Context, ev channel.Event, r right) (bool, error) {
	if ev.User.ID == "" {
		return false, nil
	}
	if e.c.People[ev.Room.Channel].has(ev.User.ID, r) {
		return true, nil
	}
	all, err := e.bindings(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(all, func(b signals.Binding) bool { return b.Channel == ev.Room.Channel && b.User == ev.User.ID }), nil
}

// bindings is what is known of the Directory, for a few seconds.
type bindings struct {
	lock sync.Mutex
	all  []signals.Binding
	err  error
	at   time.Time
}

// boundFor is how long an answer of the Directory counts. A binding that is taken back counts no longer than that.
const boundFor = 3 * time.Second

// bindings asks the Directory. One that does not run binds nobody.
func (e *Ear) bindings(ctx context.Context) ([]signals.Binding, error) {
	e.bound.lock.Lock() // one question is enough for all who wait
	defer e.bound.lock.Unlock()
	if age := e.c.Now().Sub(e.bound.at); !e.bound.at.IsZero() && age >= 0 && age < boundFor {
		return e.bound.all, e.bound.err
	}
	var all []signals.Binding
	err := e.query(ctx, signals.DirectoryID, "", signals.QueryBound, true, &all)
	switch fault.KindOf(err) {
	case "":
	case fault.NotFound:
		all, err = nil, nil
	case fault.Work:
		e.c.Log.Error("the directory of bound chats does not answer; nobody counts as bound", "error", err)
		all, err = nil, nil
	default:
		all = nil
		if ctx.Err() != nil { // it is the caller who went away: that says nothing to the next one
			return nil, err
		}
	}
	e.bound.all, e.bound.err, e.bound.at = all, err, e.c.Now()
	return all, err
}

// forget makes the next question go to the Directory.
func (e *Ear) forget() {
	e.bound.lock.Lock()
	defer e.bound.lock.Unlock()
	e.bound.at = time.Time{}
}

// private tells whether nobody but the user reads along. The platforms say it in the room's id: that of the user, or Slack's "D".
func private(ev channel.Event) bool {
	switch ev.Room.Channel {
	case channel.Terminal:
		return true
	case channel.Slack:
		return len(ev.Room.ID) > 1 && ev.Room.ID[0] == 'D'
	}
	return ev.User.ID != "" && ev.Room.ID == ev.User.ID
}

// served tells whether the operator wants answers in the room.
func (e *Ear) served(ev channel.Event) bool {
	rooms := e.c.Rooms[ev.Room.Channel]
	return len(rooms) == 0 || private(ev) || slices.Contains(rooms, ev.Room.ID)
}
