package tools

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
)

var listDir = entry{
	name: "list_dir", class: Reads, path: pathOrRoot, read: (*Workspace).listDir,
	text: "List a folder: at most 1000 entries, with the sizes of files. With recursive also what is in its folders, without .git.",
	schema: `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"Folder, relative to the workspace; the workspace itself if left out."},` +
		`"recursive":{"type":"boolean","description":"Also list the folders in it."}},` +
		`"additionalProperties":false}`,
	example: `{"path": "cmd", "recursive": true}`,
	params:  []param{{"path", stringArg, false}, {"recursive", flagArg, false}},
}

type listing struct {
	Entries   []listed `json:"entries"`
	More      int      `json:"more,omitempty"`
	Truncated bool     `json:"truncated,omitempty"` // there is more than was counted
}

type listed struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size *int64 `json:"size,omitempty"`
}

func (w *Workspace) listDir(ctx context.Context, a arguments) (any, string, error) {
	p, err := w.folder(pathOrRoot(a))
	if err != nil {
		return nil, "", err
	}
	depth, l := 1, w.limits()
	if a.flags["recursive"] {
		depth = l.Depth
	}
	answer := listing{Entries: []listed{}}
	walk := walk{tree: &w.Tree, ctx: ctx, base: p.path, depth: depth, keepGit: depth == 1, visit: func(e found) bool {
		if len(answer.Entries) == l.Entries {
			answer.More++
			return true
		}
		answer.Entries = append(answer.Entries, listedAs(e))
		return true
	}}
	if err := walk.run(); err != nil {
		return nil, "", err
	}
	answer.Truncated = walk.truncated
	return answer, p.named + ": " + strconv.Itoa(len(answer.Entries)) + " entries", nil
}

// folder is the place of a folder that a reading call names.
func (t *Tree) folder(name string) (place, error) {
	p, err := t.readable(name)
	if err == nil && !p.info.IsDir() {
		err = fmt.Errorf("path %q is a file, not a folder; read_file and read_lines read files", p.named)
	}
	return p, err
}

func listedAs(e found) listed {
	l := listed{Name: e.rel}
	switch {
	case e.kind.IsDir():
		l.Type = "dir"
	case e.kind&fs.ModeSymlink != 0:
		l.Type = "link"
	case e.kind.IsRegular():
		l.Type = "file"
		if info, err := e.in.Lstat(e.name()); err == nil {
			size := info.Size()
			l.Size = &size
		}
	default:
		l.Type = "other"
	}
	return l
}
