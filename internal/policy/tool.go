package policy

import (
	"encoding/json"
	"strings"
)

// tool judges the call of an agent's tool.
func (j *judge) tool(r Request) {
	j.at = r.Tool
	if strings.HasPrefix(r.Tool, "mcp__longshift__") {
		return // our own; they check their input themselves
	}
	switch r.Tool {
	case "StructuredOutput", "TodoWrite", "Agent", "Task":
		return // what a sub-agent does comes here call by call
	case "WebFetch", "WebSearch":
		if r.Tool == "WebSearch" && j.p.c.Search {
			return
		}
		j.ask("tool.web", "a task has no way out to the web; work with what the repository holds")
		return
	}
	var in map[string]json.RawMessage
	if err := json.Unmarshal(r.Input, &in); err != nil || in == nil {
		j.deny("tool.input", "the input of %s is no JSON object", part(r.Tool))
		return
	}
	switch r.Tool {
	case "Bash":
		j.bash(r, in)
	case "Read":
		j.filed(r, in, Read, true, "file_path", "filePath", "path")
	case "Write", "Edit", "MultiEdit":
		j.filed(r, in, Write, true, "file_path", "filePath", "path")
	case "NotebookEdit":
		j.filed(r, in, Write, true, "notebook_path", "notebookPath", "file_path", "path")
	case "NotebookRead":
		j.filed(r, in, Read, true, "notebook_path", "notebookPath", "file_path", "path")
	case "LS":
		j.filed(r, in, list, false, "path")
	case "Glob", "Grep":
		j.searched(r, in)
	default:
		j.deny("tool.unknown", "the tool %s is not one that a task may use", part(r.Tool))
	}
}

// str gives a string field; it is false, and refused, when the field is something else.
func (j *judge) str(r Request, in map[string]json.RawMessage, key string) (string, bool, bool) {
	raw, there := in[key]
	if !there {
		return "", false, true
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || string(raw) == "null" {
		j.deny("tool.input", "%s of %s is no text", part(key), part(r.Tool))
		return "", true, false
	}
	return s, true, true
}

// bash judges a command that comes as a tool's input.
func (j *judge) bash(r Request, in map[string]json.RawMessage) {
	for key, raw := range in {
		switch key {
		case "command", "description", "timeout":
		case "run_in_background":
			if s := string(raw); s != "true" && s != "false" {
				j.deny("tool.input", "run_in_background of Bash is no yes or no")
			}
		case "dangerouslyDisableSandbox":
			if string(raw) != "false" {
				j.deny("tool.sandbox", "the sandbox stays on; leave dangerouslyDisableSandbox out")
			}
		default:
			j.deny("tool.input", "the field %s of Bash is not known", part(key))
		}
	}
	text, there, ok := j.str(r, in, "command")
	if !there {
		j.deny("tool.input", "Bash without a command")
	}
	if there && ok {
		r.Command = text
		j.command(r)
	}
}

// filed judges a tool that works on one file. All spellings of the field are looked at, and they must agree.
func (j *judge) filed(r Request, in map[string]json.RawMessage, acc Access, needed bool, names ...string) {
	found := ""
	for _, n := range names {
		s, there, ok := j.str(r, in, n)
		if !ok {
			return
		}
		if !there {
			continue
		}
		if found != "" && s != found {
			j.deny("tool.input", "%s names two different files", part(r.Tool))
			return
		}
		if found = s; s == "" {
			j.deny("tool.input", "%s names no file", part(r.Tool))
			return
		}
	}
	if found == "" {
		if needed {
			j.deny("tool.input", "%s names no file", part(r.Tool))
		}
		return
	}
	j.at = found
	if acc == Write {
		j.changes("the tool " + r.Tool)
	}
	j.toolPath(found, r.Dir, acc)
}
