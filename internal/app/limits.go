package app

import (
	"os"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// limits returns the operator's limits for repositories and tasks.
func limits(cfg config.Config) project.Limits {
	return project.Limits{
		Agents: cfg.AllowedAgents(), Profiles: cfg.Commands.Profiles,
		NoDestructive: !cfg.Commands.Destructive, NoAllow: !cfg.Commands.Allow,
		Pages: gateway.Pages(cfg.Model.ServerTools), Env: cfg.Tasks.Variables(os.LookupEnv),
	}.Within(bounds(cfg))
}

// bounds are the limits of every task, which the control worker gives to each host.
func bounds(cfg config.Config) task.Bounds {
	return task.Bounds{MaxCost: cfg.Limits.MaxCost, MaxTime: cfg.Limits.MaxTime, MaxIterations: cfg.Limits.MaxIterations,
		Approval: string(cfg.Limits.Approval)}
}
