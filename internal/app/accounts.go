package app

import (
	"sync"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/confine/egress"
)

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
