package linear_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/linear"
	"github.com/longshift/longshift/internal/intake/linear/lineartest"
)

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		f     lineartest.Fault
		want  fault.Kind
		later time.Duration
		tries int
	}{
		{"500", lineartest.Fault{Kind: lineartest.Broken, Times: 9}, fault.Infra, 0, 5},
		{"503", lineartest.Fault{Kind: lineartest.Busy, Wait: time.Minute}, fault.Infra, time.Minute, 1},
		{"429", lineartest.Fault{Kind: lineartest.TooMany, Reset: noon.Add(40 * time.Minute)}, fault.Infra, 40 * time.Minute, 1},
		{"400 RATELIMITED", lineartest.Fault{Kind: lineartest.RateLimit, Reset: noon.Add(11 * time.Second)}, fault.Infra, 11 * time.Second, 1},
		{"a limit without a time", lineartest.Fault{Kind: lineartest.RateLimit}, fault.Infra, time.Minute, 1},
		{"a limit without an end", lineartest.Fault{Kind: lineartest.RateLimit, Reset: noon.Add(99 * time.Hour)}, fault.Infra, 2 * time.Hour, 1},
		{"half an answer", lineartest.Fault{Kind: lineartest.Truncated, Times: 9}, fault.Infra, 0, 5},
		{"a web page", lineartest.Fault{Kind: lineartest.Page, Times: 9}, fault.Infra, 0, 5},
		{"no data", lineartest.Fault{Kind: lineartest.Empty, Times: 9}, fault.Infra, 0, 5},
		{"cut", lineartest.Fault{Kind: lineartest.LostAnswer, Times: 9}, fault.Infra, 0, 5},
		{"revoked", lineartest.Fault{Kind: lineartest.Revoked}, fault.Denied, 0, 1},
		{"redirect", lineartest.Fault{Kind: lineartest.Redirect}, fault.Denied, 0, 1},
		{"forbidden", complaint("FORBIDDEN", "forbidden", "You may not"), fault.Denied, 0, 1},
		{"only a type", complaint("", "authentication error", "Who are you?"), fault.Denied, 0, 1},
		{"bad input", complaint("INPUT_ERROR", "invalid input", "Argument Validation Error"), fault.Input, 0, 1},
		{"our mistake", complaint("GRAPHQL_VALIDATION_FAILED", "graphql error", "Cannot query field"), fault.Internal, 0, 1},
		{"lock", complaint("LOCK_TIMEOUT", "lock timeout", "Try again"), fault.Infra, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t)
			w.add("x")
			if c.name == "lock" {
				c.f.Times, c.tries = 9, 5
			}
			w.Fail(c.f)
			err := w.List(t.Context(), query, func(intake.Item) bool { return true })
			kind(t, "List", err, c.want)
			var later *fault.Later
			if errors.As(err, &later) != (c.later > 0) || later != nil && later.After != c.later {
				t.Errorf("%v asks for a wait of %+v, want %v", err, later, c.later)
			}
			if n := w.Requests(""); n != c.tries {
				t.Errorf("%d requests, want %d", n, c.tries)
			}
			if w.waited > 10*time.Second {
				t.Errorf("waited for %v", w.waited)
			}
		})
	}
}

func complaint(code, kind, message string) lineartest.Fault {
	return lineartest.Fault{Kind: lineartest.Complaint, Code: code, Type: kind, Message: message + " " + lineartest.Key}
}

// TestShortLimit: the client waits for the end of a short limit.
func TestShortLimit(t *testing.T) {
	w := open(t)
	w.add("x")
	w.Fail(lineartest.Fault{Kind: lineartest.RateLimit, Reset: noon.Add(4 * time.Second)})
	if got := keys(t, w.Linear, query); len(got) != 1 || w.waited != 4*time.Second {
		t.Errorf("listed %v after %v", got, w.waited)
	}
}

// TestTimeout: a server that does not answer is a temporary fault. When the call's own context ends, the error is that of the context.
func TestTimeout(t *testing.T) {
	w := open(t)
	key := w.add("x")
	l, err := linear.New(linear.Config{
		Token: func(context.Context) (string, error) { return lineartest.Key, nil }, BaseURL: w.URL,
		Client: &http.Client{Timeout: 50 * time.Millisecond}, Now: w.Now, Sleep: func(context.Context, time.Duration) error { return nil },
	})
	must(t, "New", err)
	w.Fail(lineartest.Fault{Kind: lineartest.Hang, Times: 5})
	_, err = l.Read(t.Context(), query, key)
	kind(t, "Read of a server that hangs", err, fault.Infra)

	ctx, cancel := context.WithCancel(t.Context())
	w.Fail(lineartest.Fault{Kind: lineartest.Hang})
	w.Before(func(string) { cancel() })
	_, err = w.Read(ctx, query, key)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a call that is given up gives %v", err)
	}
}

// TestUnreachable: no server listens.
func TestUnreachable(t *testing.T) {
	w := open(t)
	l, err := linear.New(linear.Config{
		Token: func(context.Context) (string, error) { return lineartest.Key, nil }, BaseURL: "http://127.0.0.1:1",
		Sleep: func(context.Context, time.Duration) error { return nil }, Now: w.Now,
	})
	must(t, "New", err)
	kind(t, "List", l.List(t.Context(), query, func(intake.Item) bool { return true }), fault.Infra)
}
