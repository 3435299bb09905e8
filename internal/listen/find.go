package listen

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// target is the workflow that takes what people say now; talk is its Conversation, where that is known.
type target struct {
	id, run string
	first   string // as in deed
	talk    string
}

// keyPart is what a room's or a message's id may hold to be looked for. No colon: the parts of a key are told apart by it.
var keyPart = regexp.MustCompile(`^[A-Za-z0-9._+@=/-]{1,150}$`)

// settling is how long the server's list may take until it shows a message that was written just now.
var settling = []time.Duration{300 * time.Millisecond, 900 * time.Millisecond}

// thread finds the task that a thread is about. ok is false when it is none of ours. Who answers a message of ours at once may be
// quicker than the list: it is looked for again.
func (e *Ear) thread(ctx context.Context, ev channel.Event) (t target, ok bool, err error) {
	t, ok, err = e.listed(ctx, ev)
	for _, d := range settling {
		if ok || err != nil || !ev.Direct || ev.ReplyTo == "" {
			break
		}
		if err := e.c.Pause(ctx, d); err != nil {
			return t, false, noAnswer(err)
		}
		t, ok, err = e.listed(ctx, ev)
	}
	return t, ok, err
}

func (e *Ear) listed(ctx context.Context, ev channel.Event) (t target, ok bool, err error) {
	seen := ""
	for _, message := range []string{ev.ReplyTo, ev.Room.Thread} {
		if message == "" || message == seen || !keyPart.MatchString(message) || !keyPart.MatchString(ev.Room.ID) || !keyPart.MatchString(ev.Room.Channel) {
			continue
		}
		seen = message
		var newest row
		query := conversations + " AND " + signals.AttrThread + " = " + quoted(signals.ThreadKey(ev.Room, message))
		err := e.each(ctx, query, 10, func(r row) bool {
			if newest.id == "" || r.started.After(newest.started) {
				newest = r
			}
			return true
		})
		if err != nil {
			return t, false, err
		}
		if newest.id == "" {
			continue
		}
		t, err = e.subject(ctx, newest.id)
		if err != nil && final(err) {
			e.c.Log.Warn("a conversation names no task", "workflow", newest.id, "error", err)
			return t, false, nil
		}
		return t, err == nil, err
	}
	return t, false, nil
}

// subject asks a Conversation which workflow it is about.
func (e *Ear) subject(ctx context.Context, conversation string) (target, error) {
	var a signals.TaskAnswer
	if err := e.query(ctx, conversation, "", signals.QueryTask, false, &a); err != nil {
		return target{}, err
	}
	if a.Workflow == "" {
		return target{}, fault.New(fault.Work, "workflow %q names no task", conversation)
	}
	return target{id: a.Workflow, run: a.Run, first: a.First, talk: conversation}, nil
}

// here finds the one task that is shown in a room, or the one of several there that waits for somebody.
func (e *Ear) here(ctx context.Context, room task.Room) (target, error) {
	prefix := signals.ThreadKey(room, "")
	var shown []row
	err := e.each(ctx, conversations+running, 1000, func(r row) bool {
		for _, key := range r.threads {
			if strings.HasPrefix(key, prefix) {
				shown = append(shown, r)
				break
			}
		}
		return len(shown) < 20
	})
	if err != nil {
		return target{}, err
	}
	var all []target
	for _, r := range shown {
		t, err := e.subject(ctx, r.id)
		if err != nil && !final(err) {
			return target{}, err
		}
		if err == nil {
			all = append(all, t)
		}
	}
	return e.only(ctx, all)
}

// only chooses the one task that can be meant.
func (e *Ear) only(ctx context.Context, all []target) (target, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	if len(all) == 0 {
		return target{}, fault.New(fault.NotFound, "it is not clear which task is meant: none is shown in this room").WithHint("name it by its id; list shows what runs")
	}
	waits := map[string]bool{}
	err := e.each(ctx, runningTasks+" AND "+signals.AttrNeedsHuman+" = true", 1000, func(r row) bool {
		waits[r.id] = true
		return true
	})
	if err != nil {
		return target{}, err
	}
	var one []target
	for _, t := range all {
		if waits[t.id] {
			one = append(one, t)
		}
	}
	if len(one) == 1 {
		return one[0], nil
	}
	return target{}, fault.New(fault.Input, "it is not clear which task is meant: %d run in this room", len(all)).
		WithHint("answer in the task's thread, or name it by its id; list shows what runs")
}
