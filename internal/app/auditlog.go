package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/config"
)

// pruneEvery is how often old entries are dropped from a command log. They also are when it is opened.
const pruneEvery = time.Hour

// openAudit opens the host's command log, which drops entries older than its retention until ctx ends.
func openAudit(ctx context.Context, cfg config.Config, log *slog.Logger) (*audit.Log, error) {
	l, err := audit.Open(ctx, filepath.Join(cfg.Data, audit.FileName), log)
	if err != nil || cfg.Keep.Audit <= 0 {
		return l, err
	}
	if _, err := l.Prune(ctx, time.Now().Add(-cfg.Keep.Audit)); err != nil {
		_ = l.Close()
		return nil, err
	}
	tick := time.NewTicker(pruneEvery)
	go func() {
		defer tick.Stop()
		keepPruning(ctx, l, cfg.Keep.Audit, tick.C, log)
	}()
	return l, nil
}

// keepPruning drops at each tick what is older than keep then, until ctx ends.
func keepPruning(ctx context.Context, l *audit.Log, keep time.Duration, tick <-chan time.Time, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick:
			if _, err := l.Prune(ctx, now.Add(-keep)); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "Old entries of the command log can't be dropped", "error", err)
			}
		}
	}
}
