package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/longshift/longshift/internal/excerpt"
)

const maxLinks = 40

// place is where a path leads.
type place struct {
	named string      // clean, relative to the root, as the call names it
	path  string      // the same with all links followed
	info  fs.FileInfo // nil if there is nothing
}

func (p place) isLink() bool { return p.named != p.path }

// readable is the place that a reading call names.
func (t *Tree) readable(name string) (place, error) {
	p, err := t.locate(name)
	switch {
	case err != nil:
		return p, err
	case p.info == nil:
		return p, cause("read", p.named, fs.ErrNotExist)
	case p.isLink() && !t.mayRead(p.path):
		return p, fmt.Errorf("path %q is a link to what may not be read; choose another file", p.named)
	}
	return p, nil
}

// writable is the place that a writing call names: no link, so that the path that the policy has judged is the one that is written.
func (t *Tree) writable(name string) (place, error) {
	p, err := t.locate(name)
	switch {
	case err != nil:
		return p, err
	case p.named == "." || strings.HasSuffix(name, "/"):
		return p, fmt.Errorf("path %q is a folder; give the path of a file in it", p.named)
	}
	return p, t.mayWrite(p)
}

func (t *Tree) mayWrite(p place) error {
	if p.isLink() {
		return fmt.Errorf("path %q is or leads through a link to %q; give that path instead", p.named, p.path)
	}
	if strings.ContainsFunc(p.path, unicode.IsControl) {
		return fmt.Errorf("path %q holds a control character; choose a name without", p.named)
	}
	for part := range strings.SplitSeq(p.path, "/") {
		if strings.EqualFold(part, ".git") {
			return fmt.Errorf("path %q belongs to git, whose files no tool writes; work on the files of the project", p.named)
		}
	}
	if strings.EqualFold(p.path, ".longshift/deliverables.json") {
		return fmt.Errorf("path %q is written by Longshift only; report deliverables with the tool for it", p.named)
	}
	return nil
}

func (t *Tree) mayRead(path string) bool { return t.Readable == nil || t.Readable(path) }

// locate follows a path as the system would, one part after the other, but never out of the root.
func (t *Tree) locate(name string) (place, error) {
	rel, err := t.relative(name)
	if err != nil {
		return place{}, err
	}
	outside := errOutside(name)
	p := place{named: path.Clean(rel), path: "."}
	if !filepath.IsLocal(p.named) {
		return p, outside
	}
	missing, links := false, 0
	for todo := strings.Split(rel, "/"); len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == ".." && (p.path == "." || missing):
			return p, outside
		case part == "..":
			p.path = path.Dir(p.path)
			continue
		}
		next := path.Join(p.path, part)
		info, err := t.Root.Lstat(next)
		switch {
		case missing || errors.Is(err, fs.ErrNotExist):
			missing = true
		case err != nil:
			return p, cause("look at", p.named, err)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := t.Root.Readlink(next)
			if links++; err != nil || links > maxLinks {
				return p, fmt.Errorf("path %q leads through too many links; give the path of the file itself", p.named)
			}
			if path.IsAbs(target) {
				return p, outside
			}
			todo = slices.Concat(strings.Split(target, "/"), todo)
			continue
		case len(todo) > 0 && !info.IsDir():
			return p, fmt.Errorf("path %q: %q is a file, not a folder; list_dir shows what there is", p.named, next)
		}
		p.path = next
	}
	return t.look(p, missing)
}

func (t *Tree) look(p place, missing bool) (place, error) {
	if missing {
		return p, nil
	}
	info, err := t.Root.Lstat(p.path)
	if err != nil {
		return p, cause("look at", p.named, err)
	}
	p.info = info
	return p, nil
}

// relative accepts absolute paths below the root, which models like to give.
func (t *Tree) relative(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New(`the path is empty; give one below the workspace, or "." for the workspace itself`)
	case strings.ContainsRune(name, 0):
		return "", errors.New("the path holds a zero byte; give one below the workspace")
	case len(name) > pathBytes:
		return "", fmt.Errorf("the path is longer than %d bytes; give a shorter one", pathBytes)
	case !path.IsAbs(name):
		return name, nil
	}
	root, err := filepath.Abs(t.Root.Name())
	if err != nil {
		return "", errOutside(name)
	}
	if name == root {
		return ".", nil
	}
	below, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/")
	if !ok {
		return "", errOutside(name)
	}
	return "./" + below, nil
}

func errOutside(name string) error {
	return fmt.Errorf("path %q leads out of the workspace; give one below it", excerpt.Clip(name, 200))
}
