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

// refusal is why a request is not forwarded.
type refusal struct {
	status int
	host   string // as the client named it, printable; may be empty
	port   int
	text   string // follows host and port: the reason, and what would allow it
}

// Error is the one line that the client sees.
func (r *refusal) Error() string {
	who := r.host
	if r.port > 0 {
		who += ":" + strconv.Itoa(r.port)
	}
	return strings.TrimSpace(who + " " + r.text)
}

// deny is a refusal by the rules.
func deny(host string, port int, format string, args ...any) *refusal {
	return &refusal{403, shown(host), port, fmt.Sprintf(format, args...)}
}

// broken is a refusal because of an error, such as an unreachable host.
func broken(host string, port int, format string, args ...any) *refusal {
	return &refusal{502, shown(host), port, fmt.Sprintf(format, args...)}
}

// shown makes client input safe for logs and terminals.
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

// refuse reports a refusal and sends it to the client.
func (p *Proxy) refuse(ctx context.Context, conn net.Conn, r *refusal) {
	p.report(ctx, r)
	p.answer(conn, r)
}

func (p *Proxy) report(ctx context.Context, r *refusal) {
	// The command log has it, within bounds: a program that keeps trying must not fill a disk.
	p.config.Log.Debug("network access refused", "host", r.host, "port", r.port, "why", r.text)
	p.config.Denied(ctx, r.host, r.port, r.text)
}

// answer sends the refusal. Package managers show the reason phrase of a failed CONNECT but not its body, so the text is
// in both.
func (p *Proxy) answer(conn net.Conn, r *refusal) {
	body := "longshift: " + r.Error() + "\n"
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n%s", r.status, strings.TrimSpace(body), len(body), body)
	if err == nil {
		linger(conn)
	}
}

// linger keeps reading for a moment: closing a connection with unread bytes can discard the answer.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	_, _ = io.CopyN(io.Discard, conn, 64<<10)
}
