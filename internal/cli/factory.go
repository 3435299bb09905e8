package cli

import (
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
)

// factory is what commands are made of. Each copies into its options what it uses.
type factory struct {
	streams      term.Streams
	env          environ.Environ
	wiring       Wiring
	clock        environ.Clock
	printer      *term.Printer
	terminal     *term.Input
	config       *environ.Config
	server       *server.Connector
	tasks        *tasks.Tasks
	viewer       *tasks.Viewer
	git          environ.Git
	workspaces   *repository.Workspaces
	repositories *repository.Repositories
	configs      command.ConfigReader
}

func newFactory(streams term.Streams, env environ.Environ, wiring Wiring) *factory {
	f := &factory{streams: streams, env: env, wiring: wiring, clock: environ.SystemClock(), printer: term.NewPrinter(streams),
		configs: command.NewConfigReader(env, wiring.ParseConfig), terminal: term.NewInput(streams),
		config: environ.NewConfig(env), git: environ.NewGit(env)}
	f.server = server.NewConnector(env, f.config)
	f.tasks = tasks.New(f.server, f.printer, wiring.HoldsToken)
	f.viewer = tasks.NewViewer(f.tasks, f.config, f.terminal, f.clock)
	f.workspaces = repository.NewWorkspaces(env, f.config, f.printer.Say)
	f.repositories = repository.New(env, f.git, f.workspaces)
	return f
}

// checkFormat refuses an output format that is not known. The error is printed as text then.
func (f *factory) checkFormat() error {
	err := term.CheckFormat(f.printer.Format)
	if err != nil {
		f.printer.Format = term.FormatText
	}
	return err
}

func (f *factory) close() {
	f.terminal.Close()
	f.server.Close()
}
