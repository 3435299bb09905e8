package linear_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/linear/lineartest"
)

func TestListOrder(t *testing.T) {
	w := open(t)
	var want [5][]string // by priority
	for n := range 120 {
		p := (n * 7) % 5
		key := w.Add(lineartest.Issue{Title: "x", Labels: []string{"longshift"}, Priority: p, Created: noon.Add(-time.Duration(n) * time.Hour)})
		want[p] = append(want[p], key)
	}
	for _, l := range want {
		slices.Reverse(l) // the last that was added is the oldest
	}
	var got []string
	var priorities []int
	err := w.List(t.Context(), query, func(i intake.Item) bool {
		got, priorities = append(got, i.Key), append(priorities, i.Priority)
		return true
	})
	must(t, "List", err)
	if all := slices.Concat(want[1], want[2], want[3], want[4], want[0]); !slices.Equal(got, all) {
		t.Errorf("listed %v\nwant %v", got, all)
	}
	if !slices.IsSortedFunc(priorities, func(a, b int) int { return b - a }) || priorities[0] != 4 || priorities[len(priorities)-1] != 0 {
		t.Errorf("priorities %v: the higher the sooner, 4 to 0", priorities)
	}
	if n := w.Requests(""); n != 6 { // 24 of each priority: one request for all, and one more for each
		t.Errorf("%d requests", n)
	}
}

// TestListChanged: an issue that was changed says so, so that a poll which goes on behind it reads it again.
func TestListChanged(t *testing.T) {
	w := open(t)
	key := w.Add(lineartest.Issue{Title: "x", Labels: []string{"longshift"}, Created: noon.Add(-time.Hour)})
	changed := func() (at time.Time) {
		t.Helper()
		must(t, "List", w.List(t.Context(), query, func(i intake.Item) bool { at = i.Changed; return true }))
		return at
	}
	if at := changed(); !at.Equal(noon.Add(-time.Hour)) {
		t.Errorf("it was changed at %s", at)
	}
	before := w.Now()
	w.Edit(key, "y", "")
	if at := changed(); at.Before(before) {
		t.Errorf("it was edited at %s, and changed at %s", before, at)
	}
}

func TestListFilter(t *testing.T) {
	w := open(t)
	w.AddTeam("OPS")
	w.AddUser("bert")
	both := []string{"longshift"}
	yes := w.add("mine")
	for _, state := range []string{"Triage", "Backlog", "In Progress", "In Review", "Done", "Canceled"} {
		w.Add(lineartest.Issue{Title: state, State: state, Labels: both})
	}
	ready := w.Add(lineartest.Issue{Title: "ready", State: "Ready", Labels: both, Assignee: "anna"})
	w.Add(lineartest.Issue{Title: "no label", Labels: []string{"longshift-not"}})
	w.Trash(w.add("trashed"))
	w.Archive(w.add("archived"))
	ops := w.Add(lineartest.Issue{Title: "ops", Team: "OPS", Labels: both, Assignee: "bert"})
	mine := w.Add(lineartest.Issue{Title: "assigned", Assignee: "agent"})
	app := w.Add(lineartest.Issue{Title: "delegated", Assignee: "anna", Delegate: "agent"})
	for _, c := range []struct {
		q    intake.Query
		want []string
	}{
		{intake.Query{Label: "LONGSHIFT", Team: "eng"}, []string{yes, ready}},
		{intake.Query{Label: "longshift"}, []string{yes, ready, ops}},
		{intake.Query{Assignee: "me"}, []string{mine, app}},
		{intake.Query{Assignee: "anna"}, []string{ready, app}},
		{intake.Query{Assignee: "Bert@example.com"}, []string{ops}},
		{intake.Query{Assignee: "Person bert"}, []string{ops}},
		{intake.Query{Assignee: "anna", Label: "longshift"}, []string{ready}},
		{intake.Query{Assignee: "nobody"}, nil},
		{intake.Query{Label: `x"}}) { id }`}, nil},
	} {
		if got := keys(t, w.Linear, c.q); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
		for _, key := range append(slices.Clone(c.want), "ENG-2", ops, mine) { // what is listed is what Read takes
			work, err := w.Read(t.Context(), c.q, key)
			must(t, "Read", err)
			if (work.No == "") != slices.Contains(c.want, key) {
				t.Errorf("%+v: read of %s says No %q", c.q, key, work.No)
			}
		}
	}
}

func TestQueryRefused(t *testing.T) {
	w := open(t)
	key := w.add("x")
	for _, c := range []struct {
		q     intake.Query
		names string
	}{
		{intake.Query{Team: "ENG"}, "neither label nor assignee"},
		{intake.Query{Label: strings.Repeat("x", 300)}, "label"},
		{intake.Query{Label: "x", Team: strings.Repeat("x", 300)}, "team"},
	} {
		err := w.List(t.Context(), c.q, func(intake.Item) bool { return true })
		kind(t, "List", err, fault.Input)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%v does not name %q", err, c.names)
		}
		_, err = w.Read(t.Context(), c.q, key)
		kind(t, "Read", err, fault.Input)
		kind(t, "Claim", w.Claim(t.Context(), c.q, key, intake.Note{TaskID: "t", Text: "x"}), fault.Input)
	}
	if n := w.Requests(""); n != 0 {
		t.Errorf("%d requests for queries that can't be", n)
	}
}

// TestListStops checks that no page is read that the caller does not need.
func TestListStops(t *testing.T) {
	w := open(t)
	for n := range 500 {
		w.Add(lineartest.Issue{Title: fmt.Sprint(n), Labels: []string{"longshift"}, Priority: 1})
	}
	seen := 0
	must(t, "List", w.List(t.Context(), query, func(intake.Item) bool { seen++; return seen < 120 }))
	if seen != 120 || w.Requests("") != 2 {
		t.Errorf("%d visited with %d requests", seen, w.Requests(""))
	}
}

// TestListMemory checks that a list of 10 000 issues keeps no pages in memory.
func TestListMemory(t *testing.T) {
	w := open(t)
	for n := range 10_000 {
		w.Add(lineartest.Issue{Title: fmt.Sprint("Issue ", n, strings.Repeat(" and more", 20)), Labels: []string{"longshift"}, Priority: n % 2})
	}
	live := func() int64 {
		runtime.GC()
		runtime.GC() // what a pool held is gone after the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	must(t, "List", w.List(t.Context(), query, func(intake.Item) bool { return false })) // the schema and the connection are there
	start, most, n := live(), int64(0), 0
	err := w.List(t.Context(), query, func(intake.Item) bool {
		if n++; n%1000 == 0 {
			most = max(most, live()-start)
		}
		return true
	})
	must(t, "List", err)
	if n != 10_000 {
		t.Fatalf("%d visited", n)
	}
	t.Logf("at most %d kB live over %d issues, %d requests", most>>10, n, w.Requests(""))
	if most > 1<<20 {
		t.Errorf("%d kB live: pages are kept", most>>10)
	}
}
