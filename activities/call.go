package activities

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/longshift/longshift/internal/agent"
)

type toolInput struct {
	Command  string `json:"command"`
	File     string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Path     string `json:"path"`
	Content  string `json:"content"`
	Old      string `json:"old_string"`
	New      string `json:"new_string"`
	Source   string `json:"new_source"`
}

func inputOf(c agent.Call) (in toolInput) {
	_ = json.Unmarshal(c.Input, &in) // policy refuses unreadable input
	return in
}

// pathOf returns the path that a call of a file tool names, unchanged.
func pathOf(c agent.Call) (string, bool) {
	in := inputOf(c)
	switch c.Tool {
	case "Read", "Write", "Edit":
		return in.File, true
	case "NotebookEdit":
		return in.Notebook, true
	case "Glob", "Grep":
		return in.Path, in.Path != ""
	}
	return "", false
}

func writes(tool string) bool { return tool == "Write" || tool == "Edit" || tool == "NotebookEdit" }

// shown returns the call as people read it: the command, or the tool with its input. Characters that could control a terminal or are
// invisible are escaped.
func shown(c agent.Call) string {
	in := inputOf(c)
	if c.Tool == "Bash" && in.Command != "" {
		return visible(in.Command)
	}
	if path, ok := pathOf(c); ok {
		return visible(c.Tool + " " + path)
	}
	return visible(c.Tool + " " + string(c.Input))
}

// put returns the call as a person is asked about it: for a file tool with the text that it would write.
func put(c agent.Call) string {
	if !writes(c.Tool) {
		return shown(c)
	}
	in := inputOf(c)
	text := in.Content + in.Source
	if in.Old != "" || in.New != "" {
		text = in.Old + "\n=>\n" + in.New
	}
	return shown(c) + ": " + visible(text)
}

// visible escapes line ends, control characters and invisible ones.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("⏎") // "\n" would look like a backslash and an n
		case hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return !unicode.IsPrint(r) && r != ' ' || unicode.Is(unicode.Cf, r) || r == '⏎' || r == '\u3164' || r == '\u115f' || r == '\u1160'
}

// failure matches how agents report that a command has failed.
var failure = regexp.MustCompile(`(?i)^(?:error: )?exit code (\d{1,3})\b`)

// exitCode reads a command's exit code from its result: 0 when it did not fail, -1 when the agent does not say.
func exitCode(e agent.Event) int {
	if !e.Failed {
		return 0
	}
	if m := failure.FindStringSubmatch(e.Text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return -1
}

// joinText joins two texts with a colon; the second may be empty.
func joinText(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}
