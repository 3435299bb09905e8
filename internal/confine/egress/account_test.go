package egress

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// through is a client whose connections count for an account.
func (d *door) through(t *testing.T, a *Account) *http.Client {
	c := d.client(t)
	c.Transport.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go d.ServeConn(t.Context(), theirs, a)
		return ours, nil
	}

	return c
}

// An account limits all of a client's connections together, for any host; after that each connection is refused, naming
// the operator's setting. Other clients have accounts of their own.
func TestAccount(t *testing.T) {
	var received atomic.Int64
	port := registry(t, true, func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		received.Add(n)
	})
	var rules []Rule
	table := map[string][]string{}
	for _, host := range []string{"registry.test", "mirror.test"} {
		rules, table[host] = append(rules, Rule{Host: host, Ports: []int{port}, Internal: true}), loopback
	}
	const total = 1_000_000
	d := newDoor(t, Config{Rules: rules, Limits: Limits{UploadTotal: total}, Budget: "LONGSHIFT_EGRESS_UPLOAD"}, table)
	var greedy, other Account
	var all sync.WaitGroup
	for i := range 40 {
		c := d.through(t, &greedy)
		all.Go(func() {
			for range 3 {
				if resp, err := c.Post(fmt.Sprintf("https://%s:%d/", rules[i%2].Host, port), "", bytes.NewReader(make([]byte, 50_000))); err == nil {
					_ = resp.Body.Close()
				}
			}
		})
	}
	all.Wait()
	if n := received.Load(); n > total || n < total/2 {
		t.Errorf("the registries got %d bytes of %d", n, total)
	}
	d.await(t, &d.denied, "1000000 bytes over all connections; the operator can raise LONGSHIFT_EGRESS_UPLOAD")
	dialed := len(d.seen(&d.dialed))
	_, err := d.through(t, &greedy).Get(fmt.Sprintf("https://registry.test:%d/", port))
	const line = "gets nothing more: the client has sent 1000000 bytes over all connections; the operator can raise LONGSHIFT_EGRESS_UPLOAD"
	if err == nil || !strings.Contains(err.Error(), line) || len(d.seen(&d.dialed)) != dialed {
		t.Errorf("got %v, and %d more were dialled", err, len(d.seen(&d.dialed))-dialed)
	}
	if resp, err := d.through(t, &other).Get(fmt.Sprintf("https://registry.test:%d/", port)); err != nil {
		t.Errorf("another client: %v", err)
	} else {
		_ = resp.Body.Close()
	}
}

// A name below a domain is resolved by the domain's name servers, so names carry data; a client may use few of them.
func TestNamesBelowADomain(t *testing.T) {
	d := newDoor(t, Config{Rules: []Rule{{Host: "*.packages.test"}, {Host: "registry.test"}}}, map[string][]string{})
	var a Account
	ask := func(host string) string {
		ours, theirs := net.Pipe()
		go d.ServeConn(t.Context(), theirs, &a)
		defer ours.Close()
		go fmt.Fprintf(ours, "CONNECT %s:443 HTTP/1.1\r\n\r\n", host)
		line, err := bufio.NewReader(ours).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	for i := range 3 * mostNames {
		ask(fmt.Sprintf("%032x.packages.test", i))
	}
	asked := slices.Compact(slices.Sorted(slices.Values(d.resolver.asked)))
	if len(asked) != mostNames {
		t.Errorf("%d names were looked up", len(asked))
	}
	if line := ask("one-more.packages.test"); !strings.Contains(line, "one name too many below *.packages.test, after 100") {
		t.Errorf("got %q", line)
	}
	for _, host := range []string{asked[0], "registry.test"} { // a name used before, and one that the list itself contains
		if line := ask(host); !strings.Contains(line, "can't be resolved") {
			t.Errorf("%s: %q", host, line)
		}
	}
}

// No host for publishing packages is on the default list. npm, rubygems.org and plugins.gradle.org accept packages at the
// host that serves them; there only the limits apply.
func TestNoHostForUploads(t *testing.T) {
	d := newDoor(t, Config{}, map[string][]string{})
	for host := range strings.FieldsSeq(`upload.pypi.org test.pypi.org crates.io www.nuget.org central.sonatype.com oss.sonatype.org s01.oss.sonatype.org ghcr.io
		registry-1.docker.io index.docker.io auth.docker.io quay.io public.ecr.aws api.github.com uploads.github.com github.com npm.pkg.github.com
		maven.pkg.github.com nuget.pkg.github.com rubygems.pkg.github.com gitlab.com push.fury.io jsr.io hex.pm pub.dev upload.cloudsmith.io`) {
		ours, theirs := net.Pipe()
		go d.ServeConn(t.Context(), theirs, &Account{})
		go fmt.Fprintf(ours, "CONNECT %s:443 HTTP/1.1\r\n\r\n", host)
		line, err := bufio.NewReader(ours).ReadString('\n')
		if err != nil || !strings.Contains(line, "is not a listed host") {
			t.Errorf("%s: %q, %v", host, line, err)
		}
		_ = ours.Close()
	}
	if len(d.resolver.asked) > 0 {
		t.Errorf("looked up %q", d.resolver.asked)
	}
}
