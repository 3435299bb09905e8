package github

import (
	"net/http"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestOneClosing has the answer fail before and after the closing has taken effect. It must not be asked for again after that.
func TestOneClosing(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault forgetest.Fault
		asked int
	}{
		{"502", forgetest.ServerError(502), 2},
		{"502 after the effect", forgetest.ServerError(502).Late(), 1},
		{"dropped after the effect", forgetest.Dropped().Late(), 1},
		{"time limit after the effect", forgetest.Hung().Late(), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			p := b.ensure(b.request())
			before := b.server.Count(http.MethodPatch, "/pulls/1")
			b.server.Inject(c.fault.On(http.MethodPatch, "/pulls/1"))
			for _, want := range []forge.State{forge.Open, forge.Closed} {
				if found, err := b.forge.Close(t.Context(), shop(), p.Number, "task-1"); err != nil || found != want {
					t.Errorf("got %q, %v, want %s", found, err, want)
				}
			}
			if n := b.server.Count(http.MethodPatch, "/pulls/1") - before; n != c.asked {
				t.Errorf("it was asked for %d times, want %d", n, c.asked)
			}
		})
	}
}

func TestCloseWithoutPermission(t *testing.T) {
	b := newBench(t)
	p := b.ensure(b.request())
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Resource not accessible by personal access token"}.On(http.MethodPatch, "/pulls/1"))
	_, err := b.forge.Close(t.Context(), shop(), p.Number, "task-1")
	mustBe(t, err, fault.Denied, "close pull request", "")
}
