package inbound

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

func TestPullChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := signals.PullRequestID("github.com", "acme", "web", 12)
	ev := forge.Event{Kind: forge.PullChanged, ID: "gh-1", Owner: "Acme", Name: "Web", Number: 12, Actor: "ci", Bot: true, What: "check_suite completed"}
	if err := w.handler.OnForge(t.Context(), ev); err != nil {
		t.Errorf("nothing follows it: %v", err)
	}
	f := w.server.add(id, &fakeWorkflow{kind: signals.PullRequestFlow})
	if err := w.handler.OnForge(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	want := []sent{{id, "", signals.Changed, signals.ChangedRequest{Message: signals.Message{ID: "gh-1", By: "ci"}, What: "check_suite completed"}}}
	if diff := cmp.Diff(want, w.server.signals, cmp.AllowUnexported(sent{})); diff != "" {
		t.Error(diff)
	}
	ev.Ended = true
	if err := w.handler.OnForge(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if r, _ := w.server.signals[1].arg.(signals.ChangedRequest); !r.Now {
		t.Errorf("its end is told as %+v", r)
	}
	f.closed = completed
	if err := w.handler.OnForge(t.Context(), ev); err != nil {
		t.Errorf("what followed it has ended: %v", err)
	}
	w.server.down = serviceerror.NewUnavailable("x")
	if err := w.handler.OnForge(t.Context(), ev); fault.KindOf(err) != fault.Infra {
		t.Errorf("without a server: %v", err)
	}
}

// A status of a commit names a branch, and no pull request.
func TestStatusOfABranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n, branch := range map[int]string{1: "longshift/a", 2: "longshift/b"} {
		w.server.add(signals.PullRequestID("", "acme", "web", n), &fakeWorkflow{kind: signals.PullRequestFlow,
			query: func(string, []any) (any, error) { return signals.Status{Branch: branch}, nil }})
	}
	ev := forge.Event{Kind: forge.PullChanged, ID: "gh-3", Owner: "acme", Name: "web", Branch: "longshift/b", What: "status"}
	if err := w.handler.OnForge(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	if len(w.server.signals) != 1 || w.server.signals[0].workflow != signals.PullRequestID("", "acme", "web", 2) {
		t.Errorf("woken: %+v", w.server.signals)
	}
}

func TestBaseMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	add := func(owner, name string, n int, base string, err error) *fakeWorkflow {
		return w.server.add(signals.PullRequestID("", owner, name, n), &fakeWorkflow{kind: signals.PullRequestFlow,
			query: func(string, []any) (any, error) { return signals.Status{Base: base}, err }})
	}
	add("acme", "web", 1, "main", nil)
	add("acme", "web", 2, "release", nil)
	add("ACME", "Web", 3, "main", nil)
	add("acme", "web2", 4, "main", nil)
	add("acme", "web", 5, "main", nil).closed = completed
	add("acme", "web", 6, "", nil)
	add("acme", "web", 7, "other", serviceerror.NewQueryFailed("x"))
	w.server.add("pull:github.com:acme:web:8", &fakeWorkflow{kind: "Else"})
	ev := forge.Event{Kind: forge.BaseMoved, ID: "gh-2", Owner: "Acme", Name: "web", Branch: "main", Actor: "bob"}
	if err := w.handler.OnForge(t.Context(), ev); err != nil {
		t.Fatal(err)
	}
	var woken []string
	for _, s := range w.server.signals {
		woken = append(woken, strings.TrimPrefix(s.workflow, "pull:github.com:acme:web:"))
		if r, _ := s.arg.(signals.ChangedRequest); r.What != "base moved" || r.ID != "gh-2" {
			t.Errorf("signal %+v", s)
		}
	}
	if diff := cmp.Diff([]string{"1", "3", "6", "7"}, woken); diff != "" {
		t.Error(diff)
	}
	ev.Owner = "a'; --"
	if err := w.handler.OnForge(t.Context(), ev); err != nil || !strings.Contains(w.server.queries[len(w.server.queries)-1], `'pull:github.com:a\'; --:web:'`) {
		t.Errorf("%v, queries %q", err, w.server.queries)
	}
}

func TestBaseMovedIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := 0
	for i := range maxWoken + 20 {
		w.server.add(signals.PullRequestID("", "acme", "web", i+1), &fakeWorkflow{kind: signals.PullRequestFlow,
			query: func(string, []any) (any, error) { asked++; return nil, serviceerror.NewUnavailable("no worker") }})
	}
	if err := w.handler.OnForge(t.Context(), forge.Event{Kind: forge.BaseMoved, ID: "gh-3", Owner: "acme", Name: "web", Branch: "main"}); err != nil {
		t.Fatal(err)
	}
	if len(w.server.signals) != maxWoken || asked != 1 {
		t.Errorf("woken %d, asked %d", len(w.server.signals), asked)
	}
}

func TestArrival(t *testing.T) {
	t.Parallel()
	for _, kind := range []forge.EventKind{forge.IssueWanted, forge.Commanded} {
		w := newWorld(t)
		ev := forge.Event{Kind: kind, ID: "gh-4", Owner: "acme", Name: "web", Number: 7, Actor: "bob", Text: "approve " + secret + "\u202e"}
		for range 2 {
			if err := w.handler.OnForge(t.Context(), ev); err != nil {
				t.Fatal(err)
			}
		}
		ev.Text = "approve [hidden]"
		if len(w.server.list) != 1 || w.server.list["arrival:gh-4"] == nil || w.server.list["arrival:gh-4"].kind != signals.Arrival {
			t.Fatalf("%s: started %+v", kind, w.server.starts)
		}
		if diff := cmp.Diff(any(ev), w.server.inputs[0]); diff != "" {
			t.Error(diff)
		}
		ev.Bot, ev.ID = true, "gh-5"
		if err := w.handler.OnForge(t.Context(), ev); err != nil || len(w.server.list) != 1 {
			t.Errorf("%s of a bot: %v, %d started", kind, err, len(w.server.list))
		}
		ev.Bot, w.server.down = false, errDown
		if err := w.handler.OnForge(t.Context(), ev); fault.KindOf(err) != fault.Infra || !errors.Is(err, errDown) {
			t.Errorf("without a server: %v", err)
		}
	}
}

func TestForgeEventsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for i, ev := range []forge.Event{
		{Kind: forge.Commanded}, {Kind: forge.Commanded, ID: "a b"}, {Kind: "other", ID: "1"}, {Kind: forge.PullChanged, ID: "1", Owner: "a", Name: "b"},
		{Kind: forge.PullChanged, ID: "1", Number: 3}, {Kind: forge.BaseMoved, ID: "1", Owner: "a", Name: "b"}, {Kind: forge.BaseMoved, ID: "1", Branch: "main"},
	} {
		w := newWorld(t)
		if err := w.handler.OnForge(t.Context(), ev); fault.KindOf(err) != fault.Input || len(w.server.starts)+len(w.server.signals)+len(w.server.queries) != 0 {
			t.Errorf("%s: %v", fmt.Sprint(i, ev), err)
		}
	}
}
