package config

import (
	"slices"
	"time"
)

// Limits hold for all tasks, whatever they ask for. A cost, time or count of zero is no limit.
type Limits struct {
	MaxCost       float64       `envconfig:"LONGSHIFT_MAX_COST" default:"0" help:"most a task's budget may be (US dollars, 0 = no limit)"`
	MaxTime       time.Duration `envconfig:"LONGSHIFT_MAX_TIME" default:"0s" help:"most a task's time budget may be (duration, 0 = no limit)"`
	MaxIterations int           `envconfig:"LONGSHIFT_MAX_ITERATIONS" default:"0" help:"most iterations a task may ask for (0 = no limit)"`
	DailyCost     float64       `envconfig:"LONGSHIFT_DAILY_COST" default:"0" help:"most that all tasks may cost in a day, UTC (US dollars, 0 = no limit); a task that would pass it waits for tomorrow"`
	RepoDailyCost float64       `envconfig:"LONGSHIFT_REPOSITORY_DAILY_COST" default:"0" help:"the same for the tasks of one repository"`
	RepoSessions  int           `envconfig:"LONGSHIFT_REPOSITORY_SESSIONS" default:"0" help:"tasks of one repository that work at the same time, whoever started them (0 = no limit)"`
	Quiet         time.Duration `envconfig:"LONGSHIFT_BACKLOG_QUIET" default:"30s" help:"files of a backlog, and a heartbeat file, are taken when nobody has written to them for so long (duration)"`
	Lease         time.Duration `envconfig:"LONGSHIFT_GATE_LEASE" default:"2m" help:"while tasks wait for their turn: how often it is seen whether those at work still live (duration)"`
	Agents        []string      `envconfig:"LONGSHIFT_AGENTS" default:"claude" help:"agents that tasks may choose (comma list: claude)"`
	Approval      Approval      `envconfig:"LONGSHIFT_APPROVAL" help:"required: a person approves every plan, whatever a task asks for"`
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

// Keep says how long a host keeps what tasks leave, and how much of it.
type Keep struct {
	Tasks time.Duration `envconfig:"LONGSHIFT_KEEP" default:"168h" help:"how long workspaces, logs and checkpoints of ended tasks are kept (duration, 0s = for ever); see docs/operations.md"`
	Size  int           `envconfig:"LONGSHIFT_KEEP_SIZE" default:"0" help:"most that ended tasks may take in the data folder (GiB, 0 = no limit); above it the oldest go first"`
	Audit time.Duration `envconfig:"LONGSHIFT_AUDIT_KEEP" default:"2160h" help:"how long the command log is kept (duration, 0s = for ever)"`
}
