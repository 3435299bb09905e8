package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// canChoose knows no folders: the caller has to find out whether the project exists.
func (d *directory) canChoose(r signals.SwitchRequest) error {
	const longest = 200 // of an id
	if r.Channel == "" || r.User == "" || len(r.Channel) > longest || len(r.User) > longest {
		return fault.New(fault.Input, "a workspace needs a channel and a user")
	}
	if r.Workspace == "" {
		return nil
	}
	if d.chosen(r.Channel, r.User) < 0 && len(d.Workspaces) >= mostWorkspaces {
		return fault.New(fault.Conflict, "%d people have a workspace already", mostWorkspaces).
			WithHint("somebody has to leave theirs: `workspaces switch --none`")
	}
	return task.CheckWorkspaceName(r.Workspace)
}

func (d *directory) choose(ctx workflow.Context, r signals.SwitchRequest) (signals.WorkspaceAnswer, error) {
	d.leave(r.Channel, r.User)
	if r.Workspace != "" {
		d.Workspaces = append(d.Workspaces, signals.Workspace{Channel: r.Channel, User: r.User, Name: r.Workspace, Since: workflow.Now(ctx)})
	}
	return signals.WorkspaceAnswer{Workspace: r.Workspace}, nil
}

func (d *directory) leave(channel, user string) {
	if at := d.chosen(channel, user); at >= 0 {
		d.Workspaces = slices.Delete(d.Workspaces, at, at+1)
	}
}

func (d *directory) chosen(channel, user string) int {
	return slices.IndexFunc(d.Workspaces, func(w signals.Workspace) bool { return w.Channel == channel && w.User == user })
}

func (d *directory) workspace(q signals.WorkspaceQuery) (signals.WorkspaceAnswer, error) {
	at := d.chosen(q.Channel, q.User)
	if at < 0 {
		return signals.WorkspaceAnswer{}, nil
	}
	return signals.WorkspaceAnswer{Workspace: d.Workspaces[at].Name}, nil
}
