package opencode

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/acp"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// calls are the calls of an attempt.
type calls struct {
	program.Ending

	mu      sync.Mutex
	all     map[string]*call
	begun   int
	refused []string // what the model is told of refusals, when the turn has ended
}

// call is one call of a tool, from the moment at which the model writes it. A patch of several files is one, with a part for each file.
type call struct {
	id, tool string
	n        int           // of the calls in their order
	over     chan struct{} // closed when it has come back
	input    []byte        // as the model has written it; nil until the binary tells
	asked    *acp.Question // nil until the binary asks
	deciding bool
	accepted bool
	told     bool // that it is made
	reason   string
	parts    []agent.Call // what is decided on, in the words that all agents share
}

func newCalls() *calls { return &calls{all: map[string]*call{}} }

// begin keeps a call that the model begins to write. Some endpoints number the calls of each answer from the start, so an id may come again.
func (cs *calls) begin(id, tool string) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if was := cs.all[id]; was != nil && !was.ended() {
		return fault.New(fault.Internal, "opencode uses the id %q for two calls", id)
	}
	cs.begun++
	cs.all[id] = &call{id: id, tool: tool, n: cs.begun, over: make(chan struct{})}
	return nil
}

func (c *call) ended() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// before finds a report that is being made, and the calls that are being made and that the model has written earlier. A call that was broken off
// while the model wrote it is never made.
func (cs *calls) before(tool string, arguments []byte) (report *call, earlier []*call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.all {
		if c.tool == tool && c.accepted && !c.ended() && program.SameJSON(c.input, arguments) && (report == nil || c.n < report.n) {
			report = c
		}
	}
	for _, c := range cs.all {
		if report != nil && c.n < report.n && c.input != nil && !c.ended() {
			earlier = append(earlier, c)
		}
	}
	return report, earlier
}

// change changes a call under the lock. It returns an error for one that has not begun.
func (cs *calls) change(id string, f func(*call) error) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.all[id]
	if c == nil {
		return fault.New(fault.Internal, "opencode tells of a call that has not begun: %s", id)
	}
	return f(c)
}

// decidable tells, once, that a call can be decided on: the binary has asked, and has told what the model has written. Either comes first.
func (c *call) decidable() bool {
	if c.deciding || c.asked == nil || c.input == nil {
		return false
	}
	c.deciding = true
	return true
}

// mayRun refuses a call that is made without having been accepted.
func (c *call) mayRun() error {
	switch {
	case c.accepted || c.tool == free:
		return nil
	case c.asked != nil:
		return fault.New(fault.Internal, "opencode has made a call that was not allowed: %s %s", c.tool, c.input)
	}
	return fault.New(fault.Internal, "opencode no longer asks before every call: it has made one of %s %s", c.tool, c.input)
}

// allow keeps that a call is accepted. It is called before the binary gets to know it.
func (cs *calls) allow(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.accepted = true
}

// refuse keeps why a call is refused. tool is that of the part that was refused.
func (cs *calls) refuse(c *call, tool, reason string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.reason = reason
	cs.refused = append(cs.refused, fmt.Sprintf("The call of %s was refused: %s", tool, reason))
}

// tell keeps something else that the model is told then.
func (cs *calls) tell(text string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.refused = append(cs.refused, text)
}

// refusals returns what the model is to be told, and forgets it.
func (cs *calls) refusals() string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	text := strings.Join(cs.refused, "\n")
	cs.refused = nil
	return text
}

// within is a path of a call as the binary resolves it.
func within(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
