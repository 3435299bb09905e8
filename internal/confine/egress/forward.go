package egress

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// forward serves a plain HTTP request. Each connection carries one request, so that no second one passes unchecked.
func (p *Proxy) forward(ctx context.Context, client buffered, q *request, account *Account) {
	to, path, r := q.plainTarget()
	var length int64
	if r == nil {
		length, r = q.bodyLength(to)
	}
	if r != nil {
		p.refuse(ctx, client, r)
		return
	}
	server, rule, r := p.admit(ctx, to, true, account)
	if r != nil {
		_ = client.SetDeadline(time.Now().Add(p.config.Limits.Header))
		p.refuse(ctx, client, r)
		return
	}
	defer server.Close()
	login := ""
	if p.upstream != nil && !rule.Internal {
		path, login = "http://"+to.name()+path, p.upstream.header()
	}
	p.relay(ctx, &link{client: client, server: server, to: to, first: q.header(to, path, login), upload: length, account: account})
}

// name is the host, with the port unless it is 80.
func (a authority) name() string {
	if a.port == 80 {
		return a.host
	}
	return a.host + ":" + strconv.Itoa(a.port)
}

// plainTarget parses the absolute target. It must match the Host field: the host may go by that field, while the rules
// go by the target.
func (q *request) plainTarget() (to authority, path string, r *refusal) {
	rest, ok := strings.CutPrefix(q.target, "http://")
	if !ok {
		return to, "", deny(q.target, 0, "is asked for in a way that this proxy has not; use CONNECT for TLS")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if to, r = parseAuthority(rest[:end], 80); r != nil {
		return to, "", r
	}
	if path = rest[end:]; !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.Contains(path, "#") || strings.IndexFunc(path, func(c rune) bool { return c <= ' ' || c >= 0x7f }) >= 0 {
		return to, "", deny(to.host, to.port, "the path is malformed; no setting allows that")
	}
	hosts := q.all("host")
	if len(hosts) != 1 {
		return to, "", deny(to.host, to.port, "the request has %d Host fields; no setting allows that", len(hosts))
	}
	named, wrong := parseAuthority(hosts[0], 80)
	if wrong != nil || named.host != to.host || named.port != to.port {
		return to, "", deny(to.host, to.port, "the Host field names %s; no setting allows that", shown(hosts[0]))
	}
	return to, path, nil
}

func (q *request) bodyLength(to authority) (int64, *refusal) {
	lengths := q.all("content-length")
	if len(q.all("transfer-encoding")) > 0 || len(lengths) > 1 {
		return 0, deny(to.host, to.port, "the request's body has no plain length; send it with one Content-Length")
	}
	if len(lengths) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseUint(lengths[0], 10, 62)
	if err != nil {
		return 0, deny(to.host, to.port, "the request's Content-Length is no number")
	}
	return int64(n), nil
}

// hop are the fields that apply to one connection only.
var hop = []string{"connection", "proxy-connection", "proxy-authorization", "proxy-authenticate", "keep-alive", "te", "trailer",
	"upgrade", "http2-settings", "host"}

// header builds the request header to send, from the parsed parts.
func (q *request) header(to authority, path, login string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n", q.method, path, to.name(), login)
	drop := hop
	for _, list := range q.all("connection") {
		for name := range strings.SplitSeq(list, ",") {
			drop = append(slices.Clip(drop), strings.ToLower(strings.TrimSpace(name)))
		}
	}
	drop = slices.DeleteFunc(slices.Clone(drop), func(name string) bool { return name == "content-length" }) // set from the parsed length
	for _, f := range q.fields {
		if !slices.Contains(drop, f.name) {
			fmt.Fprintf(&b, "%s: %s\r\n", f.name, f.value)
		}
	}
	_, _ = io.WriteString(&b, "\r\n")
	return []byte(b.String())
}
