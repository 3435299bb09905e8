package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	uiversion "github.com/temporalio/ui-server/v2/server/version"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/server/common/headers"
)

// stopWithin is how long a clean stop may take. The database needs none of it: it can be killed.
const stopWithin = 15 * time.Second

// Command is the command line: "server start-dev" with flags. It serves until ctx ends. What it started
// goes to stdout, logs and warnings to stderr.
func Command(ctx context.Context, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           "longshift-devserver",
		Short:         "Temporal server and Temporal Web in one process, on SQLite",
		Version:       versionLine(),
		Args:          cobra.ArbitraryArgs,
		RunE:          needsCommand("server start-dev"),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetContext(ctx)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(explainFlag)
	root.CompletionOptions.DisableDefaultCmd = true
	server := &cobra.Command{
		Use:   "server",
		Short: "Run a server",
		Args:  cobra.ArbitraryArgs,
		RunE:  needsCommand("start-dev"),
	}
	f := &flags{}
	f.defineGlobal(root.PersistentFlags())
	server.AddCommand(startCommand(f, stdout, stderr))
	root.AddCommand(server)
	return root
}

func startCommand(f *flags, stdout, stderr io.Writer) *cobra.Command {
	start := &cobra.Command{
		Use:   "start-dev",
		Short: "Start Temporal on SQLite, with Temporal Web, for one machine",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q: start-dev takes flags only", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, warnings, err := f.options(cmd.Flags(), stderr)
			if err != nil {
				return err
			}
			for _, warning := range warnings {
				fmt.Fprintln(stderr, "warning:", warning) // without our name, which stands before the error that we end with
			}
			return run(cmd.Context(), options, stdout)
		},
	}
	f.define(start.Flags())
	return start
}

func run(ctx context.Context, o Options, stdout io.Writer) error {
	// Without a name, the server's own workers read the whole program for its checksum: a third of the processor time of a start.
	worker.SetBinaryChecksum(versionLine())
	server, err := Start(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil // told to stop while starting
		}
		return err
	}
	fmt.Fprintf(stdout, "%s\n\n%s", versionLine(), server.Summary())
	<-ctx.Done()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop() }()
	select {
	case err := <-stopped:
		return err
	case <-time.After(stopWithin):
		return fmt.Errorf("server did not stop within %s and was ended; the database is intact", stopWithin)
	}
}

func needsCommand(expected string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown command %q; use: %s %s", args[0], cmd.CommandPath(), expected)
		}
		return fmt.Errorf("no command given; use: %s %s", cmd.CommandPath(), expected)
	}
}

// explainFlag turns a parse error into one line that names the flag and the value.
func explainFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		return fmt.Errorf("unknown flag %s; see %s --help", unknownName(unknown), cmd.CommandPath())
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return fmt.Errorf("--%s needs a value", missing.GetFlag().Name)
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		kind := strings.NewReplacer("int", "whole number", "bool", "true or false").Replace(flag.Value.Type())
		return fmt.Errorf("--%s %q: not a %s", flag.Name, invalid.GetValue(), kind)
	}
	return err
}

func unknownName(e *pflag.NotExistError) string {
	if e.GetSpecifiedShortnames() != "" {
		return "-" + e.GetSpecifiedName()
	}
	return "--" + e.GetSpecifiedName()
}

func versionLine() string {
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		version = strings.TrimPrefix(info.Main.Version, "v")
	}
	return fmt.Sprintf("longshift-devserver version %s (Server %s, UI %s)", version, headers.ServerVersion, uiversion.UIVersion)
}
