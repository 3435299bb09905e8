package term

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Exit is a way to end that needs no more words: everything has been said.
type Exit struct{ Code int }

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// ErrInterrupted ends the command after Ctrl-C, when nothing has been said about it yet.
var ErrInterrupted = errors.New("interrupted")

// Failure is an error as JSON.
type Failure struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	ExitCode int    `json:"exitCode"`
}

func FailureOf(err error) Failure {
	kind := fault.KindOf(err)
	return Failure{Kind: string(kind), Message: Plain(err.Error()), Hint: Plain(fault.HintOf(err)), ExitCode: kind.ExitCode()}
}

// Line is the failure for people: the message, and the way out after it.
func (f Failure) Line() string {
	switch {
	case f.Hint == "":
		return f.Message
	case strings.Contains(f.Message, "\n"):
		return f.Message + "\n" + f.Hint
	}
	return f.Message + "; " + f.Hint
}

// Report says once what went wrong, on stderr, and returns the exit code.
func (p *Printer) Report(ctx context.Context, err error) int {
	if err == nil {
		return fault.ExitOK
	}
	var silent Exit
	if errors.As(err, &silent) {
		return silent.Code
	}
	f := FailureOf(err)
	if errors.Is(err, ErrInterrupted) || ctx.Err() != nil { // what breaks after Ctrl-C breaks because of it
		f = Failure{Kind: "interrupted", Message: "interrupted", ExitCode: fault.ExitInterrupt}
	}
	if !p.IsText() {
		line, _ := json.Marshal(map[string]Failure{"error": f}) // strings and a number always encode
		fmt.Fprintln(p.streams.Err, string(line))
		return f.ExitCode
	}
	p.Say("longshift: %s", f.Line())
	return f.ExitCode
}
