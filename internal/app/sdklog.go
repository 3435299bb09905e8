package app

import (
	"context"
	"log/slog"
)

// sdkLog leaves out of the SDK's log what a poller says when it is stopped between two polls: the
// SDK (v1.50) reports its own stop as a poll that failed, and nobody has to act on it.
type sdkLog struct{ slog.Handler }

func (l sdkLog) Handle(ctx context.Context, r slog.Record) error {
	stopping := false
	r.Attrs(func(a slog.Attr) bool {
		stopping = a.Key == "Error" && a.Value.String() == "worker stopping"
		return !stopping
	})
	if stopping && r.Message == "Failed to poll for task." {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

func (l sdkLog) WithAttrs(attrs []slog.Attr) slog.Handler { return sdkLog{l.Handler.WithAttrs(attrs)} }

func (l sdkLog) WithGroup(name string) slog.Handler { return sdkLog{l.Handler.WithGroup(name)} }
