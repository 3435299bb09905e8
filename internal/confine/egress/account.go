package egress

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// mostNames is how many hosts below a listed domain (*.domain) one account may ask for. Each lookup reaches the domain's
// own name servers, so names can carry data out; builds need only a handful.
const mostNames = 100

// Account counts what one client sends over all its connections. The zero value is ready to use.
type Account struct {
	sent atomic.Int64 // bytes sent to hosts, and bytes refused by a limit

	mu    sync.Mutex
	names map[string]bool // hosts below listed domains that were asked for
}

// mayName reports whether the account may ask for a host below a domain.
func (a *Account) mayName(host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.names[host] {
		return true
	}
	if len(a.names) >= mostNames {
		return false
	}
	if a.names == nil {
		a.names = map[string]bool{}
	}
	a.names[host] = true
	return true
}

// spent returns the limit that an account has reached, or "".
func (p *Proxy) spent(a *Account) string {
	total := p.config.Limits.UploadTotal
	if total <= 0 || a.sent.Load() < total {
		return ""
	}
	text := fmt.Sprintf("%d bytes over all connections", total)
	if p.config.Budget != "" {
		text += "; the operator can raise " + p.config.Budget
	}
	return text
}
