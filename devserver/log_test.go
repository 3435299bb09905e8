package devserver

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/server/common/log/tag"
)

// What passes by itself while a server starts, or when somebody hangs up, worries nobody; every other error is shown.
func TestErrorsThatPass(t *testing.T) {
	var said strings.Builder
	l := serverLog{slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelError})), new(atomic.Bool)}
	l.Error("Queue reader unable to retrieve tasks", tag.Error(errors.New("shard status unknown")))
	l.Error("service failures", tag.Error(serviceerror.NewUnavailable("Frontend is not healthy yet")))
	l.Error("unable to add metrics baggage to gRPC trailer", tag.Error(errors.New("transport: SendHeader called multiple times")))
	l.Error("Operation failed with internal error.", tag.Error(serviceerror.NewUnavailable("GetTaskQueue operation failed. Error: context canceled")))
	if said.Len() > 0 {
		t.Errorf("what passes by itself is an error: %s", &said)
	}
	l.Error("Queue reader unable to retrieve tasks", tag.Error(errors.New("database is locked")))
	if !strings.Contains(said.String(), "database is locked") {
		t.Errorf("an error is not shown: %q", said.String())
	}
}
