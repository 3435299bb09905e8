package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// failing runs an activity that fails with the error, and returns the error that the workflow sees.
func failing(t *testing.T, err error) error {
	t.Helper()
	r := redact.New(secret).WithPath("/srv/data", "$LONGSHIFT_DATA")
	return newAttempt(t, r).run(func(context.Context, int) error { return err }, 1, nil)
}

// Every kind of fault has its error type and its retry rule.
func TestFaultsBecomeApplicationErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err   error
		kind  fault.Kind
		final bool
	}{
		{fault.New(fault.Input, "x"), fault.Input, true},
		{fault.New(fault.NotFound, "x"), fault.NotFound, true},
		{fault.New(fault.Conflict, "x"), fault.Conflict, true},
		{fault.New(fault.Fenced, "x"), fault.Fenced, true},
		{fault.New(fault.Changed, "x"), fault.Changed, true},
		{fault.New(fault.Denied, "x"), fault.Denied, true},
		{fault.New(fault.Work, "x"), fault.Work, true},
		{fault.New(fault.Infra, "x"), fault.Infra, false},
		{fault.New(fault.Internal, "x"), fault.Internal, false},
		{errors.New("x"), fault.Internal, false},
		{errStopping, fault.Stopping, true},
		{fault.New(fault.Stopping, "x"), fault.Stopping, true}, // the workflow decides where it goes on
		{context.Canceled, fault.Internal, false},              // nobody has cancelled this activity
		{fmt.Errorf("push: %w", fault.New(fault.Denied, "x")), fault.Denied, true},
	} {
		app := applicationError(t, failing(t, c.err))
		if app.Type() != string(c.kind) || app.NonRetryable() != c.final || app.Message() != c.err.Error() || app.NextRetryDelay() != 0 {
			t.Errorf("%v: %s, final %v, after %s: %s", c.err, app.Type(), app.NonRetryable(), app.NextRetryDelay(), app.Message())
		}
		if benign := app.Category() == temporal.ApplicationErrorCategoryBenign; benign != (c.err == error(errStopping)) {
			t.Errorf("%v is benign, so that the SDK does not log it as an error: %v", c.err, benign)
		}
	}
	if err := failing(t, nil); err != nil {
		t.Errorf("an activity that does not fail: %v", err)
	}
}

func TestHintTravelsInTheDetails(t *testing.T) {
	t.Parallel()
	inner := fault.New(fault.Denied, "no").WithHint("set the token %s in /srv/data/x", secret)
	for _, err := range []error{inner, fmt.Errorf("push: %w", inner), fault.New(fault.Infra, "%w", inner)} {
		var hint string
		must(t, applicationError(t, failing(t, err)).Details(&hint))
		if hint != "set the token [hidden] in $LONGSHIFT_DATA/x" {
			t.Errorf("%v: hint %q", err, hint)
		}
	}
}

func TestRetryDelayOfTheForge(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("open: %w", &fault.Later{After: 42 * time.Second, Err: fault.New(fault.Infra, "limit")})
	app := applicationError(t, failing(t, err))
	if app.NextRetryDelay() != 42*time.Second || app.NonRetryable() || app.Type() != string(fault.Infra) {
		t.Errorf("%s after %s", app.Type(), app.NextRetryDelay())
	}
}

func TestSecretsInErrors(t *testing.T) {
	t.Parallel()
	const tailBytes = 2000
	err := fault.New(fault.Infra, "%s https://ann:hunter2@example.com/srv /srv/data/a %s", secret+strings.Repeat("y", tailBytes), "end")
	got := applicationError(t, failing(t, err)).Message()
	for _, bad := range []string{secret[10:], "hunter2", "/srv/data"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in the error", bad)
		}
	}
	if len(got) > tailBytes+10 || !strings.HasSuffix(got, "https://[hidden]@example.com/srv $LONGSHIFT_DATA/a end") {
		t.Errorf("%d bytes, end with %q", len(got), got[len(got)-60:])
	}
	half := secret[len(secret)/2:]
	got = applicationError(t, failing(t, errors.New(secret+strings.Repeat("y", tailBytes-len(half))))).Message()
	if strings.Contains(got, half) {
		t.Errorf("half a secret is in %.60q", got)
	}
}

// Errors of Temporal pass unchanged.
func TestApplicationErrorsPass(t *testing.T) {
	t.Parallel()
	own := temporal.NewApplicationErrorWithOptions("mine", "Mine", temporal.ApplicationErrorOptions{NonRetryable: true, NextRetryDelay: time.Second})
	app := applicationError(t, failing(t, fmt.Errorf("wrapped: %w", own)))
	if app.Type() != "Mine" && !errors.As(app.Unwrap(), &app) || app.Type() != "Mine" {
		t.Errorf("%s: %v", app.Type(), app)
	}
}

// A cancelled activity ends as cancelled, whatever error its work returns. Any other end of its context is an ordinary fault.
func TestCancelStaysCancel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		cause    error
		err      func(ctx context.Context) error
		canceled bool
	}{
		{"the context's error", temporal.NewCanceledError(), func(ctx context.Context) error { return ctx.Err() }, true},
		{"wrapped", temporal.NewCanceledError(), func(ctx context.Context) error { return fmt.Errorf("git push: %w", ctx.Err()) }, true},
		{"the cause", temporal.NewCanceledError(), func(ctx context.Context) error { return fmt.Errorf("git push: %w", context.Cause(ctx)) }, true},
		{"a fault about it", temporal.NewCanceledError(), func(ctx context.Context) error { return fault.New(fault.Infra, "wait: %w", ctx.Err()) }, true},
		{"another fault", temporal.NewCanceledError(), func(context.Context) error { return fault.New(fault.Denied, "no") }, false},
		{"a shutdown", errors.New("worker shutdown"), func(ctx context.Context) error { return ctx.Err() }, false},
	} {
		a := newAttempt(t, nil)
		err := a.run(func(ctx context.Context, _ int) error {
			a.cancel(c.cause)
			<-ctx.Done()
			return c.err(ctx)
		}, 1, nil)
		if got := temporal.IsCanceledError(err); got != c.canceled {
			t.Errorf("%s: cancelled %v: %v", c.name, got, err)
		}
		if !c.canceled {
			applicationError(t, err)
		}
	}
}

// What a cancelled session has used reaches the workflow.
func TestCancelledSaysWhatWasUsed(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, nil)
	err := a.run(func(ctx context.Context, _ int) error {
		setHeartbeatDetails(ctx, func() any { return signals.Heartbeat{Session: "s", Usage: task.Usage{CostUSD: 2}} })
		a.cancel(temporal.NewCanceledError())
		<-ctx.Done()
		return ctx.Err()
	}, 1, nil)
	var cancelled *temporal.CanceledError
	var said signals.Heartbeat
	if !errors.As(err, &cancelled) || cancelled.Details(&said) != nil || said.Usage.CostUSD != 2 {
		t.Errorf("%v says %+v", err, said)
	}
}
