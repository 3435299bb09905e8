package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/redact"
)

// Ledger stores every decision and every run, before the decision takes effect or the run starts.
type Ledger interface {
	Append(ctx context.Context, r audit.Record) (id int64, err error)
	Finish(ctx context.Context, id int64, exit int, d time.Duration) error
}

// commandLog records what tasks of this host run, without secrets.
type commandLog struct {
	ledger Ledger // nil writes nothing
	host   string
	redact *redact.Redactor
	log    *slog.Logger
	now    func() time.Time
}

// begin writes an entry, and returns the function that completes it when the command has ended.
func (l *commandLog) begin(ctx context.Context, r audit.Record) (done func(exit int, d time.Duration), err error) {
	if l.ledger == nil {
		return func(int, time.Duration) {}, nil
	}
	r.Time, r.Host = l.now(), l.host
	r.Dir, r.Command, r.Reason = l.redact.String(r.Dir), l.redact.String(r.Command), l.redact.String(r.Reason)
	id, err := l.ledger.Append(ctx, r)
	if err != nil {
		return nil, err
	}
	return func(exit int, d time.Duration) {
		ctx := context.WithoutCancel(ctx)
		if err := l.ledger.Finish(ctx, id, exit, d); err != nil && !errors.Is(err, context.Canceled) {
			l.log.WarnContext(ctx, "the end of a command could not be written to the command log", "error", err)
		}
	}, nil
}
