// Package guard is the process between longshift and each program that it starts: it adopts the program's orphaned descendants, and kills all of
// them on request, when the program ends, or when its parent dies. The executable becomes a guard, by its name, before the rest of it is
// initialized: so the package may import nothing that is initialized late. It does what its Order says, and decides nothing else.
package guard

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path"
	"runtime"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// Name is the argv[0] of a guard.
const Name = "longshift-guard"

// Descriptors that a guard gets in addition to its child's three.
const (
	controlFile = 3
	statusFile  = 4
)

// init turns a process that was started as a guard into one, and does not return then. So every program that links this
// package can be a guard. It runs here instead of in main because initializing a worker's other packages takes longer
// than the rest of a guard's start.
func init() {
	if path.Base(os.Args[0]) == Name {
		syscall.Exit(run(os.Args[1:])) // nothing to flush; os.Exit takes a second more under the race detector
	}
}

// run is the main function of a guard. It reads its order from descriptor 3, reports to descriptor 4, and returns its
// exit code when its child and all descendants are gone.
func run(args []string) int {
	if len(args) != 0 {
		fmt.Fprintln(os.Stderr, Name+" is started by longshift itself and takes no arguments")
		return 2
	}
	runtime.LockOSThread() // the child's parent-death signal belongs to the thread that started it
	syscall.CloseOnExec(controlFile)
	syscall.CloseOnExec(statusFile)
	control, status := os.NewFile(controlFile, "control"), os.NewFile(statusFile, "status")
	o, err := readOrder(control)
	if err != nil {
		return 2
	}
	nameGuard()
	g := &guard{order: o, signals: make(chan os.Signal, 8)}
	signal.Notify(g.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	fmt.Fprintln(status, "starting") // from here on the program may have run, even if it kills its guard before the next line
	if err := g.launch(); err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		fmt.Fprintf(status, "failed %d %s\n", int(errno), strings.ReplaceAll(strings.TrimSuffix(err.Error(), ": "+errno.Error()), "\n", " "))
		return 1
	}
	fmt.Fprintf(status, "started %d %d\n", g.child.Pid, g.child.Start)
	ws := g.watch(control)
	code, sig := ws.ExitStatus(), 0
	if ws.Signaled() {
		sig = int(ws.Signal())
	}
	fmt.Fprintf(status, "exit %d %d\n", code, sig)
	return 0
}

// guard is the state of a guard process.
type guard struct {
	order   Order
	child   tree.Process
	signals chan os.Signal
}

// launch starts the child with the guard's stdio and then closes the guard's copy, so that the pipes end with the child.
func (g *guard) launch() error {
	if err := becomeReaper(); err != nil {
		return fmt.Errorf("adopt orphans: %w", err)
	}
	pid, err := syscall.ForkExec(g.order.Path, g.order.Args, &syscall.ProcAttr{
		Dir: g.order.Dir, Env: g.order.Env, Files: []uintptr{0, 1, 2}, Sys: ChildAttr(),
	})
	if err != nil {
		return fmt.Errorf("run %s: %w", g.order.Path, err)
	}
	if g.child, err = tree.LookUp(pid); err != nil {
		g.child = tree.Process{Pid: pid}
	}
	return letGoOfStdio()
}

func letGoOfStdio() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for fd := range 3 {
		if err := dup(int(null.Fd()), fd); err != nil {
			return err
		}
	}
	return nil
}
