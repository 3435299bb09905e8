package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Change is what a call will do to a file: the SHA-256 of its content before and after it, "" where there is no file. A folder that is
// created has the same fixed hash whatever is in it.
type Change struct{ Path, Before, After string }

// plan is what a writing call will do, and what it answers once that is done.
type plan struct {
	changes []change
	answer  any
	line    string
}

// change is one file that a plan writes, or deletes if remove is set, or a folder that it creates.
type change struct {
	path           string
	before         string // state
	after          []byte
	mode           fs.FileMode // 0 for a new file with the usual mode
	remove, folder bool
	had            []byte // what to restore; only for plans of several changes
	hadMode        fs.FileMode
}

func (c change) state() string {
	switch {
	case c.remove:
		return ""
	case c.folder:
		return folderState
	}
	return hash(c.after)
}

// Plan tells what a writing call would do, so that afterwards a call that was cut off can be told from one that was made: Done is true for
// the second. All paths that the call would change are in it, those of a patch too. What Do would refuse is an error.
func (w *Workspace) Plan(ctx context.Context, tool string, raw json.RawMessage) (changes []Change, err error) {
	defer func() {
		if recover() != nil {
			changes, err = nil, errors.New("the tool can't handle this input")
		}
	}()
	t, args, err := decode(tool, raw)
	if err != nil {
		return nil, w.hide(err)
	}
	if t.class != Writes {
		return nil, fmt.Errorf("%s changes nothing, so there is nothing to plan", t.name)
	}
	p, err := w.planned(ctx, t, args)
	if err != nil {
		return nil, w.hide(err)
	}
	for _, c := range p.changes {
		changes = append(changes, Change{c.path, c.before, c.state()})
	}
	return changes, nil
}

// planned is the plan of a writing call, all of whose texts are accepted.
func (w *Workspace) planned(ctx context.Context, t *entry, args arguments) (plan, error) {
	p, err := t.plan(w, ctx, args)
	if err != nil || w.Accepts == nil {
		return p, err
	}
	for _, c := range p.changes {
		var had []byte
		if c.before != "" && !c.remove && !c.folder {
			had, _, err = w.slurp(place{named: c.path, path: c.path}, w.limits().WriteBytes)
		}
		if err == nil {
			err = w.Accepts(c.path, string(had), string(c.after))
		}
		if err != nil {
			return plan{}, err
		}
	}
	return p, nil
}

func (w *Workspace) hide(err error) error { return errors.New(w.withoutRoot(err.Error())) }

// Done tells whether all files are in the state after the changes.
func (w *Workspace) Done(changes []Change) bool {
	for _, c := range changes {
		p, err := w.locate(c.Path)
		if err != nil || p.isLink() {
			return false
		}
		if now, err := w.state(p.path); err != nil || now != c.After {
			return false
		}
	}
	return true
}

// replace plans the new content of a file; there may be none yet.
func (w *Workspace) replace(p place, after []byte) (change, error) {
	c := change{path: p.path, after: after}
	if most := w.limits().WriteBytes; int64(len(after)) > most {
		return c, fmt.Errorf("path %q would have %d bytes, more than the %d of a file; write less", p.named, len(after), most)
	}
	if p.info == nil {
		return c, nil
	}
	c.mode = p.info.Mode().Perm()
	return c, w.setBefore(&c, p)
}

func (w *Workspace) setBefore(c *change, p place) (err error) {
	if c.before, err = w.state(p.path); err != nil {
		return w.openError(p.named, err)
	}
	if c.before == folderState && !c.folder {
		return w.openError(p.named, errFolder)
	}
	return nil
}

// editable reads a text file that is changed in part.
func (w *Workspace) editable(name string) (p place, content string, err error) {
	if p, err = w.writable(name); err != nil {
		return p, "", err
	}
	if p.info == nil {
		return p, "", cause("edit", p.named, fs.ErrNotExist)
	}
	if !w.mayRead(p.path) { // what an edit quotes of a file has been read
		return p, "", fmt.Errorf("path %q may not be read, so it can't be edited; write it as a whole, or leave it alone", p.named)
	}
	most := w.limits().WriteBytes
	b, info, err := w.slurp(p, most)
	switch {
	case err != nil:
		return p, "", err
	case b == nil:
		return p, "", fmt.Errorf("path %q has %d bytes, more than the %d that are edited; use a command", p.named, info.Size(), most)
	case isBinary(b):
		return p, "", fmt.Errorf("path %q is binary, which can't be edited as text; use write_file or a command", p.named)
	}
	return p, string(b), nil
}

// usesCRLF is true for a file most of whose lines end as on Windows.
func usesCRLF(s string) bool { return strings.Count(s, "\r\n")*2 > strings.Count(s, "\n") }

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
