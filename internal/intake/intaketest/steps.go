package intaketest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

// soon returns a context that ends after Patience, so that a hanging call fails its own case.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// list returns everything that is listed.
func list(t *testing.T, h Harness) (items []intake.Item) {
	t.Helper()
	err := h.Source.List(soon(t), h.Query, func(i intake.Item) bool {
		items = append(items, i)
		return true
	})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	return items
}

func keys(items []intake.Item) (all []string) {
	for _, i := range items {
		all = append(all, i.Key)
	}
	return all
}

// listed checks that exactly these keys are listed, in this order.
func listed(t *testing.T, h Harness, want ...string) []intake.Item {
	t.Helper()
	items := list(t, h)
	if got := keys(items); !slices.Equal(got, want) {
		t.Fatalf("listed %q, want %q", got, want)
	}
	return items
}

// read reads a piece of work and fails the test on an error.
func read(t *testing.T, h Harness, key string) intake.Work {
	t.Helper()
	w, err := h.Source.Read(soon(t), h.Query, key)
	if err != nil {
		t.Fatalf("Read %q: %v", key, err)
	}
	return w
}

// note is the note of a task for the current text.
func note(t *testing.T, h Harness, key, taskID, text string) intake.Note {
	t.Helper()
	return intake.Note{TaskID: taskID, Sum: read(t, h, key).Sum, Text: text}
}

// ended is note with an outcome that leaves the work in place.
func ended(t *testing.T, h Harness, key, taskID, text string) intake.Note {
	t.Helper()
	n := note(t, h, key, taskID, text)
	n.Outcome = task.Failed
	return n
}

func must(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// failed checks the kind of an error, and that it does not contain the source's secret.
func failed(t *testing.T, h Harness, what string, err error, kinds ...fault.Kind) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s went well, want %v", what, kinds)
	}
	if h.Token != "" {
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(fmt.Sprintf("%v %+v %#v %s", e, e, e, fault.HintOf(e)), h.Token) {
				t.Errorf("%s: the token stands in the error %T", what, e)
			}
		}
	}
	if !slices.Contains(kinds, fault.KindOf(err)) {
		t.Errorf("%s gives %v (%s), want %v", what, err, fault.KindOf(err), kinds)
	}
}

// shown checks that there is one note for each text.
func shown(t *testing.T, h Harness, key string, want ...string) {
	t.Helper()
	if h.Shown == nil {
		return
	}
	notes := h.Shown(t, key)
	if len(notes) != len(want) {
		t.Fatalf("%d notes stand at %q, want %d: %q", len(notes), key, len(want), notes)
	}
	for _, w := range want {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, w) }) {
			t.Errorf("no note at %q says %q: %q", key, w, notes)
		}
	}
}

// soFar is shown for the notes of Queue and Claim.
func soFar(t *testing.T, h Harness, key string, want ...string) {
	t.Helper()
	if h.Quiet {
		want = nil
	}
	shown(t, h, key, want...)
}

// call is a method of a source that takes a key.
type call struct {
	name string
	do   func(ctx context.Context, key string, n intake.Note) error
}

func calls(h Harness) []call {
	return []call{
		{"Read", func(ctx context.Context, key string, _ intake.Note) error {
			_, err := h.Source.Read(ctx, h.Query, key)
			return err
		}},
		{"Queue", func(ctx context.Context, key string, n intake.Note) error {
			return h.Reporter.Queue(ctx, h.Query, key, n)
		}},
		{"Claim", func(ctx context.Context, key string, n intake.Note) error {
			return h.Reporter.Claim(ctx, h.Query, key, n)
		}},
		{"Report", func(ctx context.Context, key string, n intake.Note) error {
			return h.Reporter.Report(ctx, h.Query, key, n)
		}},
	}
}
