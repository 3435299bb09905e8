package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"
	answers "google.golang.org/grpc/status"

	"github.com/longshift/longshift/internal/fault"
)

// A worker whose login the server does not accept any more ends after some minutes, with the way out.
func TestWorkerEndsWhenItsLoginHasExpired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lists error
		says  []string
	}{
		{"certificate without rights", serviceerror.NewPermissionDenied("not you", ""), []string{"refuses this worker", "not you", "TEMPORAL_API_KEY"}},
		{"expired key", answers.Error(codes.Unauthenticated, "token is expired"), []string{"refuses this worker", "token is expired"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var expired atomic.Bool
			var log bytes.Buffer
			var waited time.Duration
			options := client.Options{HostPort: frontend{lists: c.lists, since: &expired}.serve(t, "127.0.0.1:0")}
			s := waiting(options, &log, func(d time.Duration) { waited = d; expired.Store(d >= time.Hour) })
			conn, err := s.connect(t.Context())
			must(t, err)
			defer conn.Close()
			err = s.untilRefused(t.Context(), s.access(conn))
			wantFault(t, err, fault.Denied, c.says...)
			if waited != time.Hour+refusedFor || strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "refuses this worker") {
				t.Errorf("after %s:\n%s", waited, log.String())
			}
		})
	}
}

// A client certificate that has expired is refused before any call: by the handshake, or by the first thing that is read after it.
func TestWorkerEndsWhenItsCertificateHasExpired(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	secure.EnableHTTP2 = true
	secure.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert} // and the client has none
	secure.StartTLS()
	defer secure.Close()
	options := client.Options{HostPort: secure.Listener.Addr().String()}
	options.ConnectionOptions.TLS = secure.Client().Transport.(*http.Transport).TLSClientConfig
	c, err := client.NewLazyClient(options)
	must(t, err)
	defer c.Close()
	s := waiting(options, new(bytes.Buffer), func(time.Duration) {})
	wantFault(t, s.untilRefused(t.Context(), s.access(c)), fault.Input, "disagree on TLS", "certificate")
}

// An outage, and a refusal that passes, end no worker.
func TestWorkerOutlivesOutages(t *testing.T) {
	t.Parallel()
	denied, down := serviceerror.NewPermissionDenied("not you", ""), serviceerror.NewUnavailable("connection refused")
	for name, answer := range map[string]func(minute int) error{
		"down":               func(int) error { return down },
		"failing":            func(int) error { return serviceerror.NewInternal("broken") },
		"refuses for a time": func(minute int) error { return [...]error{denied, denied, denied, denied, nil}[minute%5] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			enough := errors.New("a day is over")
			var at time.Duration
			s := waiting(client.Options{}, new(bytes.Buffer), func(d time.Duration) {
				if at = d; d >= 24*time.Hour {
					cancel(enough)
				}
			})
			err := s.untilRefused(ctx, func(context.Context) error { return answer(int(at / time.Minute)) })
			if err != nil || !errors.Is(context.Cause(ctx), enough) {
				t.Errorf("ended after %s with %v", at, err)
			}
		})
	}
}
