package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/longshift/longshift/internal/agent"
)

// Decide decides on a call for programs that can't change one, so a call that Permit would change is refused. Sessions that only read write
// no files, whatever Permit says, and run commands in a box alone.
func Decide(ctx context.Context, s agent.Session, c agent.Call) agent.Decision {
	switch {
	case s.ReadOnly && (c.Tool == "Write" || c.Tool == "Edit"):
		return agent.Decision{Reason: "this session only reads"}
	case s.ReadOnly && c.Tool == "Bash" && s.Start == nil:
		return agent.Decision{Reason: "this session only reads, and no sandbox holds a command to it"}
	}
	d := s.Permit.Ask(ctx, c)
	if d.Allow && d.Input != nil && !SameJSON(d.Input, c.Input) {
		return agent.Decision{Reason: "it may only be made as " + string(d.Input) + "; " + cmp.Or(d.Reason, "make it so")}
	}
	return d
}

// SameJSON compares values, whatever their spaces and the order of their fields.
func SameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, errP := json.Marshal(x)
	q, errQ := json.Marshal(y)
	return errP == nil && errQ == nil && bytes.Equal(p, q)
}

// NewCall is a call with an input of these fields. People read it in the log, and commands are full of & and >.
func NewCall(id, tool, dir string, in map[string]any) agent.Call {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(in) // strings always encode
	return agent.Call{Tool: tool, ID: id, Dir: dir, Input: bytes.TrimSpace(b.Bytes())}
}
