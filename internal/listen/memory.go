package listen

import (
	"crypto/sha256"
	"sync"

	"github.com/longshift/longshift/internal/channel"
)

// memory keeps what the newest events were found to mean, so that one that is delivered again means the same: which task is "the
// one in this room" changes with time.
type memory struct {
	lock  sync.Mutex
	kept  map[memoryKey]resolved
	order []memoryKey // a ring
	next  int         // place of the ring's oldest name
}

// mostRemembered bounds the events in memory; the newest stay.
const mostRemembered = 2000

type memoryKey [sha256.Size]byte

// resolved is what an event was found to mean: a command to a task, or nothing that can be done.
type resolved struct {
	task    string
	first   string // as in deed
	command Command
	no      string // what was answered when it was refused; it stays refused, whatever would be possible later
	claimed bool   // somebody does it, or has done it

	repository string // of a run that names none
}

func newMemory() *memory { return &memory{kept: map[memoryKey]resolved{}} }

// keyOf names an event, for one purpose. Its words count too: another text under the same id is no redelivery.
func keyOf(ev channel.Event, purpose string) memoryKey {
	text := ""
	for _, part := range []string{ev.Room.Channel, ev.Room.ID, ev.User.ID, ev.ID, ev.Text, purpose} {
		text += part + "\x00"
	}
	return sha256.Sum256([]byte(text))
}

func (m *memory) recall(k memoryKey) (resolved, bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	r, ok := m.kept[k]
	return r, ok
}

// keep remembers what an event means, unless that is known already: the first meaning stays.
func (m *memory) keep(k memoryKey, r resolved) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if _, known := m.kept[k]; !known {
		m.put(k, r)
	}
}

// refuse remembers that what an event asks for was refused.
func (m *memory) refuse(k memoryKey, answer string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if r, known := m.kept[k]; known {
		r.no = answer
		m.kept[k] = r
		return
	}
	m.put(k, resolved{no: answer})
}

// claim tells whether the caller is the one who is to do it.
func (m *memory) claim(k memoryKey) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	r, known := m.kept[k]
	if r.claimed {
		return false
	}
	r.claimed = true
	if known {
		m.kept[k] = r
	} else {
		m.put(k, r)
	}
	return true
}

// release takes a claim back: it was not done.
func (m *memory) release(k memoryKey) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if r, known := m.kept[k]; known {
		r.claimed = false
		m.kept[k] = r
	}
}

// put adds a name that is new.
func (m *memory) put(k memoryKey, r resolved) {
	m.kept[k] = r
	if len(m.order) < mostRemembered {
		m.order = append(m.order, k)
		return
	}
	delete(m.kept, m.order[m.next])
	m.order[m.next] = k
	m.next = (m.next + 1) % mostRemembered
}
