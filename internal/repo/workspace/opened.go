package workspace

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/repo/lfs"
)

// opened is a workspace during one operation, with its state freshly read. Each concern is a type of its own with the dependencies it
// needs; all of them share the state.
type opened struct {
	id       string
	place    place
	state    *state
	repo     repo     // with the work tree
	bare     repo     // without a work tree, and so without its .gitattributes
	mirror   repo     // mirror of the repository
	borrowed []string // object directories that the agent's git reads
	mirrors  *mirrors
	log      *slog.Logger

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
	bare := repo{runner: m.runner, dir: p.git()}
	tree := repo{runner: m.runner, dir: p.git(), work: p.work(), lfs: filters("ours", string(own), string(shared))}
	borrowed := []string{filepath.Join(p.git(), "objects"), filepath.Join(mirror.dir, "objects")}
	author := m.config.Author

	b := &branch{bare: bare, state: &st}
	maker := &commitMaker{bare: bare, signer: m.signer, now: m.config.Now}
	h := &history{bare: bare, state: &st, maker: maker}
	x := &index{place: p, repo: tree, bare: bare, state: &st, maker: maker}
	g := &agentGit{id: id, place: p, bare: bare, mirror: mirror, state: &st, author: author, borrowed: borrowed,
		filters: agentFilters(p, own, shared), log: m.log}
	l := &lfsObjects{id: id, place: p, bare: bare, own: own, shared: shared, state: &st, history: h, remotes: m.remotes, mirrors: m.mirrors,
		client: m.client, most: m.mostFilled, log: m.log}
	subs := &submoduleTree{id: id, place: p, bare: bare, state: &st, branch: b, mirrors: m.mirrors, remotes: m.remotes, log: m.log}
	refs := &taskRefs{id: id, fence: fence, bare: bare, state: &st, remotes: m.remotes, objects: l,
		notes: &pushNotes{id: id, state: &st, log: m.log}, log: m.log}
	next := &steps{repo: tree, bare: bare, state: &st, branch: b, agent: g, objects: l, submodules: subs}
	a := &adoption{id: id, place: p, repo: tree, bare: bare, author: author, agent: g, objects: l, maker: maker, log: m.log}
	cs := &commits{place: p, repo: tree, bare: bare, state: &st, branch: b, history: h, index: x, agent: g, objects: l,
		adoption: a, maker: maker}
	ms := &merges{id: id, repo: tree, bare: bare, state: &st, branch: b, history: h, index: x, objects: l, commits: cs, steps: next,
		maker: maker, remotes: m.remotes, mirrors: m.mirrors, log: m.log}
	return &opened{id: id, place: p, state: &st, repo: tree, bare: bare, mirror: mirror, borrowed: borrowed, mirrors: m.mirrors, log: m.log,
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
