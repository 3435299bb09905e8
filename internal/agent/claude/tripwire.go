package claude

import (
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// toolEnd is a result of a tool call, as the stream tells it.
type toolEnd struct {
	id, text string
	failed   bool
	meta     []byte // of all results on the line
}

// ran tells whether the call was made as far as the result shows. The binary names why a call was not made; a failed result
// without a name is of a call that ran, but for those that the binary did not even take for calls.
func (e toolEnd) ran() bool {
	var list []struct {
		ID   string `json:"id"`
		Kind string `json:"non_execution_kind"`
	}
	if e.meta != nil && json.Unmarshal(e.meta, &list) == nil {
		for _, m := range list {
			if m.ID == e.id && m.Kind != "" {
				return !e.failed
			}
		}
	}
	return !e.failed || !strings.HasPrefix(e.text, "<tool_use_error>")
}

// check compares a result with what was decided. It comes too late for that call, and stops the session before the next one: then
// something has switched our questions off, or answers them in our place.
func (a *attempt) check(e toolEnd) error {
	v := a.gate.decided(e.id)
	if v != nil && v.Allow || !e.ran() {
		return nil
	}
	tool := a.reader.tools[e.id]
	if v != nil {
		return fault.New(fault.Internal, "claude has made a call of %s that was refused", first(v.tool, tool))
	}
	return fault.New(fault.Internal, "claude has made a call of %s that nobody decided on", first(tool, "an unknown tool"))
}

// response handles an answer of the binary to a request. One that we did not send came from somebody who writes to its stdin:
// a command that it runs can, where it sees the binary's process.
func (a *attempt) response(r *responseLine) error {
	if !a.in.answered(r.Response.ID) {
		return fault.New(fault.Internal, "claude answers a request that is not ours: a command has written to its input")
	}
	if r.Response.ID != a.proc.hello {
		return nil
	}
	if r.Response.Subtype != "success" {
		return fault.New(fault.Internal, "claude does not take our hooks: %s", excerpt.Clip(r.Response.Error, 400))
	}
	a.armed = true
	a.goAnswer(func() { a.in.write(a.prompt) })
	return nil
}
