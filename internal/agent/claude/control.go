package claude

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/longshift/longshift/internal/agent"
)

// input is the binary's stdin: the prompt and our answers, a line each. Write errors are dropped: they mean that the binary is
// gone, which its stream and its exit tell better.
type input struct {
	mu sync.Mutex
	w  io.WriteCloser
}

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

func (i *input) reply(response map[string]any) error {
	line, err := json.Marshal(map[string]any{"type": "control_response", "response": response})
	if err != nil {
		return fmt.Errorf("answer claude: %w", err)
	}
	i.write(append(line, '\n'))
	return nil
}

// answer decides on a permission question. A question that we do not know is refused, for no answer would hang the session.
func (a *attempt) answer(q *controlLine) error {
	if q.Request.Subtype != "can_use_tool" {
		return a.in.reply(map[string]any{"subtype": "error", "request_id": q.ID, "error": "not supported: " + q.Request.Subtype})
	}
	c := Call{Session: a.s, Tool: q.Request.Tool, ID: q.Request.CallID, Input: q.Request.Input}
	decision := a.d.cfg.Permit(c)
	response := map[string]any{"behavior": "deny", "message": first(decision.Reason, "not allowed in this session")}
	if decision.Allow {
		input := q.Request.Input
		if decision.Input != nil {
			input = decision.Input
		}
		response = map[string]any{"behavior": "allow", "updatedInput": input}
	} else {
		a.reader.send(agent.Event{Kind: agent.Denied, Tool: c.Tool, ID: c.ID, Text: response["message"].(string)})
	}
	return a.in.reply(map[string]any{"subtype": "success", "request_id": q.ID, "response": response})
}
