package forgetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFaults: whether the pull request stands tells whether the call took effect before the fault.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  Fault
		status int // 0 is an error without an answer
	}{
		{"500", ServerError(500), 500}, {"502", ServerError(502), 502}, {"secondary", SecondaryLimit(403, time.Minute), 403},
		{"429", SecondaryLimit(429, 0), 429}, {"primary", PrimaryLimit(403, time.Hour), 403}, {"dropped", Dropped(), 0}, {"hung", Hung(), 0},
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, " late ", late), func(t *testing.T) {
				g, rec := start(t)
				c.fault.After = late
				g.Inject(c.fault.On("POST", "/pulls"))
				call(t, g, "GET", "/repos/acme/shop", "") // meets no fault
				resp, err := do(t.Context(), g, "POST", "/repos/acme/shop/pulls", newPull, Token)
				if err == nil {
					defer resp.Body.Close()
				}
				if c.status == 0 && err == nil || c.status != 0 && (err != nil || resp.StatusCode != c.status) {
					t.Errorf("got %v, %v", resp, err)
				}
				if c.name == "hung" && !os.IsTimeout(err) {
					t.Errorf("a call that hangs gives %v", err)
				}
				if stands := len(g.Pulls("acme/shop")) == 1; stands != late {
					t.Errorf("it stands: %v", stands)
				}
				if c.name == "primary" {
					if status, _ := call(t, g, "GET", "/repos/acme/shop", ""); status != 403 {
						t.Errorf("the next call gives %d", status)
					}
				}
				if f := rec.failures(); len(f) > 0 {
					t.Error(f)
				}
			})
		}
	}
}

// TestHungPlainClient: a client of one's own waits until it gives up.
func TestHungPlainClient(t *testing.T) {
	g, _ := start(t)
	g.Inject(Hung())
	ctx, cancel := context.WithCancel(t.Context())
	g.Before(func(string, string) { cancel() })
	req, err := http.NewRequestWithContext(ctx, "GET", g.URL+"/repos/acme/shop", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := new(http.Client).Do(req); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHooks(t *testing.T) {
	g, _ := start(t)
	var seen []string
	g.Before(func(method, path string) {
		seen = append(seen, fmt.Sprint("before ", method, path, len(g.Pulls("acme/shop"))))
	})
	g.After(func(method, path string) {
		seen = append(seen, fmt.Sprint("after ", method, path, len(g.Pulls("acme/shop"))))
	})
	call(t, g, "POST", "/api/v3/repos/acme/shop/pulls", newPull)
	if want := []string{"before POST/repos/acme/shop/pulls0", "after POST/repos/acme/shop/pulls1"}; !slices.Equal(seen, want) {
		t.Errorf("got %q", seen)
	}
}

func TestUnmetFaultIsReported(t *testing.T) {
	description(t)
	rec := &recorder{TB: t}
	t.Run("server", func(t *testing.T) {
		rec.TB = t
		NewGitHub(rec).Inject(ServerError(500), ServerError(500).Repeated(Forever))
	})
	if f := rec.failures(); len(f) != 1 || !strings.Contains(f[0], "no call has met") {
		t.Errorf("got %q", f)
	}
}

func TestDescriptionMissing(t *testing.T) {
	t.Setenv(Env, filepath.Join(t.TempDir(), "none.json"))
	_, err := findDescription()
	if !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	rec := &recorder{TB: t}
	t.Setenv("CI", "")
	if missing(rec, err); !rec.skipped || len(rec.failures()) > 0 {
		t.Error("a missing description does not skip")
	}
	t.Setenv("CI", "true")
	rec.skipped = false
	if missing(rec, err); rec.skipped || len(rec.failures()) != 1 {
		t.Error("a missing description does not fail with CI=true")
	}
	t.Setenv("CI", "")
	rec.skipped = false
	if missing(rec, errors.New("it is damaged")); rec.skipped || len(rec.failures()) != 1 {
		t.Error("a damaged description does not fail")
	}
}
