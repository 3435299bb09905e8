// Package checkup looks whether a host has what tasks need, and says of what is missing how to mend it. The command line looks at its own
// machine with it, and workers at theirs. It knows nothing of tasks, and what it finds may name secrets' sources but never their values.
package checkup

import (
	"context"
	"os"
	"time"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// Finding is the result of one look.
type Finding = signals.HostFinding

// The names of findings that others look for.
const (
	OfVersion  = "version"
	OfClaude   = "claude" // as all programs of agents, by their names
	OfCodex    = "codex"
	OfOpenCode = "opencode"
	OfNative   = "native agent"
	OfModel    = "model key"
	OfOpenAI   = "OpenAI key"
	OfGitHub   = "github token"
	OfApp      = "github app"
)

// askWithin bounds how long a program may take that is only asked for its version.
const askWithin = 10 * time.Second

// Machine is the host that is looked at.
type Machine struct {
	Vars     []string // the environment that the worker has, or would have
	Programs Programs
	Git      Git
	Version  string            // of Longshift
	Tested   map[string]string // versions of the agents' binaries, by agent

	Settings func(process config.Config) error // reads those that a worker reads only when it starts, as it does
	Sandbox  func(ctx context.Context, process config.Config) ([]Layer, error)
	Work     func(ctx context.Context, process config.Config) ([]Tool, error)
	Signing  func(ctx context.Context, process config.Config) error
	Objects  func(ctx context.Context, process config.Config) error // keeps something in the object store and takes it back
	// Account asks GitHub whose token is configured; nil when nobody is to be asked.
	Account func(ctx context.Context, process config.Config) (string, error)
	// App asks GitHub how the app stands that is configured.
	App func(ctx context.Context, process config.Config) (forge.AppState, error)
	// Model makes one call that costs nothing to the model's endpoint, and returns the endpoint's name. OpenAI does it for OpenAI's API.
	Model, OpenAI func(ctx context.Context, process config.Config) (endpoint string, err error)
}

// Programs finds programs where sessions do: on the host's PATH, and where its tool chains are.
type Programs interface {
	Program(name string) (path string, err error)
	Bare() []string // the environment of programs that need nothing of ours
}

// Git runs the host's git.
type Git interface {
	Run(ctx context.Context, dir string, args ...string) (string, error)
}

// Layer is one layer of the sandbox.
type Layer struct {
	Name   string
	Stands bool   // false when the operator does without it
	Detail string // what was found
}

// Tool is a tool chain of the host, run in the sandbox.
type Tool struct {
	Name   string
	Works  bool
	Detail string // its version, or what it said instead
}

// All looks at everything.
func (m *Machine) All(ctx context.Context, conf config.Config) []Finding {
	findings := []Finding{good(OfVersion, m.Version), m.CheckGit(ctx), m.checkEnvironment()}
	data := checkData(conf.Data)
	findings = append(findings, data)
	if _, err := os.Stat(conf.Data); err == nil { // also where nothing can be written: a full disk may be why
		findings = append(findings, checkDisk(conf.Data))
	}
	if conf.Role.Host() {
		findings = append(findings, m.work(ctx, conf, data.State == signals.HostOK)...)
	}
	findings = append(findings, m.checkAgents(ctx, conf)...)
	if conf.Scenario != "" {
		findings = append(findings, checkScenario(conf.Scenario))
	}
	return append(findings, m.checkLogin(ctx, conf))
}

// work looks at what the work of tasks needs; writes tells whether something can be written into the data folder.
func (m *Machine) work(ctx context.Context, conf config.Config, writes bool) []Finding {
	sandbox := m.checkSandbox(ctx, conf)
	findings := []Finding{m.checkSettings(conf), sandbox}
	if sandbox.State != signals.HostFail && writes {
		findings = append(findings, m.checkWork(ctx, conf))
	}
	if len(conf.Grants()) > 0 {
		findings = append(findings, checkGrants(conf))
	}
	findings = append(findings, checkTaskFolders(conf)...)
	findings = append(findings, good("commit author", conf.Author.Name+" <"+conf.Author.Email+">"))
	if conf.Host.Objects != "" {
		findings = append(findings, m.checkObjects(ctx, conf))
	}
	if conf.Author.SigningKey != "" && writes {
		findings = append(findings, m.checkSigning(ctx, conf))
	}
	return findings
}

// Start looks at what a worker does not look at itself when it starts: what the first task needs beside a sandbox.
func (m *Machine) Start(ctx context.Context, conf config.Config) []Finding {
	findings := append([]Finding{m.CheckGit(ctx), m.checkEnvironment(), checkDisk(conf.Data)}, m.checkAgents(ctx, conf)...)
	return append(findings, m.checkGitHub(ctx, conf))
}

func good(check, detail string) Finding {
	return Finding{Check: check, State: signals.HostOK, Detail: detail}
}

func warn(check, detail, hint string) Finding {
	return Finding{Check: check, State: signals.HostWarn, Detail: detail, Hint: hint}
}

func fail(check, detail, hint string) Finding {
	return Finding{Check: check, State: signals.HostFail, Detail: detail, Hint: hint}
}

// Failed makes a finding of an error.
func Failed(check string, err error) Finding {
	return fail(check, err.Error(), fault.HintOf(err))
}
