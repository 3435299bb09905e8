package egress

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// upstream is the operator's own proxy. Its credentials must not appear in any message.
type upstream struct {
	address string
	host    string
	secure  bool
	login   string // value of Proxy-Authorization, or ""
	roots   *tls.Config
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// parseUpstream parses the URL. Errors never contain it, since it may hold a password.
func parseUpstream(text string) (*upstream, error) {
	wrong := func(why string) error {
		return fault.New(fault.Input, "the upstream proxy's URL %s", why).
			WithHint("write it as http://proxy.example:3128 or https://user:password@proxy.example")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, wrong("is malformed")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, wrong("has a scheme other than http and https")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, wrong("names no host")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, wrong("has more than a host and a port")
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	if _, ok := parsePort(port); !ok {
		return nil, wrong("has no proper port")
	}
	up := &upstream{address: net.JoinHostPort(u.Hostname(), port), host: u.Hostname(), secure: u.Scheme == "https"}
	if u.User != nil {
		password, _ := u.User.Password()
		up.login = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	return up, nil
}

// connect dials the proxy and, for TLS, asks it for a tunnel. Plain HTTP is sent to the proxy itself.
func (u *upstream) connect(ctx context.Context, dial dialFunc, to authority, plain bool) (net.Conn, error) {
	conn, err := dial(ctx, "tcp", u.address)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", u.address, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	conn, err = u.prepare(ctx, conn, to, plain)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// prepare returns the connection to continue with, even when it fails.
func (u *upstream) prepare(ctx context.Context, conn net.Conn, to authority, plain bool) (net.Conn, error) {
	if u.secure {
		config := cmp.Or(u.roots.Clone(), &tls.Config{})
		config.ServerName = u.host
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			return conn, fmt.Errorf("TLS with %s: %w", u.address, err)
		}
		conn = secure
	}
	if plain {
		return conn, nil
	}
	target := net.JoinHostPort(to.host, strconv.Itoa(to.port))
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", target, target, u.header()); err != nil {
		return conn, fmt.Errorf("ask %s: %w", u.address, err)
	}
	in := bufio.NewReader(conn)
	status, err := readStatus(in)
	if err != nil {
		return conn, fmt.Errorf("answer of %s: %w", u.address, err)
	}
	if status[0] != '2' {
		return conn, fmt.Errorf("%s answered %s", u.address, status)
	}
	return buffered{conn, in}, nil
}

// header is the header line with the credentials, including its line end, or "".
func (u *upstream) header() string {
	if u.login == "" {
		return ""
	}
	return "Proxy-Authorization: " + u.login + "\r\n"
}

// readStatus reads the header of an answer and returns its status code.
func readStatus(r *bufio.Reader) (string, error) {
	left := maxHeader
	line, err := readLine(r, &left)
	if err != nil {
		return "", err
	}
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 2 || !strings.HasPrefix(parts[0], "HTTP/1.") || len(parts[1]) != 3 || strings.Trim(parts[1], "0123456789") != "" {
		return "", errors.New("not HTTP")
	}
	for line != "" {
		if line, err = readLine(r, &left); err != nil {
			return "", err
		}
	}
	return parts[1], nil
}

// buffered is a connection whose first bytes have already been read into a buffer.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

func (b buffered) Read(p []byte) (int, error) { return b.in.Read(p) }

// CloseWrite closes the sending direction if the connection supports that.
func (b buffered) CloseWrite() error {
	half, ok := b.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
