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
	"github.com/longshift/longshift/internal/confine/egress"
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

// mostAccounts is how many callers are remembered. The oldest is dropped first. No host runs this many sessions.
const mostAccounts = 1000

// accounts assigns each caller an account for its registry traffic. A resumed session keeps its account.
type accounts struct {
	mu       sync.Mutex
	byCaller map[activities.Caller]*egress.Account
	order    []activities.Caller
}

func newAccounts() *accounts { return &accounts{byCaller: map[activities.Caller]*egress.Account{}} }

func (a *accounts) of(who activities.Caller) *egress.Account {
	a.mu.Lock()
	defer a.mu.Unlock()
	if account := a.byCaller[who]; account != nil {
		return account
	}
	if len(a.order) == mostAccounts {
		delete(a.byCaller, a.order[0])
		a.order = a.order[1:]
	}
	a.byCaller[who], a.order = &egress.Account{}, append(a.order, who)
	return a.byCaller[who]
}
