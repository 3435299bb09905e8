package app

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	answers "google.golang.org/grpc/status"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// frontend answers the calls that a worker makes before it polls, or refuses them.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	operatorservice.UnimplementedOperatorServiceServer
	refuses error        // every call
	lists   error        // the one that names the namespace
	adds    error        // the one that registers search attributes, of which there are none then
	since   *atomic.Bool // lists counts when it is true; may be nil
}

func (f frontend) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, serviceerror.ToStatus(f.refuses).Err()
}

func (f frontend) ListSearchAttributes(context.Context, *operatorservice.ListSearchAttributesRequest) (*operatorservice.ListSearchAttributesResponse, error) {
	have := map[string]enumspb.IndexedValueType{}
	if f.adds != nil {
		return &operatorservice.ListSearchAttributesResponse{}, nil
	}
	for _, a := range signals.Attributes() {
		have[a.Name], _ = enumspb.IndexedValueTypeFromString(a.Type)
	}
	if f.since != nil && !f.since.Load() {
		f.lists = nil
	}
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: have}, serviceerror.ToStatus(f.lists).Err()
}

func (f frontend) AddSearchAttributes(context.Context, *operatorservice.AddSearchAttributesRequest) (*operatorservice.AddSearchAttributesResponse, error) {
	return &operatorservice.AddSearchAttributesResponse{}, serviceerror.ToStatus(f.adds).Err()
}

// serve answers at the address until the test ends.
func (f frontend) serve(t *testing.T, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", address)
	must(t, err)
	s := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(s, f)
	operatorservice.RegisterOperatorServiceServer(s, f)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// waiting is a server whose clock goes on when it is waited for.
func waiting(options client.Options, log *bytes.Buffer, pause func(waited time.Duration)) server {
	begin := time.Unix(1_800_000_000, 0)
	now := begin
	return server{options, slog.New(slog.NewTextHandler(log, nil)), func() time.Time { return now }, func(d time.Duration) <-chan time.Time {
		now = now.Add(d)
		pause(now.Sub(begin))
		c := make(chan time.Time, 1)
		c <- now
		return c
	}}
}

// A worker that finds no server waits for it, and says so once a minute and no more often.
func TestWorkerWaitsForServer(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]bool{"nobody there": false, "there, and not ready": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			options := client.Options{HostPort: freeAddress(t)}
			if busy {
				options.HostPort = frontend{refuses: serviceerror.NewUnavailable("starting")}.serve(t, "127.0.0.1:0")
			}
			come := errors.New("the server has come")
			ctx, cancel := context.WithCancelCause(t.Context())
			s := waiting(options, &log, func(waited time.Duration) {
				switch {
				case waited < 5*time.Minute+30*time.Second:
				case busy:
					cancel(come) // a signal, as well
				default:
					if !strings.Contains(log.String(), "answers") {
						frontend{}.serve(t, options.HostPort)
					}
				}
			})
			c, err := s.connect(ctx)
			if busy != (err != nil) || busy && !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			text := log.String()
			if n := strings.Count(text, "Waiting for the Temporal server"); n != 6 || !strings.Contains(text, options.HostPort) || !strings.Contains(text, "for=5m0s") {
				t.Errorf("%d lines about 5 minutes and a half:\n%s", n, text)
			}
			if busy {
				return
			}
			c.Close()
			if strings.Count(text, "\n") != 7 || !strings.Contains(text, "The Temporal server answers") {
				t.Errorf("it does not say that the wait is over:\n%s", text)
			}
		})
	}
}

// A proxy whose server is down takes calls and hangs up: that is no mistake in the settings.
func TestWorkerWaitsBehindProxy(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]*tls.Config{"plain": nil, "TLS": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			must(t, err)
			defer l.Close()
			go func() {
				for c, err := l.Accept(); err == nil; c, err = l.Accept() {
					c.Close()
				}
			}()
			ctx, cancel := context.WithCancel(t.Context())
			var log bytes.Buffer
			_, err = waiting(client.Options{HostPort: l.Addr().String(), ConnectionOptions: client.ConnectionOptions{TLS: secure}}, &log, func(waited time.Duration) {
				if waited > time.Minute {
					cancel()
				}
			}).connect(ctx)
			if !errors.Is(err, context.Canceled) || strings.Count(log.String(), "Waiting") != 2 {
				t.Errorf("got %v and\n%s", err, log.String())
			}
		})
	}
}

