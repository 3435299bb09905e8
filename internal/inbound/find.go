package inbound

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// target is the workflow that takes a person's commands.
type target struct {
	id, run      string
	firstRun     string // as in request
	conversation string // workflow id of its Conversation; empty when unknown
}

// finder finds the task that a person means. It only reads.
type finder struct {
	server server
	pause  func(ctx context.Context, d time.Duration) error
	log    *slog.Logger
}

// keyPart is the form of ids of rooms and messages that are looked for. They hold no colon, which separates the parts of a key.
var keyPart = regexp.MustCompile(`^[A-Za-z0-9._+@=/-]{1,150}$`)

// listDelays are waits for the server's list to show a message that was written just now.
var listDelays = []time.Duration{300 * time.Millisecond, 900 * time.Millisecond}

// inThread finds the task that a thread is about. ok is false when the thread belongs to no task. A person who answers a message at
// once may be quicker than the server's list, so a reply is looked up again.
func (f finder) inThread(ctx context.Context, ev channel.Event) (t target, ok bool, err error) {
	t, ok, err = f.listed(ctx, ev)
	for _, d := range listDelays {
		if ok || err != nil || !ev.Direct || ev.ReplyTo == "" {
			break
		}
		if err := f.pause(ctx, d); err != nil {
			return t, false, noAnswer(err)
		}
		t, ok, err = f.listed(ctx, ev)
	}
	return t, ok, err
}

func (f finder) listed(ctx context.Context, ev channel.Event) (t target, ok bool, err error) {
	seen, messages := "", []string{ev.ReplyTo, ev.Room.Thread}
	if ev.Room.Channel == channel.Telegram { // its threads are the topics of a forum, in which any number of tasks are shown
		messages = messages[:1]
	}
	for _, message := range messages {
		if message == seen || !keyPart.MatchString(message) || !keyPart.MatchString(ev.Room.ID) || !keyPart.MatchString(ev.Room.Channel) {
			continue
		}
		seen = message
		var newest row
		query := conversations + " AND " + signals.AttrThread + " = " + quoted(signals.ThreadKey(ev.Room, message))
		err := f.server.each(ctx, query, 10, func(r row) bool {
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
		t, err = f.taskOf(ctx, newest.id)
		if err != nil && final(err) {
			f.log.Warn("a conversation names no task", "workflow", newest.id, "error", err)
			return t, false, nil
		}
		return t, err == nil, err
	}
	return t, false, nil
}

// taskOf asks a Conversation which workflow it shows.
func (f finder) taskOf(ctx context.Context, conversation string) (target, error) {
	var a signals.TaskAnswer
	if err := f.server.query(ctx, conversation, "", signals.QueryTask, false, &a); err != nil {
		return target{}, err
	}
	if a.Workflow == "" {
		return target{}, fault.New(fault.Work, "workflow %q names no task", conversation)
	}
	return target{id: a.Workflow, run: a.Run, firstRun: a.First, conversation: conversation}, nil
}

// Bounds on the search for the task that a room shows. A search that reaches one does not know all tasks of the room, so it finds none.
const (
	mostRows   = 1000 // of the server's list
	mostInRoom = 50   // Conversations that are asked for their task
)

// unclear refuses to choose among tasks.
func unclear(what string) error {
	return fault.New(fault.Input, "it is not clear which task is meant: %s", what).
		WithHint("answer in the task's thread, or name it by its id; list shows what runs")
}

// inRoom finds the one task that is shown in a room, or the only one of several there that waits for a person.
func (f finder) inRoom(ctx context.Context, room task.Room) (target, error) {
	prefix := signals.ThreadKey(room, "")
	var shown []row
	rows := 0
	err := f.server.each(ctx, conversations+running, mostRows, func(r row) bool {
		rows++
		for _, key := range r.threads {
			if strings.HasPrefix(key, prefix) {
				shown = append(shown, r)
				break
			}
		}
		return len(shown) <= mostInRoom
	})
	switch {
	case err != nil:
		return target{}, err
	case len(shown) > mostInRoom:
		return target{}, unclear(fmt.Sprintf("more than %d run in this room", mostInRoom))
	case rows >= mostRows:
		return target{}, unclear(fmt.Sprintf("%d or more are shown in all rooms, and not all were looked through", mostRows))
	}
	var all []target
	for _, r := range shown {
		t, err := f.taskOf(ctx, r.id)
		if err != nil && !final(err) {
			return target{}, err
		}
		if err == nil {
			all = append(all, t)
		}
	}
	return f.choose(ctx, all)
}

// choose returns the only task, or the only one that waits for a person.
func (f finder) choose(ctx context.Context, all []target) (target, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	if len(all) == 0 {
		return target{}, fault.New(fault.NotFound, "it is not clear which task is meant: none is shown in this room").
			WithHint("name it by its id; list shows what runs")
	}
	waits := map[string]bool{}
	err := f.server.each(ctx, runningTasks+" AND "+signals.AttrNeedsHuman+" = true", mostRows, func(r row) bool {
		waits[r.id] = true
		return true
	})
	switch {
	case err != nil:
		return target{}, err
	case len(waits) >= mostRows:
		return target{}, unclear(fmt.Sprintf("%d or more wait for a person, and not all were looked through", mostRows))
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
	return target{}, unclear(fmt.Sprintf("%d run in this room", len(all)))
}
