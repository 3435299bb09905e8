package codex

import (
	"context"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
)

// start prepares the session's state folder and starts the binary.
func (d *Driver) start(ctx context.Context, s agent.Session) (*process.Process, error) {
	return program.Start(ctx, s, program.Launch{
		Name: programName, Package: "@openai/codex", Version: d.cfg.Version, Binary: d.cfg.Binary, Args: d.arguments(s), Env: d.environment(s),
		Prepare: func() error { return prepare(s) }, Grace: d.cfg.Grace, Log: d.log,
	})
}
