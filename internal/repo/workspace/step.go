package workspace

import (
	"cmp"
	"context"
)

// step is a change of branch, work tree and index that must happen as a whole. It is saved before it begins, so that the next operation
// after a crash can complete it.
type step struct {
	Head    string   `json:"head"`              // last commit of the branch afterwards, "" for none
	Work    string   `json:"work,omitempty"`    // tree that the work tree gets; "" leaves it as it is
	Clean   bool     `json:"clean,omitempty"`   // files that a commit would have and Work has not are removed
	Undone  string   `json:"undone,omitempty"`  // commit whose content stays in the work tree, without Work
	Merging *merging `json:"merging,omitempty"` // merge that waits afterwards
}

// steps carries out steps, one after the other.
type steps struct {
	core
	branch     *branch
	agent      *agentGit
	objects    *lfsObjects
	submodules *submoduleTree
}

func (st *steps) begin(ctx context.Context, s step) error {
	if err := st.objects.fillFor(ctx, s); err != nil {
		return err
	}
	st.state.Step = &s
	if err := st.state.save(); err != nil {
		return err
	}
	return st.finish(ctx)
}

// finish completes an unfinished step. The caller holds the task's lock.
func (st *steps) finish(ctx context.Context) error {
	s := st.state.Step
	if s == nil {
		return nil
	}
	if err := st.keepMerging(ctx, s.Merging); err != nil {
		return err
	}
	if err := st.branch.move(ctx, s.Head); err != nil {
		return err
	}
	if s.Work != "" {
		if err := st.submodules.leave(ctx, s.Work); err != nil {
			return err
		}
		if _, err := st.work.run(ctx, "read-tree", "--reset", "-u", s.Work); err != nil {
			return err
		}
	}
	if s.Clean {
		if err := st.work.clean(ctx, false); err != nil {
			return err
		}
	}
	st.state.Merging = s.Merging
	if _, err := st.work.run(ctx, "read-tree", "-i", "-m", st.state.under(s.Head)); err != nil {
		return err
	}
	if err := st.show(ctx, s.Head, cmp.Or(s.Work, s.Undone)); err != nil {
		return err
	}
	st.state.Step = nil
	return st.state.save()
}

// mergingRef names the commit of a waiting merge, in case the state is lost.
const mergingRef = "refs/longshift/merging"

func (st *steps) keepMerging(ctx context.Context, m *merging) error {
	args := []string{"update-ref", "-d", mergingRef}
	if m != nil {
		args = []string{"update-ref", mergingRef, m.Base}
	}
	_, err := st.bare.run(ctx, args...)
	return err
}

// show updates the agent's git and fills the submodules after the work tree has changed.
func (st *steps) show(ctx context.Context, head, givenUp string) error {
	if err := st.agent.handOver(ctx, head, givenUp); err != nil {
		return err
	}
	return st.submodules.fill(ctx, false)
}
