package egress

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// resolver answers from a table and records the lookups.
type resolver struct {
	mu    sync.Mutex
	table map[string][]string
	asked []string
}

func (r *resolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	host = strings.TrimSuffix(host, ".")
	r.asked = append(r.asked, host)
	var all []netip.Addr
	for _, a := range r.table[host] {
		all = append(all, netip.MustParseAddr(a))
	}
	if len(all) == 0 {
		return nil, errors.New("no such host")
	}
	return all, nil
}

// door is a proxy under test with a record of its callbacks.
type door struct {
	*Proxy
	address  string
	resolver *resolver

	mu     sync.Mutex
	denied []string
	opened []string
	dialed []string
	ends   chan struct{} // receives one value per report
}

func (d *door) note(list *[]string, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*list = append(*list, fmt.Sprintf(format, args...))
	select {
	case d.ends <- struct{}{}:
	default:
	}
}

func (d *door) seen(list *[]string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(*list)
}

// await waits until a list of reports has an entry with this text.
func (d *door) await(t *testing.T, list *[]string, text string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		if slices.ContainsFunc(d.seen(list), func(s string) bool { return strings.Contains(s, text) }) {
			return
		}
		select {
		case <-d.ends:
		case <-deadline:
			t.Fatalf("no report with %q: %q", text, d.seen(list))
		}
	}
}

// newDoor starts a proxy. Names resolve to this host unless the table says otherwise.
func newDoor(t testing.TB, c Config, table map[string][]string) *door {
	t.Helper()
	d := &door{resolver: &resolver{table: table}, ends: make(chan struct{}, 1000)}
	c.Setting = "LONGSHIFT_REGISTRIES"
	c.Resolver = d.resolver
	c.Denied = func(_ context.Context, host string, port int, why string) {
		d.note(&d.denied, "%s:%d %s", host, port, why)
	}
	c.Opened = func(host string, up, down int64, _ time.Duration) { d.note(&d.opened, "%s %d %d", host, up, down) }
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		d.note(&d.dialed, "%s", address)
		return dial(ctx, network, address)
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.Proxy = p
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// listen serves on a free port of loopback.
func (d *door) listen(t testing.TB) *door {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.address = l.Addr().String()
	own := &Account{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return // closed below
			}
			go d.ServeConn(context.Background(), conn, own)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
		_ = d.Close()
	})
	return d
}

// client is an HTTP client that uses the proxy.
func (d *door) client(t testing.TB) *http.Client {
	transport := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: d.address}),
		TLSClientConfig: &tls.Config{RootCAs: authorityOf(t).pool},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// ask sends raw bytes and returns the whole answer.
func (d *door) ask(t *testing.T, raw string) string {
	t.Helper()
	conn, err := net.Dial("tcp", d.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("%q: %v after %q", raw, err, answer)
	}
	return string(answer)
}

// tunnelTo opens a tunnel and returns its connection.
func (d *door) tunnelTo(t *testing.T, target string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", d.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	in := bufio.NewReader(conn)
	status, err := readStatus(in)
	if err != nil || status != "200" {
		t.Fatalf("tunnel to %s: %q, %v", target, status, err)
	}
	return buffered{conn, in}
}

// ca signs the certificates of the tests' registries.
type ca struct {
	pool *x509.CertPool
	root []byte // DER
	cert tls.Certificate
}

var authorityOf = func() func(testing.TB) *ca {
	var once sync.Once
	var made *ca
	return func(t testing.TB) *ca {
		once.Do(func() { made = newCA(t) })
		if made == nil {
			t.Fatal("no certificates")
		}
		return made
	}
}()

func newCA(t testing.TB) *ca {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the tests"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "registries of the tests"},
		NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		DNSNames: []string{"registry.test", "other.test", "*.wild.test", "proxy.test"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	var der [2][]byte
	for i, template := range []*x509.Certificate{root, leaf} {
		if der[i], err = x509.CreateCertificate(rand.Reader, template, root, &key.PublicKey, key); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der[0])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &ca{pool: pool, root: der[0], cert: tls.Certificate{Certificate: [][]byte{der[1], der[0]}, PrivateKey: key}}
}

func (c *ca) pemFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.root}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// registry starts a package server and returns its port.
func registry(t testing.TB, secure bool, handler http.HandlerFunc) int {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	if secure {
		s.TLS = &tls.Config{Certificates: []tls.Certificate{authorityOf(t).cert}}
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.Listener.Addr().(*net.TCPAddr).Port
}

var loopback = []string{"127.0.0.1"}

// clientHello returns the first message of Go's TLS client.
func clientHello(t testing.TB, name string, change func(*tls.Config)) []byte {
	t.Helper()
	config := &tls.Config{ServerName: name, InsecureSkipVerify: true}
	if change != nil {
		change(config)
	}
	a, b := net.Pipe()
	defer a.Close()
	go func() {
		_ = tls.Client(b, config).Handshake()
		_ = b.Close()
	}()
	raw, _, err := readHello(a)
	if err != nil && !errors.Is(err, errNoName) && !errors.Is(err, errHidden) {
		t.Fatal(err)
	}
	return raw
}
