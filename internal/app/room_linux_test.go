package app

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/sweep"
)

// A worker that is started on a full disk removes what ended tasks have left, and starts.
func TestStartOnAFullDisk(t *testing.T) {
	dir := disktest.Small(t, 192<<20)
	if dir == "" {
		return
	}
	cfg, log := load(t, "LONGSHIFT_DATA="+dir, "LONGSHIFT_KEEP=1h"), slog.New(slog.DiscardHandler)
	_, end, err := newHostConfig(t.Context(), cfg, redact.New(), log)
	must(t, err)
	end()
	old := filepath.Join(dir, "tasks", "old")
	must(t, sweep.Note(t.Context(), old, sweep.Owner{Workflow: "w", Run: "r", Ended: time.Unix(1, 0)}))
	sweeper, err := newSweeper(cfg, runs{"r": enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, "": enumspb.WORKFLOW_EXECUTION_STATUS_FAILED}, log)
	must(t, err)
	disktest.Fill(t, old, 0)
	if _, end, err := hostWithRoom(t.Context(), cfg, redact.New(), log, func() {}); err == nil {
		end()
		t.Fatal("a host starts without room, so this shows nothing")
	} else if !strings.Contains(err.Error(), "is full") || fault.HintOf(err) == "" {
		t.Errorf("without room: %v", err)
	}
	_, end, err = hostWithRoom(t.Context(), cfg, redact.New(), log, func() { sweepOnce(t.Context(), sweeper, newCaches(cfg, log).Sweep) })
	must(t, err)
	end()
}

// The lock of a data directory needs no room: a worker that could not lock it would never come to remove what fills the disk.
func TestLockOnAFullDisk(t *testing.T) {
	dir := disktest.Small(t, 1<<20)
	if dir == "" {
		return
	}
	file, own := filepath.Join(dir, lockFile), strconv.Itoa(os.Getpid())
	for before, want := range map[string]string{"": "", fmt.Sprintf("%-*d", pidWidth, 7): own} {
		must(t, os.WriteFile(file, []byte(before), 0o600))
		empty := disktest.Fill(t, dir, 0)
		unlock, err := lockData(dir)
		must(t, err)
		if got, err := os.ReadFile(file); err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("after %q the lock names %q, want %q, %v", before, got, want, err)
		}
		if _, err := lockData(dir); err == nil || !strings.HasSuffix(err.Error(), "process "+cmp.Or(want, "unknown")) {
			t.Errorf("a second worker is told %v", err)
		}
		unlock()
		empty()
	}
}
