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

// Host is what one machine with a data directory does: it takes tasks, keeps their workspaces and runs their agents.
type Host struct {
	ID         string // from the data directory, so that a restarted process is the same host
	Data       string // absolute
	Workspaces *workspace.Manager
	Agents     map[string]agent.Agent // by the name that the configuration uses
	Gateway    *gateway.Gateway       // nil when agents talk to their own endpoint
	Limits     project.Limits
	Slots      int                                                             // agents and commands at the same time; 0 for no limit
	Heartbeat  time.Duration                                                   // after this long without a beat an activity counts as dead
	ProbeWait  time.Duration                                                   // after this long without an answer the host counts as gone
	CommandEnv func(Dirs) []string                                             // environment of setup and check commands, complete
	AgentEnv   func(Dirs) map[string]string                                    // added to the environment of agents: identity for git, caches
	Secrets    func(r task.Repository, part string) (map[string]string, error) // that the operator grants to a part of the repository's tasks: "setup", "check" or "agent"; nil for none
	Caches     *toolcache.Store                                                // of tool chains
	Confine    Confinement                                                     // what programs of tasks may see and reach
	Policy     policy.Config                                                   // the operator's rules for commands; roots, roles and the task's own rules are added for each session
	Sensitive  sensitive.Rules                                                 // what is done about changes that deserve a second look
	Audit      Ledger                                                          // the command log
	Ask        func(context.Context, signals.Question) (signals.Answer, error) // puts a command to a person; nil for the task's workflow
	FreeMemory func() (bytes int64, known bool)                                // nil where it is not looked at
	Scenario   string                                                          // what the script agent plays unless the task says otherwise; empty when it is not allowed
	Log        *slog.Logger
	Now        func() time.Time

	Redact *redact.Redactor // for what agents and commands say; nil hides passwords in URLs only

	permit agent.Permit // in place of policy, for tests of what holds without it

	ahead    ahead
	sessions sessions
	slots    slots
	unkept   sync.Map // results of sessions that found no room on disk, by their file
}

// Control is what runs where the tokens of forges are.
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
	Take     func(context.Context, forge.Event) (string, error) // carries out what somebody asked for on a forge; nil where nobody listens
	OnForge  func(context.Context, forge.Event) error           // passes on what a look at a forge has found; nil where nobody listens

	status func(context.Context, signals.Notice) (signals.Status, error) // in place of a query, for tests
}

// Ref names a task's workspace and the attempt that may write to it.
type Ref struct {
	TaskID string `json:"taskId"`
	Fence  int    `json:"fence"`
}
