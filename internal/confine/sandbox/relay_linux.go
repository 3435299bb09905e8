package sandbox

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	maxConns    = 64 // concurrent connections of a box
	dialTime    = 10 * time.Second
	acceptPause = 20 * time.Millisecond
	copySize    = 16 << 10
	bufferSize  = 128 << 10 // kernel buffer for each side of a connection, which could grow to megabytes otherwise
)

// relays serves the ports of one box. It holds at most maxConns connections, whatever the program does; none is left
// when close has returned.
type relays struct {
	ctx    context.Context
	cancel context.CancelFunc
	log    *slog.Logger
	slots  chan struct{}
	wg     sync.WaitGroup
	told   sync.Once // limits logging, since a program could fill the log

	mu    sync.Mutex
	open  map[io.Closer]bool
	ended bool
}

func newRelays(log *slog.Logger) *relays {
	r := &relays{log: log, slots: make(chan struct{}, maxConns), open: map[io.Closer]bool{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// serve forwards connections accepted on l. The listener is closed by close.
func (r *relays) serve(l net.Listener, to Reach) {
	if !r.hold(l) {
		return
	}
	r.wg.Go(func() {
		defer r.drop(l)
		for {
			c, err := l.Accept()
			if errors.Is(err, net.ErrClosed) || r.ctx.Err() != nil {
				if err == nil {
					c.Close()
				}
				return
			} else if err != nil { // out of descriptors: wait until some are closed
				r.pause()
				continue
			}
			select {
			case r.slots <- struct{}{}:
				r.wg.Go(func() { r.relay(c, to); <-r.slots })
			default:
				reset(c)
			}
		}
	})
}

func (r *relays) pause() {
	t := time.NewTimer(acceptPause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.ctx.Done():
	}
}

// relay connects an accepted connection with a new one on the worker's side, until both directions have ended.
func (r *relays) relay(in net.Conn, to Reach) {
	if !r.hold(in) {
		return
	}
	defer r.drop(in)
	ctx, cancel := context.WithTimeout(r.ctx, dialTime)
	out, err := to.Dial(ctx)
	cancel()
	if err != nil {
		r.told.Do(func() {
			r.log.Warn("sandbox: a program's connection came to nothing on our side", "port", to.Port, "err", err)
		})
		reset(in)
		return
	}
	if !r.hold(out) {
		return
	}
	defer r.drop(out)
	if c, ok := in.(*net.TCPConn); ok {
		c.SetWriteBuffer(bufferSize)
	}
	if c, ok := out.(*net.TCPConn); ok {
		c.SetReadBuffer(bufferSize)
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		pass(in, out)
	}()
	pass(out, in)
	<-back
}

// pass copies until src ends and then closes dst for writing. It ends both directions on an error, since no answer can
// arrive any more, and when dst can't be closed for writing.
func pass(dst, src net.Conn) {
	// Avoid splice: it would need two pipes for each connection, and a flood of connections exhausts descriptors.
	_, err := io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, make([]byte, copySize))
	half, ok := dst.(interface{ CloseWrite() error })
	if err == nil && ok && half.CloseWrite() == nil {
		return
	}
	dst.Close()
	src.Close()
}

// reset closes a connection so that the peer sees an error instead of an empty answer.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	c.Close()
}

// hold registers c to be closed at the end. It closes c and returns false after the end.
func (r *relays) hold(c io.Closer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		c.Close()
		return false
	}
	r.open[c] = true
	return true
}

func (r *relays) drop(c io.Closer) {
	r.mu.Lock()
	delete(r.open, c)
	r.mu.Unlock()
	c.Close()
}

// close ends every connection and returns when all goroutines have ended.
func (r *relays) close() {
	r.cancel()
	r.mu.Lock()
	r.ended = true
	for c := range r.open {
		c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}
