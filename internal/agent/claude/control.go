package claude

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/agent"
)

// input is the binary's stdin: the prompt, our requests and our answers, one per line. Write errors are ignored. They mean that the
// binary has exited, which its stream and exit status report better.
type input struct {
	mu sync.Mutex
	w  io.WriteCloser

	asks sync.Mutex
	open map[string]bool // our requests without an answer yet
}

func newInput(w io.WriteCloser) *input { return &input{w: w, open: map[string]bool{}} }

func (i *input) write(line []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, _ = i.w.Write(line)
}

// close ends stdin. The binary exits when it has finished its work.
func (i *input) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = i.w.Close()
}

// request sends a request and returns its id, which nobody else can guess.
func (i *input) request(body map[string]any) (id string) {
	id = rand.Text()
	i.asks.Lock()
	i.open[id] = true
	i.asks.Unlock()
	i.send(map[string]any{"type": "control_request", "request_id": id, "request": body})
	return id
}

// answered reports whether the id belongs to an open request of ours, and closes that request.
func (i *input) answered(id string) bool {
	i.asks.Lock()
	defer i.asks.Unlock()
	open := i.open[id]
	delete(i.open, id)
	return open
}

func (i *input) reply(id string, response map[string]any) {
	i.respond(map[string]any{"subtype": "success", "request_id": id, "response": response})
}

func (i *input) fail(id, why string) {
	i.respond(map[string]any{"subtype": "error", "request_id": id, "error": why})
}

func (i *input) respond(response map[string]any) {
	i.send(map[string]any{"type": "control_response", "response": response})
}

// send writes a line. A value that can't be encoded is not sent, and a missing answer counts as a refusal.
func (i *input) send(v map[string]any) {
	if line, err := json.Marshal(v); err == nil {
		i.write(append(line, '\n'))
	}
}

const (
	beforeCall = "before-call"     // asked before every tool call
	afterAgent = "after-sub-agent" // asked when a sub-agent has ended
	afterTool  = "after-report"    // asked when the agent has reported
)

// hookTimeout is how many seconds the binary waits for an answer about a call; then it does not make the call. The answer may come from a
// person, and the session has its own time limit. The binary's timers overflow at 24 days.
const hookTimeout = 14 * 24 * 60 * 60

// hooks is the request that makes the binary ask us before every tool call. With onFailure, errors and invalid answers count as refusals.
// So do a timeout and the end of stdin.
func hooks(s agent.Session) map[string]any {
	after := []any{map[string]any{"matcher": "Agent|Task", "hookCallbackIds": []string{afterAgent}, "timeout": 60}}
	if tools := reportTools(s); tools != nil {
		after = append(after, map[string]any{"matcher": strings.Join(tools, "|"), "hookCallbackIds": []string{afterTool}, "timeout": 60})
	}
	return map[string]any{"subtype": "initialize", "hooks": map[string]any{
		"PreToolUse": []any{
			map[string]any{"matcher": nil, "hookCallbackIds": []string{beforeCall}, "timeout": hookTimeout, "onFailure": "block"}},
		"PostToolUse": after,
	}}
}
