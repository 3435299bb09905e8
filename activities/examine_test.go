package activities

import (
	"context"
	"strings"
	"testing"

	"github.com/longshift/longshift/signals"
)

// What a host finds goes into history without its secrets and its paths, and without what a program has printed at length.
func TestExamineHides(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Examine = func(context.Context) []signals.HostFinding {
		return []signals.HostFinding{{Check: "model key", State: signals.HostFail, Detail: "refused: " + secret, Hint: "look into " + b.Data + "/log"},
			{Check: "claude", State: signals.HostFail, Detail: strings.Repeat("x", 9000)}}
	}
	b.start()
	got, err := b.host.Examiner.Examine(t.Context())
	must(t, err)
	if strings.Contains(got[0].Detail, secret) || !strings.HasPrefix(got[0].Detail, "refused: ") || got[0].Hint != "look into $LONGSHIFT_DATA/log" {
		t.Errorf("got %+v", got[0])
	}
	if n := len(got[1].Detail); n > longestFinding+len("…") || n < longestFinding {
		t.Errorf("%d bytes", n)
	}
}
