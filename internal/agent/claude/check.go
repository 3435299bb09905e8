package claude

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// answerTool is offered in addition to the whitelist when there is a schema. It writes nothing.
const answerTool = "StructuredOutput"

// checkInit compares the binary's description of itself with how it was started. On a difference the session must stop: another version
// may ask for permission in another way and fail open.
func checkInit(l *initLine, s agent.Session, version string) error {
	if l.Version != version {
		return fault.New(fault.Infra, "claude is version %q, wanted %q", l.Version, version).
			WithHint("install @anthropic-ai/claude-code@%s", version)
	}
	if l.SessionID != s.ID {
		return fault.New(fault.Internal, "claude runs session %q, wanted %q", l.SessionID, s.ID)
	}
	if l.Mode != "default" { // name of mode "manual" in the stream
		return fault.New(fault.Internal, "claude's permission mode is %q, wanted manual", l.Mode)
	}
	allowed := offered(s)
	var extra []string
	for _, t := range l.Tools {
		if t == "Task" {
			t = "Agent" // the stream's name for the tool Agent
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
