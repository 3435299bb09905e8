package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// EndedBySignal returns a context that ends with the first signal that asks this process to end. It leaves out the hangup of a closed
// terminal where nohup has the process ignore it. An interrupt always ends it: shells without job control have everything that they start
// in the background ignore Ctrl-C, but scripts end with `kill -INT` what they have started so.
func EndedBySignal() (context.Context, context.CancelFunc) {
	asks := []os.Signal{syscall.SIGTERM, syscall.SIGINT}
	if !signal.Ignored(syscall.SIGHUP) {
		asks = append(asks, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), asks...)
}
