package activities

import (
	"context"
	"slices"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/sensitive"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// inspector searches the changes of a task before they leave the host: for secrets, and for changes that deserve a second look.
type inspector struct {
	redact *redact.Redactor
	rules  sensitive.Rules
}

// findings lists the changes of a task, or of a round, that deserve a second look, with what the operator wants done about them.
func (i *inspector) findings(ctx context.Context, tree *workspace.Tree) ([]task.Finding, error) {
	var all []task.Finding
	err := tree.Changes(ctx, func(c workspace.FileChange) error {
		all = append(all, sensitive.Inspect(sensitive.Change(c))...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	all = i.rules.Apply(all)
	for n := range all {
		all[n].Path, all[n].What = i.redact.String(all[n].Path), i.redact.String(all[n].What)
	}
	return all, nil
}

// mayPush fails with fault.Unapproved, and the findings as details, when the branch holds changes that a person has to allow first and has
// not allowed, or that the operator refuses. The workflow asks people before it has a branch pushed. This check matters when the operator
// of this host is stricter than that of the host which made the commit.
func (i *inspector) mayPush(ctx context.Context, tree *workspace.Tree, allowed []string) error {
	found, err := i.findings(ctx, tree)
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
