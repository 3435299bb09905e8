package integration

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/test/lab"
)

// A worker that finds no server waits for it and then works. One that is told to stop while it waits ends in good order, and one that
// asks for a namespace that isn't there ends at once.
func TestWorkerWaitsForServer(t *testing.T) {
	t.Parallel()
	server := lab.StartServer(t, false)
	server.Kill()
	waits := func(w *lab.Worker) {
		t.Helper()
		lab.Eventually(t, 30*time.Second, "the worker says that it waits", func() bool {
			return strings.Contains(w.Log(), "Waiting for the Temporal server") && strings.Contains(w.Log(), server.Address)
		})
	}
	stopped := server.StartWorker(t, t.TempDir())
	waits(stopped)
	if code := stopped.Stop(); code != fault.ExitOK {
		t.Errorf("told to stop while it waits, it ends with %d:\n%s", code, stopped.Log())
	}
	w := server.StartWorker(t, t.TempDir())
	waits(w)
	server.Start()
	lab.Eventually(t, 60*time.Second, "the worker is ready", func() bool { return strings.Contains(w.Log(), "Worker ready") })
	if text := w.Log(); strings.Count(text, "Waiting for the Temporal server") != 1 {
		t.Errorf("more than one line for a short wait:\n%s", text)
	}
	lost := server.StartWorker(t, t.TempDir(), "TEMPORAL_NAMESPACE=nowhere")
	if code := lost.Wait(30 * time.Second); code != fault.ExitNotFound || strings.Count(lost.Log(), "\n") != 1 || !strings.Contains(lost.Log(), `no namespace "nowhere"`) {
		t.Errorf("a namespace that isn't there: code %d and\n%s", code, lost.Log())
	}
}
