package inbound

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const (
	pageEvery   = 5 * time.Second // for each person: what is shown is never older when it is opened again
	pageRows    = 10              // of each part
	pageScanned = 1000            // tasks that run, and as many that have ended, are looked through
	pageEnded   = 72 * time.Hour  // for how long a task that has ended is shown
)

// pages shows people what waits for them, and their own tasks.
type pages struct {
	access access
	server server
	render render.Markdown
	limit  *rateLimit
	now    func() time.Time
}

// personKey names a person, for limits and in memos.
func personKey(ev channel.Event) string { return ev.Room.Channel + ":" + ev.User.ID }

func (p pages) decide(ctx context.Context, ev channel.Event) (decision, error) {
	at, ok := p.limit.reserve(personKey(ev), p.now())
	if !ok {
		return decision{}, nil
	}
	page, err := p.page(ctx, ev)
	if err != nil {
		if no := (*refusal)(nil); !errors.As(err, &no) { // it is delivered again
			p.limit.giveBack(personKey(ev), at)
		}
		return decision{}, err
	}
	return decision{answer: channel.Answer{Page: page}}, nil
}

func (p pages) page(ctx context.Context, ev channel.Event) (*channel.Page, error) {
	if err := p.access.permit(ctx, ev, request{verb: string(ev.Kind), delivery: ev.ID}, toRead); err != nil {
		return nil, err
	}
	waits, runs, err := p.running(ctx, ev)
	if err != nil {
		return nil, err
	}
	ended, err := p.ended(ctx, ev)
	if err != nil {
		return nil, err
	}
	lists := []pageList{waits, runs, ended}
	shown, err := p.messages(ctx, ev, lists)
	if err != nil {
		return nil, err
	}
	page := &channel.Page{}
	for _, l := range lists {
		page.Parts = append(page.Parts, l.part(p.render, shown))
	}
	return page, nil
}

func (p pages) running(ctx context.Context, ev channel.Event) (waits, runs pageList, err error) {
	waits = pageList{title: "Waits for you", none: "Nothing waits for you."}
	runs = pageList{title: "Your tasks", none: "No task that you have asked for is running. `run` starts one."}
	steers, err := p.steers(ctx, ev)
	if err != nil {
		return waits, runs, err
	}
	err = p.server.each(ctx, runningTasks, pageScanned, func(r row) bool {
		mine := r.requester == personKey(ev)
		if r.needsHuman && (steers || mine) {
			waits.add(r)
		}
		if mine {
			runs.add(r)
		}
		return true
	})
	return waits, runs, err
}

func (p pages) ended(ctx context.Context, ev channel.Event) (ended pageList, err error) {
	ended = pageList{title: "Your tasks that have ended", none: "None in the last three days."}
	since := p.now().Add(-pageEnded).UTC().Format(time.RFC3339)
	err = p.server.each(ctx, codingTasks+" AND CloseTime > "+quoted(since), pageScanned, func(r row) bool {
		if r.requester == personKey(ev) {
			ended.add(r)
		}
		return true
	})
	return ended, err
}

// steers reports whether a person decides about tasks of others.
func (p pages) steers(ctx context.Context, ev channel.Event) (bool, error) {
	for _, r := range []right{toApprove, toCommand} {
		if ok, err := p.access.rights.may(ctx, ev, r); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// messages finds the first message about each task in a room that the person can read, by the id of the task's Conversation.
func (p pages) messages(ctx context.Context, ev channel.Event, lists []pageList) (map[string]*task.MessageRef, error) {
	var ids []string
	for _, l := range lists {
		for _, r := range l.rows {
			ids = append(ids, quoted(r.conversation()))
		}
	}
	shown := map[string]*task.MessageRef{}
	if len(ids) == 0 {
		return shown, nil
	}
	err := p.server.each(ctx, conversations+" AND WorkflowId IN ("+strings.Join(ids, ", ")+")", pageScanned, func(r row) bool {
		for _, key := range r.threads {
			place, here := strings.CutPrefix(key, ev.Room.Channel+":")
			id, message, ok := strings.Cut(place, ":")
			at := task.MessageRef{Room: task.Room{Channel: ev.Room.Channel, ID: id}, Message: message}
			others := private(channel.Event{Room: at.Room, User: ev.User}) && id != ev.Room.ID // their chat with Longshift
			if here && ok && !others && shown[r.id] == nil {
				shown[r.id] = &at
			}
		}
		return true
	})
	return shown, err
}

// conversation is the id of the Conversation about a task. A follower goes on with that of its task.
func (r row) conversation() string {
	if r.kind == signals.PullRequestFlow {
		return signals.ConversationID(r.parent)
	}
	return signals.ConversationID(r.run)
}
