package inbound

import (
	"crypto/sha256"
	"sync"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/command"
)

// recent caches what the newest events were resolved to, so that an event that is delivered again is resolved to the same: which task
// is meant by "the one in this room" changes with time. It is safe for concurrent use.
type recent struct {
	lock    sync.Mutex
	entries map[eventKey]resolution
	order   []eventKey // a ring
	oldest  int        // its index in the ring
}

// maxRecent bounds the events in the cache; the newest stay.
const maxRecent = 2000

type eventKey [sha256.Size]byte

// resolution is what an event was resolved to: a command for a task, or a refusal.
type resolution struct {
	request    request
	command    command.Command
	refused    string // the answer of a refusal; it is refused again, whatever has become possible since
	claimed    bool   // it is being carried out, or was
	repository string // of a run command that names none
}

func newRecent() *recent { return &recent{entries: map[eventKey]resolution{}} }

// forTask is the purpose of a resolution to a command for a task.
const forTask = "task"

// keyOf identifies an event for one purpose. Another text under the same id is another event.
func keyOf(ev channel.Event, purpose string) eventKey {
	text := ""
	for _, part := range []string{ev.Room.Channel, ev.Room.ID, ev.User.ID, ev.ID, ev.Text, purpose} {
		text += part + "\x00"
	}
	return sha256.Sum256([]byte(text))
}

func (c *recent) get(k eventKey) (resolution, bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	r, ok := c.entries[k]
	return r, ok
}

// put stores a resolution, unless there is one: the first one counts.
func (c *recent) put(k eventKey, r resolution) {
	c.change(k, func(old *resolution, known bool) {
		if !known {
			*old = r
		}
	})
}

// refuse stores that an event was refused.
func (c *recent) refuse(k eventKey, answer string) {
	c.change(k, func(r *resolution, _ bool) { r.refused = answer })
}

// claim reports whether the caller is the one that has to carry the event out.
func (c *recent) claim(k eventKey) (first bool) {
	c.change(k, func(r *resolution, _ bool) { first, r.claimed = !r.claimed, true })
	return first
}

// release takes a claim back: the event was not carried out.
func (c *recent) release(k eventKey) {
	c.change(k, func(r *resolution, _ bool) { r.claimed = false })
}

// change changes an entry, or adds one in place of the oldest.
func (c *recent) change(k eventKey, change func(r *resolution, known bool)) {
	c.lock.Lock()
	defer c.lock.Unlock()
	r, known := c.entries[k]
	change(&r, known)
	c.entries[k] = r
	switch {
	case known:
	case len(c.order) < maxRecent:
		c.order = append(c.order, k)
	default:
		delete(c.entries, c.order[c.oldest])
		c.order[c.oldest] = k
		c.oldest = (c.oldest + 1) % maxRecent
	}
}
