// Package activities holds each step of a task that touches the world: git, agents, commands, forges.
// A step is a unit of retry: it looks for the results of an earlier attempt before it acts. It uses the roots of package families,
// such as agent and forge, and never a leaf. It decides nothing about the order of steps: workflows do.
package activities

import (
	"context"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/task"
)

// Control is what the activities work with that need the tokens of forges, channels and sources. Register makes their families of it.
type Control struct {
	Forge  forgeOf
	Host   string // of the forge that owner/name is on
	Limits Limits
	WebURL string // Temporal Web, for links in pull requests; may be empty
	Redact *redact.Redactor

	Sources  map[intake.Kind]Source                             // of work; may be empty
	Channels map[string]channel.Channel                         // by name; may be empty
	Rooms    func(context.Context) ([]task.Room, error)         // where every task is shown; may be nil
	Watching Watching                                           // of forges
	Take     func(context.Context, forge.Event) (string, error) // carries out a request from a forge; nil without listeners
	OnForge  func(context.Context, forge.Event) error           // handles an event that a poll has found; nil without listeners
}

// forgeOf returns the forge that a repository is on.
type forgeOf func(ctx context.Context, r task.Repository) (forge.Forge, error)

// Ref names a task's workspace and the attempt that may write to it.
type Ref struct {
	TaskID string `json:"taskId"`
	Fence  int    `json:"fence"`
}
