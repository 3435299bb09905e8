package cli

import (
	"context"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// openOptions are what open uses, and its flags.
type openOptions struct {
	viewer  *tasks.Viewer
	server  *server.Connector
	printer *term.Printer
	env     environ.Environ
	streams term.Streams
	web     bool
}

func newOpenCommand(f *factory) *cobra.Command {
	o := &openOptions{viewer: f.viewer, server: f.server, printer: f.printer, env: f.env, streams: f.streams}
	c := &cobra.Command{
		Use:   "open <task>",
		Short: "Open the pull request of a task in the browser, or its page in Temporal Web",
		Long: `Open the pull request of a task in the browser, or its page in Temporal Web while there is none. The address is printed too, and
only printed where standard output is no terminal.`,
		Example:           "  longshift open x1y2z3\n  longshift open x1y2z3 --web",
		Args:              command.TakesTask(1),
		ValidArgsFunction: f.tasks.CompleteAll,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().BoolVar(&o.web, "web", false, "the page in Temporal Web, also when there is a pull request")
	return c
}

func (o *openOptions) run(ctx context.Context, given string) error {
	c, found, err := o.viewer.LookUp(ctx, given)
	if err != nil {
		return err
	}
	seen, err := o.viewer.Once(ctx, c, found)
	if err != nil {
		return err
	}
	address := o.server.Page(found.ID, found.Run)
	if p := seen.Status.PullRequest; p != nil && !o.web && strings.HasPrefix(p.URL, "http") {
		address = term.OneLine(p.URL)
	}
	if address == "" {
		return fault.New(fault.NotFound, "Temporal Web of the server at %s is nowhere to be found", o.server.Address()).
			WithHint("set LONGSHIFT_WEB_URL to its address, or see `longshift status %s`", found.ID)
	}
	if err := o.printer.Print(map[string]string{"task": found.ID, "url": address}, func() string { return address + "\n" }); err != nil {
		return err
	}
	if !o.streams.OutTTY || !o.printer.IsText() {
		return nil
	}
	return o.browse(ctx, address)
}

// browse starts the first browser that it finds: that of BROWSER, or the one of the desktop.
func (o *openOptions) browse(ctx context.Context, address string) error {
	for _, name := range append(strings.Split(o.env.Get("BROWSER"), ":"), "xdg-open", "open", "wslview") {
		path, err := o.env.Program(name)
		if name == "" || err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, path, address)
		cmd.Env = o.env.Vars
		cmd.Stdin, cmd.Stdout, cmd.Stderr = o.streams.In, o.streams.Out, o.streams.Err // a browser can be one for terminals
		if err := environ.RunAttached(cmd); err != nil {
			return fault.New(fault.Infra, "%s: %w", name, err).WithHint("open the address yourself, or set BROWSER to another program")
		}
		return nil
	}
	o.printer.Say("no browser was found; set BROWSER to one")
	return nil
}
