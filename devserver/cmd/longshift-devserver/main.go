// Command longshift-devserver runs Temporal and Temporal Web on SQLite for one machine.
// Everything it does is in package devserver.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	_ "time/tzdata" // schedules name time zones, and images may lack them

	"github.com/longshift/longshift/devserver"
)

func main() {
	nameUser()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// From the first signal on, the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := devserver.Command(ctx, os.Stdout, os.Stderr).Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "longshift-devserver:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
}

// nameUser says who runs us where nobody has: the server does not start without knowing, and a user without an entry in passwd has a
// number only.
func nameUser() {
	if os.Getenv("USER") == "" {
		os.Setenv("USER", strconv.Itoa(os.Getuid())) // fails for names that are none
	}
}
