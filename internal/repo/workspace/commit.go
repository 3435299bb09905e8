package workspace

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// trailer marks a commit with its task and key, so that a retry finds it.
const trailer = "Longshift-Task"

// CommitSpec says what to commit.
type CommitSpec struct {
	Key     string   // identifies the commit within its task: the same key is committed once
	Message string   //
	Exclude []string // git pathspecs to leave out, such as a directory name
	Since   string   // the last of the task's commits that the caller knows, or the base commit; "" when it does not ask for Earlier ones

	Closed func(path string) bool // files that the task may not change: changes of them are undone; nil for none
	Own    string                 // file that only CommitFile changes: changes of it are undone, whoever has made them; "" for none
}

// closes returns the function that tells which files the task may not change; nil when it may change all.
func (s CommitSpec) closes() func(path string) bool {
	if s.Own == "" {
		return s.Closed
	}
	return func(path string) bool { return path == s.Own || s.Closed != nil && s.Closed(path) }
}

// Commit is a commit that Longshift has made, or the last one when there was nothing to commit.
type Commit struct {
	ID                    string
	Created               bool     // false when there was nothing to commit; ID is the last commit then
	Files, Added, Deleted int      // compared with the parent; for a merge, with git's automatic merge of both sides
	LeftOut               []string // not committed: embedded git repositories, changes in submodules or closed files, junk, made files, Apart
	Apart                 []string // where the agent has work that no commit takes: repositories of its own, its stash, other branches
	Large                 []string // files of 5 MiB and more, with their sizes
	MadeToo               bool     // it has files of setup and check commands, which were too many to leave out
	Earlier               []Earlier
}

// Earlier is a commit that was made after the last one that the caller knows: the call that has made it was cut off, and nobody was told.
type Earlier struct{ ID, Key, Subject string }

// commits makes the task's commits.
type commits struct {
	core
	branch   *branch
	history  *history
	index    *index
	agent    *agentGit
	objects  *lfsObjects
	adoption *adoption
	maker    *commitMaker
}

// Commit commits everything in the work tree that is neither ignored nor excluded, and ignored files that the agent has staged. Changes of
// closed files are undone. Commits that the agent has made on top of ours are rewritten as ours if they can be adopted (see adopt);
// otherwise their content goes into one commit with the rest. When an earlier call with the same key has made the commit, that commit is
// returned. While a merge waits (see MergeBase), Commit concludes it, including what the agent has committed. It then fails with fault.Work
// while conflict markers are left, or when the work tree has lost the merged changes.
func (t *Tree) Commit(ctx context.Context, s CommitSpec) (c Commit, err error) {
	if err := checkKey(s.Key); err != nil {
		return c, err
	}
	err = t.at.locked(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		mark := o.id + "/" + s.Key
		touched, err := o.submodules.touched(ctx)
		if err != nil {
			return fmt.Errorf("look into the submodules: %w", err)
		}
		all, err := o.commits.marked(ctx, head)
		if err != nil {
			return err
		}
		if c, err = o.commits.find(ctx, head, mark, all); err == nil && c.ID == "" {
			if o.state.Merging != nil {
				c, err = o.merges.commit(ctx, head, mark, s)
			} else {
				c, err = o.commits.create(ctx, head, mark, s)
			}
		}
		if err != nil {
			return err
		}
		if err := o.submodules.fill(ctx, false); err != nil { // the check that follows must see what was committed
			return err
		}
		if c.MadeToo, err = o.index.madeToo(c); err != nil {
			return err
		}
		c.LeftOut = append(c.LeftOut, touched...)
		c.Earlier = o.commits.earlier(all, s.Since, mark)
		return nil
	})
	if err != nil {
		return Commit{}, fmt.Errorf("commit: %w", err)
	}
	return c, nil
}

func checkKey(key string) error {
	if key == "" || strings.ContainsAny(key, "\r\n\x00,") {
		return fault.New(fault.Internal, "commit key %q can't stand in a trailer", key)
	}
	return nil
}

func (cs *commits) create(ctx context.Context, head, mark string, s CommitSpec) (Commit, error) {
	laidAside, err := cs.adoption.laidAside(ctx)
	if err != nil {
		return Commit{}, err
	}
	parent, err := cs.adoption.adopt(ctx, head, s)
	if err != nil {
		return Commit{}, err
	}
	found, err := cs.work.stage(ctx, head, parent, s.Exclude, cs.narrow(ctx, head, s))
	if err != nil {
		return Commit{}, err
	}
	var large []string
	if parent != head || cs.suspect(found.paths) {
		if large, err = cs.vet(ctx, head); err != nil {
			return Commit{}, err
		}
	}
	var c Commit
	switch {
	case parent != head:
		c, err = cs.commitAdopted(ctx, head, parent, mark, s.Message)
	case len(found.paths)+len(found.removed) == 0:
		if c.ID = head; len(found.closed) > 0 { // an agent may have committed them
			err = cs.agent.handOver(ctx, head, "")
		}
	default:
		c, err = cs.commitIndex(ctx, head, withTrailer(s.Message, mark))
	}
	c.LeftOut, c.Apart, c.Large = found.leftOut(), found.apart(), large
	for _, a := range laidAside {
		c.LeftOut, c.Apart = append(c.LeftOut, a.Place), append(c.Apart, a.Place)
	}
	if err == nil && c.Created {
		err = cs.adoption.nameAside(laidAside)
	}
	return c, err
}

func (cs *commits) commitIndex(ctx context.Context, head, message string) (Commit, error) {
	var out bytes.Buffer
	failed := cs.maker.commitStaged(ctx, cs.work.repo, message, &out)
	id, err := cs.branch.head(ctx)
	if err != nil {
		return Commit{}, err
	}
	if e, ok := failed.(*git.Error); ok && id == head && e.Exit.Code == 1 && cs.nothingStaged(ctx, head) {
		return Commit{ID: head}, nil // git sees no difference, for example only in line endings
	}
	if failed != nil {
		return Commit{}, failed
	}
	c := Commit{ID: id, Created: true}
	c.Files, c.Added, c.Deleted = shortstat(out.String())
	return c, cs.agent.handOver(ctx, id, "")
}

// nothingStaged reports whether the index has the content of the last commit. The exit code of git commit does not tell that from a tree
// that it could not make.
func (cs *commits) nothingStaged(ctx context.Context, head string) bool {
	before, err := cs.branch.treeOf(ctx, head)
	if err != nil {
		return false
	}
	tree, err := cs.work.run(ctx, "write-tree")
	return err == nil && tree == before
}

// commitAdopted moves the branch to the adopted commits and adds one of ours when the work tree holds more changes.
func (cs *commits) commitAdopted(ctx context.Context, head, theirs, mark, message string) (Commit, error) {
	before, err := cs.branch.treeOf(ctx, theirs)
	if err != nil {
		return Commit{}, err
	}
	tree, err := cs.work.run(ctx, "write-tree")
	if err != nil {
		return Commit{}, err
	}
	own := mark
	if tree != before {
		own = ""
	}
	id, err := cs.adoption.retell(ctx, head, theirs, own)
	if err == nil && tree != before {
		id, err = cs.maker.commitTree(ctx, tree, withTrailer(message, mark), cs.maker.dates(), id)
	}
	if err != nil {
		return Commit{}, err
	}
	if err := cs.bare.setRef(ctx, cs.state.branchRef(), id, head); err != nil {
		return Commit{}, err
	}
	return cs.describe(ctx, head, id)
}
