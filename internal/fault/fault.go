// Package fault gives every error that a person or a retry rule must understand a kind, a hint and an exit code.
// It may import only the standard library; it never logs and never decides what to do next.
package fault

import (
	"errors"
	"fmt"
)

// Kind says whose fault an error is. Its text is the Temporal error type, so it must never be renamed.
type Kind string

const (
	// Input is wrong input: a field, its value, and what to write instead. Never retried.
	Input Kind = "LongshiftInput"
	// NotFound is a repository, task or file that is not there. Never retried.
	NotFound Kind = "LongshiftNotFound"
	// Conflict is a request that came too late: a stale plan revision, a task that has ended. Never retried.
	Conflict Kind = "LongshiftConflict"
	// Fenced is a write by an attempt that is no longer the task's current one. Never retried.
	Fenced Kind = "LongshiftFenced"
	// Changed is a branch that somebody else has moved. Never retried; a person decides.
	Changed Kind = "LongshiftChanged"
	// Denied is missing permission: a token without the right, a refused login. Never retried; a person decides.
	Denied Kind = "LongshiftDenied"
	// Leak is work that holds a secret and so may not leave. Never retried; the agent or a person takes it out.
	Leak Kind = "LongshiftLeak"
	// Unapproved is a branch with changes that a person has to allow before it is pushed. Never retried; the workflow asks.
	Unapproved Kind = "LongshiftUnapproved"
	// Infra is a fault of the surroundings: no network, forge down, disk full. Retried, and never charged to the work.
	Infra Kind = "LongshiftInfra"
	// Stopping is a worker that is going down in good order; the same host goes on after its restart.
	Stopping Kind = "LongshiftStopping"
	// Work is a fault of the work itself: the agent failed or reported nothing. Counted as an error in a row.
	Work Kind = "LongshiftWork"
	// Internal is a mistake of ours.
	Internal Kind = "LongshiftInternal"
)

// Exit codes of the command line. They are documented in docs/cli.md and never change their meaning.
const (
	ExitOK        = 0   // the outcome is a good one
	ExitFailed    = 1   // the task ended without a good outcome, or something broke
	ExitUsage     = 2   // wrong flags, wrong input
	ExitNotFound  = 3   // no such task, repository or file
	ExitConflict  = 4   // the request came too late or names a stale revision
	ExitSuspended = 5   // the task is suspended and waits for a person
	ExitServer    = 6   // the Temporal server or a forge can't be reached
	ExitChecks    = 7   // the task's work stands as far as it goes, and its check fails
	ExitInterrupt = 130 // interrupted by the user; the task goes on
)

// Error is an error with a kind and a way out.
type Error struct {
	Kind Kind
	Hint string // what the reader can do about it; one line, may be empty
	err  error
}

// New makes an error of a kind. The format follows fmt.Errorf, %w included.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, err: fmt.Errorf(format, args...)}
}

// WithHint returns the error with a way out attached.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// Error gives the message without the hint.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap gives the wrapped error.
func (e *Error) Unwrap() error { return e.err }

// KindOf gives the kind of the outermost fault in err's chain, Internal when there is none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Kind
	}
	return Internal
}

// HintOf gives the first hint in err's chain, or "".
func HintOf(err error) string {
	for err != nil {
		var f *Error
		if !errors.As(err, &f) {
			return ""
		}
		if f.Hint != "" {
			return f.Hint
		}
		err = f.err
	}
	return ""
}

// Retryable tells whether trying the same thing again can help. Unknown errors are retried.
func (k Kind) Retryable() bool {
	switch k {
	case Infra, Stopping, Internal, "":
		return true
	default:
		return false
	}
}

// ExitCode maps a kind to the exit code of the command line.
func (k Kind) ExitCode() int {
	switch k {
	case "":
		return ExitOK
	case Input:
		return ExitUsage
	case NotFound:
		return ExitNotFound
	case Conflict, Fenced, Changed:
		return ExitConflict
	case Infra, Stopping:
		return ExitServer
	default:
		return ExitFailed
	}
}
