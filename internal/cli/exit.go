package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// exit is a way to end that needs no more words: everything has been said.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// errInterrupted ends the command after Ctrl-C, when nothing has been said about it yet.
var errInterrupted = errors.New("interrupted")

// failure is an error as JSON.
type failure struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	ExitCode int    `json:"exitCode"`
}

func failureOf(err error) failure {
	kind := fault.KindOf(err)
	return failure{Kind: string(kind), Message: plain(err.Error()), Hint: plain(fault.HintOf(err)), ExitCode: kind.ExitCode()}
}

// line is the failure for people: the message, and the way out after it.
func (f failure) line() string {
	switch {
	case f.Hint == "":
		return f.Message
	case strings.Contains(f.Message, "\n"):
		return f.Message + "\n" + f.Hint
	}
	return f.Message + "; " + f.Hint
}

// report says once what went wrong, on stderr, and gives the exit code.
func (p *program) report(ctx context.Context, err error) int {
	if err == nil {
		return fault.ExitOK
	}
	var silent exit
	if errors.As(err, &silent) {
		return silent.code
	}
	f := failureOf(err)
	if errors.Is(err, errInterrupted) || ctx.Err() != nil { // what breaks after Ctrl-C breaks because of it
		f = failure{Kind: "interrupted", Message: "interrupted", ExitCode: fault.ExitInterrupt}
	}
	if p.format != formatText {
		line, _ := json.Marshal(map[string]failure{"error": f}) // strings and a number always encode
		fmt.Fprintln(p.streams.Err, string(line))
		return f.ExitCode
	}
	p.say("longshift: %s", f.line())
	return f.ExitCode
}

// exitMeanings are the exit codes as help and documentation show them.
var exitMeanings = map[int]string{
	fault.ExitOK:        "success; for a task: a pull request stands, or nothing was to do",
	fault.ExitFailed:    "the task ended without a good outcome, or something broke",
	fault.ExitUsage:     "wrong flags or wrong input",
	fault.ExitNotFound:  "no such task, repository or file",
	fault.ExitConflict:  "the request came too late or names a stale plan revision",
	fault.ExitSuspended: "the task is parked and waits for a person",
	fault.ExitServer:    "the Temporal server, a worker or a forge can't be reached",
	fault.ExitChecks:    "the task's work is done as far as it goes, and its check fails: the pull request is a draft",
	fault.ExitInterrupt: "interrupted; a task that was started goes on",
}
