package main

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// inbounds are the workflows by which something comes in from chats and forges.
func inbounds() []branch {
	given := func(arg any) func(*play) ([]any, error) {
		return func(*play) ([]any, error) { return []any{arg}, nil }
	}
	return []branch{
		{name: "directory", flow: signals.Directory, endless: true, drive: bindAndUnbind},
		{name: "directory-workspaces", flow: signals.Directory, endless: true, drive: switchWorkspaces},
		{
			name: "arrival", flow: signals.Arrival,
			args: given(forge.Event{Kind: forge.IssueWanted, ID: "issue-3-labeled-5", Host: "github.com", Owner: "acme", Name: "calc", Number: 3,
				Actor: "maria", What: "issues labeled", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}),
		},
		{name: "watch", flow: signals.Watch, args: given(signals.WatchInput{Repository: "acme/calc"})},
	}
}

// bindAndUnbind uses a code, and takes back what it was good for.
func bindAndUnbind(ctx context.Context, p *play) error {
	const channel, user = "telegram", "4711"
	hash := signals.CodeHash(channel, "ABCD-EFGH")
	return inTurn(
		func() error {
			return p.updateAs(ctx, signals.Invite, "invite-1", signals.Invitation{Channel: channel, Hash: hash,
				Expires: time.Now().UTC().Add(time.Hour)})
		},
		func() error {
			return p.update(ctx, signals.Bind, signals.BindRequest{Message: by("bind-1"), Channel: channel, Hash: hash, User: user, Name: "maria",
				Room: task.Room{Channel: channel, ID: user}})
		},
		func() error {
			return p.update(ctx, signals.Unbind, signals.UnbindRequest{Message: by("unbind-1"), Channel: channel, User: user})
		})
}

// switchWorkspaces chooses a workspace, then another one, then none.
func switchWorkspaces(ctx context.Context, p *play) error {
	to := func(id, name string) func() error {
		return func() error {
			return p.update(ctx, signals.Switch, signals.SwitchRequest{Message: by(id), Channel: "slack", User: "U4711", Workspace: name})
		}
	}
	return inTurn(to("switch-1", "web"), to("switch-2", "api"), to("switch-3", ""))
}
