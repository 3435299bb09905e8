package app

import (
	"context"
	"log/slog"

	"github.com/longshift/longshift/internal/agent/claude"
	"github.com/longshift/longshift/internal/agent/codex"
	"github.com/longshift/longshift/internal/agent/opencode"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// tested are the versions of the agents' binaries that the drivers know.
var tested = map[string]string{task.AgentClaude: claude.Pinned, task.AgentCodex: codex.Pinned, task.AgentOpenCode: opencode.Pinned}

// examine returns how this host looks at itself: as `longshift doctor` does, with the environment and the keys of the worker.
func examine(cfg config.Config) func(context.Context) []signals.HostFinding {
	env := environ.SystemEnviron()
	m := &checkup.Machine{Vars: env.Vars, Programs: taskPrograms{env}, Git: environ.NewGit(env), Version: checkup.ReadBuild("").String(),
		Tested: tested, Settings: trySettings, Sandbox: trySandbox, Work: tryWork, Signing: trySigning, Objects: tryObjects,
		Model: tryModel(gateway.Anthropic), OpenAI: tryModel(gateway.OpenAI), App: readApp, Account: readAccount}
	return func(ctx context.Context) []signals.HostFinding { return m.All(ctx, cfg) }
}

// trySettings makes what a host makes of settings at its start alone, that of its listeners too, and returns why it would not start.
func trySettings(cfg config.Config) error {
	model, err := modelGateway(cfg)
	if err == nil {
		_, err = gateway.New(model)
	}
	if err == nil {
		err = agentsInSight(cfg)
	}
	if err == nil {
		_, err = newEgress(cfg, nil, slog.New(slog.DiscardHandler)) // serves nobody, so there is nothing to close
	}
	if err == nil {
		_, err = operatorPolicy(cfg, mounts(cfg))
	}
	if err == nil && cfg.Role.Listen() {
		_, err = newProjects(cfg)
	}
	return err
}
