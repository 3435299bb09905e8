package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/longshift/longshift/internal/fault"
)

// refusing answers the first call of a client with a code.
type refusing struct {
	workflowservice.UnimplementedWorkflowServiceServer
	code codes.Code
}

func (r refusing) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return nil, status.Error(r.code, "who is it")
}

// serve answers on a port of this machine until the test ends.
func (r refusing) serve(t *testing.T) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(s, r)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// A server that refuses is none that is not there: nobody is told to start one.
func TestDialRefused(t *testing.T) {
	t.Parallel()
	secure, plain := httptest.NewUnstartedServer(nil), httptest.NewServer(nil)
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	defer plain.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, c := range []struct {
		name, address string
		tls           *tls.Config
		kind          fault.Kind
		says          string
	}{
		{"no login", refusing{code: codes.Unauthenticated}.serve(t), nil, fault.Denied, "refuses this client"},
		{"no right", refusing{code: codes.PermissionDenied}.serve(t), nil, fault.Denied, "refuses this client"},
		{"TLS wanted", secure.Listener.Addr().String(), nil, fault.Input, "wants TLS"},
		{"unknown certificate", secure.Listener.Addr().String(), &tls.Config{}, fault.Input, "disagree on TLS"},
		{"TLS not wanted", refusing{}.serve(t), &tls.Config{}, fault.Input, "disagree on TLS"},
		{"nobody", gone.Addr().String(), nil, fault.Infra, "no Temporal server"},
		{"nobody with TLS", gone.Addr().String(), &tls.Config{}, fault.Infra, "no Temporal server"},
		{"another program", plain.Listener.Addr().String(), nil, fault.Infra, "no Temporal server"},
	} {
		_, err := Dial(t.Context(), client.Options{HostPort: c.address, ConnectionOptions: client.ConnectionOptions{TLS: c.tls}})
		if fault.KindOf(err) != c.kind || fault.HintOf(err) == "" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: kind %q, %v", c.name, fault.KindOf(err), err)
		}
	}
}

// A namespace that is not there is a wrong setting. It must not be taken for a task that is not there.
func TestExplainMissing(t *testing.T) {
	t.Parallel()
	s := &Connector{namespace: "nowhere"}
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{serviceerror.NewNamespaceNotFound("nowhere"), fault.ExitUsage, `no namespace "nowhere"`},
		{serviceerror.NewNotFound("workflow not found"), fault.ExitNotFound, `no task "web-1"`},
	} {
		if err := s.Explain(c.err, "web-1"); fault.KindOf(err).ExitCode() != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %s, %v", c.err, fault.KindOf(err), err)
		}
	}
}
