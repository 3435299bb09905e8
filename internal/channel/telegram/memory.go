package telegram

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// remembered is the number of remembered messages. Retries come soon.
const remembered = 256

// memory records which parts of recent messages were sent. When Telegram asks for a pause in the middle of a long
// message, the next try continues from there.
type memory struct {
	mu    sync.Mutex
	order []string
	known map[string]progress
}

type progress struct {
	text [sha256.Size]byte // of the whole text, since the key may be used with another one
	chat int64             // where the parts are
	ids  []int             // of the parts sent so far
}

// of returns the progress of a message that is sent again.
func (m *memory) of(to task.Room, what channel.Message, again bool) progress {
	m.mu.Lock()
	defer m.mu.Unlock()
	name, sum := naming(to, what)
	if p := m.known[name]; again && p.text == sum && what.Key != "" {
		return p
	}
	return progress{}
}

// keep records the progress of a message.
func (m *memory) keep(to task.Room, what channel.Message, p progress) {
	if what.Key == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name, sum := naming(to, what)
	if m.known == nil {
		m.known = map[string]progress{}
	}
	if _, ok := m.known[name]; !ok {
		if m.order = append(m.order, name); len(m.order) > remembered {
			delete(m.known, m.order[0])
			m.order = m.order[1:]
		}
	}
	p.text = sum
	m.known[name] = p
}

func naming(to task.Room, m channel.Message) (name string, sum [sha256.Size]byte) {
	return strings.Join([]string{to.ID, to.Thread, m.Key}, "\x00"), sha256.Sum256([]byte(m.Whole()))
}
