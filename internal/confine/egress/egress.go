// Package egress is the one door through which confined programs reach the network: a forward proxy that lets TLS through
// to listed package registries, and plain HTTP only where the operator has listed it. It checks the name that is asked for,
// the address that it leads to and the name inside the TLS handshake, and it limits time, connections and what is sent out.
// It may not open TLS, store anything, or decide what belongs on the list.
//
// What it can't see: inside the TLS connection a client may ask a large front end for another of its sites, and a registry
// can be told things in the names that are asked of it, or in a package that is published to it. The limits on what is sent bound all of
// these and stop none.
package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// Proxy is the door. One serves any number of listeners and connections.
type Proxy struct {
	config   Config
	upstream *upstream // nil: straight to the hosts
	slots    chan struct{}
	own      Account  // of the listeners' connections
	said     sync.Map // warnings of which the operator was told

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]struct{}
	running   sync.WaitGroup
}

// New checks the configuration and makes a proxy. Errors are faults that name the setting; none holds a password.
func New(c Config) (*Proxy, error) {
	c, err := c.checked()
	if err != nil {
		return nil, err
	}
	p := &Proxy{config: c, slots: make(chan struct{}, c.Limits.Conns), listeners: map[net.Listener]struct{}{}}
	if c.Upstream != "" {
		if p.upstream, err = parseUpstream(c.Upstream); err != nil {
			return nil, err
		}
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Serve takes connections until Close, and then returns nil. When all slots are in use the next ones wait in the kernel, so
// that a flood of them costs this process nothing.
func (p *Proxy) Serve(l net.Listener) error {
	if !p.add(l) {
		return l.Close()
	}
	defer p.remove(l)
	for {
		select {
		case p.slots <- struct{}{}:
		case <-p.ctx.Done():
			return nil
		}
		conn, err := l.Accept()
		if err == nil && p.begin() {
			go func() {
				defer p.running.Done()
				defer p.free()
				p.handle(p.ctx, conn, &p.own)
			}()
			continue
		}
		p.free()
		switch {
		case p.ctx.Err() != nil:
			if conn != nil {
				_ = conn.Close()
			}
			return nil
		case !passing(err):
			return fmt.Errorf("accept connections to registries: %w", err)
		case !p.wait(50 * time.Millisecond):
			return nil
		}
	}
}

// passing tells an error of one connection or moment from one of the listener.
func passing(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, syscall.EINTR)
}

// ServeConn serves one connection of a client and closes it; what it sends is counted to the account. It returns when the connection has ended, or soon after ctx or the proxy
// has. When all slots are in use the client is told so at once.
func (p *Proxy) ServeConn(ctx context.Context, conn net.Conn, account *Account) {
	if !p.begin() {
		_ = conn.Close()
		return
	}
	defer p.running.Done()
	select {
	case p.slots <- struct{}{}:
		defer p.free()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(p.ctx, cancel)()
		p.handle(ctx, conn, account)
	default:
		_ = conn.SetDeadline(time.Now().Add(p.config.Limits.Header))
		p.answer(conn, &refusal{status: 503, text: fmt.Sprintf("%d connections are open; try again", p.config.Limits.Conns)})
		_ = conn.Close()
	}
}

// Close ends every listener and connection and waits for them. It must not be called from a callback.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	var errs []error
	for l := range p.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	p.mu.Unlock()
	p.running.Wait()
	return errors.Join(errs...)
}

// begin counts a connection in, unless the proxy is closed.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.running.Add(1)
	}
	return !p.closed
}

func (p *Proxy) add(l net.Listener) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.listeners[l] = struct{}{}
	}
	return !p.closed
}

func (p *Proxy) remove(l net.Listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.listeners, l)
	_ = l.Close()
}

func (p *Proxy) free() { <-p.slots }

func (p *Proxy) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}
