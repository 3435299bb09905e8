package forgetest

import (
	"fmt"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// closes has task-1 close a pull request that must have had this state.
func closes(t *testing.T, f Fixture, number int, want forge.State) {
	t.Helper()
	found, err := can[forge.Closer](t, f).Close(t.Context(), f.Repository, number, "task-1")
	if err != nil || found != want {
		t.Errorf("Close gave %q, %v, want %s", found, err, want)
	}
}

func testClose(t *testing.T, f Fixture) {
	r := request(t, f)
	p := ensure(t, f, r)
	closes(t, f, p.Number, forge.Open)
	after := only(t, f)
	if after.State != forge.Closed || after.Title != r.Title || after.Head != r.Head {
		t.Errorf("it is %+v", after)
	}
	closes(t, f, p.Number, forge.Closed)
	if again := only(t, f); fmt.Sprint(again) != fmt.Sprint(after) {
		t.Errorf("the second call changed it:\n%+v\n%+v", after, again)
	}
}

// closeRefused makes a call that must fail with a kind and change nothing.
func closeRefused(t *testing.T, f Fixture, number int, kind fault.Kind) {
	t.Helper()
	before := fmt.Sprint(f.Pulls(t))
	found, err := can[forge.Closer](t, f).Close(t.Context(), f.Repository, number, "task-1")
	if got := fault.KindOf(err); err == nil || got != kind {
		t.Errorf("Close gave %q, %v (%s), want %s", found, err, got, kind)
	}
	if fault.HintOf(err) == "" && kind != fault.NotFound {
		t.Errorf("error %q has no hint", err)
	}
	if after := fmt.Sprint(f.Pulls(t)); after != before {
		t.Errorf("a refused call changed something:\n%s\n%s", before, after)
	}
}

func testCloseMerged(t *testing.T, f Fixture) {
	p := ensure(t, f, request(t, f))
	f.Merge(t, p.Number)
	closeRefused(t, f, p.Number, fault.Conflict)
}

func testCloseForeign(t *testing.T, f Fixture) {
	r := request(t, f)
	number := f.OpenForeign(t, r.Head, "main", forge.Tagged("Another task's.", "task-2", 1))
	closeRefused(t, f, number, fault.Changed)
	f.Close(t, number)
	closeRefused(t, f, number, fault.Changed)
}

func testCloseMissing(t *testing.T, f Fixture) {
	closeRefused(t, f, 7, fault.NotFound)
}
