// Package opencode runs sessions of OpenCode. It starts the real binary as an agent of the Agent Client Protocol, which asks before every
// command, edit, read and report, and determines the outcome. It supports one version of the binary and refuses others.
//
// The package may not decide what follows an outcome, hold keys, price tokens, or touch git. It offers no sub-agents, no web search and no
// fetching of pages, whatever the session allows, and no search of files: that one downloads a program first.
package opencode

import (
	"log/slog"
	"regexp"

	"github.com/longshift/longshift/internal/agent/program"
)

// Pinned is the version of OpenCode that this driver was tested with.
const Pinned = "1.18.33"

// programName is what errors call the binary.
const programName = "opencode"

// Config is what New needs.
type Config = program.Config

// Driver runs sessions of OpenCode. It is an agent.Agent.
type Driver struct {
	cfg     Config
	log     *slog.Logger
	running program.Claims
}

// New returns a driver. It starts nothing.
func New(c Config) *Driver {
	c = c.Default(Pinned)
	return &Driver{cfg: c, log: c.Log}
}

// sessionID matches the ids that the binary gives its sessions.
var sessionID = regexp.MustCompile(`^ses_[0-9A-Za-z]{10,60}$`)
