package opencode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/acp"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// input is the part of a call's input that decisions are about.
type input struct {
	Command string `json:"command"`
	Workdir string `json:"workdir"`
	Dir     string `json:"cwd"`
	File    string `json:"filePath"`
}

// builtin are the tools that are decided on, but for those to report by.
var builtin = []string{"bash", "read", "write", "edit", "apply_patch", free}

// toolOf is the tool that a call names. The binary makes a call of Bash as one of bash.
func toolOf(title string) string {
	if name := strings.ToLower(title); slices.Contains(builtin, name) {
		return name
	}
	return title
}

// partsOf are what a question decides on, in the words that all agents share. It has none for a tool that nobody decides on.
func partsOf(s agent.Session, c *call) ([]agent.Call, error) {
	var in input
	if json.Unmarshal(c.input, &in) != nil {
		return nil, nil
	}
	switch c.tool {
	case "bash":
		var asked input
		if json.Unmarshal(c.asked.Call.Input, &asked) != nil || asked.Command != in.Command {
			return nil, fault.New(fault.Internal, "opencode asks about another command than it has told of: %s", excerpt.Clip(asked.Command, 400))
		}
		dir := cmp.Or(within(s.Dir, cmp.Or(in.Workdir, in.Dir)), s.Dir)
		return []agent.Call{program.NewCall(c.id, "Bash", dir, map[string]any{"command": in.Command})}, nil
	case "read":
		return []agent.Call{program.NewCall(c.id, "Read", "", map[string]any{"file_path": within(s.Dir, in.File)})}, nil
	case "write", "edit", "apply_patch":
		return editsOf(c.id, c.asked.Call), nil
	}
	if r := s.Reports; r != nil {
		if name, ours := strings.CutPrefix(c.tool, r.Server+"_"); ours {
			return []agent.Call{{Tool: "mcp__" + r.Server + "__" + name, ID: c.id, Input: c.input}}, nil
		}
	}
	return nil, nil
}

// editsOf has one call for each file that a call writes, whose paths the binary has resolved. The first has the call's id.
func editsOf(id string, q acp.QuestionCall) (list []agent.Call) {
	diffs := map[string]acp.Diff{}
	for _, d := range q.Diffs() {
		diffs[d.Path] = d
	}
	for n, l := range q.Locations {
		part := id
		if n > 0 {
			part += "." + strconv.Itoa(n+1)
		}
		switch d := diffs[l.Path]; {
		case d.Old == "":
			list = append(list, program.NewCall(part, "Write", "", map[string]any{"file_path": l.Path, "content": d.New}))
		default:
			list = append(list, program.NewCall(part, "Edit", "", map[string]any{"file_path": l.Path, "old_string": d.Old, "new_string": d.New}))
		}
	}
	return list
}
