package agenttest

import (
	"fmt"
	"slices"
	"strings"
)

// In is the script told to another agent: its tools are called for those of Claude Code. The one that is given stays as it is.
func (s Script) In(tools func(Tool) Tool) Script {
	s.Rules = slices.Clone(s.Rules)
	for i, r := range s.Rules {
		r.Turns = slices.Clone(r.Turns)
		for j, turn := range r.Turns {
			var calls []Tool
			for _, t := range turn.Tools {
				calls = append(calls, tools(t))
			}
			r.Turns[j].Tools = calls
		}
		s.Rules[i] = r
	}
	return s
}

// ClaudeTools leaves calls as they are.
func ClaudeTools(t Tool) Tool { return t }

// NativeTools has Longshift's own agent do what a tool of Claude Code would.
func NativeTools(t Tool) Tool {
	in := t.Input
	switch t.Name {
	case "Bash":
		return call("run_command", map[string]any{"command": in["command"], "timeout": 300})
	case "Read":
		if from, ok := in["offset"].(int); ok {
			return call("read_lines", map[string]any{"path": in["file_path"], "from": from, "to": from + in["limit"].(int) - 1})
		}
		return call("read_file", map[string]any{"path": in["file_path"]})
	case "Write":
		return call("write_file", map[string]any{"path": in["file_path"], "content": in["content"]})
	case "Edit":
		return call("edit_file", map[string]any{"path": in["file_path"], "old": in["old_string"], "new": in["new_string"]})
	case "Grep":
		return call("search", map[string]any{"pattern": in["pattern"]})
	case "Glob":
		return call("find_files", map[string]any{"pattern": in["pattern"]})
	}
	return call(reportOf(t), in)
}

// CodexTools is NativeTools for Codex, which has commands for all but edits. Those it makes by patches of whole lines.
func CodexTools(t Tool) Tool {
	command, now := commandOf(t), t.text("content")+t.text("new_string")
	switch path := quoted(t.text("file_path")); {
	case t.Name == "Write" && now != "" && !strings.HasSuffix(now, "\n"): // a patch would end the last line
		command = fmt.Sprintf("printf %%s %s > %s", quoted(now), path)
	case t.Name == "Edit" && !strings.HasSuffix(now, "\n"): // of the end of a file
		old := t.text("old_string")
		command = fmt.Sprintf("test \"$(tail -c %d %s)\" = %s && truncate --size -%d %s && printf %%s %s >> %s", len(old), path, quoted(old), len(old), path, quoted(now), path)
	case t.Name == "Write":
		return patch("*** Add File: "+t.text("file_path"), "", t.text("content"))
	case t.Name == "Edit":
		return patch("*** Update File: "+t.text("file_path")+"\n@@", t.text("old_string"), t.text("new_string"))
	case strings.HasPrefix(t.Name, reports), t.Text != "":
		return t
	case command == "":
		panic("nothing does in Codex what " + t.Name + " does")
	}
	// It would go on in the background after ten seconds.
	return call("exec_command", map[string]any{"cmd": command, "yield_time_ms": 30_000})
}

// patch is a call of the tool that takes text.
func patch(head, old, now string) Tool {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Begin Patch\n%s\n", head)
	for _, part := range []struct{ sign, text string }{{"-", old}, {"+", now}} {
		for line := range strings.Lines(part.text) {
			fmt.Fprintf(&b, "%s%s\n", part.sign, strings.TrimSuffix(line, "\n"))
		}
	}
	b.WriteString("*** End Patch\n")
	return Tool{Name: "apply_patch", Text: b.String()}
}

// OpenCodeTools is NativeTools for OpenCode. Its own search downloads a program, and is not offered.
func OpenCodeTools(t Tool) Tool {
	in := t.Input
	switch t.Name {
	case "Bash", "Grep", "Glob":
		return call("bash", map[string]any{"command": commandOf(t), "description": "a step", "timeout": 300_000})
	case "Read":
		arguments := map[string]any{"filePath": in["file_path"]}
		for _, name := range []string{"offset", "limit"} {
			if n, ok := in[name]; ok {
				arguments[name] = n
			}
		}
		return call("read", arguments)
	case "Write":
		return call("write", map[string]any{"filePath": in["file_path"], "content": in["content"]})
	case "Edit":
		return call("edit", map[string]any{"filePath": in["file_path"], "oldString": in["old_string"], "newString": in["new_string"]})
	case "apply_patch": // its own
		return t
	}
	return call("longshift_"+reportOf(t), in)
}

func call(name string, arguments map[string]any) Tool { return Tool{Name: name, Input: arguments} }

// reports is what the names of the tools to report by begin with.
const reports = "mcp__longshift__"

func reportOf(t Tool) string {
	name, ok := strings.CutPrefix(t.Name, reports)
	if !ok {
		panic("no other agent does what " + t.Name + " does")
	}
	return name
}

// commandOf is the command that does what a call would, "" where none does.
func commandOf(t Tool) string {
	switch t.Name {
	case "Bash":
		return t.text("command")
	case "Read":
		path := quoted(t.text("file_path"))
		if from, ok := t.Input["offset"].(int); ok {
			return fmt.Sprintf("sed -n %d,%dp %s", from, from+t.Input["limit"].(int)-1, path)
		}
		return "cat " + path
	case "Grep":
		return "git grep --untracked -n " + quoted(t.text("pattern"))
	case "Glob": // a star of find goes through folders as well
		return "find . -path " + quoted("./"+strings.ReplaceAll(t.text("pattern"), "**/", ""))
	}
	return ""
}

func (t Tool) text(name string) string {
	s, _ := t.Input[name].(string)
	return s
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
