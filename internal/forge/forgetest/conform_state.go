package forgetest

import (
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// stands checks the state that a forge gives of a pull request.
func stands(t *testing.T, f Fixture, number int, want forge.State) {
	t.Helper()
	if got, err := can[forge.Stater](t, f).State(t.Context(), f.Repository, number); err != nil || got != want {
		t.Errorf("State gave %q, %v, want %s", got, err, want)
	}
}

func testState(t *testing.T, f Fixture) {
	p := ensure(t, f, request(t, f))
	stands(t, f, p.Number, forge.Open)
	f.Close(t, p.Number)
	stands(t, f, p.Number, forge.Closed)
}

func testStateMerged(t *testing.T, f Fixture) {
	p := ensure(t, f, request(t, f))
	f.Merge(t, p.Number)
	stands(t, f, p.Number, forge.Merged)
}

func testStateMissing(t *testing.T, f Fixture) {
	if got, err := can[forge.Stater](t, f).State(t.Context(), f.Repository, 7); fault.KindOf(err) != fault.NotFound {
		t.Errorf("State gave %q, %v, want %s", got, err, fault.NotFound)
	}
}
