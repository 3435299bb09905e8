package tools

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
)

type patched struct {
	Files []patchedFile `json:"files"`
}

type patchedFile struct {
	Path    string   `json:"path"`
	From    string   `json:"from,omitempty"`
	Action  string   `json:"action"`
	Added   int      `json:"added"`
	Removed int      `json:"removed"`
	Hunks   []string `json:"hunks,omitempty"` // the lines that each replaces
}

// patching is the plan of a patch as it grows, file by file.
type patching struct {
	w       *Workspace
	hunks   int   // that may still come
	room    int64 // bytes that the other files may still take
	paths   map[string]bool
	changes []change
	done    []patchedFile
}

func (p *patching) line() string {
	added, removed, files := 0, 0, []string{}
	for _, f := range p.done {
		added, removed, files = added+f.Added, removed+f.Removed, append(files, f.Path)
	}
	return fmt.Sprintf("%d files (+%d -%d): %s", len(files), added, removed, strings.Join(files, ", "))
}

func (p *patching) file(ctx context.Context, f filePatch) error {
	f = p.created(f)
	var content string
	var source place
	if f.from != "" {
		var err error
		if source, content, err = p.source(f); err != nil {
			return err
		}
	}
	after, report, err := applyHunks(ctx, f, content)
	if err != nil {
		return err
	}
	if p.room -= int64(len(content) + len(after)); p.room < 0 {
		return fmt.Errorf("the files of the patch have more than %d bytes together; split it", 4*p.w.limits().WriteBytes)
	}
	removed := change{path: source.path, before: hash([]byte(content)), remove: true, had: []byte(content)}
	if source.info != nil {
		removed.hadMode = source.info.Mode().Perm()
	}
	switch {
	case f.to == "" && after != "":
		return fmt.Errorf("the patch deletes %q, but leaves text in it; remove every line in its hunks", source.named)
	case f.to == "":
		report.Action, report.Path = "delete", source.path
		p.changes = append(p.changes, removed)
	case f.from == f.to && after == content:
		return fmt.Errorf("the patch changes nothing in %q; leave the file out", source.named)
	default:
		if err := p.target(f, source, removed, after, &report); err != nil {
			return err
		}
	}
	p.done = append(p.done, report)
	return nil
}

// created takes a patch that only adds lines at the beginning of a file that does not exist for one that creates it, as models write it.
func (p *patching) created(f filePatch) filePatch {
	if f.from != f.to || len(f.hunks) != 1 || f.hunks[0].at != 0 || len(f.hunks[0].old()) > 0 {
		return f
	}
	if at, err := p.w.writable(f.to); err == nil && at.info == nil {
		f.from = ""
	}
	return f
}

// source is the file that a patch changes, deletes, renames or copies.
func (p *patching) source(f filePatch) (place, string, error) {
	at, err := p.w.writable(f.from)
	if err != nil {
		return at, "", err
	}
	if at.info != nil && !p.w.mayRead(at.path) {
		return at, "", fmt.Errorf("path %q may not be read; leave it out of the patch", at.named)
	}
	if len(f.hunks) > 0 {
		at, content, err := p.w.editable(f.from)
		if err == nil {
			err = p.once(at)
		}
		return at, content, err
	}
	if at.info == nil {
		return at, "", cause("patch", at.named, fs.ErrNotExist)
	}
	most := p.w.limits().WriteBytes
	content, info, err := p.w.slurp(at, most)
	switch {
	case err != nil:
		return at, "", err
	case content == nil:
		return at, "", fmt.Errorf("path %q has %d bytes, more than the %d that are patched; use a command", at.named, info.Size(), most)
	}
	return at, string(content), p.once(at)
}

// target plans the file that holds the new content.
func (p *patching) target(f filePatch, source place, removed change, after string, report *patchedFile) error {
	to, err := p.w.writable(f.to)
	if err != nil {
		return err
	}
	same := f.from != "" && to.path == source.path
	report.Path, report.Action = to.path, "change"
	if !same {
		report.From, report.Action = source.path, "create"
		if to.info != nil {
			return fmt.Errorf("path %q exists, so the patch can't create it; change it, or delete it first", to.named)
		}
		if err := p.once(to); err != nil {
			return err
		}
	}
	c, err := p.w.replace(to, []byte(after))
	if err != nil {
		return err
	}
	if same {
		c.before, c.had, c.hadMode = removed.before, removed.had, removed.hadMode // as it was patched
	}
	switch {
	case f.mode != 0:
		c.mode = f.mode
	case !same:
		c.mode = removed.hadMode
	}
	p.changes = append(p.changes, c)
	if f.from != "" && !same {
		report.Action = map[bool]string{true: "copy", false: "rename"}[f.copies]
		if !f.copies {
			p.changes = append(p.changes, removed)
		}
	}
	return nil
}

// once refuses a file that a patch names twice: its second part would be meant for the file before or after the first.
func (p *patching) once(at place) error {
	if p.paths[at.path] {
		return fmt.Errorf("path %q is in the patch twice; put all its hunks below one --- and +++", at.named)
	}
	p.paths[at.path] = true
	return nil
}
