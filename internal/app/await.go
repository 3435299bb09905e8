package app

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"regexp"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"

	"github.com/longshift/longshift/internal/fault"
)

const (
	dialWithin     = 5 * time.Second  // per attempt to reach the server
	registerWithin = 30 * time.Second // for registering what the namespace lacks
	againAfter     = 2 * time.Second  // between two attempts
	saidEvery      = time.Minute      // how often the log repeats that the server is down
)

// server connects this process to Temporal.
type server struct {
	options client.Options
	log     *slog.Logger
	now     func() time.Time
	after   func(time.Duration) <-chan time.Time
}

// connect returns a client for a namespace that has everything that workflows need. It waits while the server is down, and fails if the
// server will never accept this worker's settings.
func (s server) connect(ctx context.Context) (c client.Client, err error) {
	o := s.options
	err = s.await(ctx, func(ctx context.Context) error {
		within, cancel := context.WithTimeout(ctx, dialWithin)
		defer cancel()
		if c, err = client.DialContext(within, o); err != nil {
			if down(err) && o.ConnectionOptions.TLS == nil && wantsTLS(ctx, address(o)) {
				return fault.New(fault.Input, "the server at %s wants TLS, and this worker has none set up", address(o)).
					WithHint("set TEMPORAL_TLS=true, or the other TEMPORAL_TLS settings")
			}
			return s.explain(err)
		}
		if err = s.register(ctx, c); err != nil {
			c.Close()
			return s.explain(err)
		}
		return nil
	})
	return c, err
}

func (s server) register(ctx context.Context, c client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, registerWithin)
	defer cancel()
	return RegisterAttributes(ctx, c, namespace(s.options))
}

// await repeats try until it succeeds, ctx ends, or another attempt can't help.
func (s server) await(ctx context.Context, try func(context.Context) error) error {
	var said, since time.Time
	for {
		err := try(ctx)
		now := s.now()
		switch {
		case err == nil:
			if !said.IsZero() {
				s.log.WarnContext(ctx, "The Temporal server answers", "address", address(s.options), "after", now.Sub(since).Round(time.Second))
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !down(err):
			return err
		}
		if said.IsZero() {
			since = now
		}
		if said.IsZero() || now.Sub(said) >= saidEvery {
			said = now
			s.log.WarnContext(ctx, "Waiting for the Temporal server", "address", address(s.options),
				"for", now.Sub(since).Round(time.Second), "error", err, "hint", fault.HintOf(err))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.after(againAfter):
		}
	}
}

// explain turns an error of the server or of the connection into a fault with a hint.
func (s server) explain(err error) error {
	var noNamespace *serviceerror.NamespaceNotFound
	var known *fault.Error
	code := codeOf(err)
	switch {
	case errors.As(err, &noNamespace):
		return fault.New(fault.NotFound, "no namespace %q on the Temporal server at %s", namespace(s.options), address(s.options)).
			WithHint("create it, or set TEMPORAL_NAMESPACE")
	case down(err):
	case errors.As(err, &known) && known.Hint != "": // keep its more specific hint
		return err
	case code == codes.Unauthenticated || code == codes.PermissionDenied:
		return fault.New(fault.Denied, "the Temporal server at %s refuses this worker: %w", address(s.options), err).
			WithHint("check TEMPORAL_API_KEY, the TLS settings and the rights in namespace %s", namespace(s.options))
	case badTLS.MatchString(err.Error()):
		return fault.New(fault.Input, "the server at %s and this worker disagree on TLS: %w", address(s.options), err).
			WithHint("check the TEMPORAL_TLS settings, and TEMPORAL_API_KEY, which turns TLS on")
	}
	return fault.New(fault.Infra, "reach the Temporal server at %s: %w", address(s.options), err).
		WithHint("start one with `longshift dev`, or set TEMPORAL_ADDRESS")
}

// badTLS matches a completed TLS handshake that has failed, or another protocol in its place. An aborted handshake says nothing about the
// settings: a proxy whose server is down looks the same.
var badTLS = regexp.MustCompile(`tls: |x509: |error reading server preface: http2: `)

// down reports whether nobody has answered, or the server is not ready yet.
func down(err error) bool {
	switch codeOf(err) {
	case codes.Unavailable:
		return !badTLS.MatchString(err.Error())
	case codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	}
	return false
}

func codeOf(err error) codes.Code { return serviceerror.ToStatus(err).Code() }

// wantsTLS reports whether the server expects TLS. It simply closes connections without TLS, as does a proxy whose server is down.
func wantsTLS(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	c, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(ctx, "tcp", address) // sends nothing
	if err == nil {
		c.Close()
		return true
	}
	var alert tls.AlertError
	return errors.As(err, &alert)
}
