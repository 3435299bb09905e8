package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

const patchHunks = 1000 // of a patch; each may have to be looked for in all of its file

const patchSchema = `{"type":"object","properties":{` +
	`"patch":{"type":"string","description":"Unified diff, with --- and +++ lines for each file and @@ lines, or git's format."}},` +
	`"required":["patch"],"additionalProperties":false}`

var previewPatch = entry{
	name: "preview_patch", class: Reads, read: (*Workspace).previewPatch,
	text:    "Tell what apply_patch would do with a patch, and change nothing.",
	schema:  patchSchema,
	example: patchExample,
	params:  []param{{"patch", stringArg, true}},
}

var applyPatch = entry{
	name: "apply_patch", class: Writes, plan: (*Workspace).applyPatch,
	text: "Apply a unified diff to one or more files, all or nothing; files can be new, deleted and renamed. A hunk may be at other lines " +
		"than it says if its text occurs once.",
	schema:  patchSchema,
	example: patchExample,
	params:  []param{{"patch", stringArg, true}},
}

const patchExample = `{"patch": "--- a/cmd/main.go\n+++ b/cmd/main.go\n@@ -3,2 +3,2 @@\n import \"fmt\"\n-// old\n+// new\n"}`

// filePatch is what a patch does to one file: from is "" for a new file, to for a deleted one.
type filePatch struct {
	from, to string
	copies   bool        // from stays
	mode     fs.FileMode // of a new file; 0 for the usual, or the one that it has
	bare     bool        // deletes without saying what is deleted
	hunks    []hunk
}

func (w *Workspace) previewPatch(ctx context.Context, a arguments) (any, string, error) {
	p, err := w.applyPatch(ctx, a)
	return p.answer, p.line, err
}

func (w *Workspace) applyPatch(ctx context.Context, a arguments) (plan, error) {
	files, err := parsePatch(a.texts["patch"])
	if err != nil {
		return plan{}, err
	}
	l := w.limits()
	switch {
	case len(files) == 0:
		return plan{}, errors.New("the patch holds no file; each begins with a line --- a/path and a line +++ b/path")
	case len(files) > l.PatchFiles:
		return plan{}, fmt.Errorf("the patch has %d files, more than %d; split it", len(files), l.PatchFiles)
	}
	p := patching{w: w, hunks: patchHunks, room: 4 * l.WriteBytes, paths: map[string]bool{}}
	for _, f := range files {
		if p.hunks -= len(f.hunks); p.hunks < 0 {
			return plan{}, fmt.Errorf("the patch has more than %d hunks; split it", patchHunks)
		}
		if err := p.file(ctx, f); err != nil {
			return plan{}, err
		}
	}
	return plan{p.changes, patched{p.done}, p.line()}, nil
}
