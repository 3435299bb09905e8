package config

import (
	"slices"
	"time"
)

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
	Agents        []string      `envconfig:"LONGSHIFT_AGENTS" default:"claude"`
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

// Keep says how long a host keeps what tasks leave, and how much of it.
type Keep struct {
	Tasks time.Duration `envconfig:"LONGSHIFT_KEEP" default:"168h"`
	Size  int           `envconfig:"LONGSHIFT_KEEP_SIZE" default:"0"`
	Audit time.Duration `envconfig:"LONGSHIFT_AUDIT_KEEP" default:"2160h"`
}
