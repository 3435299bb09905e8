package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/longshift/longshift/internal/agent"
)

// gate holds the decisions on an attempt's tool calls. The binary sends two requests for each call: our hook, which includes the folder
// and can end the session, and its own permission request. They are enabled separately, and the binary makes a call only if both are
// answered with yes. Both get the same decision: Permit is called once per call.
type gate struct {
	permit agent.Permit
	answer bool // the session has a schema, so the binary offers answerTool

	mu      sync.Mutex
	rulings map[string]*ruling            // by call id
	open    map[string]context.CancelFunc // requests that Permit has not answered, by control request id
	ending  *agent.Decision               // the first decision that ends the session
}

// ruling is the decision on one call.
type ruling struct {
	tool  string
	asked json.RawMessage // input that Permit has seen
	done  chan struct{}   // closed when the fields below are set
	input json.RawMessage // input with which the call may be made
	agent.Decision
}

func newGate(s agent.Session) *gate {
	return &gate{permit: s.Permit, answer: s.Schema != nil, rulings: map[string]*ruling{}, open: map[string]context.CancelFunc{}}
}

// decide returns the ruling on a call. It is nil if ctx ends first, or if the id already belongs to another call. It blocks as long as
// Permit does. request is the id for cancel.
func (g *gate) decide(ctx context.Context, request string, c agent.Call) *ruling {
	g.mu.Lock()
	v, known := g.rulings[c.ID]
	if !known {
		v = &ruling{tool: c.Tool, input: c.Input, asked: c.Input, done: make(chan struct{})}
		g.rulings[c.ID] = v
	}
	g.mu.Unlock()
	if !known {
		g.settle(v, g.ask(ctx, request, c))
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
func (g *gate) ask(ctx context.Context, request string, c agent.Call) agent.Decision {
	if c.Tool == answerTool && g.answer {
		return agent.Decision{Allow: true}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g.mu.Lock()
	if g.ending == nil {
		g.open[request] = cancel
	}
	end := g.ending
	g.mu.Unlock()
	if end != nil {
		return refusalAtEnd(end)
	}
	d := g.permit.Ask(ctx, c)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, request)
	switch {
	case g.ending != nil:
		return refusalAtEnd(g.ending)
	case d.End != "":
		g.ending = &d
		for _, cancel := range g.open {
			cancel()
		}
	}
	return d
}

func refusalAtEnd(end *agent.Decision) agent.Decision {
	return agent.Decision{Reason: "not made, for the session stops here: " + end.Reason, End: end.End}
}

func (g *gate) settle(v *ruling, d agent.Decision) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v.Decision = d
	if d.Input != nil {
		v.input = d.Input
	}
	close(v.done)
}

// cancel ends a request that the binary no longer waits for.
func (g *gate) cancel(request string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if cancel := g.open[request]; cancel != nil {
		cancel()
	}
}

// decided returns the ruling on a call, nil if there is none yet.
func (g *gate) decided(id string) *ruling {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.rulings[id]
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
func (g *gate) over() *agent.Decision {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ending
}
