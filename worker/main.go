// Command longshift-worker runs workflows and activities.
package main

import (
	"os"

	"github.com/longshift/longshift/internal/app"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/sandbox"
)

func main() {
	process.GuardIfAsked()
	sandbox.InitIfAsked()
	os.Exit(app.WorkerMain(os.Args[1:], os.LookupEnv, os.Stderr))
}
