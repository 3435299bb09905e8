package activities

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/agent"
)

// snapshot returns the state of the workspace before a session that must not write; "" for other sessions.
func (r *sessionRun) snapshot(ctx context.Context) (string, error) {
	if !r.in.Role.ReadOnly() {
		return "", nil
	}
	return r.tree.Fingerprint(ctx)
}

// undoWrites restores the workspace when a session that must not write has written all the same, and fails the session.
// The driver denies such writes; this is the second defence.
func (r *sessionRun) undoWrites(ctx context.Context, before string, res *SessionResult) error {
	if before == "" {
		return nil
	}
	after, err := r.tree.Fingerprint(ctx)
	if err != nil || after == before {
		return err
	}
	if err := r.tree.Restore(ctx, before); err != nil {
		return fmt.Errorf("undo what the %s wrote: %w", r.in.Role, err)
	}
	res.Kind, res.Plan, res.Review = agent.Errored, nil, nil
	res.Error = fmt.Sprintf("the %s wrote to the workspace, which it must not; its changes were undone", r.in.Role)
	return nil
}
