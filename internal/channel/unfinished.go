package channel

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/longshift/longshift/task"
)

// rememberedMessages is the number of remembered messages. Retries come soon.
const rememberedMessages = 256

// Unfinished remembers how far long messages, of which a platform takes several, were sent. When the platform asks for a pause in the
// middle of one, the next try in this process continues from there; one in another process begins anew. The zero value is ready to use, by
// several goroutines.
type Unfinished[P any] struct {
	mu    sync.Mutex
	order []string
	known map[string]unfinished[P]
}

type unfinished[P any] struct {
	text     [sha256.Size]byte // of the whole text, since the key may be used with another one
	progress P
}

// Of returns how far a message was sent; the zero value for one that is new.
func (u *Unfinished[P]) Of(to task.Room, m Message) (p P) {
	u.mu.Lock()
	defer u.mu.Unlock()
	name, sum := naming(to, m)
	if one, ok := u.known[name]; ok && one.text == sum && m.Key != "" {
		return one.progress
	}
	return p
}

// Keep records how far a message was sent.
func (u *Unfinished[P]) Keep(to task.Room, m Message, p P) {
	if m.Key == "" {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	name, sum := naming(to, m)
	if u.known == nil {
		u.known = map[string]unfinished[P]{}
	}
	if _, ok := u.known[name]; !ok {
		if u.order = append(u.order, name); len(u.order) > rememberedMessages {
			delete(u.known, u.order[0])
			u.order = u.order[1:]
		}
	}
	u.known[name] = unfinished[P]{sum, p}
}

func naming(to task.Room, m Message) (name string, sum [sha256.Size]byte) {
	return strings.Join([]string{to.ID, to.Thread, m.Key}, "\x00"), sha256.Sum256([]byte(m.Whole()))
}
