package github

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// A broken answer is asked for again, and one that GitHub does not give is refused for good.
func TestDiffFaults(t *testing.T) {
	b := newBench(t)
	p := b.ensure(b.request())
	b.server.Inject(forgetest.ServerError(502).On("GET", "/pulls/1"))
	text, err := b.forge.Diff(t.Context(), shop(), p.Number, 1<<20)
	if err != nil || strings.Count(text, "diff --git ") != 1 {
		t.Errorf("got %q, %v", text, err)
	}
	b.server.Inject(forgetest.Fault{Status: 406, Text: "Sorry, the diff exceeded the maximum number of lines (20000)"}.On("GET", "/pulls/1"))
	_, err = b.forge.Diff(t.Context(), shop(), p.Number, 1<<20)
	mustBe(t, err, fault.Input, "the diff of acme/shop#1 is too large", "")
}
