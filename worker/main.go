// Command longshift-worker runs workflows and activities.
package main

import (
	"os"

	"github.com/longshift/longshift/internal/app"
)

func main() {
	os.Exit(app.WorkerMain(os.Args[1:], os.LookupEnv, os.Stderr))
}
