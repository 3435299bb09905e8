package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/test/lab"
)

// What an ended task has left on its host is shown with what becomes of it, and goes at the worker's next start when its time has come.
func TestHostSweepsEndedTasks(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), lab.QuickSettings, "LONGSHIFT_KEEP=1ns")
	s.Play()
	end := s.Ended()
	folder := filepath.Join(s.Worker.Data, "tasks", end.TaskID)
	shown := s.OnHost("clean", "--dry-run") // with the default time
	if shown.Code != fault.ExitOK || !strings.Contains(shown.Out, end.TaskID) || !strings.Contains(shown.Out, "stays: its time has not come") {
		t.Errorf("longshift clean --dry-run: %+v", shown)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("a dry run has removed it: %v", err)
	}
	s.Worker.Kill()
	s.Worker.Start()
	lab.Eventually(t, 60*time.Second, "the worker sweeps at its start", func() bool {
		_, err := os.Stat(folder)
		return os.IsNotExist(err)
	})
	if again := s.OnHost("clean"); again.Code != fault.ExitOK || strings.Contains(again.Out, end.TaskID) {
		t.Errorf("longshift clean, with nothing left: %+v", again)
	}
}
