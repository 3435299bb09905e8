package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/sweep"
)

// stoppedSpaces are workspaces of which the removal of the first is interrupted.
type stoppedSpaces struct{ stop func() }

func (stoppedSpaces) Unsaved(context.Context, string) (string, bool, error) { return "", false, nil }

func (s stoppedSpaces) Remove(context.Context, string, bool) error {
	s.stop()
	return nil
}

// TestCleanInterrupted: Ctrl-C ends clean with its own code, and only what is gone is told as removed.
func TestCleanInterrupted(t *testing.T) {
	address, _ := useServer(t)
	c := newConsole(t, "TEMPORAL_ADDRESS="+address)
	ctx, stop := context.WithCancel(t.Context())
	dir := t.TempDir()
	for _, id := range []string{"first", "second"} {
		if err := sweep.Note(ctx, filepath.Join(dir, id), sweep.Owner{Workflow: id, Run: "r", Ended: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	w := testWiring()
	w.Sweeper = func(config.Config, client.Client) (*sweep.Sweeper, error) {
		return &sweep.Sweeper{Tasks: dir, Keep: time.Hour, Spaces: stoppedSpaces{stop}, Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Asked: func(context.Context, sweep.Owner) (sweep.State, error) { return sweep.State{Known: true}, nil }}, nil
	}
	f := newFactory(c.Streams(), c.Environ(), w)
	defer f.close()
	if code := f.main(ctx, []string{"clean"}); code != fault.ExitInterrupt {
		t.Errorf("exit code %d: %s", code, c.Errs.String())
	}
	lines := strings.Split(c.Out.String(), "\n")
	if !strings.HasPrefix(lines[0], "first ") || !strings.HasSuffix(lines[0], "  removed") ||
		len(lines) < 2 || !strings.HasPrefix(lines[1], "second ") || !strings.HasSuffix(lines[1], "  stays: interrupted") {
		t.Errorf("printed %q", c.Out.String())
	}
}
