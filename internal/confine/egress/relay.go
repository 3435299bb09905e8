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

// link is an allowed connection between a client and a host.
type link struct {
	client buffered
	server net.Conn
	to     authority
	first  []byte // sent to the host first
	upload int64  // bytes that the client may still send; after them only the host's answer is awaited

	account  *Account
	up, down atomic.Int64
	active   atomic.Int64 // last time a byte was read, in nanoseconds since began
	began    time.Time
}

// errUpload ends a connection that exceeds its upload limit.
var errUpload = errors.New("upload limit")

// relay copies in both directions until one side ends, a limit is reached or ctx ends.
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
			ends() // otherwise the client could go on sending
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

// copyUp sends first, then what the client sends. It returns nil at the end of the client's data.
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

// send writes to the host, unless a limit forbids part of it.
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

// copyDown copies from the host. It returns nil at the end of the host's data, once the client's side is closed.
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

// read reads from conn. It times out when neither direction has moved for idle.
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

// closeWrite closes the sending direction. It fails when the connection does not support that, and must then be closed
// as a whole.
func closeWrite(conn net.Conn) error {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
