package inbound

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Invite makes a one-time code with which a person binds a chat of a channel to this installation. Only its hash is stored. life is at most
// a day.
func Invite(ctx context.Context, c client.Client, channel string, life time.Duration, now time.Time) (code string, err error) {
	text := rand.Text()
	code = text[:4] + "-" + text[4:8] + "-" + text[8:12]
	invitation := signals.Invitation{Channel: channel, Hash: signals.CodeHash(channel, code), Expires: now.Add(life)}
	return code, updateDirectory(ctx, c, signals.Invite, "", invitation, nil)
}

// Unbind removes the binding of a user. It reports whether there was one.
func Unbind(ctx context.Context, c client.Client, channel, user string) (bool, error) {
	var a signals.BindAnswer
	err := updateDirectory(ctx, c, signals.Unbind, "", signals.UnbindRequest{Channel: channel, User: user}, &a)
	return a.Bound, err
}

func Bindings(ctx context.Context, c client.Client) (all []signals.Binding, err error) {
	v, err := c.QueryWorkflow(ctx, signals.DirectoryID, "", signals.QueryBound)
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		return nil, nil
	case err != nil:
		return nil, fault.New(fault.Infra, "ask which chats are bound: %w", err).WithHint("a worker has to run; see `longshift doctor`")
	}
	return all, v.Get(&all)
}

// directoryClient sends an update to a workflow, and starts the workflow when it does not run.
type directoryClient interface {
	NewWithStartWorkflowOperation(options client.StartWorkflowOptions, workflow any, args ...any) client.WithStartWorkflowOperation
	UpdateWithStartWorkflow(ctx context.Context, options client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error)
}

// updateDirectory sends an update to the Directory, and starts it when it does not run. id is that of the update; empty for any.
func updateDirectory(ctx context.Context, c directoryClient, name, id string, request, into any) error {
	start := c.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: signals.DirectoryID, TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, StaticSummary: "which chats may do what",
	}, signals.Directory)
	h, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{WorkflowID: signals.DirectoryID, UpdateName: name, UpdateID: id, Args: []any{request},
			WaitForStage: client.WorkflowUpdateStageCompleted},
	})
	if err == nil {
		err = h.Get(ctx, into)
	}
	return updateError(err, signals.DirectoryID)
}
