package forgetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/forge"
)

func testCreate(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Draft, r.Reviewers = true, []string{"alice"}
	p := ensure(t, f, r)
	if p.Number != 1 || p.URL == "" || p.Head != r.Head || p.Base != "main" || p.State != forge.Open || p.Found || p.Created.IsZero() {
		t.Errorf("got %+v", p)
	}
	if len(p.Warnings) > 0 {
		t.Errorf("warnings: %q", p.Warnings)
	}
	s := only(t, f)
	if s.Title != r.Title || s.Head != r.Head || s.Base != "main" || !s.Draft || !slices.Equal(s.Labels, r.Labels) ||
		!slices.Equal(s.Reviewers, r.Reviewers) || !strings.HasPrefix(s.Body, r.Body+"\n") {
		t.Errorf("there stands %+v", s)
	}
	if id, fence, ok := forge.FindTag(s.Body); id != "task-1" || fence != 1 || !ok {
		t.Errorf("hidden mark: %q %d %v in %q", id, fence, ok, s.Body)
	}
}

func testFindAgain(t *testing.T, f Fixture) {
	r := request(t, f)
	first := ensure(t, f, r)
	before := only(t, f)
	second := ensure(t, f, r)
	if !second.Found || second.Number != first.Number || second.URL != first.URL || !second.Created.Equal(first.Created) {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if after := only(t, f); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the second call changed it:\n%+v\n%+v", before, after)
	}
}

func testUpdate(t *testing.T, f Fixture) {
	r := request(t, f)
	ensure(t, f, r)
	r.Title, r.Body = "Greet in French and German", "More was done."
	r.Labels, r.Reviewers = []string{"LONGSHIFT", "feature"}, []string{"alice"}
	if p := ensure(t, f, r); !p.Found {
		t.Errorf("got %+v", p)
	}
	s := only(t, f)
	if s.Title != r.Title || !strings.HasPrefix(s.Body, r.Body) || strings.Contains(s.Body, "What was done") {
		t.Errorf("title %q, body %q", s.Title, s.Body)
	}
	if want := []string{"longshift", "feature"}; !slices.Equal(s.Labels, want) {
		t.Errorf("labels %q, want %q", s.Labels, want)
	}
	if !slices.Equal(s.Reviewers, []string{"alice"}) {
		t.Errorf("reviewers %q", s.Reviewers)
	}
}

// together runs calls at the same time and gives what they came to.
func together(t *testing.T, f Fixture, requests []forge.Request) []forge.PullRequest {
	t.Helper()
	got := make([]forge.PullRequest, len(requests))
	errs := make([]error, len(requests))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() {
			<-start
			got[i], errs[i] = f.Forge.EnsurePullRequest(t.Context(), r)
		})
	}
	close(start)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("EnsurePullRequest: %v", err)
	}
	return got
}

func testConcurrentSame(t *testing.T, f Fixture) {
	got := together(t, f, slices.Repeat([]forge.Request{request(t, f)}, 5))
	s, created := only(t, f), 0
	for _, p := range got {
		if p.Number != s.Number {
			t.Errorf("a call gave #%d, there stands #%d", p.Number, s.Number)
		}
		if !p.Found {
			created++
		}
	}
	if created != 1 {
		t.Errorf("%d calls say that they opened it, want 1", created)
	}
}

func testConcurrentMany(t *testing.T, f Fixture) {
	var requests []forge.Request
	for i := range 4 {
		r := request(t, f)
		r.TaskID, r.Head = fmt.Sprintf("task-%d", i), fmt.Sprintf("longshift/many-%d", i)
		r.HeadCommit = AddBranch(t, f.GitDir, r.Head, "main")
		requests = append(requests, r)
	}
	numbers := map[int]bool{}
	for _, p := range together(t, f, requests) {
		numbers[p.Number] = true
	}
	if len(numbers) != 4 || len(f.Pulls(t)) != 4 {
		t.Errorf("4 tasks have the numbers %v; there stand %d", numbers, len(f.Pulls(t)))
	}
}

func testDeath(t *testing.T, f Fixture) {
	r := request(t, f)
	r.Reviewers = []string{"alice"}
	if p, err := f.Forge.EnsurePullRequest(f.Die(t), r); !errors.Is(err, context.Canceled) {
		t.Fatalf("the call that died gave %+v, %v", p, err)
	}
	before := only(t, f)
	p := ensure(t, f, r)
	s := only(t, f)
	if !p.Found || p.Number != before.Number {
		t.Errorf("got %+v, there stood #%d", p, before.Number)
	}
	if !slices.Equal(s.Labels, r.Labels) || !slices.Equal(s.Reviewers, r.Reviewers) {
		t.Errorf("labels %q, reviewers %q", s.Labels, s.Reviewers)
	}
}

func testClosed(t *testing.T, f Fixture) { testEnded(t, f, f.Close, forge.Closed) }
func testMerged(t *testing.T, f Fixture) { testEnded(t, f, f.Merge, forge.Merged) }

func testEnded(t *testing.T, f Fixture, end func(*testing.T, int), want forge.State) {
	r := request(t, f)
	first := ensure(t, f, r)
	end(t, first.Number)
	before := only(t, f)
	r.Title, r.Labels = "Another title", []string{"another"}
	p := ensure(t, f, r)
	if !p.Found || p.Number != first.Number || p.State != want {
		t.Errorf("got %+v, want #%d found as %s", p, first.Number, want)
	}
	if after := only(t, f); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("what has ended was changed:\n%+v\n%+v", before, after)
	}
}
