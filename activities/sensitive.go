package activities

import (
	"context"
	"slices"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/sensitive"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// inspector searches the changes of a task before they leave the host: for secrets, and for changes that deserve a second look.
type inspector struct {
	redact *redact.Redactor
	rules  sensitive.Rules
}

// findings lists the changes of a task, or of a round, that deserve a second look, with what the operator wants done about them. Changes
// of files that the settings close are refused.
func (i *inspector) findings(ctx context.Context, tree *workspace.Tree, paths pathScope) ([]task.Finding, error) {
	found, err := i.inspect(ctx, tree, paths, func(sensitive.Change) error { return nil })
	return i.clean(found), err
}

// read fills in what deserves a second look, and which files people should read first, each with the size of its change.
func (i *inspector) read(ctx context.Context, tree *workspace.Tree, paths pathScope, sizes []workspace.FileSize, out *Committed) error {
	purposes, folders := map[string]string{}, map[string]bool{}
	found, err := i.inspect(ctx, tree, paths, func(c sensitive.Change) (err error) {
		purposes[c.Path] = sensitive.Purpose(c, func(folder string) bool {
			if _, known := folders[folder]; !known {
				folders[folder], err = tree.Base.HadFolder(ctx, folder)
			}
			return folders[folder]
		})
		return err
	})
	if err != nil {
		return err
	}
	var files []task.ChangedFile
	for _, s := range sizes {
		files = append(files, task.ChangedFile{Path: s.Path, Added: s.Added, Removed: s.Removed, Why: purposes[s.Path]})
	}
	out.ToRead, out.Routine = sensitive.ReadingList(files, found)
	for n := range out.ToRead {
		out.ToRead[n].Path = i.redact.String(out.ToRead[n].Path)
	}
	out.Sensitive = i.clean(found)
	return nil
}

// inspect calls also for each changed file, and returns the findings.
func (i *inspector) inspect(
	ctx context.Context, tree *workspace.Tree, paths pathScope, also func(sensitive.Change) error,
) ([]task.Finding, error) {
	outside, err := paths.outside()
	if err != nil {
		return nil, err
	}
	var all, closed []task.Finding
	err = tree.Diffs.Files(ctx, func(c workspace.FileChange) error {
		if c.Path != deliverable.Path || c.OldPath != deliverable.Path { // that file is our own: no session changes it
			all = append(all, sensitive.Inspect(sensitive.Change(c))...)
			if outside != nil {
				closed = append(closed, outside(c)...)
			}
		}
		return also(sensitive.Change(c))
	})
	if err != nil {
		return nil, err
	}
	return append(closed, i.rules.Apply(all)...), nil
}

// clean takes secrets out of findings.
func (i *inspector) clean(found []task.Finding) []task.Finding {
	for n := range found {
		found[n].Path, found[n].What = i.redact.String(found[n].Path), i.redact.String(found[n].What)
	}
	return found
}

// mayPush fails with fault.Unapproved, and the findings as details, when the branch holds changes that a person has to allow first and has
// not allowed, or that the operator refuses. The workflow asks people before it has a branch pushed. This check matters when the operator
// of this host is stricter than that of the host which made the commit.
func (i *inspector) mayPush(ctx context.Context, tree *workspace.Tree, paths pathScope, allowed []string) error {
	found, err := i.findings(ctx, tree, paths)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Action == task.RefuseFinding || f.Action == task.AskFinding && !slices.Contains(allowed, f.ID) {
			return temporal.NewApplicationErrorWithOptions("not pushed before a person has allowed it: "+f.String(), string(fault.Unapproved),
				temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"allow it, or take it out of the branch", found}})
		}
	}
	return nil
}
