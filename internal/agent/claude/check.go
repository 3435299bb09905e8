package claude

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// answerTool is offered beside the whitelist when a schema is given. It writes nothing.
const answerTool = "StructuredOutput"

// checkInit compares what the binary says it is with what it was started as. What differs is a reason not to go on: another
// version may ask for permission in another way, and fail open.
func checkInit(l *initLine, s agent.Session, version string) error {
	if l.Version != version {
		return fault.New(fault.Infra, "claude is version %q, wanted %q", l.Version, version).
			WithHint("install @anthropic-ai/claude-code@%s", version)
	}
	if l.SessionID != s.ID {
		return fault.New(fault.Internal, "claude runs session %q, wanted %q", l.SessionID, s.ID)
	}
	if l.Mode != "default" { // the stream's name for manual
		return fault.New(fault.Internal, "claude's permission mode is %q, wanted manual", l.Mode)
	}
	allowed := offered(s)
	var extra []string
	for _, t := range l.Tools {
		if t == "Task" {
			t = "Agent" // the stream's name for it
		}
		if !slices.Contains(allowed, t) && !(t == answerTool && s.Schema != nil) {
			extra = append(extra, t)
		}
	}
	if extra != nil {
		return fault.New(fault.Internal, "claude offers tools that it must not: %s", strings.Join(extra, ", "))
	}
	return nil
}
