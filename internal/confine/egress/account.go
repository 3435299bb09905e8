package egress

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// mostNames is how many hosts below a domain of the list (*.domain) one account may ask for. Each name is looked up by whoever answers
// for the domain, so it tells him something; builds ask for a handful.
const mostNames = 100

// Account counts what one client sends, over all its connections. The zero value has sent nothing.
type Account struct {
	sent atomic.Int64 // bytes to hosts, and those that were refused for being too many

	mu    sync.Mutex
	names map[string]bool // hosts below domains that were asked for
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

// spent says what an account has used up, or "".
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
