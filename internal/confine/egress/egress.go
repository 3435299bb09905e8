// Package egress is the only way for confined programs to reach the network: a forward proxy that allows TLS to listed
// package registries, and plain HTTP only where the operator lists it. It checks the requested name, its address and the
// name in the TLS handshake, and it limits time, connections and uploads. It may not decrypt TLS, store anything, or
// decide what belongs on the list.
//
// What it can't see: inside TLS a client may ask a large front end for another of its sites, and it may send data to a
// registry in the names it requests or the packages it publishes. The upload limits bound this, but don't prevent it.
package egress

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy serves any number of connections.
type Proxy struct {
	config   Config
	upstream *upstream // nil: hosts are dialled directly
	slots    chan struct{}
	said     sync.Map // warnings that were logged

	ctx    context.Context // canceled by Close
	cancel context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// New checks the configuration and returns a proxy. Errors are faults that name the setting; none contains a password.
func New(c Config) (*Proxy, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	p := &Proxy{config: c, slots: make(chan struct{}, c.Limits.Conns)}
	if c.Upstream != "" {
		if p.upstream, err = parseUpstream(c.Upstream); err != nil {
			return nil, err
		}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// ServeConn serves one connection of a client and closes it; its uploads count for the account. It returns when the
// connection has ended, or soon after ctx ends or the proxy closes. When all slots are in use, or the account's share of
// them, it answers with an error at once.
func (p *Proxy) ServeConn(ctx context.Context, conn net.Conn, account *Account) {
	if !p.begin() {
		_ = conn.Close()
		return
	}
	defer p.running.Done()
	if full := p.enter(account); full != "" {
		_ = conn.SetDeadline(time.Now().Add(p.config.Limits.Header))
		p.answer(conn, &refusal{status: 503, text: full})
		_ = conn.Close()
		return
	}
	defer p.leave(account)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	p.handle(ctx, conn, account)
}

// Close ends all connections and waits for them. It must not be called from a callback.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	p.mu.Unlock()
	p.running.Wait()
	return nil
}

// begin counts a connection in. It fails when the proxy is closed.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.running.Add(1)
	}
	return !p.closed
}

// enter takes a slot for a connection of the account. full says why there is none, "" when there is.
func (p *Proxy) enter(a *Account) (full string) {
	if most := max(1, p.config.Limits.Conns/4); a.open.Add(1) > int64(most) {
		a.open.Add(-1)
		return fmt.Sprintf("%d connections of this client are open; try again", most)
	}
	select {
	case p.slots <- struct{}{}:
		return ""
	default:
		a.open.Add(-1)
		return fmt.Sprintf("%d connections are open; try again", p.config.Limits.Conns)
	}
}

func (p *Proxy) leave(a *Account) {
	a.open.Add(-1)
	<-p.slots
}

// mostNames is how many hosts below a listed domain (*.domain) one account may ask for. Each lookup reaches the domain's
// own name servers, so names can carry data out; builds need only a handful.
const mostNames = 100

// Account counts a client's connections and what it sends over all of them. The zero value is ready to use.
type Account struct {
	sent atomic.Int64 // bytes sent to hosts, and bytes refused by a limit
	open atomic.Int64 // connections that have a slot

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
