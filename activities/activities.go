// Package activities holds each step of a task that touches the world: git, agents, commands, forges.
// A step is a unit of retry: it looks for what an earlier attempt left before it acts. It uses family roots only,
// never a leaf, and decides nothing about the order of steps; that is what workflows are for.
package activities

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/project"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/sensitive"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/toolcache"
	"github.com/longshift/longshift/internal/workspace"
	"github.com/longshift/longshift/signals"
)

// Host runs the activities of one machine with a data directory: it is assigned tasks, keeps their workspaces and runs their agents.
type Host struct {
	ID         string // from the data directory, so that a restarted process is the same host
	Data       string // absolute
	Workspaces *workspace.Manager
	Agents     map[string]agent.Agent // by the name that the configuration uses
	Gateway    *gateway.Gateway       // nil when agents talk to their own endpoint
	Limits     project.Limits
	Slots      int                                                             // agents and commands at the same time; 0 for no limit
	Heartbeat  time.Duration                                                   // an activity without a heartbeat for this long counts as dead
	ProbeWait  time.Duration                                                   // a host without an answer for this long counts as gone
	CommandEnv func(Dirs) []string                                             // environment of setup and check commands, complete
	AgentEnv   func(Dirs) map[string]string                                    // added to the environment of agents: identity for git, caches
	Secrets    func(r task.Repository, part string) (map[string]string, error) // that the operator grants to a part of the repository's tasks: "setup", "check" or "agent"; nil for none
	Caches     *toolcache.Store                                                // of tool chains
	Confine    Confinement                                                     // what programs of tasks may see and reach
	Policy     policy.Config                                                   // the operator's rules for commands; roots, roles and the task's own rules are added for each session
	Sensitive  sensitive.Rules                                                 // what is done about changes that deserve a second look
	Audit      Ledger                                                          // the command log
	Ask        func(context.Context, signals.Question) (signals.Answer, error) // asks a person about a command; nil asks the task's workflow
	FreeMemory func() (bytes int64, known bool)                                // nil where it is not measured
	Scenario   string                                                          // the script agent's default; empty when that agent is not allowed
	Log        *slog.Logger
	Now        func() time.Time

	Redact *redact.Redactor // for the output of agents and commands; nil hides passwords in URLs only

	permit agent.Permit // replaces policy, in tests of what holds without it

	ahead    ahead
	sessions sessions
	slots    slots
	unkept   sync.Map // results of sessions that found no room on disk, by their file
}

// Control runs the activities that need the tokens of forges, channels and sources.
type Control struct {
	Forge  func(ctx context.Context, r task.Repository) (forge.Forge, error)
	Host   string // of the forge that owner/name is on
	Limits Limits
	WebURL string // Temporal Web, for links in pull requests; may be empty
	Redact *redact.Redactor

	Sources  map[intake.Kind]Source                             // of work; may be empty
	Channels map[string]channel.Channel                         // by name; may be empty
	Rooms    func(context.Context) []task.Room                  // in which every task is shown; may be nil
	Watching Watching                                           // of forges
	Take     func(context.Context, forge.Event) (string, error) // carries out a request from a forge; nil without listeners
	OnForge  func(context.Context, forge.Event) error           // handles an event that a poll has found; nil without listeners

	status func(context.Context, signals.Notice) (signals.Status, error) // in place of a query, for tests
}

// Ref names a task's workspace and the attempt that may write to it.
type Ref struct {
	TaskID string `json:"taskId"`
	Fence  int    `json:"fence"`
}
