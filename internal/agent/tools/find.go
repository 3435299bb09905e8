package tools

import (
	"context"
	"fmt"
	"path"
)

var findFiles = entry{
	name: "find_files", class: Reads, path: pathOrRoot, read: (*Workspace).findFiles,
	text: "Find files by their paths: * and ? match within a name, ** any folders, {a,b} either. A pattern without / matches names in all " +
		"folders. Leaves out .git and what .gitignore files ignore. At most 500, sorted.",
	schema: `{"type":"object","properties":{` +
		`"pattern":{"type":"string","description":"Glob, relative to path, such as src/**/*.go."},` +
		`"path":{"type":"string","description":"Folder, relative to the workspace; the workspace itself if left out."}},` +
		`"required":["pattern"],"additionalProperties":false}`,
	example: `{"pattern": "**/*_test.go", "path": "internal"}`,
	params:  []param{{"pattern", stringArg, true}, {"path", stringArg, false}},
}

type foundFiles struct {
	Files     []string `json:"files"`
	Truncated bool     `json:"truncated"`
}

func (w *Workspace) findFiles(ctx context.Context, a arguments) (any, string, error) {
	g, err := parseGlob(a.texts["pattern"])
	if err != nil {
		return nil, "", err
	}
	p, err := w.folder(pathOrRoot(a))
	if err != nil {
		return nil, "", err
	}
	answer, l := foundFiles{Files: []string{}}, w.limits()
	walk := walk{tree: &w.Tree, ctx: ctx, base: p.path, depth: l.Depth, gitignore: true, visit: func(e found) bool {
		if e.kind.IsDir() || !g.matches(e.rel) {
			return true
		}
		if len(answer.Files) == l.Found {
			answer.Truncated = true
			return false
		}
		answer.Files = append(answer.Files, e.path)
		return true
	}}
	err = walk.run()
	answer.Truncated = answer.Truncated || walk.truncated
	return answer, fmt.Sprintf("%s: %d files", a.texts["pattern"], len(answer.Files)), err
}

// files walks through the text files of a folder that a glob selects; a path that is a file is the only one.
func (t *Tree) files(ctx context.Context, p place, g glob, visit func(found) bool) (truncated bool, err error) {
	if !p.info.IsDir() {
		if err := regular(p.info); err != nil {
			return false, t.openError(p.named, err)
		}
		in, err := t.descend(path.Dir(p.path))
		if err != nil {
			return false, t.openError(p.named, err)
		}
		defer in.Close()
		visit(found{p.path, p.path, p.info.Mode(), in})
		return false, nil
	}
	walk := walk{tree: t, ctx: ctx, base: p.path, depth: t.limits().Depth, gitignore: true, visit: func(e found) bool {
		return !e.kind.IsRegular() || g != nil && !g.matches(e.rel) || visit(e)
	}}
	err = walk.run()
	return walk.truncated, err
}
