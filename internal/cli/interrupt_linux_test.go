package cli

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// TestInterruptWhileReading: the first Ctrl-C ends a command that reads standard input, which has no end then.
func TestInterruptWhileReading(t *testing.T) {
	t.Parallel()
	w := startTerminal(t, t.TempDir(), "xterm", "policy", "check", "--jsonl")
	w.waits("", `{"command":"ls"}`+"\n")
	w.waits("allow", "\x03")
	if code := w.code(); code != fault.ExitInterrupt {
		t.Errorf("code %d: %q", code, w.shown())
	}
	open, end := io.Pipe()
	defer end.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r := inputReader{streams: term.Streams{In: open}}
	if text, err := r.readText(ctx, "--file", "-"); !errors.Is(err, term.ErrInterrupted) {
		t.Errorf("%q, %v", text, err)
	}
}
