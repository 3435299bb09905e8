package codex

import (
	"strconv"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
)

// callsOf are the calls of an item in the words that all agents share.
func callsOf(it item) []agent.Call {
	switch it.Type {
	case kindCommand:
		return []agent.Call{program.NewCall(it.ID, "Bash", it.Dir, map[string]any{"command": script(it.Command)})}
	case kindReport:
		return []agent.Call{{Tool: "mcp__" + it.Server + "__" + it.Tool, ID: it.ID, Input: it.Arguments}}
	case kindPatch:
		return patchCalls(it)
	}
	return nil
}

// patchCalls has one call for each file that a patch writes. The first has the patch's id.
func patchCalls(it item) (list []agent.Call) {
	add := func(tool string, in map[string]any) {
		id := it.ID
		if len(list) > 0 {
			id += "." + strconv.Itoa(len(list)+1)
		}
		list = append(list, program.NewCall(id, tool, "", in))
	}
	for _, c := range it.Changes {
		switch {
		case c.Kind.Type == "add":
			add("Write", map[string]any{"file_path": c.Path, "content": c.Diff})
		case c.Kind.Type == "delete":
			add("Edit", map[string]any{"file_path": c.Path, "old_string": c.Diff, "new_string": ""})
		default:
			add("Edit", map[string]any{"file_path": c.Path, "old_string": "", "new_string": c.Diff})
		}
		if c.Kind.Move != nil {
			add("Write", map[string]any{"file_path": *c.Kind.Move, "content": c.Diff})
		}
	}
	return list
}
