// Package cli is the longshift command: the tree of commands, and those that start, show and steer tasks. Commands are made from a factory.
// What they need of workflows, activities, and the single agents, forges, channels and intakes comes in through Wiring, because they may not
// import those.
package cli

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/dev"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/setup"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/processenv"
	"github.com/longshift/longshift/internal/sweep"
	"github.com/longshift/longshift/task"
)

// Wiring is what the command needs of packages that it may not import. Every function must be set unless it says otherwise.
type Wiring struct {
	// Version is shown by `longshift version`; empty takes the one of the build.
	Version string
	// ParseInput checks the input of a task strictly. Errors are faults.
	ParseInput func(input []byte) (task.Input, error)
	// ParseConfig reads a task's configuration from YAML or JSON, strictly. Errors are faults.
	ParseConfig func(file []byte) (*task.Config, error)
	// ResolveConfig returns what a task in the repository at dir would run with: its file on the base branch ("" is the
	// default one), then overrides (nil for none), under the operator's limits in process.
	ResolveConfig func(ctx context.Context, process config.Config, dir, base string, overrides *task.Config) (setup.Resolved, error)
	// Issue reads an issue of a repository on its forge, for `run --issue`. One that can't be read is an error.
	Issue func(ctx context.Context, process config.Config, repository string, number int) (task.Issue, error)
	// Standing asks the forge about a repository that a task is to be started on. ours is what the names of our branches start with.
	Standing func(ctx context.Context, process config.Config, repository, base, ours string) (Standing, error)
	// Account returns the name of the account that GitHub's token belongs to, "" for that of an app.
	Account func(ctx context.Context, process config.Config) (string, error)
	// App asks GitHub how the app stands that is configured.
	App func(ctx context.Context, process config.Config) (forge.AppState, error)
	// ForkOf tells in whose account the fork of a repository is to be, and its name when it is there.
	ForkOf func(ctx context.Context, process config.Config, repository string) (owner, name string, err error)
	// Demo returns the demonstration's repository, scenario and task.
	Demo func() dev.Demo
	// LocalPullRequest reads pull request n of a bare repository on this machine: its record and its diff.
	LocalPullRequest func(ctx context.Context, path string, n int) (record, diff string, err error)
	// Programs finds programs as the sessions of a worker with this environment do.
	Programs func(env environ.Environ) checkup.Programs
	// Settings reads those that a worker reads only when it starts. An error is why it would not start.
	Settings func(process config.Config) error
	// Sandbox tries every layer of the sandbox and describes it. A missing layer is an error that names it.
	Sandbox func(ctx context.Context, process config.Config) ([]checkup.Layer, error)
	// Work runs ordinary work and the tool chains of this machine in the sandbox. An error means that no task could work.
	Work func(ctx context.Context, process config.Config) ([]checkup.Tool, error)
	// Sweeper looks for what ended tasks have left in the data folder.
	Sweeper func(process config.Config, c client.Client) (*sweep.Sweeper, error)
	// Signing makes a signature with the key for commits.
	Signing func(ctx context.Context, process config.Config) error
	// Objects keeps something in the object store and takes it back.
	Objects func(ctx context.Context, process config.Config) error
	// Model makes one call that costs nothing to the model's endpoint, and returns the endpoint's name. OpenAI does it for OpenAI's API. Errors are faults.
	Model, OpenAI func(ctx context.Context, process config.Config) (endpoint string, err error)
	// Tested are the versions of the agents' binaries that were tested; sessions of others are refused.
	Tested map[string]string
	// Policy returns the operator's rules for commands; with sandboxed those that hold inside a worker's sandbox.
	Policy func(process config.Config, sandboxed bool) (policy.Config, error)
	// Redact returns what removes secrets from text: those of the process as it is configured, and what has the form of one.
	Redact func(process config.Config) func(string) string
	// HoldsToken tells whether a text holds a real token of a known service.
	HoldsToken func(text string) bool
	// Acts reads the record of what people did from chats and forges, in the file at path, oldest first.
	Acts func(ctx context.Context, path string, f audit.ActFilter) iter.Seq2[audit.Act, error]
	// Commands reads the record of agents' commands in the file at path, oldest first. A file that is not there is fs.ErrNotExist.
	Commands func(ctx context.Context, path string, f audit.Filter) iter.Seq2[audit.Record, error]
}

// Main runs the command line and returns the exit code. It is a function of its arguments, so that tests run it in process. What the settings
// file sets is put into the environment of the process too, for libraries that read it there.
func Main(ctx context.Context, args []string, streams term.Streams, env environ.Environ, wiring Wiring) int {
	settings, err := config.FromFile(env.Lookup)
	err = errors.Join(err, processenv.Set(settings))
	env.Vars = append(slices.Clone(env.Vars), settings...)
	for _, s := range settings {
		name, _, _ := strings.Cut(s, "=")
		env.Settings = append(env.Settings, name)
	}
	f := newFactory(streams.Colored(env.Get), env, wiring)
	defer f.close()
	if err != nil {
		f.printer.Format = formatOf(args)
		return f.printer.Report(ctx, err)
	}
	return f.main(ctx, args)
}
