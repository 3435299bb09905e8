// Package codex runs sessions of OpenAI's Codex. It starts the real binary as an app-server, which asks before every command, patch and
// report, answers over stdio, reads its messages and determines the outcome. It supports one version of the binary and refuses others.
//
// The binary's own sandbox is off wherever the session has a box of its own around it (Session.Start): it is bubblewrap, which does not nest,
// and inside the box each command would fail. The box keeps the agent of a session that only reads from writing then.
//
// The package may not decide what follows an outcome, hold keys, price tokens, or touch git. It offers no sub-agents, no web search and no
// fetching of pages, whatever the session allows, because the binary does not ask about those.
package codex

import (
	"cmp"
	"log/slog"

	"github.com/longshift/longshift/internal/agent/program"
)

// Pinned is the version of Codex that this driver was tested with.
const Pinned = "0.169.0"

// programName is what errors call the binary.
const programName = "codex"

// Config is what New needs.
type Config struct {
	program.Config
	Retries int // how often the binary retries a failed model call, with growing pauses; 0 for 4, negative for none
}

// Driver runs sessions of Codex. It is an agent.Agent.
type Driver struct {
	cfg     Config
	log     *slog.Logger
	running program.Claims
}

// New returns a driver. It starts nothing.
func New(c Config) *Driver {
	c.Config = c.Config.Default(Pinned)
	c.Retries = cmp.Or(c.Retries, 4)
	return &Driver{cfg: c, log: c.Log}
}
