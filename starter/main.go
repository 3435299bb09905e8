// Command longshift starts coding tasks and steers them. Everything it does is in package cli.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // from the first signal on, the next one ends the process at once
	os.Exit(cli.Main(ctx, os.Args[1:], cli.SystemStreams(), cli.SystemEnviron(), app.Wiring()))
}
