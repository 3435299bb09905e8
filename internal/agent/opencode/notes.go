package opencode

import "sync"

// notes are prompts that run beside a turn's own, while calls of that turn are decided on. A WaitGroup can't count them: one may begin while the
// end of the turn waits for the others.
type notes struct {
	mu   sync.Mutex
	open int
	idle *sync.Cond // nil until somebody waits
	shut bool       // the turn has ended
}

// begin counts one, unless the turn has ended.
func (n *notes) begin() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shut {
		return false
	}
	n.open++
	return true
}

func (n *notes) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open--; n.open == 0 && n.idle != nil {
		n.idle.Broadcast()
	}
}

// turn lets notes begin.
func (n *notes) turn() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shut = false
}

// over lets none begin any more, and waits for those that have.
func (n *notes) over() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.shut = true
	if n.idle == nil {
		n.idle = sync.NewCond(&n.mu)
	}
	for n.open > 0 {
		n.idle.Wait()
	}
}
