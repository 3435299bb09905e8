package app

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/egress"
)

// A caller keeps its account for as long as it may come back, and shares it with nobody.
func TestAccountsOfCallers(t *testing.T) {
	a := newAccounts()
	session := activities.Caller{Task: "t", Session: "s", Role: "implementer", Host: "h"}
	seen := map[*egress.Account]bool{}
	for _, who := range []activities.Caller{session, {Task: "t", Session: "s2", Role: "implementer", Host: "h"},
		{Task: "t", Role: "check", Host: "h"}, {Task: "u", Role: "check", Host: "h"}, {}} {
		first := a.of(who)
		seen[first] = true
		if a.of(who) != first {
			t.Errorf("%+v begins anew", who)
		}
	}
	if len(seen) != 5 {
		t.Errorf("5 callers have %d accounts", len(seen))
	}
	first := a.of(session)
	for i := range 3 * mostAccounts {
		a.of(activities.Caller{Task: fmt.Sprint(i)})
	}
	if len(a.byCaller) != mostAccounts || len(a.order) != mostAccounts || a.of(session) == first {
		t.Errorf("%d accounts are remembered", len(a.byCaller))
	}
}

// What the operator sets is what a session may send, and the refusal names the setting.
func TestUploadOfASession(t *testing.T) {
	host, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = host.Close() })
	go func() { // a mirror that takes whatever comes
		for {
			conn, err := host.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, req.Body)
					_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
				}
			}()
		}
	}()
	address := fmt.Sprintf("localhost:%d", host.Addr().(*net.TCPAddr).Port)
	cfg, err := config.Load(func(name string) (string, bool) {
		v, ok := map[string]string{"HOME": t.TempDir(), "LONGSHIFT_REGISTRIES": "http://" + address + " internal", "LONGSHIFT_EGRESS_UPLOAD": "1"}[name]
		return v, ok
	})
	must(t, err)
	var log entries
	proxy, err := newEgress(cfg, &log, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, proxy.Close()) })
	a := newAccounts()
	send := func(session string) string {
		who := activities.Caller{Task: "t", Session: session}
		ours, theirs := net.Pipe()
		served := make(chan struct{})
		go func() {
			defer close(served)
			proxy.ServeConn(context.Background(), theirs, a.of(who))
		}()
		defer func() { <-served }() // its refusal is written then
		defer ours.Close()
		go fmt.Fprintf(ours, "POST http://%s/ HTTP/1.1\r\nHost: %s\r\nContent-Length: 400000\r\n\r\n%s", address, address, strings.Repeat("x", 400_000))
		answer, _ := io.ReadAll(ours)
		return string(answer)
	}
	for i, want := range []string{"204", "204", "", "LONGSHIFT_EGRESS_UPLOAD"} {
		if got := send("one"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("upload %d: %q", i, got)
		}
	}
	if got := send("two"); !strings.Contains(got, "204") {
		t.Errorf("another session: %q", got)
	}
	if last := log[len(log)-1]; last.Tool != "network" || !strings.Contains(last.Reason, "the operator can raise LONGSHIFT_EGRESS_UPLOAD") {
		t.Errorf("the command log says %+v", last)
	}
}
