package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/repo/git"
)

// settle marks an open pull request as merged when the base branch contains its head or, after a squash, a rebase or a cherry-pick, all that
// its head changes.
func (g *repository) settle(ctx context.Context, r *Record) error {
	if r.State != forge.Open {
		return nil
	}
	base := "refs/heads/" + r.Base
	merged, err := g.isAncestor(ctx, r.HeadCommit, base)
	if err == nil && !merged {
		merged, err = g.hasChanges(ctx, base, r.HeadCommit)
	}
	if merged {
		r.State = forge.Merged
	}
	return err
}

// isAncestor is false when one of the two is gone.
func (g *repository) isAncestor(ctx context.Context, older, newer string) (bool, error) {
	_, err := g.git(ctx, nil, "merge-base", "--is-ancestor", older, newer)
	if git.ExitCode(err) > 0 { // 1 means no, 128 that a branch is gone
		return false, nil
	}
	return err == nil, err
}

// hasChanges reports whether a merge of head would leave the base branch as it is. A base without commits of its own has no such changes.
func (g *repository) hasChanges(ctx context.Context, base, head string) (bool, error) {
	unmoved, err := g.isAncestor(ctx, base, head)
	if err != nil || unmoved {
		return false, err
	}
	tip, err := g.resolve(ctx, base)
	if err != nil || tip == "" {
		return false, err
	}
	tree, err := g.resolve(ctx, base+"^{tree}")
	if err != nil {
		return false, err
	}
	scratch, err := g.scratch(ctx)
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch.dir)
	merged, err := scratch.git(ctx, nil, "merge-tree", "--write-tree", tip, head)
	if git.ExitCode(err) > 0 { // 1 means a conflict, 128 that a commit is missing, 129 that git is older than 2.38
		return false, nil
	}
	return merged == tree, err
}

// scratch makes an empty repository that reads the objects of g. A merge in it writes nothing into g, and runs no merge driver that the
// configuration of g names.
func (g *repository) scratch(ctx context.Context) (*repository, error) {
	objects, err := g.git(ctx, nil, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return nil, err
	}
	format, err := g.git(ctx, nil, "rev-parse", "--show-object-format")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "longshift-merge-")
	if err != nil {
		return nil, fault.New(fault.Infra, "make a folder for a merge: %w", err)
	}
	for _, folder := range []string{"refs", "objects/info"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, folder), 0o700))
	}
	for name, content := range map[string]string{
		"HEAD": "ref: refs/heads/main", "objects/info/alternates": objects,
		"config": "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = " + format,
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(content+"\n"), 0o600))
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fault.New(fault.Infra, "make a repository for a merge: %w", err)
	}
	return &repository{g.Forge, g.path, dir}, nil
}
