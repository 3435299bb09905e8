package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
)

// access is what a mount allows the program to do.
type access int

const (
	readable  access = iota + 1
	writable         // also by Landlock
	pinned           // writable; a mount point only so that it can't be moved away along with a protected or hidden path in it
	protected        // read-only
	hidden           // an empty read-only folder, or a file that can't be opened
	private          // a new tmpfs
	fenced           // writable by the mounts but not by Landlock, so that the probe can tell the two apart
)

// mount is one mount of a box. Its path is real: no component is a symbolic link.
type mount struct {
	path   string
	from   string // source on the host; "" for the same path
	access access
	folder bool
	source inner.Check // what the path named when the plan was made
}

// plan lists everything that differs from a read-only view of the host, parents before children.
type plan struct {
	mounts       []mount
	written      writtenFolders
	made         []string // folders created as placeholders for protected paths, to be removed
	placeholders *placeholders
	workDir      string
}

// privates are the folders that every box has for itself.
func privates() []string { return []string{"/tmp", "/var/tmp", "/dev/shm"} }

// alwaysHidden lists what builds don't need: sockets of the host's services, the folder with those of other boxes, and, when the worker runs as
// root, files that only root may read.
func alwaysHidden() []string {
	list := []string{"/run"}
	if dir, err := filepath.Abs(os.TempDir()); err == nil && !withinPrivate(dir) {
		list = append(list, dir)
	}
	if os.Geteuid() == 0 {
		list = append(list, "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/boot", "/lost+found")
	}
	return list
}

// withinPrivate reports whether a folder lies in one that every box has for itself, wherever links lead.
func withinPrivate(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && slices.ContainsFunc(privates(), func(p string) bool {
		p, err := filepath.EvalSymlinks(p)
		return err == nil && within(real, p)
	})
}

func (m *placeholders) plan(c Spec) (*plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := &plan{placeholders: m}
	if err := p.fill(c); err != nil {
		p.release()
		return nil, err
	}
	slices.SortFunc(p.mounts, func(a, b mount) int { return comparePaths(a.path, b.path) })
	p.prune()
	return p, nil
}

// prune drops what a mount around it does already: covers below covers, and readable folders of readable ones.
func (p *plan) prune() {
	var kept []mount
	for _, m := range p.mounts {
		i := -1
		for j, o := range kept { // sorted: the last one that contains the path is the innermost
			if within(m.path, o.path) {
				i = j
			}
		}
		if i >= 0 && (m.access == hidden && (kept[i].access == hidden || kept[i].access == private) ||
			m.access == readable && kept[i].access == readable && m.path != p.workDir) {
			continue
		}
		kept = append(kept, m)
	}
	p.mounts = kept
}

func comparePaths(a, b string) int { return slices.Compare(components(a), components(b)) }

func (p *plan) fill(c Spec) error {
	if err := p.addWork(c); err != nil {
		return err
	}
	for _, list := range []struct {
		paths  []string
		access access
	}{{c.Writable, writable}, {c.Readable, readable}} {
		for _, path := range list.paths {
			if err := p.addFolder(path, list.access); err != nil {
				return err
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.Moved)) {
		if err := p.addMoved(path, c.Moved[path]); err != nil {
			return err
		}
	}
	if c.fence != "" {
		if err := p.add(mount{path: inner.Fence, from: c.fence, access: fenced, folder: true}); err != nil {
			return err
		}
	}
	for _, path := range slices.Concat(alwaysHidden(), c.Hidden) {
		if err := p.addHidden(path); err != nil {
			return err
		}
	}
	for _, path := range privates() {
		if err := p.addPrivate(path); err != nil {
			return err
		}
	}
	if err := p.addSockets(); err != nil {
		return err
	}
	for _, path := range slices.Sorted(slices.Values(c.Protected)) { // in reverse order, so that the outermost pin what is between
		if err := p.addProtected(path); err != nil {
			return err
		}
	}
	return p.pinHidden()
}

// checks is what the inner init must verify.
func (p *plan) checks() []inner.Check {
	var out []inner.Check
	for _, m := range p.mounts {
		c := m.source
		c.Path = []byte(m.path)
		c.ReadOnly = m.access == readable || m.access == protected || m.access == hidden
		out = append(out, c)
	}
	return out
}

// writes is what Landlock lets the program write: with named pipes, or below Work without them.
func (p *plan) writes(noPipes bool) (all, noPipe [][]byte) {
	for _, m := range p.mounts {
		switch {
		case m.access != writable && m.access != private:
		case noPipes && within(m.path, p.workDir):
			noPipe = append(noPipe, []byte(m.path))
		default:
			all = append(all, []byte(m.path))
		}
	}
	return all, noPipe
}
