package config

import (
	"slices"
	"time"
)

type Role string

const (
	RoleAll     Role = "all"
	RoleControl Role = "control"
	RoleHost    Role = "host"
	RoleListen  Role = "listen"
)

// Control tells whether the process runs workflows and activities on forges and channels.
func (r Role) Control() bool { return r == RoleAll || r == RoleControl }

// Host tells whether the process runs agents.
func (r Role) Host() bool { return r == RoleAll || r == RoleHost }

// Listen tells whether the process receives events from chats and forges.
func (r Role) Listen() bool { return r != RoleHost }

// Host says how much a host does at a time, and when it counts as gone.
type Host struct {
	Slots     int           `envconfig:"LONGSHIFT_SLOTS" default:"2"`
	Heartbeat time.Duration `envconfig:"LONGSHIFT_HEARTBEAT" default:"30s"`
	Probe     time.Duration `envconfig:"LONGSHIFT_PROBE" default:"60s"`
	Alone     time.Duration `envconfig:"LONGSHIFT_ALONE" default:"15m"`

	Snapshots time.Duration `envconfig:"LONGSHIFT_SNAPSHOTS" default:"30s"`
	Objects   string        `envconfig:"LONGSHIFT_OBJECT_STORE"`
}

// Limits hold for all tasks, whatever they ask for. A cost, time or count of zero is no limit.
type Limits struct {
	MaxCost       float64       `envconfig:"LONGSHIFT_MAX_COST" default:"0"`
	MaxTime       time.Duration `envconfig:"LONGSHIFT_MAX_TIME" default:"0s"`
	MaxIterations int           `envconfig:"LONGSHIFT_MAX_ITERATIONS" default:"0"`
	DailyCost     float64       `envconfig:"LONGSHIFT_DAILY_COST" default:"0"`
	RepoDailyCost float64       `envconfig:"LONGSHIFT_REPOSITORY_DAILY_COST" default:"0"`
	RepoSessions  int           `envconfig:"LONGSHIFT_REPOSITORY_SESSIONS" default:"0"`
	Quiet         time.Duration `envconfig:"LONGSHIFT_BACKLOG_QUIET" default:"30s"`
	Lease         time.Duration `envconfig:"LONGSHIFT_GATE_LEASE" default:"2m"`
	Agents        []string      `envconfig:"LONGSHIFT_AGENTS" default:"claude,native"`
	Approval      Approval      `envconfig:"LONGSHIFT_APPROVAL"`
}

// Approval is the operator's minimum for how plans are approved.
type Approval string

// ApprovalRequired has a person approve every plan.
const ApprovalRequired Approval = "required"

// AllowedAgents returns the agents that tasks may choose: the operator's, and the scripted one when there is a scenario.
func (c Config) AllowedAgents() []string {
	agents := slices.Clone(c.Limits.Agents)
	if c.Scenario != "" && !slices.Contains(agents, "script") {
		agents = append(agents, "script")
	}
	return agents
}

// Program is the binary of an agent.
type Program struct {
	Agent    string
	Variable string // that says where it is
	Path     string // or a name on PATH
}

// AllPrograms returns the binaries of all agents.
func (c Config) AllPrograms() []Program {
	return []Program{{"claude", "LONGSHIFT_CLAUDE", c.Model.Claude}, {"codex", "LONGSHIFT_CODEX", c.Model.CodexProgram()},
		{"opencode", "LONGSHIFT_OPENCODE", c.Model.OpenCode}}
}

// Programs returns the binaries of the agents that tasks may choose.
func (c Config) Programs() (list []Program) {
	for _, p := range c.AllPrograms() {
		if slices.Contains(c.Limits.Agents, p.Agent) {
			list = append(list, p)
		}
	}
	return list
}

// Keep says how long a host keeps what tasks leave, and how much of it.
type Keep struct {
	Tasks time.Duration `envconfig:"LONGSHIFT_KEEP" default:"168h"`
	Size  int           `envconfig:"LONGSHIFT_KEEP_SIZE" default:"0"`
	Audit time.Duration `envconfig:"LONGSHIFT_AUDIT_KEEP" default:"2160h"`
}

// Dev is what longshift dev starts.
type Dev struct {
	Server string `envconfig:"LONGSHIFT_DEVSERVER"`
	Worker string `envconfig:"LONGSHIFT_WORKER"`
}
