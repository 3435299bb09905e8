package app

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/audit"
)

// mostRefusals is how many refused connections are logged per session and minute, so that a program that keeps trying can't fill the
// disk.
const mostRefusals = 30

// ledger is the part of the command log that adds entries.
type ledger interface {
	Append(ctx context.Context, r audit.Record) (id int64, err error)
}

// refusals writes refused connections, with their callers, to the command log.
type refusals struct {
	to  ledger
	now func() time.Time
	log *slog.Logger

	mu     sync.Mutex
	minute time.Time
	times  map[activities.Caller]int // counts of this minute
}

func newRefusals(to ledger, now func() time.Time, log *slog.Logger) *refusals {
	return &refusals{to: to, now: now, log: log}
}

func (r *refusals) note(ctx context.Context, host string, port int, why string) {
	who, now := activities.CallerOf(ctx), r.now()
	if !r.counts(who, now) {
		return
	}
	_, err := r.to.Append(context.WithoutCancel(ctx), audit.Record{
		Time: now, Task: who.Task, Session: who.Session, Role: who.Role, Host: who.Host, Kind: audit.KindDecision, Tool: "network",
		Command: net.JoinHostPort(host, strconv.Itoa(port)), Decision: audit.Deny, Rule: "egress", Reason: why})
	if err != nil {
		r.log.WarnContext(ctx, "a refused connection could not be written to the command log", "error", err)
	}
}

func (r *refusals) counts(who activities.Caller, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(r.minute) {
		r.minute, r.times = minute, map[activities.Caller]int{}
	}
	r.times[who]++
	return r.times[who] <= mostRefusals
}
