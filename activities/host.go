package activities

import (
	"context"
	"log/slog"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/repo/sensitive"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/signals"
)

// HostConfig configures the activities of one machine with a data directory.
type HostConfig struct {
	ID         string // from the data directory, so that a restarted process is the same host
	Data       string // absolute
	Workspaces *workspace.Manager
	Caches     *toolcache.Store // of tool chains
	Limits     project.Limits
	Slots      int           // agents and commands at the same time; 0 for no limit
	Heartbeat  time.Duration // an activity without a heartbeat for this long counts as dead
	ProbeWait  time.Duration // a host without an answer for this long counts as gone
	AgentConfig
	Environment
	Permissions
	Confine   Confinement                                 // what programs of tasks may see and reach
	Sensitive sensitive.Rules                             // what to do about changes that deserve a second look
	Redact    *redact.Redactor                            // for the output of agents and commands; nil hides passwords in URLs only
	Examine   func(context.Context) []signals.HostFinding // looks at what this host has for tasks
	Log       *slog.Logger
	Now       func() time.Time
	Handover
}

// Handover says how running sessions of Longshift's own agent leave the host.
type Handover struct {
	Every   time.Duration // of one session, at least
	Objects Objects       // for conversations; nil for none
}

// AgentConfig is which agents a host runs, and how.
type AgentConfig struct {
	Agents     map[string]agent.Agent           // by the name that the configuration uses
	Model      Model                            // that Longshift's own agent asks; nil when it is not allowed
	Gateway    *gateway.Gateway                 // nil when agents talk to their own endpoint
	FreeMemory func() (bytes int64, known bool) // nil where it is not measured
	Scenario   string                           // the script agent's default; empty when that agent is not allowed
}

// Host holds the activities of one machine, by family. Families share no fields: NewHost hands the parts that several need to each of them.
type Host struct {
	ID       string
	Assigner *Assigner
	Examiner *Examiner
	Sessions *Sessions
	Acts     *Acts
	Commands *Commands
	Preparer *Preparer
	Git      *Git
	Cleaner  *Cleaner
}

// NewHost makes the families of activities and connects them with the parts that they share.
func NewHost(c HostConfig) *Host {
	commands := &commandLog{ledger: c.Audit, host: c.ID, redact: c.Redact, log: c.Log, now: c.Now}
	boxes := &boxes{host: c.ID, data: c.Data, confine: c.Confine, caches: c.Caches, writeOff: c.Policy.WriteOff}
	inspector := &inspector{redact: c.Redact, rules: c.Sensitive}
	enforcers := &enforcers{
		Permissions: c.Permissions, readable: c.Confine.Readable, commands: commands, redact: c.Redact, log: c.Log, now: c.Now,
	}
	slots := &slots{limit: c.Slots}
	systems := &systemTexts{workspaces: c.Workspaces}
	acts := &flights{}
	running := &runningSessions{workspaces: c.Workspaces, acts: acts, heartbeat: c.Heartbeat, log: c.Log}
	launcher := &launcher{
		workspaces: c.Workspaces, gateway: c.Gateway, scenario: c.Scenario, boxes: boxes, env: c.Environment, systems: systems,
		redact: c.Redact, log: c.Log, now: c.Now,
	}
	prestarter := &prestarter{data: c.Data, launcher: launcher, agents: c.Agents, freeMemory: c.FreeMemory, log: c.Log}
	cleaner := &Cleaner{
		data: c.Data, workspaces: c.Workspaces, caches: c.Caches, running: running, prestarter: prestarter, systems: systems,
		objects: c.Objects,
	}
	sessions := &Sessions{
		host: c.ID, data: c.Data, workspaces: c.Workspaces, agents: c.Agents, writeOff: c.Policy.WriteOff,
		slots: slots, running: running, launcher: launcher, prestarter: prestarter, inspector: inspector, enforcers: enforcers,
		images: &images{data: c.Data, read: readImage}, redact: c.Redact, now: c.Now,
	}
	own := &Acts{of: sessions, model: c.Model, flights: acts,
		handovers: &handovers{every: c.Every, objects: c.Objects, inspector: inspector, now: c.Now}}
	own.leases = leases{slots: slots, abandoned: own.processes.end}
	return &Host{
		ID:       c.ID,
		Assigner: &Assigner{host: c.ID, heartbeat: c.Heartbeat, probeWait: c.ProbeWait},
		Examiner: &Examiner{look: c.Examine, redact: c.Redact},
		Sessions: sessions,
		Acts:     own,
		Commands: &Commands{
			data: c.Data, workspaces: c.Workspaces, caches: c.Caches, slots: slots, prestarter: prestarter,
			runner: &commandRunner{boxes: boxes, env: c.Environment, commands: commands}, rules: enforcers, redact: c.Redact, log: c.Log,
		},
		Preparer: &Preparer{
			host: c.ID, data: c.Data, workspaces: c.Workspaces, limits: c.Limits, env: c.Environment,
			running: running, cleaner: cleaner, preparing: newPreparing(), redact: c.Redact, log: c.Log,
		},
		Git:     &Git{data: c.Data, workspaces: c.Workspaces, prestarter: prestarter, inspector: inspector, redact: c.Redact},
		Cleaner: cleaner,
	}
}
