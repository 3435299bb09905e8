package process

import (
	"os/exec"
	"runtime"
)

// StartBound starts a command that the kernel signals when this process dies, as its attributes say, and calls ended with how it has ended. That
// signal belongs to the thread that has started the command, so the thread stays as long.
func StartBound(cmd *exec.Cmd, ended func(error)) error {
	began := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		began <- err
		if err == nil {
			ended(cmd.Wait())
		}
	}()
	return <-began
}
