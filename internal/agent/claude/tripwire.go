package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// toolEnd is a tool result in the stream.
type toolEnd struct {
	id, text string
	failed   bool
	meta     []byte // of all results of the line
}

// ran reports whether the call was made, according to its result. The binary names the reason for a call that was not made. A failed
// result without a reason belongs to a call that ran, unless the binary rejected the call itself as malformed.
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

// check compares a result with the decision. It is too late for that call, but stops the session before the next one: something has
// disabled our requests or answers them in our place.
func (a *attempt) check(e toolEnd) error {
	v := a.decisions.decided(e.id)
	if v != nil && v.Allow || !e.ran() {
		return nil
	}
	tool := a.reader.tools[e.id]
	if v != nil {
		return fault.New(fault.Internal, "claude has made a call of %s that was refused", cmp.Or(v.tool, tool))
	}
	return fault.New(fault.Internal, "claude has made a call of %s that nobody decided on", cmp.Or(tool, "an unknown tool"))
}

// response handles the binary's response to a request. A response to a request that we did not send means that somebody else has written
// to stdin. A command that the binary runs can do that if it sees the binary's process.
func (a *attempt) response(ctx context.Context, r *responseLine) error {
	if !a.in.answered(r.Response.ID) {
		return fault.New(fault.Internal, "claude answers a request that is not ours: a command has written to its input")
	}
	if r.Response.ID != a.proc.hello {
		return nil
	}
	if r.Response.Subtype != "success" {
		return fault.New(fault.Internal, "claude does not take our hooks: %s", excerpt.Clip(r.Response.Error, 400))
	}
	a.proc.armed = true
	a.goAnswer(func() { a.begin(ctx) })
	return nil
}
