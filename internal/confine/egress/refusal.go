package egress

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// refusal is why a request goes no further.
type refusal struct {
	status int
	host   string // as the client named it, printable; may be empty
	port   int
	text   string // after host and port: why, and what would allow it
}

// Error returns the one line that the client sees.
func (r *refusal) Error() string {
	who := r.host
	if r.port > 0 {
		who += ":" + strconv.Itoa(r.port)
	}
	return strings.TrimSpace(who + " " + r.text)
}

// deny refuses what is against the rules.
func deny(host string, port int, format string, args ...any) *refusal {
	return &refusal{403, shown(host), port, fmt.Sprintf(format, args...)}
}

// broken refuses what can't be done now.
func broken(host string, port int, format string, args ...any) *refusal {
	return &refusal{502, shown(host), port, fmt.Sprintf(format, args...)}
}

// shown makes what a client wrote fit for a log and a terminal.
func shown(s string) string {
	const most = 120
	if len(s) > most {
		s = s[:most] + "..."
	}
	quoted := strconv.QuoteToASCII(s)
	if quoted == `"`+s+`"` {
		return s
	}
	return quoted
}

// refuse reports a refusal and answers the client with it.
func (p *Proxy) refuse(ctx context.Context, conn net.Conn, r *refusal) {
	p.report(ctx, r)
	p.answer(conn, r)
}

func (p *Proxy) report(ctx context.Context, r *refusal) {
	p.config.Log.Info("network access refused", "host", r.host, "port", r.port, "why", r.text)
	p.config.Denied(ctx, r.host, r.port, r.text)
}

// answer writes the refusal. Package managers show the reason phrase of a failed CONNECT and not its body, so both have it.
func (p *Proxy) answer(conn net.Conn, r *refusal) {
	body := "longshift: " + r.Error() + "\n"
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		r.status, strings.TrimSpace(body), len(body), body)
	if err == nil {
		linger(conn)
	}
}

// linger reads on for a moment: closing a connection with unread bytes can take the answer away from the client.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	_, _ = io.CopyN(io.Discard, conn, 64<<10)
}
