package sandbox

import (
	"maps"
	"os"
	"slices"
)

// access is what a mount lets the program do.
type access int

const (
	readable  access = iota + 1
	writable         // Landlock allows it too
	pinned           // writable, and a mount only so that it can't be moved away with a protected path in it
	protected        // read-only
	hidden           // an empty read-only folder, or a file that can't be opened
	private          // a fresh folder in memory
	fenced           // writable for the mounts, not for Landlock: the probe tells the two apart by it
)

// mount is one line of the plan. Its path is real: no component is a link.
type mount struct {
	path   string
	from   string // where it comes from on the host; "" for the same path
	access access
	folder bool
	source check // what the path named when the plan was made
}

// plan is everything that differs from a read-only view of the host, parents before children.
type plan struct {
	mounts  []mount
	ground  territory
	made    []string // folders made to hold a protected path, to be removed
	masks   *masks
	workDir string
}

// privates are the folders that every box has for itself.
func privates() []string { return []string{"/tmp", "/var/tmp", "/dev/shm"} }

// alwaysHidden holds what ordinary work has no use for: sockets of the host's services, and, for a worker that runs as
// root, what only root may read.
func alwaysHidden() []string {
	list := []string{"/run"}
	if os.Geteuid() == 0 {
		list = append(list, "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh", "/boot", "/lost+found")
	}
	return list
}

func (m *masks) plan(c Spec) (*plan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := &plan{masks: m}
	if err := p.fill(c); err != nil {
		p.release()
		return nil, err
	}
	slices.SortFunc(p.mounts, func(a, b mount) int { return comparePaths(a.path, b.path) })
	p.prune()
	return p, nil
}

// prune drops covers over what is covered already.
func (p *plan) prune() {
	var kept []mount
	for _, m := range p.mounts {
		i := -1
		for j, o := range kept { // sorted: the last one that holds the path is the innermost
			if within(m.path, o.path) {
				i = j
			}
		}
		if m.access == hidden && i >= 0 && (kept[i].access == hidden || kept[i].access == private) {
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
		if err := p.add(mount{path: innerFence, from: c.fence, access: fenced, folder: true}); err != nil {
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
	for _, path := range slices.Sorted(slices.Values(c.Protected)) { // last and outermost first: they pin what lies between
		if err := p.addProtected(path); err != nil {
			return err
		}
	}
	return nil
}

// checks is what the inner init must find.
func (p *plan) checks() []check {
	var out []check
	for _, m := range p.mounts {
		c := m.source
		c.Path = []byte(m.path)
		c.ReadOnly = m.access == readable || m.access == protected || m.access == hidden
		out = append(out, c)
	}
	return out
}

// writes is what Landlock lets the program write, pipes included or, below Work, without them.
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
