// Package dev is the commands that run Longshift on this machine: dev, demo, and doctor, which checks what they need.
package dev

import (
	"context"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
)

// Uses is what the commands use of the command line and, by functions, of packages that it may not import.
type Uses struct {
	Streams term.Streams
	Env     environ.Environ
	Clock   environ.Clock
	Git     environ.Git
	Config  *environ.Config
	Server  *server.Connector
	Tasks   *tasks.Tasks
	Printer *term.Printer
	Input   *term.Input
	Viewer  *tasks.Viewer

	Demo             func() Demo
	LocalPullRequest func(ctx context.Context, path string, n int) (record, diff string, err error)
	Machine          *checkup.Machine // this one
}

// Demo is what `longshift demo` works on.
type Demo struct {
	Files    map[string]string // the demo repository: path to content
	Scenario []byte            // what the scripted agent does
	Task     string
}
