package tools

import (
	"context"
	"fmt"
	"strings"
)

var writeFile = entry{
	name: "write_file", class: Writes, path: thePath, plan: (*Workspace).writeFile,
	text: "Write a whole file; missing folders are created, and a file that exists is replaced. Use edit_file to change a part.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"File, relative to the workspace."},` +
		`"content":{"type":"string","description":"The whole content."}},` +
		`"required":["path","content"],"additionalProperties":false}`,
	example: `{"path": "docs/notes.md", "content": "# Notes\n"}`,
	params:  []param{{"path", stringArg, true}, {"content", stringArg, true}},
}

var writeSourceFile = entry{
	name: "write_source_file", class: Writes, path: thePath, plan: (*Workspace).writeSourceFile,
	text: "Write a new file; missing folders are created. It is an error if the file exists.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"New file, relative to the workspace."},` +
		`"content":{"type":"string","description":"The whole content."}},` +
		`"required":["path","content"],"additionalProperties":false}`,
	example: `{"path": "cmd/main.go", "content": "package main\n"}`,
	params:  []param{{"path", stringArg, true}, {"content", stringArg, true}},
}

type written struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
}

func (w *Workspace) writeFile(_ context.Context, a arguments) (plan, error) {
	p, err := w.writable(a.texts["path"])
	if err != nil {
		return plan{}, err
	}
	return w.whole(p, a.texts["content"])
}

func (w *Workspace) writeSourceFile(_ context.Context, a arguments) (plan, error) {
	p, err := w.writable(a.texts["path"])
	if err != nil {
		return plan{}, err
	}
	if p.info != nil {
		return plan{}, fmt.Errorf("path %q exists; change it with edit_file, or choose another path", p.named)
	}
	return w.whole(p, a.texts["content"])
}

// whole plans a file's content. One that has the line ends of Windows keeps them: they are not shown where it is read.
func (w *Workspace) whole(p place, content string) (plan, error) {
	if p.info != nil && !strings.Contains(content, "\r") {
		if _, old, err := w.editable(p.named); err == nil && usesCRLF(old) {
			content = toCRLF(content)
		}
	}
	c, err := w.replace(p, []byte(content))
	answer := written{p.path, len(content), p.info == nil}
	what := "replaced"
	if answer.Created {
		what = "created"
	}
	return plan{[]change{c}, answer, fmt.Sprintf("%s: %s, %d lines", p.path, what, countLines([]byte(content)))}, err
}
