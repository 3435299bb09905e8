package app

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	tlog "go.temporal.io/sdk/log"
)

func TestStoppedPollersSayNothing(t *testing.T) {
	var said strings.Builder
	log := tlog.With(tlog.NewStructuredLogger(slog.New(sdkLog{slog.NewTextHandler(&said, nil)})), "Namespace", "default")
	log.Warn("Failed to poll for task.", "Error", errors.New("worker stopping"))
	if said.Len() > 0 {
		t.Errorf("a stop is logged as a failure: %s", &said)
	}
	log.Warn("Failed to poll for task.", "Error", errors.New("connection refused"))
	if !strings.Contains(said.String(), "connection refused") || !strings.Contains(said.String(), "Namespace=default") {
		t.Errorf("a poll that failed is not logged whole: %q", said.String())
	}
}
