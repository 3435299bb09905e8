package linear

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

const tokenHint = "put an API key of Linear into the file that LONGSHIFT_LINEAR_TOKEN_FILE names"

// session is one call of the source, with its token and its count of attempts.
type session struct {
	*Linear
	key   string // the token
	tries httpclient.Tries
	date  time.Time // of the last response, by Linear's clock
}

func (l *Linear) session(ctx context.Context) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	token, err := l.token(ctx)
	if err != nil {
		return nil, fmt.Errorf("get Linear token: %w", err)
	}
	token = strings.TrimSpace(token)
	if token == "" {
		return nil, fault.New(fault.Denied, "there is no Linear token").WithHint("%s", tokenHint)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fault.New(fault.Denied, "the Linear token holds characters that no token has").WithHint("%s", tokenHint)
	}
	return &session{Linear: l, key: token}, nil
}

// repeat makes an idempotent request and retries short failures.
func (s *session) repeat(ctx context.Context, what string, do func() error) error {
	for {
		err := do()
		if err == nil {
			return nil
		}
		if again, err := s.again(ctx, what, err); !again {
			return err
		}
	}
}

// read is repeat for a request with an answer.
func read[T any](ctx context.Context, s *session, what string, ask func() (*T, error)) (got *T, err error) {
	err = s.repeat(ctx, what, func() (err error) {
		got, err = ask()
		return err
	})
	return got, err
}

// again decides after a failed request. It returns true after waiting, when the request should be repeated; otherwise err is the error to
// return.
func (s *session) again(ctx context.Context, what string, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	var p *problem
	if !errors.As(err, &p) || !p.passing {
		return false, s.fault(what, err)
	}
	wait, ok := s.tries.Next(p.wait)
	if !ok {
		return false, s.fault(what, err)
	}
	s.log.Debug("Linear: waiting before another try", "step", what, "wait", wait, "error", err)
	if err := s.sleep(ctx, wait); err != nil {
		return false, err
	}
	return true, nil
}

// fault converts a problem to a fault with a hint.
func (s *session) fault(what string, err error) error {
	var p *problem
	if !errors.As(err, &p) {
		return fmt.Errorf("Linear: %s: %w", what, err)
	}
	switch {
	case p.passing:
		f := fault.New(fault.Infra, "Linear: %s: %w", what, err)
		if p.wait > 0 {
			return &fault.Later{After: p.wait, Err: f}
		}
		return f
	case p.kind == fault.Denied:
		return fault.New(fault.Denied, "Linear: %s: %w", what, err).WithHint("%s", p.hint)
	}
	return fault.New(p.kind, "Linear: %s: %w", what, err)
}

func is(err error, kind fault.Kind) bool {
	var p *problem
	return errors.As(err, &p) && !p.passing && p.kind == kind
}

// done is the error of a mutation. Linear may report no error and still no success.
func done(err error, success bool) error {
	if err == nil && !success {
		return &problem{message: "the server says that it did not do it", passing: true}
	}
	return err
}
