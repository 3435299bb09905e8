package workflows

import (
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostKeys bounds the list of messages, in bytes: the server takes 2 KiB, and fails a workflow that sends more.
const mostKeys = 1800

// publish lists the messages that people may answer, so that a reply finds its task.
func (c *conversation) publish(ctx workflow.Context) {
	keys := threadKeys(c.rooms)
	if slices.Equal(keys, c.keys) {
		return
	}
	key := temporal.NewSearchAttributeKeyKeywordList(signals.AttrThread)
	if err := workflow.UpsertTypedSearchAttributes(ctx, key.ValueSet(keys)); err == nil {
		c.keys = keys
	}
}

// threadKeys names the card of each room, and the newest of the other messages with all of their parts.
func threadKeys(rooms []*room) (keys []string) {
	size := 0
	add := func(r task.Room, message string) {
		key := signals.ThreadKey(r, message)
		if message == "" || slices.Contains(keys, key) || size+len(key)+3 > mostKeys {
			return
		}
		keys, size = append(keys, key), size+len(key)+3
	}
	addAll := func(r *room, m task.MessageRef) {
		add(r.place(m), m.Message)
		for _, part := range m.Parts {
			add(r.place(m), part)
		}
	}
	for _, r := range rooms {
		add(r.Room, r.Thread)
		if r.Card != nil {
			add(r.place(*r.Card), r.Card.Message)
		}
	}
	for back := 1; back <= mostKept; back++ {
		for _, r := range rooms {
			if at := len(r.Messages) - back; at >= 0 {
				addAll(r, r.Messages[at].Ref)
			}
		}
	}
	for _, r := range rooms {
		if r.Card != nil {
			addAll(r, *r.Card)
		}
	}
	return keys
}
