package codex

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/longshift/longshift/internal/agent"
)

// callsOf are the calls of an item in the words that all agents share.
func callsOf(it item) []agent.Call {
	switch it.Type {
	case kindCommand:
		return []agent.Call{newCall(it.ID, "Bash", it.Dir, map[string]any{"command": script(it.Command)})}
	case kindReport:
		return []agent.Call{{Tool: "mcp__" + it.Server + "__" + it.Tool, ID: it.ID, Input: it.Arguments}}
	case kindPatch:
		return patchCalls(it)
	}
	return nil
}

func newCall(id, tool, dir string, in map[string]any) agent.Call {
	return agent.Call{Tool: tool, ID: id, Dir: dir, Input: inputOf(in)}
}

// inputOf writes the input of a call. People read it in the log, and commands are full of & and >.
func inputOf(in map[string]any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(in) // strings always encode
	return bytes.TrimSpace(b.Bytes())
}

// patchCalls has one call for each file that a patch writes. The first has the patch's id.
func patchCalls(it item) (list []agent.Call) {
	add := func(tool string, in map[string]any) {
		id := it.ID
		if len(list) > 0 {
			id += "." + strconv.Itoa(len(list)+1)
		}
		list = append(list, newCall(id, tool, "", in))
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
