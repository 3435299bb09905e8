package app

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/reach"
)

const (
	askEvery   = time.Minute     // how often a running worker makes sure that the server still lets it in
	refusedFor = 5 * time.Minute // after this time no longer a glitch of the server or of a proxy
)

// access asks the server what connect has asked it, so a refusal is news.
func (s server) access(c client.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, dialWithin)
		defer cancel()
		_, err := missingAttributes(ctx, c, reach.Namespace(s.options))
		return err
	}
}

// untilRefused returns the server's error when it has refused this worker for some minutes, and nil when ctx ends. Certificates and keys
// expire, and the SDK would poll with the old ones forever: only a new process reads the new ones.
func (s server) untilRefused(ctx context.Context, ask func(context.Context) error) error {
	var since time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.after(askEvery):
		}
		err := ask(ctx)
		switch now := s.now(); {
		case err == nil || ctx.Err() != nil || !reach.Refuses(err): // an outage says nothing of the login
			since = time.Time{}
		case since.IsZero():
			since = now
			s.log.WarnContext(ctx, "The Temporal server refuses this worker, which ends if that stays so", "address", reach.Address(s.options),
				"after", refusedFor, "error", err)
		case now.Sub(since) >= refusedFor:
			return s.explain(ctx, err)
		}
	}
}
