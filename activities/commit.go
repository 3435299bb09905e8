package activities

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/workspace"
)

// CommitInput asks for a commit of what a session left, and for a checkpoint.
type CommitInput struct {
	Ref
	Session    int           `json:"session"` // number of the session; the commit's key
	Message    string        `json:"message"`
	Specs      string        `json:"specs,omitempty"` // folder that stays out of commits
	BaseCommit string        `json:"baseCommit,omitempty"`
	Next       *SessionInput `json:"next,omitempty"` // the session that most likely comes next
}

// Committed is what stands after it.
type Committed struct {
	Commit  string `json:"commit"`            // head of the branch
	Created bool   `json:"created,omitempty"` // there was something to commit
	Failed  string `json:"failed,omitempty"`  // why there is no commit; the work is still in the workspace
	Leak    bool   `json:"leak,omitempty"`    // it failed because the work holds a secret
	Files   int    `json:"files,omitempty"`   // changed since the base, with the lines
	Added   int    `json:"added,omitempty"`
	Deleted int    `json:"deleted,omitempty"`
}

// CommitWork commits what the session left and pushes the checkpoint. A failed commit is a result: the loop goes on.
func (h *Host) CommitWork(ctx context.Context, in CommitInput) (Committed, error) {
	h.startAhead(ctx, in.Next)
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Committed{}, err
	}
	defer tree.Close()
	var out Committed
	c, err := tree.Commit(ctx, workspace.CommitSpec{Key: strconv.Itoa(in.Session), Message: in.Message, Exclude: exclude(in.Specs)})
	switch {
	case err == nil:
		out.Commit, out.Created = c.ID, c.Created
	case ctx.Err() != nil:
		return out, ctx.Err()
	case isOneOf(err, fault.Fenced, fault.NotFound, fault.Infra, fault.Internal):
		return out, err
	default:
		out.Failed = tail(h.Redact.String(err.Error()), 500)
	}
	if leak := h.leaks(ctx, tree); fault.KindOf(leak) == fault.Leak {
		if err := tree.Uncommit(ctx); err != nil {
			return out, err
		}
		return Committed{Failed: tail(h.Redact.String(leak.Error()), 2000), Leak: true}, nil
	} else if leak != nil {
		return out, leak
	}
	if err := tree.Checkpoint(ctx); err != nil {
		return out, fmt.Errorf("push the checkpoint: %w", err)
	}
	diff, err := tree.Diff(ctx, in.BaseCommit)
	if err != nil {
		return out, fmt.Errorf("count the changes: %w", err)
	}
	out.Files, out.Added, out.Deleted = diff.Files, diff.Added, diff.Deleted
	return out, nil
}

func exclude(specs string) []string {
	if specs == "" {
		return nil
	}
	return []string{specs}
}

func isOneOf(err error, kinds ...fault.Kind) bool {
	return slices.Contains(kinds, fault.KindOf(err))
}
