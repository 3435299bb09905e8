// Command longshift starts coding tasks and steers them. Everything it does is in package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/cli"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // from the first signal on, the next one ends the process at once
	os.Exit(cli.Main(ctx, os.Args[1:], term.SystemStreams(), environ.SystemEnviron(), app.Wiring()))
}
