package app

import (
	"context"

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
	m := &checkup.Machine{Vars: env.Vars, Programs: env, Git: environ.NewGit(env), Version: checkup.ReadBuild("").String(),
		Tested: tested, Sandbox: trySandbox, Work: tryWork, Signing: trySigning, Objects: tryObjects, Model: tryModel(gateway.Anthropic), OpenAI: tryModel(gateway.OpenAI), App: readApp, Account: readAccount}
	return func(ctx context.Context) []signals.HostFinding { return m.All(ctx, cfg) }
}
