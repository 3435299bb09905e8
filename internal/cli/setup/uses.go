// Package setup is the commands for settings: init and setup write them, config shows them.
package setup

import (
	"context"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

// Uses is what the commands use of the command line and, by functions, of packages that it may not import.
type Uses struct {
	Streams      term.Streams
	Env          environ.Environ
	Git          environ.Git
	Config       *environ.Config
	Configs      command.ConfigReader
	Repositories *repository.Repositories
	Printer      *term.Printer
	Input        *term.Input

	// Resolve returns what a task in the repository at dir would run with.
	Resolve func(ctx context.Context, process config.Config, dir, base string, overrides *task.Config) (Resolved, error)
	// Decide returns how a worker's policy decides on commands of implementers.
	Decide Decider
	// Account returns the name of the account that GitHub's token belongs to, "" for that of an app.
	Account func(ctx context.Context, process config.Config) (string, error)
	// Model makes one call that costs nothing to the model's endpoint, and returns the endpoint's name.
	Model func(ctx context.Context, process config.Config) (string, error)
}

// Setting is one resolved value of a task's configuration, with where it comes from.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Resolved is the configuration that a task would run with, every key in the order of the documentation.
type Resolved struct {
	Settings []Setting
	Warnings []string // what the operator's limits cut
}

// Decider makes what decides on commands, for the settings of a process.
type Decider func(process config.Config) (func(command string) (policy.Verdict, string, error), error)
