package environ

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// RunAttached runs a program that has the person's terminal, made by exec.CommandContext, until it ends by itself. Ctrl-C reaches it from
// the terminal, and what it means there is the program's to say: git waits for its pager, which goes on. So this process lives on through
// each Ctrl-C, and where its context ends it asks the program to end, but does not kill it.
func RunAttached(cmd *exec.Cmd) error {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		return err
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt) // after the start: a program that is started to ignore it still does
	defer signal.Stop(heard)
	return cmd.Wait()
}
