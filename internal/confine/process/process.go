// Package process starts programs so that they can always be ended: the whole tree, whoever dies first.
//
// Every program runs under a guard, a re-exec of our own executable that adopts whatever its child leaves behind and
// kills all of it when it is told to, when the child exits, or when we die. What a killed guard leaves is found again
// by a mark in the environment (ReapSession) or by the pid file (ReapPidFile). Nothing is ever ended by its name.
//
// On Linux the guard is a child subreaper and walks /proc, so that children in sessions of their own are reached too.
// On other systems it reaches its child's process group only, and reaping after the guard itself was killed does nothing.
//
// The package decides nothing about what may run or with which environment; it knows no agent and no git.
package process

import (
	"fmt"
	"io"
	"time"
)

// SessionEnv is the variable that marks every process of a session.
const SessionEnv = "LONGSHIFT_SESSION"

// Spec says what to start.
type Spec struct {
	Path       string        // absolute, or a bare name that is looked up in the PATH of Env
	Args       []string      // without the program's own name
	Dir        string        // working directory, absolute; "" is the root directory
	Env        []string      // complete; nothing is inherited
	Session    string        // goes into LONGSHIFT_SESSION of the whole tree, the mark for ReapSession; "" for none
	PidFile    string        // written while the program runs, removed after it; "" for none
	Stdin      io.Reader     // read to its end; nil for /dev/null. It must end by itself
	StdinPipe  bool          // the caller writes to Process.Stdin instead
	Grace      time.Duration // between TERM and KILL; 0 for 5 s, negative for none
	OutputFile string        // for Run: the full output goes there too

	// Filter is what output passes on its way into OutputFile, nil for nothing. It is closed when the output has ended.
	Filter func(io.Writer) io.WriteCloser

	// Ended is for a program that runs inside of another: it is called once when the whole tree is gone, before anybody is
	// told, with the end of the outer one, and gives the end of the inner one. nil for a program that stands for itself.
	Ended func(Exit) Exit
}

// Exit is how a program ended.
type Exit struct {
	Code   int    // exit code; -1 when a signal ended it or when it is not known
	Signal string // "SIGKILL"; empty when the program exited by itself
	Err    error  // the end could not be observed: the guard was killed
}

// Success reports whether the program exited by itself with code 0.
func (e Exit) Success() bool { return e.Code == 0 && e.Signal == "" && e.Err == nil }

func (e Exit) String() string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != "":
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
