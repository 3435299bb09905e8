package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// handle serves one connection and closes it.
func (p *Proxy) handle(ctx context.Context, conn net.Conn, account *Account) {
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, p.config.Limits.Total)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	// One deadline for the whole header: a client gains nothing by sending a byte now and then.
	_ = conn.SetDeadline(time.Now().Add(p.config.Limits.Header))
	in := bufio.NewReader(conn)
	q, err := readRequest(in)
	switch {
	case errors.Is(err, errHeader):
		p.refuse(ctx, conn, deny("", 0, "the request %v; no setting allows that", errHeader))
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.report(ctx, deny("", 0, "no whole request within %v", p.config.Limits.Header))
	case err != nil: // the client is gone
	case q.method == "CONNECT":
		p.tunnel(ctx, buffered{conn, in}, q, account)
	default:
		p.forward(ctx, buffered{conn, in}, q, account)
	}
}

// admit finds the rule for a host and connects, if the account is within its limits.
func (p *Proxy) admit(ctx context.Context, to authority, plain bool, account *Account) (net.Conn, Rule, *refusal) {
	rule, why := find(p.config.rulesFor(ctx), to.host, to.port, plain)
	if why != "" {
		return nil, rule, deny(to.host, to.port, "%s; the operator can add it to %s", why, p.config.Setting)
	}
	if all := p.spent(account); all != "" {
		return nil, rule, deny(to.host, to.port, "gets nothing more: the client has sent %s", all)
	}
	if rule.Host != to.host && !account.mayName(to.host) {
		return nil, rule, deny(to.host, to.port, "is one name too many below %s, after %d; no setting allows that", rule.Host, mostNames)
	}
	server, r := p.connect(ctx, to, rule)
	return server, rule, r
}

// tunnel serves a CONNECT. The client gets its answer before it sends the TLS hello that names its host; nothing is sent
// to the host until that name is checked.
func (p *Proxy) tunnel(ctx context.Context, client buffered, q *request, account *Account) {
	to, r := parseAuthority(q.target, 0)
	if r != nil {
		p.refuse(ctx, client, r)
		return
	}
	server, _, r := p.admit(ctx, to, false, account)
	if r != nil {
		_ = client.SetDeadline(time.Now().Add(p.config.Limits.Header))
		p.refuse(ctx, client, r)
		return
	}
	defer server.Close()
	_ = client.SetDeadline(time.Now().Add(p.config.Limits.Header))
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	raw, name, err := readHello(client)
	if err != nil && len(raw) == 0 && !errors.Is(err, os.ErrDeadlineExceeded) && !isHello(err) {
		return // the client has disconnected
	}
	if r := p.judgeHello(to, name, err); r != nil {
		_ = server.Close()
		p.report(ctx, r)
		alert(client)
		return
	}
	p.relay(ctx, &link{client: client, server: server, to: to, first: raw, upload: noLimit, account: account})
}

// judgeHello compares the name in the TLS hello with the host of the tunnel.
func (p *Proxy) judgeHello(to authority, name string, err error) *refusal {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return deny(to.host, to.port, "no TLS hello within %v", p.config.Limits.Header)
	case err != nil && !isHello(err):
		return deny(to.host, to.port, "the client ended in its TLS hello")
	case err != nil:
		return deny(to.host, to.port, "the client %v; no setting allows that", err)
	}
	if inside, why := hostName(name); why != "" || inside != to.host {
		return deny(to.host, to.port, "the client asks for %s inside the tunnel; no setting allows that", shown(name))
	}
	return nil
}

// alert refuses a TLS client with the fatal alert unrecognized_name: it no longer expects an HTTP answer.
func alert(client net.Conn) {
	if _, err := client.Write([]byte{21, 3, 3, 0, 2, 2, 112}); err == nil {
		linger(client)
	}
}
