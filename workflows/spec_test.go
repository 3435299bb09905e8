package workflows_test

import (
	"slices"
	"testing"

	"github.com/longshift/longshift/activities"
)

// The host looks for the specification, and every session is told of it.
func TestSpecification(t *testing.T) {
	w := newWorld(t)
	spec := []string{"SPEC.md"}
	prepared := 0
	w.prepare = func(in activities.PrepareInput) error {
		if prepared++; !slices.Equal(in.Spec, spec) {
			t.Errorf("the host prepares for %q", in.Spec)
		}
		return nil
	}
	w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	for _, s := range w.asked {
		if !slices.Equal(s.Prompt.Spec, spec) {
			t.Errorf("the %s is told of %q", s.Role, s.Prompt.Spec)
		}
	}
	if prepared == 0 || len(w.asked) < 3 {
		t.Errorf("%d preparations, %d sessions", prepared, len(w.asked))
	}
}
