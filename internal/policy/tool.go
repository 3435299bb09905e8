package policy

import (
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/longshift/longshift/task"
)

// toolCalls judges calls of an agent's tools, and paths that a caller asks about.
type toolCalls struct {
	policy  *Policy
	verdict *collector
	paths   *paths
	rights  *rights
	command func(Request)
}

const noWeb = "a task can't reach the web; work with the contents of the repository"

// judge judges the call of an agent's tool.
func (t *toolCalls) judge(r Request) {
	t.verdict.about(r.Tool)
	if strings.HasPrefix(r.Tool, "mcp__longshift__") {
		return // Longshift's own tools check their input themselves
	}
	switch r.Tool {
	case "StructuredOutput", "TodoWrite":
		return
	case "Agent", "Task":
		if t.policy.c.Alone {
			t.verdict.deny("tool.task", "this task has no sub-agents; do the work yourself")
		}
		return // the calls of a sub-agent are judged one by one
	case "WebSearch":
		if !t.policy.c.Search {
			t.verdict.ask("tool.web", noWeb)
		}
		return
	case "WebFetch":
		if len(t.policy.c.Pages) == 0 {
			t.verdict.ask("tool.web", noWeb)
			return
		}
	}
	var in map[string]json.RawMessage
	if err := json.Unmarshal(r.Input, &in); err != nil || in == nil {
		t.verdict.deny("tool.input", "the input of %s is no JSON object", part(r.Tool))
		return
	}
	switch r.Tool {
	case "WebFetch":
		t.page(r, in)
	case "Bash":
		t.bash(r, in)
	case "Read":
		t.file(r, in, Read, true, "file_path", "filePath", "path")
	case "Write", "Edit", "MultiEdit":
		t.file(r, in, Write, true, "file_path", "filePath", "path")
	case "NotebookEdit":
		t.file(r, in, Write, true, "notebook_path", "notebookPath", "file_path", "path")
	case "NotebookRead":
		t.file(r, in, Read, true, "notebook_path", "notebookPath", "file_path", "path")
	case "LS":
		t.file(r, in, list, false, "path")
	case "Glob", "Grep":
		t.searched(r, in)
	default:
		t.verdict.deny("tool.unknown", "the tool %s is not one that a task may use", part(r.Tool))
	}
}

// page judges the address of a web page.
func (t *toolCalls) page(r Request, in map[string]json.RawMessage) {
	for key := range in {
		if key != "url" && strings.EqualFold(key, "url") {
			t.verdict.deny("tool.input", "the field %s of WebFetch may be read as url; name the page once, as url", part(key))
		}
	}
	address, _, ok := t.str(r, in, "url")
	if !ok {
		return
	}
	t.verdict.about(address)
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" && u.Port() != "443" || u.Opaque != "" ||
		strings.ContainsAny(address, "\\ \t\r\n") || leadsUp(u.Path) {
		t.verdict.deny("tool.page", "only pages by a plain https address can be fetched, and their host must be named in the settings")
		return
	}
	page := strings.ToLower(u.Hostname()) + path.Clean("/"+u.Path)
	for _, p := range t.policy.c.Pages {
		host, _, _ := strings.Cut(p, "/")
		if strings.HasPrefix(page, host+"/") && task.PageWithin(p, strings.TrimSuffix(page, "/")) {
			return
		}
	}
	t.verdict.deny("tool.page", "%s is no page that the settings allow; these are: %s", part(address),
		part(strings.Join(t.policy.c.Pages, ", ")))
}

// str returns a string field and whether it exists. The last result is false, and the call refused, when it is no string.
func (t *toolCalls) str(r Request, in map[string]json.RawMessage, key string) (string, bool, bool) {
	raw, there := in[key]
	if !there {
		return "", false, true
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || string(raw) == "null" {
		t.verdict.deny("tool.input", "%s of %s is no text", part(key), part(r.Tool))
		return "", true, false
	}
	return s, true, true
}

// bash judges a command that comes as a tool's input.
func (t *toolCalls) bash(r Request, in map[string]json.RawMessage) {
	for key, raw := range in {
		switch key {
		case "command", "description", "timeout":
		case "run_in_background":
			if s := string(raw); s != "true" && s != "false" {
				t.verdict.deny("tool.input", "run_in_background of Bash must be true or false")
			}
		case "dangerouslyDisableSandbox":
			if string(raw) != "false" {
				t.verdict.deny("tool.sandbox", "the sandbox stays on; leave dangerouslyDisableSandbox out")
			}
		default:
			t.verdict.deny("tool.input", "the field %s of Bash is not known", part(key))
		}
	}
	text, there, ok := t.str(r, in, "command")
	if !there {
		t.verdict.deny("tool.input", "Bash without a command")
	}
	if there && ok {
		r.Command = text
		t.command(r)
	}
}

// file judges a tool that works on one file. All spellings of the field must agree.
func (t *toolCalls) file(r Request, in map[string]json.RawMessage, acc Access, needed bool, names ...string) {
	found := ""
	for _, n := range names {
		s, there, ok := t.str(r, in, n)
		if !ok {
			return
		}
		if !there {
			continue
		}
		if found != "" && s != found {
			t.verdict.deny("tool.input", "%s names two different files", part(r.Tool))
			return
		}
		if found = s; s == "" {
			t.verdict.deny("tool.input", "%s names no file", part(r.Tool))
			return
		}
	}
	if found == "" {
		if needed {
			t.verdict.deny("tool.input", "%s names no file", part(r.Tool))
		}
		return
	}
	t.verdict.about(found)
	if acc == Write {
		t.rights.changes("the tool " + r.Tool)
	}
	t.path(found, r.Dir, acc)
}
