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
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Control runs the activities that need the tokens of forges, channels and sources.
type Control struct {
	Forge  func(ctx context.Context, r task.Repository) (forge.Forge, error)
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

	status func(context.Context, signals.Notice) (signals.Status, error) // replaces the query, in tests
	wake   func(ctx context.Context, id, why string) error               // replaces the signal, in tests
}

// Ref names a task's workspace and the attempt that may write to it.
type Ref struct {
	TaskID string `json:"taskId"`
	Fence  int    `json:"fence"`
}