// What no waiting helps against ends a worker at once, with one line that says what to change.
func TestWorkerRefusesServer(t *testing.T) {
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	plain := frontend{}.serve(t, "127.0.0.1:0")
	for _, c := range []struct {
		name, address string
		env           []string
		code          int
		says          []string
	}{
		{"TLS wanted", secure.Listener.Addr().String(), nil, fault.ExitUsage, []string{"wants TLS", "TEMPORAL_TLS"}},
		{"TLS not wanted", plain, []string{"TEMPORAL_TLS=true"}, fault.ExitUsage, []string{"disagree on TLS", "TEMPORAL_TLS"}},
		{"a key turns TLS on", plain, []string{"TEMPORAL_API_KEY=k"}, fault.ExitUsage, []string{"disagree on TLS", "TEMPORAL_API_KEY"}},
		{"an unknown certificate", secure.Listener.Addr().String(), []string{"TEMPORAL_TLS=true"}, fault.ExitUsage, []string{"disagree on TLS", "certificate"}},
		{"no login", frontend{refuses: answers.Error(codes.Unauthenticated, "who is it")}.serve(t, "127.0.0.1:0"), nil, fault.ExitFailed, []string{"refuses this worker", "who is it", "TEMPORAL_API_KEY"}},
		{"no right", frontend{refuses: serviceerror.NewPermissionDenied("not you", "")}.serve(t, "127.0.0.1:0"), nil, fault.ExitFailed, []string{"refuses this worker", "not you"}},
		{"no right to the namespace", frontend{lists: serviceerror.NewPermissionDenied("not here", "")}.serve(t, "127.0.0.1:0"), nil, fault.ExitFailed, []string{"not here", "rights in namespace"}},
		{"no namespace", frontend{lists: serviceerror.NewNamespaceNotFound("mine")}.serve(t, "127.0.0.1:0"), []string{"TEMPORAL_NAMESPACE=mine"}, fault.ExitNotFound, []string{`no namespace "mine"`, "TEMPORAL_NAMESPACE"}},
		{"another failure", frontend{refuses: serviceerror.NewInternal("broken")}.serve(t, "127.0.0.1:0"), nil, fault.ExitServer, []string{"broken", "TEMPORAL_ADDRESS"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TEMPORAL_ADDRESS", c.address)
			for _, pair := range c.env {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			var out bytes.Buffer
			code := WorkerMain(nil, lookup("LONGSHIFT_DATA="+t.TempDir()), &out)
			text := out.String()
			if code != c.code || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "longshift-worker: ") {
				t.Errorf("code %d, want %d, and\n%s", code, c.code, text)
			}
			for _, w := range append(c.says, c.address) {
				if !strings.Contains(text, w) {
					t.Errorf("it does not say %q:\n%s", w, text)
				}
			}
		})
	}
}

// Temporal Cloud refuses to add search attributes for anybody, and the error says what does it there.
func TestWorkerMayNotAddAttributes(t *testing.T) {
	t.Parallel()
	for _, adds := range []error{serviceerror.NewPermissionDenied("not here", ""), serviceerror.NewUnimplemented("not here")} {
		options := client.Options{HostPort: frontend{adds: adds}.serve(t, "127.0.0.1:0"), Namespace: "web.a1b2c"}
		_, err := waiting(options, new(bytes.Buffer), func(time.Duration) {}).connect(t.Context())
		wantFault(t, err, fault.Denied, "register search attributes in namespace web.a1b2c: not here",
			"tcld namespace search-attributes add --namespace web.a1b2c --search-attribute LongshiftRepository=Keyword ")
	}
}
