package app

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/confine/egress"
)

type entries []audit.Record

func (e *entries) Append(_ context.Context, r audit.Record) (int64, error) {
	*e = append(*e, r)
	return int64(len(*e)), nil
}

// A program that tries on and on gets so many lines a minute, and none of another's.
func TestRefusalsAreBounded(t *testing.T) {
	var log entries
	now := time.Date(2026, 11, 20, 8, 0, 10, 0, time.UTC)
	r := newRefusals(&log, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	for i := range 3 * mostRefusals {
		r.note(t.Context(), fmt.Sprintf("host-%d.example.com", i), 443, "is not on the list")
	}
	if len(log) != mostRefusals || log[0].Command != "host-0.example.com:443" || log[0].Decision != audit.Deny || log[0].Rule != "egress" {
		t.Fatalf("%d entries, the first %+v", len(log), log[0])
	}
	now = now.Add(time.Minute)
	r.note(t.Context(), "again.example.com", 443, "is not on the list")
	if len(log) != mostRefusals+1 {
		t.Error("the next minute counts nothing")
	}
}

// The proxy hands on the values of the context that a connection came with.
func TestRefusalKnowsItsConnection(t *testing.T) {
	type key struct{}
	got := make(chan any, 1)
	p, err := egress.New(egress.Config{Rules: egress.Defaults(), Setting: "X", Log: slog.New(slog.DiscardHandler),
		Denied: func(ctx context.Context, _ string, _ int, _ string) { got <- ctx.Value(key{}) }})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	ours, theirs := net.Pipe()
	go p.ServeConn(context.WithValue(t.Context(), key{}, "me"), theirs, &egress.Account{})
	_, err = fmt.Fprint(ours, "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n")
	must(t, err)
	res, err := http.ReadResponse(bufio.NewReader(ours), nil)
	must(t, err)
	_ = res.Body.Close()
	if who := <-got; res.StatusCode != http.StatusForbidden || who != "me" {
		t.Errorf("status %d, for %v", res.StatusCode, who)
	}
}
