package agenttest

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/agent"
)

// Inside is a plain permit for tests: file tools inside the session's workspace and never under a .git, shell commands where the
// session may write, sub-agents, and nothing else.
func Inside(s agent.Session) agent.Permit {
	return func(_ context.Context, c agent.Call) agent.Decision {
		var in struct {
			File     string `json:"file_path"`
			Notebook string `json:"notebook_path"`
			Path     string `json:"path"`
		}
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return agent.Decision{Reason: "the input is no object"}
		}
		if strings.HasPrefix(c.Tool, "mcp__longshift__") {
			return agent.Decision{Allow: true} // by which it reports
		}
		switch c.Tool {
		case "Agent":
			return agent.Decision{Allow: true}
		case "Bash":
			if s.ReadOnly {
				return agent.Decision{Reason: "this session only reads"}
			}
			return agent.Decision{Allow: true}
		case "Glob", "Grep":
			in.Path = cmp.Or(in.Path, s.Dir)
			return inside(s, in.Path)
		case "Read":
			return inside(s, in.File)
		case "Write", "Edit", "NotebookEdit":
			if s.ReadOnly {
				return agent.Decision{Reason: "this session only reads"}
			}
			return inside(s, in.File+in.Notebook)
		}
		return agent.Decision{Reason: c.Tool + " is not available"}
	}
}

func inside(s agent.Session, path string) agent.Decision {
	rel, err := agent.InTree(s.Dir, path)
	if err != nil {
		return agent.Decision{Reason: err.Error()}
	}
	for name := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(name, ".git") {
			return agent.Decision{Reason: "the repository's own data is not for tools"}
		}
	}
	return agent.Decision{Allow: true}
}

// Record is what a permit was asked.
type Record struct {
	mu    sync.Mutex
	calls []agent.Call
}

// Of writes down what the permit is asked before it answers.
func (r *Record) Of(p agent.Permit) agent.Permit {
	return func(ctx context.Context, c agent.Call) agent.Decision {
		r.mu.Lock()
		r.calls = append(r.calls, c)
		r.mu.Unlock()
		return p.Ask(ctx, c)
	}
}

// Calls are the calls that were asked about, in the order they came.
func (r *Record) Calls() []agent.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}
