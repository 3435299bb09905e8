// Package process starts programs so that the whole process tree can always be ended, no matter which process dies
// first.
//
// Every program runs under a guard: a re-exec of this executable that adopts orphaned descendants, and kills all of them
// on request, when its child exits, or when its parent dies. The descendants of a killed guard are found by a mark in
// the environment (ReapSession). No process is ever ended by name.
//
// On Linux the guard is a child subreaper and walks /proc, so that it also reaches children in sessions of their own. On
// other systems it reaches its child's process group only, and reaping after the guard was killed does nothing.
//
// The package may not decide what runs or with which environment; it knows neither agents nor git.
package process

import (
	"fmt"
	"io"
	"time"
)

// SessionEnv is the variable that marks every process of a session.
const SessionEnv = "LONGSHIFT_SESSION"

type Spec struct {
	Path       string        // absolute, or a bare name to look up in the PATH of Env
	Args       []string      // without the program's own name
	Dir        string        // working directory, absolute; "" is the root directory
	Env        []string      // complete; nothing is inherited
	Session    string        // value of LONGSHIFT_SESSION for the whole tree, by which ReapSession finds it; "" for none
	Stdin      io.Reader     // copied to the program; must end by itself; nil for /dev/null
	StdinPipe  bool          // the caller writes to Process.Stdin instead of setting Stdin
	Grace      time.Duration // between TERM and KILL; 0 for 5 s, negative for none
	OutputFile string        // for Run: file for the full output

	// Filter wraps the writer of OutputFile; nil for none. It is closed at the end of the output.
	Filter func(io.Writer) io.WriteCloser

	// Private are folders that the program has for itself, at the paths at which it sees them. Nothing outside sees them. State looks into them.
	Private []string

	// Ended translates the end of a wrapper, such as a sandbox, into the end of the program inside it. It is called once
	// when the whole tree is gone, before Wait returns. nil for programs without a wrapper.
	Ended func(Exit) Exit
}

// Exit is how a program ended.
type Exit struct {
	Code   int    // exit code; -1 when it was ended by a signal or is unknown
	Signal string // "SIGKILL"; empty when the program exited by itself
	Err    error  // the end could not be observed, because the guard was killed
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
