package tools

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

const outlineLine = 160 // bytes of an outlined line

var getFileOutline = entry{
	name: "get_file_outline", class: Reads, path: thePath, read: (*Workspace).outline,
	text: "Outline a source or Markdown file: its functions, types, classes or headings with their lines, at most 4000 characters. " +
		"Guess is true where the lines were guessed from how they look.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"File, relative to the workspace."}},` +
		`"required":["path"],"additionalProperties":false}`,
	example: `{"path": "cmd/main.go"}`,
	params:  []param{{"path", stringArg, true}},
}

type outlined struct {
	Path      string `json:"path"`
	Lines     int    `json:"lines"`
	Outline   string `json:"outline"`
	Guess     bool   `json:"guess,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// item is a line of an outline: what begins at a line and ends at another.
type item struct {
	from, to int
	text     string
}

func (w *Workspace) outline(_ context.Context, a arguments) (any, string, error) {
	p, err := w.readable(a.texts["path"])
	if err != nil {
		return nil, "", err
	}
	l := w.limits()
	content, info, err := w.slurp(p, l.ParseBytes)
	switch {
	case err != nil:
		return nil, "", err
	case content == nil:
		return nil, "", fmt.Errorf("path %q has %d bytes, more than the %d that are outlined; use search and read_lines", p.named, info.Size(),
			l.ParseBytes)
	case isBinary(content):
		return nil, "", fmt.Errorf("path %q is binary and has no outline; use read_file with encoding base64", p.named)
	}
	items, guess, known := outlineOf(p.path, content)
	if !known {
		return nil, "", fmt.Errorf("files such as %q are not outlined; use search and read_lines", p.named)
	}
	answer := outlined{Path: p.named, Lines: countLines(content), Guess: guess}
	answer.Outline, answer.Truncated = show(items, l.Outline)
	return answer, fmt.Sprintf("%s: %d items", p.named, len(items)), nil
}

func outlineOf(name string, content []byte) (items []item, guess, known bool) {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".go":
		if items, ok := outlineGo(content); ok {
			return items, false, true
		}
	case ".md", ".markdown":
		if items, ok := outlineMarkdown(content); ok {
			return items, false, true
		}
	}
	lines, known := languages[ext]
	if !known {
		return nil, false, false
	}
	return guessed(string(content), lines), true, true
}

// show writes items on lines until they are too many.
func show(items []item, most int) (text string, truncated bool) {
	var b strings.Builder
	for i, it := range items {
		at := fmt.Sprintf("L%d", it.from)
		if it.to > it.from {
			at = fmt.Sprintf("L%d-%d", it.from, it.to)
		}
		line := at + " " + strings.ToValidUTF8(excerpt.Clip(strings.TrimRight(it.text, " \t"), outlineLine), "\ufffd") + "\n"
		more := fmt.Sprintf("… %d more; search finds them\n", len(items)-i)
		if b.Len()+len(line)+len(more) > most && (i < len(items)-1 || b.Len()+len(line) > most) {
			return b.String() + more, true
		}
		b.WriteString(line)
	}
	return b.String(), false
}
