package workspace

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/repo/lfs"
)

// core is what all parts of an opened workspace share.
type core struct {
	id    string
	place place
	state *state
	work  workTree
	bare  repo // without the work tree, and so without its .gitattributes
	log   *slog.Logger
}

// opened is a workspace during one operation, with its state freshly read. Each concern is a type of its own with the dependencies it
// needs beside the core.
type opened struct {
	core
	mirror   repo     // mirror of the repository
	borrowed []string // object directories that the agent's git reads
	mirrors  *mirrors

	branch     *branch
	history    *history
	index      *index
	agent      *agentGit
	objects    *lfsObjects
	submodules *submoduleTree
	refs       *taskRefs
	commits    *commits
	merges     *merges
	steps      *steps
}

// open assembles the parts of a workspace.
func (m *Manager) open(id string, fence int, p place, st state) *opened {
	st.at = p
	mirror := m.mirrors.at(st.Mirror)
	own, shared := lfs.Store(filepath.Join(p.git(), "lfs")), lfs.Store(filepath.Join(mirror.dir, "lfs"))
	c := core{id: id, place: p, state: &st, bare: repo{runner: m.runner, dir: p.git()}, log: m.log,
		work: workTree{repo{runner: m.runner, dir: p.git(), work: p.work(), lfs: filters("ours", string(own), string(shared))}}}
	borrowed := []string{filepath.Join(p.git(), "objects"), filepath.Join(mirror.dir, "objects")}
	author := m.config.Author

	b := &branch{c}
	maker := &commitMaker{bare: c.bare, signer: m.signer, now: m.config.Now}
	h := &history{core: c, maker: maker}
	x := &index{core: c, maker: maker}
	g := &agentGit{core: c, mirror: mirror, author: author, borrowed: borrowed, filters: agentFilters(p, own, shared)}
	l := &lfsObjects{core: c, own: own, shared: shared, history: h, remotes: m.remotes, mirrors: m.mirrors, client: m.client,
		most: m.mostFilled}
	subs := &submoduleTree{core: c, branch: b, history: h, mirrors: m.mirrors, remotes: m.remotes}
	refs := &taskRefs{core: c, fence: fence, remotes: m.remotes, objects: l, notes: &pushNotes{c}}
	next := &steps{core: c, branch: b, agent: g, objects: l, submodules: subs}
	a := &adoption{core: c, author: author, agent: g, objects: l, maker: maker}
	cs := &commits{core: c, branch: b, history: h, index: x, agent: g, objects: l, adoption: a, maker: maker}
	ms := &merges{core: c, branch: b, history: h, index: x, objects: l, commits: cs, steps: next, maker: maker, remotes: m.remotes,
		mirrors: m.mirrors}
	return &opened{core: c, mirror: mirror, borrowed: borrowed, mirrors: m.mirrors,
		branch: b, history: h, index: x, agent: g, objects: l, submodules: subs, refs: refs, commits: cs, merges: ms, steps: next}
}

// enforce restores the configuration of our git directory.
func (o *opened) enforce(ctx context.Context) error {
	shallow, err := o.mirror.shallow()
	if err != nil {
		return err
	}
	s := shape{format: o.state.Format, branch: o.state.Record.Branch, alternates: o.borrowed[1:], shallow: shallow}
	changed, err := s.enforce(o.place.git())
	if len(changed) > 0 {
		o.log.WarnContext(ctx, "put the git folder of a task right", "task", o.id, "files", changed)
	}
	return err
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
