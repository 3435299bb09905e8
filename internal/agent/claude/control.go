package claude

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"sync"
)

// input is the binary's stdin: the prompt, our requests and our answers, a line each. Write errors are dropped: they mean that the
// binary is gone, which its stream and its exit tell better.
type input struct {
	mu sync.Mutex
	w  io.WriteCloser

	asks sync.Mutex
	open map[string]bool // our requests that have no answer
}

func newInput(w io.WriteCloser) *input { return &input{w: w, open: map[string]bool{}} }

func (i *input) write(line []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, _ = i.w.Write(line)
}

// close tells the binary that no further turn comes; it exits when it has done what it has.
func (i *input) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = i.w.Close()
}

// request sends a request of ours and gives its id, which nobody else can know.
func (i *input) request(body map[string]any) (id string) {
	id = rand.Text()
	i.asks.Lock()
	i.open[id] = true
	i.asks.Unlock()
	i.send(map[string]any{"type": "control_request", "request_id": id, "request": body})
	return id
}

// answered tells whether the id is of a request of ours that waits for its answer, and strikes it out.
func (i *input) answered(id string) bool {
	i.asks.Lock()
	defer i.asks.Unlock()
	open := i.open[id]
	delete(i.open, id)
	return open
}

// reply answers a request of the binary.
func (i *input) reply(id string, response map[string]any) {
	i.send(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": id, "response": response}})
}

// fail answers a request with an error.
func (i *input) fail(id, why string) {
	i.send(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "error", "request_id": id, "error": why}})
}

// send writes a line. What can't be written as JSON is not sent: no answer is a refusal.
func (i *input) send(v map[string]any) {
	if line, err := json.Marshal(v); err == nil {
		i.write(append(line, '\n'))
	}
}

// The ids of our hooks.
const (
	beforeCall = "before-call"     // asked before every tool call
	afterAgent = "after-sub-agent" // asked when a sub-agent has ended
)

// hookTimeout is how long the binary waits for the answer about a call, in seconds; after it the call is not made. A person may be
// asked, and it is the wall time that bounds a session. The binary's timers overflow at 24 days.
const hookTimeout = 14 * 24 * 60 * 60

// hooks is the request that makes the binary ask us before every tool call, those it would make without a question included.
// With onFailure an error and an answer that it does not understand are refusals; so is a timeout, and the end of its stdin.
func hooks() map[string]any {
	return map[string]any{"subtype": "initialize", "hooks": map[string]any{
		"PreToolUse":  []any{map[string]any{"matcher": nil, "hookCallbackIds": []string{beforeCall}, "timeout": hookTimeout, "onFailure": "block"}},
		"PostToolUse": []any{map[string]any{"matcher": "Agent|Task", "hookCallbackIds": []string{afterAgent}, "timeout": 60}},
	}}
}
