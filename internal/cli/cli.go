// Package cli is the longshift command: one file per command, one printer, exit codes from package fault. It talks to
// Temporal and to people; what it needs of the rest comes in through Wiring, for it may not import activities, nor any
// agent, forge or channel.
package cli

import (
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/sweep"
	"github.com/longshift/longshift/internal/task"
)

// Streams are the terminal, or what stands in for it.
type Streams struct {
	In    io.Reader
	Out   io.Writer // data
	Err   io.Writer // everything else
	InTTY bool      // In is a terminal: keys can be asked for

	OutTTY bool
	ErrTTY bool // Err is a terminal: a live line can be shown

	// Width gives the columns of the terminal behind Err; 0 is unknown. It may be nil.
	Width func() int
	// Raw makes In give keys one by one and without echo, until restore is called. It may be nil.
	Raw func() (restore func(), err error)
}

// Environ is where the command runs.
type Environ struct {
	Vars       []string // NAME=value
	Dir        string   // working directory, absolute
	Executable string   // path of this program; its siblings are looked for beside it
}

// Demo is what `longshift demo` works on.
type Demo struct {
	Files    map[string]string // the demo repository: path to content
	Scenario []byte            // what the scripted agent does
	Task     string
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

// Layer is one layer of the sandbox.
type Layer struct {
	Name   string
	Stands bool   // false when the operator does without it
	Detail string // what was found
}

// Tool is a tool chain of this machine, run in the sandbox.
type Tool struct {
	Name   string
	Works  bool
	Detail string // its version, or what it said instead
}

// Wiring is what the command needs of packages that it may not import. Every function must be set unless it says otherwise.
type Wiring struct {
	// Version is shown by `longshift version`; empty takes the one of the build.
	Version string
	// ParseInput checks the input of a task strictly. Errors are faults.
	ParseInput func(input []byte) (task.Input, error)
	// ParseConfig reads a task's configuration from YAML or JSON, strictly. Errors are faults.
	ParseConfig func(file []byte) (*task.Config, error)
	// ResolveConfig gives what a task in the repository at dir would run with: its file on the base branch ("" is the
	// default one), then overrides (nil for none), under the operator's limits in process.
	ResolveConfig func(ctx context.Context, process config.Config, dir, base string, overrides *task.Config) (Resolved, error)
	// Issue reads an issue of a repository on its forge, for `run --issue`. It may be nil: then the task knows the number only.
	Issue func(ctx context.Context, process config.Config, repository string, number int) (task.Issue, error)
	// Standing asks the forge about a repository that a task is to be started on. ours is what the names of our branches start with.
	Standing func(ctx context.Context, process config.Config, repository, base, ours string) (Standing, error)
	// ForkOf tells in whose account the fork of a repository is to be, and its name when it is there.
	ForkOf func(ctx context.Context, process config.Config, repository string) (owner, name string, err error)
	// Demo gives the demonstration's repository, scenario and task.
	Demo func() Demo
	// LocalPullRequest reads pull request n of a bare repository on this machine: its record and its diff.
	LocalPullRequest func(ctx context.Context, path string, n int) (record, diff string, err error)
	// Sandbox tries every layer of the sandbox and says how it stands. A layer that is missing is an error that names it.
	Sandbox func(ctx context.Context, process config.Config) ([]Layer, error)
	// Work runs ordinary work and the tool chains of this machine in the sandbox. An error means that no task could work.
	Work func(ctx context.Context, process config.Config) ([]Tool, error)
	// Sweeper looks for what ended tasks have left in the data folder.
	Sweeper func(process config.Config, c client.Client) (*sweep.Sweeper, error)
	// Signing makes a signature with the key for commits.
	Signing func(ctx context.Context, process config.Config) error
	// Model makes one call that costs nothing to the model's endpoint, and gives the endpoint's name. Errors are faults.
	Model func(ctx context.Context, process config.Config) (endpoint string, err error)
	// ClaudeVersion is the version of Claude Code that was tested; sessions of another one are refused.
	ClaudeVersion string
	// Policy gives the operator's rules for commands; sandboxed as they hold inside a worker's sandbox.
	Policy func(process config.Config, sandboxed bool) (policy.Config, error)
	// Acts reads the record of what people did from chats and forges, in the file at path, oldest first.
	Acts func(ctx context.Context, path string, f audit.ActFilter) iter.Seq2[audit.Act, error]
	// Commands reads the record of agents' commands in the file at path, oldest first. A file that is not there is fs.ErrNotExist.
	Commands func(ctx context.Context, path string, f audit.Filter) iter.Seq2[audit.Record, error]
}

// SystemStreams are the streams of this process.
func SystemStreams() Streams {
	in, errs := int(os.Stdin.Fd()), int(os.Stderr.Fd())
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY: term.IsTerminal(in), OutTTY: term.IsTerminal(int(os.Stdout.Fd())), ErrTTY: term.IsTerminal(errs),
		Width: func() int {
			width, _, err := term.GetSize(errs)
			if err != nil {
				return 0
			}
			return width
		},
		Raw: func() (func(), error) {
			state, err := term.MakeRaw(in)
			if err != nil {
				return nil, err
			}
			return func() { _ = term.Restore(in, state) }, nil
		},
	}
}

// SystemEnviron is the environment of this process.
func SystemEnviron() Environ {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	program, err := os.Executable()
	if err != nil {
		program = ""
	} else if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return Environ{Vars: os.Environ(), Dir: dir, Executable: program}
}

// Lookup gives the value of a variable. The last one of a name counts.
func (e Environ) Lookup(name string) (string, bool) {
	for i := len(e.Vars) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.Vars[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// Get gives the value of a variable, or "".
func (e Environ) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Main runs the command line and gives the exit code. It is a function of its arguments, so that tests run it in process.
func Main(ctx context.Context, args []string, streams Streams, env Environ, wiring Wiring) int {
	p := newProgram(streams, env, wiring)
	defer p.close()
	return p.main(ctx, args)
}
