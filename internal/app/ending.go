package app

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// EndedBySignal returns a context that ends with the first signal that asks this process to end. It leaves out interrupt and hangup where
// whoever has started the process has it ignore them: nohup does so with the hangup of a closed terminal, and a shell without job control
// with Ctrl-C for what it starts in the background.
func EndedBySignal() (context.Context, context.CancelFunc) {
	asks := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			asks = append(asks, s)
		}
	}
	return signal.NotifyContext(context.Background(), asks...)
}
