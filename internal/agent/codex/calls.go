package codex

import (
	"reflect"
	"sync"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// Kinds of items that are decided on.
const (
	kindCommand = "commandExecution"
	kindPatch   = "fileChange"
	kindReport  = "mcpToolCall"
)

// calls are the items of an attempt that are decided on. A patch of several files is one item, and a call for each file.
type calls struct {
	program.Ending

	mu    sync.Mutex
	items map[string]*calling
	asked map[string]bool // ids of the binary's questions, true once we have answered
}

// calling is such an item. All but asked, accepted and reason stays as it is; calls change once, where the binary has hidden a part of a command.
type calling struct {
	item     item
	calls    []agent.Call
	asked    bool
	accepted bool
	reason   string // of a refusal
}

func newCalls() *calls { return &calls{items: map[string]*calling{}, asked: map[string]bool{}} }

// begin keeps an item that has begun, and reports whether it is new. The binary may tell of one twice; after it was accepted that would be a
// second call, which nobody has decided on.
func (cs *calls) begin(c *calling) (fresh bool, err error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	was := cs.items[c.item.ID]
	if was == nil {
		cs.items[c.item.ID] = c
		return true, nil
	}
	if was.accepted || !reflect.DeepEqual(was.item, c.item) {
		return false, fault.New(fault.Internal, "codex uses the id %q for two calls", c.item.ID)
	}
	return false, nil
}

// question marks an item as asked about. It is nil for an item that is unknown, of another kind, or asked about before.
func (cs *calls) question(id, kind string) *calling {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.items[id]
	if c == nil || c.item.Type != kind || c.asked {
		return nil
	}
	c.asked = true
	return c
}

// reveal has a command decided on as it is.
func (cs *calls) reveal(c *calling, command string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	it := c.item
	it.Command = command
	c.calls = callsOf(it)
}

// report finds the report that an elicitation is about, which does not name it: one of that tool, with that input, not asked about yet.
func (cs *calls) report(e elicitation) *calling {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.items {
		if c.item.Type == kindReport && !c.asked && c.item.Server == e.Server && c.item.Tool == e.Meta.Tool && program.SameJSON(c.item.Arguments, e.Meta.Params) {
			c.asked = true
			return c
		}
	}
	return nil
}

// decided keeps the decision on an item. It is called before the binary gets to know it.
func (cs *calls) decided(c *calling, accepted bool, reason string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.accepted, c.reason = accepted, reason
}

// find returns a copy of an item, and whether there is one.
func (cs *calls) find(id string) (calling, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.items[id]; c != nil {
		return *c, true
	}
	return calling{}, false
}

// mayRun refuses an item that runs without having been accepted.
func (cs *calls) mayRun(id string) error {
	c, _ := cs.find(id)
	switch {
	case c.accepted:
		return nil
	case c.asked:
		return fault.New(fault.Internal, "codex has made a call that was not allowed: %s", c.what())
	}
	return fault.New(fault.Internal, "codex no longer asks before every call: it has made one of %s", c.what())
}

// change refuses a patch that changes after it has begun: something else would be decided on.
func (cs *calls) change(id string) error {
	if c, known := cs.find(id); known {
		return fault.New(fault.Internal, "codex has changed a patch after it told of it: %s", c.what())
	}
	return nil
}

func (c calling) what() string {
	if len(c.calls) == 0 {
		return "an unknown tool"
	}
	return c.calls[0].Tool + " " + string(c.calls[0].Input)
}

// ask notes a question of the binary, and answering that we answer it.
func (cs *calls) ask(question string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.asked[question] = false
}

func (cs *calls) answering(question string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.asked[question] = true
}

func (cs *calls) answered(question string) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.asked[question]
}
