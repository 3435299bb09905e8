// Command longshift starts coding tasks and steers them. Everything it does is in package cli.
package main

import (
	"context"
	"os"

	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/cli"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
)

func main() {
	ctx, stop := app.EndedBySignal()
	context.AfterFunc(ctx, stop) // from the first signal on, the next one ends the process at once
	os.Exit(cli.Main(ctx, os.Args[1:], term.SystemStreams(), environ.SystemEnviron(), app.Wiring()))
}
