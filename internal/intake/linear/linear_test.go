package linear_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/intaketest"
	"github.com/longshift/longshift/internal/intake/linear"
	"github.com/longshift/longshift/internal/intake/linear/lineartest"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

var query = intake.Query{Label: "longshift", Team: "ENG"}

// world is a Linear with a team, an account "anna", and our client with a clock that only its own waits move.
type world struct {
	*lineartest.Server
	*linear.Linear
	now    time.Time
	waited time.Duration
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{Server: lineartest.New(t), now: noon}
	w.Now = func() time.Time { return w.now }
	w.AddTeam("ENG")
	w.AddUser("anna")
	w.Linear = w.client(t, lineartest.Key)
	return w
}

func (w *world) client(t *testing.T, token string) *linear.Linear {
	t.Helper()
	l, err := linear.New(linear.Config{
		Token:   func(context.Context) (string, error) { return token, nil },
		BaseURL: w.URL,
		Now:     w.Now,
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.waited += d
			return ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// add adds an issue that the query finds.
func (w *world) add(title string) string {
	return w.Add(lineartest.Issue{Title: title, Body: "Do it well.", Labels: []string{"bug", "Longshift"}, Creator: "anna"})
}

func keys(t *testing.T, l *linear.Linear, q intake.Query) (all []string) {
	t.Helper()
	err := l.List(t.Context(), q, func(i intake.Item) bool {
		all = append(all, i.Key)
		return true
	})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	return all
}

func kind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if fault.KindOf(err) != want {
		t.Errorf("%s gives %v (%q), want %q", what, err, fault.KindOf(err), want)
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(e.Error()+fault.HintOf(e), "SECRET") {
			t.Errorf("%s: the token stands in %T: %v", what, e, e)
		}
	}
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestContract leaves Edit out: an edited issue is the same work here, and has no sum.
func TestContract(t *testing.T) {
	intaketest.Run(t, func(t *testing.T) intaketest.Harness {
		w := open(t)
		return intaketest.Harness{
			Source: w.Linear, Reporter: w.Linear, Query: query, Unknown: "ENG-404", Token: lineartest.Key,
			Add: func(_ *testing.T, title, body string) string {
				return w.Add(lineartest.Issue{Title: title, Body: body, Labels: []string{"longshift"}})
			},
			Remove: func(_ *testing.T, key string) { w.Delete(key) },
			Shown:  func(_ *testing.T, key string) []string { return w.Comments(key) },
			Fail: func(_ *testing.T, f intaketest.Failure) {
				w.Fail(map[intaketest.Failure]lineartest.Fault{
					intaketest.ServerError: {Kind: lineartest.Busy, Wait: time.Minute},
					intaketest.RateLimit:   {Kind: lineartest.RateLimit, Reset: w.now.Add(intaketest.Wait)},
					intaketest.BadToken:    {Kind: lineartest.Revoked},
				}[f])
			},
		}
	})
}

func TestNew(t *testing.T) {
	token := func(context.Context) (string, error) { return "lin_api_SECRET", nil }
	for _, c := range []struct {
		name string
		c    linear.Config
		ok   bool
	}{
		{"default", linear.Config{Token: token}, true},
		{"loopback", linear.Config{Token: token, BaseURL: "http://127.0.0.1:1"}, true},
		{"localhost", linear.Config{Token: token, BaseURL: "http://localhost:1"}, true},
		{"no token", linear.Config{}, false},
		{"in the clear", linear.Config{Token: token, BaseURL: "http://linear.example.com"}, false},
		{"password", linear.Config{Token: token, BaseURL: "https://a:b@linear.example.com"}, false},
		{"no address", linear.Config{Token: token, BaseURL: "linear"}, false},
	} {
		l, err := linear.New(c.c)
		if (err == nil) != c.ok || (l == nil) == c.ok {
			t.Errorf("%s: %v, %v", c.name, l, err)
		}
		if !c.ok {
			kind(t, c.name, err, fault.Input)
		}
	}
}

func TestTokens(t *testing.T) {
	w := open(t)
	w.add("One")
	if got := keys(t, w.client(t, lineartest.OAuth), query); len(got) != 1 {
		t.Errorf("with an OAuth token: %v", got)
	}
	if got := keys(t, w.client(t, lineartest.Key+"\n"), query); len(got) != 1 {
		t.Errorf("with a line end behind the key: %v", got)
	}
	none := func(intake.Item) bool { return true }
	before := w.Requests("")
	for _, token := range []string{"", "lin_api_SECRET\x01"} {
		err := w.client(t, token).List(t.Context(), query, none)
		kind(t, "an impossible token", err, fault.Denied)
		if !strings.Contains(fault.HintOf(err), "LONGSHIFT_LINEAR_TOKEN_FILE") {
			t.Errorf("hint %q", fault.HintOf(err))
		}
	}
	if w.Requests("") != before {
		t.Error("an impossible token was sent")
	}
	err := w.client(t, "lin_api_wrongSECRET").List(t.Context(), query, none)
	kind(t, "a wrong token", err, fault.Denied)
	if !strings.Contains(fault.HintOf(err), "LONGSHIFT_LINEAR_TOKEN_FILE") {
		t.Errorf("hint %q", fault.HintOf(err))
	}
}
