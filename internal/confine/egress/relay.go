package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"sync/atomic"
	"time"
)

const noLimit = math.MaxInt64

// link is a client and a host that talk.
type link struct {
	client buffered
	server net.Conn
	to     authority
	first  []byte // goes to the host before anything else
	upload int64  // bytes that the client still may send; the host's answer is awaited after them

	account  *Account
	up, down atomic.Int64
	active   atomic.Int64 // the last moment with a byte, in nanoseconds since began
	began    time.Time
}

// errUpload ends a connection that sends too much.
var errUpload = errors.New("upload limit")

// relay carries bytes both ways until one side ends, a limit is reached or ctx ends.
func (p *Proxy) relay(ctx context.Context, link *link) {
	link.began = time.Now()
	ends := func() {
		_ = link.client.Close()
		_ = link.server.Close()
	}
	defer context.AfterFunc(ctx, ends)()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if link.copyDown(p.config.Limits.Idle) != nil || link.upload != noLimit {
			ends() // or else the client may still send
		}
	}()
	err := link.copyUp(p)
	if err != nil {
		ends()
	}
	<-answered
	if errors.Is(err, errUpload) {
		p.report(ctx, deny(link.to.host, link.to.port, "the client wanted to send more than %s", p.uploadLimit(link.account)))
	}
	p.config.Opened(link.to.host, link.up.Load(), link.down.Load(), time.Since(link.began))
}

func (p *Proxy) uploadLimit(a *Account) string {
	if all := p.spent(a); all != "" {
		return all
	}
	return fmt.Sprintf("%d bytes over one connection", p.config.Limits.Upload)
}

// copyUp sends what comes before, then what the client sends. It returns nil when the client has no more to say.
func (l *link) copyUp(p *Proxy) error {
	if err := l.send(p, l.first); err != nil {
		return err
	}
	buffer := make([]byte, 32<<10)
	for l.upload > 0 {
		n, err := l.read(l.client, buffer[:min(int64(len(buffer)), l.upload)], p.config.Limits.Idle)
		if l.upload != noLimit {
			l.upload -= int64(n)
		}
		if n > 0 {
			if sendErr := l.send(p, buffer[:n]); sendErr != nil {
				return sendErr
			}
		}
		if errors.Is(err, io.EOF) {
			return closeWrite(l.server)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// send writes to the host, if the limits allow all of it.
func (l *link) send(p *Proxy, b []byte) error {
	n := int64(len(b))
	total := l.account.sent.Add(n)
	if l.up.Load()+n > p.config.Limits.Upload || p.config.Limits.UploadTotal > 0 && total > p.config.Limits.UploadTotal {
		return errUpload
	}
	_ = l.server.SetWriteDeadline(time.Now().Add(p.config.Limits.Idle))
	written, err := l.server.Write(b)
	l.up.Add(int64(written))
	return err
}

// copyDown carries what the host sends. It returns nil when the host has no more to say and the client has been told.
func (l *link) copyDown(idle time.Duration) error {
	buffer := make([]byte, 32<<10)
	for {
		n, err := l.read(l.server, buffer, idle)
		if n > 0 {
			_ = l.client.SetWriteDeadline(time.Now().Add(idle))
			written, writeErr := l.client.Write(buffer[:n])
			l.down.Add(int64(written))
			if writeErr != nil {
				return writeErr
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return closeWrite(l.client)
		case err != nil:
			return err
		}
	}
}

// read waits for bytes for as long as the other direction moves, and idle longer.
func (l *link) read(conn net.Conn, b []byte, idle time.Duration) (int, error) {
	for {
		last := l.began.Add(time.Duration(l.active.Load()))
		_ = conn.SetReadDeadline(last.Add(idle))
		n, err := conn.Read(b)
		if n > 0 {
			l.active.Store(int64(time.Since(l.began)))
			return n, err
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && l.began.Add(time.Duration(l.active.Load())).After(last) {
			continue
		}
		return n, err
	}
}

// closeWrite says that no more will be sent. A connection that can't say so is an error: it must be closed whole.
func closeWrite(conn net.Conn) error {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
