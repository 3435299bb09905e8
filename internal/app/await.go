package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/reach"
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
	err = s.await(ctx, func(ctx context.Context) error {
		within, cancel := context.WithTimeout(ctx, dialWithin)
		defer cancel()
		if c, err = client.DialContext(within, s.options); err != nil {
			return s.explain(ctx, err)
		}
		if err = s.register(ctx, c); err != nil {
			c.Close()
			return s.explain(ctx, err)
		}
		return nil
	})
	return c, err
}

func (s server) register(ctx context.Context, c client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, registerWithin)
	defer cancel()
	return RegisterAttributes(ctx, c, reach.Namespace(s.options))
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
				s.log.WarnContext(ctx, "The Temporal server answers", "address", reach.Address(s.options), "after", now.Sub(since).Round(time.Second))
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !reach.Down(err):
			return err
		}
		if said.IsZero() {
			since = now
		}
		if said.IsZero() || now.Sub(said) >= saidEvery {
			said = now
			s.log.WarnContext(ctx, "Waiting for the Temporal server", "address", reach.Address(s.options),
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
func (s server) explain(ctx context.Context, err error) error {
	var noNamespace *serviceerror.NamespaceNotFound
	var known *fault.Error
	switch {
	case errors.As(err, &noNamespace):
		return fault.New(fault.NotFound, "no namespace %q on the Temporal server at %s", reach.Namespace(s.options), reach.Address(s.options)).
			WithHint("create it, or set TEMPORAL_NAMESPACE")
	case !reach.Down(err) && errors.As(err, &known) && known.Hint != "": // keep its more specific hint
		return err
	}
	if refusal := reach.Refusal(ctx, s.options, "this worker", err); refusal != nil {
		return refusal
	}
	return fault.New(fault.Infra, "reach the Temporal server at %s: %w", reach.Address(s.options), err).
		WithHint("start one with `longshift dev`, or set TEMPORAL_ADDRESS")
}
