package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestOneCreation has the creation fail in every way, before and after it has taken effect. There must be one pull request.
func TestOneCreation(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault forgetest.Fault
		posts int
	}{
		{"500", forgetest.ServerError(500), 2},
		{"502 after the effect", forgetest.ServerError(502).Late(), 1},
		{"dropped", forgetest.Dropped(), 2},
		{"dropped after the effect", forgetest.Dropped().Late(), 1},
		{"time limit", forgetest.Hung(), 2},
		{"time limit after the effect", forgetest.Hung().Late(), 1},
		{"secondary limit", forgetest.SecondaryLimit(403, 5*time.Second), 2},
		{"secondary limit after the effect", forgetest.SecondaryLimit(429, 5*time.Second).Late(), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			r := b.request()
			r.Labels = []string{"longshift"}
			b.server.Inject(c.fault.On(http.MethodPost, "/pulls"))
			p := b.ensure(r)
			if s := b.only(); s.Number != p.Number || len(s.Labels) != 1 {
				t.Errorf("got %+v, there stands %+v", p, s)
			}
			if n := b.server.Count(http.MethodPost, "/pulls"); n != c.posts {
				t.Errorf("%d creations were asked for, want %d", n, c.posts)
			}
			if limited := c.fault.Status == 403 || c.fault.Status == 429; p.Found && !limited {
				t.Error("it says that it found what it has opened")
			}
		})
	}
}

// TestEveryStep has each step fail twice; the call must wait and try again.
func TestEveryStep(t *testing.T) {
	steps := []struct{ method, path string }{
		{"GET", "/shop"}, {"GET", "/pulls"}, {"POST", "/pulls"}, {"POST", "/labels"}, {"POST", "/requested_reviewers"},
	}
	faults := map[string]forgetest.Fault{
		"503": forgetest.ServerError(503), "dropped": forgetest.Dropped(), "dropped late": forgetest.Dropped().Late(), "hung": forgetest.Hung(),
	}
	for name, f := range faults {
		for _, s := range steps {
			t.Run(name+" "+s.method+s.path, func(t *testing.T) {
				b := newBench(t)
				r := b.request()
				r.Labels, r.Reviewers = []string{"longshift"}, []string{"alice", "acme/web"}
				n := 2
				if s.path == "/pulls" && s.method == "POST" && f.After {
					n = 1 // the second time there is nothing to create
				}
				b.server.Inject(f.On(s.method, s.path).Repeated(n))
				b.ensure(r)
				if p := b.only(); len(p.Labels) != 1 || len(p.Reviewers) != 1 || len(p.Teams) != 1 {
					t.Errorf("there stands %+v", p)
				}
				want := 500 * time.Millisecond
				if n == 2 {
					want += time.Second
				}
				if got := b.clock.total(); got != want {
					t.Errorf("slept %s, want %s", got, want)
				}
			})
		}
	}
}

// retryAfterOf returns the wait of an error, which must be a fault of kind Infra.
func retryAfterOf(t *testing.T, err error) time.Duration {
	t.Helper()
	var again *fault.Later
	if !errors.As(err, &again) || fault.KindOf(err) != fault.Infra {
		t.Fatalf("got %v (%s), want a wait", err, fault.KindOf(err))
	}
	return again.After
}

func TestPatienceEnds(t *testing.T) {
	b := newBench(t)
	b.server.Inject(forgetest.ServerError(502).Repeated(forgetest.Forever))
	err := b.fails(b.request())
	var again *fault.Later
	if fault.KindOf(err) != fault.Infra || errors.As(err, &again) {
		t.Errorf("got %v (%s), want an Infra fault without a wait", err, fault.KindOf(err))
	}
	if got := b.clock.total(); got != 7500*time.Millisecond {
		t.Errorf("slept %s", got)
	}
}

func TestServerErrorWithWait(t *testing.T) {
	b := newBench(t)
	f := forgetest.ServerError(503)
	f.Header = http.Header{"Retry-After": {"120"}}
	b.server.Inject(f)
	if got := retryAfterOf(t, b.fails(b.request())); got != 2*time.Minute {
		t.Errorf("wait %s", got)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.server.Inject(forgetest.ServerError(500).Repeated(forgetest.Forever))
	b.forge.sleep = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return ctx.Err()
	}
	if _, err := b.forge.EnsurePullRequest(ctx, b.request()); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestUnreadableAnswer(t *testing.T) {
	b := newBench(t)
	f := forgetest.Fault{Status: 200, HTML: true}
	b.server.Inject(f)
	b.ensure(b.request())
	b.server.Inject(f.Repeated(forgetest.Forever))
	if err := b.fails(b.request()); fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "can't be used") {
		t.Errorf("got %v (%s)", err, fault.KindOf(err))
	}
}
