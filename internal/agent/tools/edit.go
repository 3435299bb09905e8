package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var editFile = entry{
	name: "edit_file", class: Writes, path: thePath, plan: (*Workspace).editFile,
	text: "Replace text in a file. `old` must be exactly as in the file, white space included, and occur once; otherwise give more lines " +
		"around it, or replace_all.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"File, relative to the workspace."},` +
		`"old":{"type":"string","description":"Text to replace, without the line numbers of read_lines."},` +
		`"new":{"type":"string","description":"Text to put in its place."},` +
		`"replace_all":{"type":"boolean","description":"Replace every occurrence."}},` +
		`"required":["path","old","new"],"additionalProperties":false}`,
	example: `{"path": "cmd/main.go", "old": "retries := 3", "new": "retries := 5"}`,
	params:  []param{{"path", stringArg, true}, {"old", stringArg, true}, {"new", stringArg, true}, {"replace_all", flagArg, false}},
}

type edited struct {
	Replaced int    `json:"replaced"`
	Path     string `json:"path"`
	Lines    string `json:"lines,omitempty"`
}

func (w *Workspace) editFile(_ context.Context, a arguments) (plan, error) {
	e := edit{a.texts["old"], a.texts["new"]}
	switch {
	case e.old == "":
		return plan{}, errors.New("old is empty; give the text to replace, or use write_file to write a whole file")
	case e.old == e.new:
		return plan{}, errors.New("old and new are the same; give in new what the text should become")
	}
	p, content, err := w.editable(a.texts["path"])
	if err != nil {
		return plan{}, err
	}
	e = e.endingAs(content)
	at, err := e.find(p.named, content, a.flags["replace_all"])
	if err != nil {
		return plan{}, err
	}
	most := w.limits().WriteBytes
	if size := int64(len(content)) + int64(at.count)*int64(len(e.new)-len(e.old)); size > most {
		return plan{}, fmt.Errorf("path %q would have %d bytes, more than the %d of a file; replace less", p.named, size, most)
	}
	c, err := w.replace(p, []byte(strings.Replace(content, e.old, e.new, at.count)))
	if err == nil && c.before != hash([]byte(content)) {
		err = fmt.Errorf("path %q was changed by something else meanwhile; read it again and repeat the call", p.named)
	}
	answer := edited{Replaced: at.count, Path: p.path}
	line := fmt.Sprintf("%s: %d places", p.path, at.count)
	if at.count == 1 {
		answer.Lines = lineRange(content, at.first, e.new)
		line = p.path + ": lines " + answer.Lines
	}
	return plan{[]change{c}, answer, line}, err
}

// edit is the replacement of a text by another.
type edit struct{ old, new string }

// endingAs gives both texts the line endings of the file, which models do not see.
func (e edit) endingAs(content string) edit {
	if !usesCRLF(content) || strings.Contains(e.old, "\r") {
		return e
	}
	if windows := toCRLF(e.old); strings.Contains(content, windows) || !strings.Contains(content, e.old) {
		return edit{windows, toCRLF(e.new)}
	}
	return e
}

// occurrences tells where a text begins first, and how often it occurs.
type occurrences struct{ first, count int }

func (e edit) find(name, content string, all bool) (occurrences, error) {
	first := strings.Index(content, e.old)
	if first < 0 {
		return occurrences{}, fmt.Errorf("old is not in %q; %s", name, nearest(content, e.old))
	}
	if all {
		return occurrences{first, strings.Count(content, e.old)}, nil
	}
	// Overlapping ones count too: it would not be clear which is meant.
	var lines []string
	for at := first; ; {
		lines = append(lines, strconv.Itoa(lineOf(content, at)))
		next := strings.Index(content[at+1:], e.old)
		if next < 0 {
			break
		}
		if at += 1 + next; len(lines) == 10 {
			lines = append(lines, "…")
			break
		}
	}
	if len(lines) > 1 {
		return occurrences{}, fmt.Errorf("old is in %q more than once, at lines %s; give more of the text around the one that you mean, "+
			"or replace_all true", name, strings.Join(lines, ", "))
	}
	return occurrences{first, 1}, nil
}

// lineOf is the number of the line that a byte is in.
func lineOf(content string, at int) int { return strings.Count(content[:at], "\n") + 1 }

// lineRange tells which lines a text takes that begins at a byte.
func lineRange(content string, at int, text string) string {
	from := lineOf(content, at)
	to := from + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	if to == from {
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}
