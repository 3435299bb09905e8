package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/longshift/longshift/internal/agent"
)

// decisions are those on the tool calls of an attempt. The binary sends two requests for each call: our hook, which includes the folder
// and can end the session, and its own permission request. They are enabled separately, and the binary makes a call only if both are
// answered with yes. Both get the same decision: Permit is called once per call.
type decisions struct {
	permit agent.Permit

	mu      sync.Mutex
	rulings map[string]*ruling            // by call id
	open    map[string]context.CancelFunc // requests that Permit has not answered, by control request id
	ending  *agent.Decision               // the first decision that ends the session
}

type ruling struct {
	tool  string
	asked json.RawMessage // input that Permit has seen
	done  chan struct{}   // closed when the fields below are set
	input json.RawMessage // input with which the call may be made
	agent.Decision
}

func newDecisions(s agent.Session) *decisions {
	return &decisions{permit: s.Permit, rulings: map[string]*ruling{}, open: map[string]context.CancelFunc{}}
}

// decide returns the ruling on a call. It is nil if ctx ends first, or if the id already belongs to another call. It blocks as long as
// Permit does. request is the id for cancel.
func (ds *decisions) decide(ctx context.Context, request string, c agent.Call) *ruling {
	ds.mu.Lock()
	v, known := ds.rulings[c.ID]
	if !known {
		v = &ruling{tool: c.Tool, input: c.Input, asked: c.Input, done: make(chan struct{})}
		ds.rulings[c.ID] = v
	}
	ds.mu.Unlock()
	if !known {
		ds.settle(v, ds.ask(ctx, request, c))
		return v
	}
	if v.tool != c.Tool || !bytes.Equal(v.asked, c.Input) {
		return nil
	}
	select {
	case <-v.done:
		return v
	case <-ctx.Done():
		return nil
	}
}

// ask calls Permit, unless the session is about to end.
func (ds *decisions) ask(ctx context.Context, request string, c agent.Call) agent.Decision {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ds.mu.Lock()
	if ds.ending == nil {
		ds.open[request] = cancel
	}
	end := ds.ending
	ds.mu.Unlock()
	if end != nil {
		return refusalAtEnd(end)
	}
	d := ds.permit.Ask(ctx, c)
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.open, request)
	switch {
	case ds.ending != nil:
		return refusalAtEnd(ds.ending)
	case d.End != "":
		ds.ending = &d
		for _, cancel := range ds.open {
			cancel()
		}
	}
	return d
}

func refusalAtEnd(end *agent.Decision) agent.Decision {
	return agent.Decision{Reason: "not made, for the session stops here: " + end.Reason, End: end.End}
}

func (ds *decisions) settle(v *ruling, d agent.Decision) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	v.Decision = d
	if d.Input != nil {
		v.input = d.Input
	}
	close(v.done)
}

// cancel ends a request that the binary no longer waits for.
func (ds *decisions) cancel(request string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if cancel := ds.open[request]; cancel != nil {
		cancel()
	}
}

// decided returns the ruling on a call, nil if there is none yet.
func (ds *decisions) decided(id string) *ruling {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	v := ds.rulings[id]
	if v == nil {
		return nil
	}
	select {
	case <-v.done:
		return v
	default:
		return nil
	}
}

// over returns the decision that ends the session, nil if there is none.
func (ds *decisions) over() *agent.Decision {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.ending
}
