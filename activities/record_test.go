package activities

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// reopen reads a session's record from disk, as a restarted worker does.
func reopen(t *testing.T, data string) *record {
	t.Helper()
	r, err := openRecord(data, SessionInput{Ref: Ref{TaskID: "t1", Fence: 1}, ID: "s1"})
	must(t, err)
	return r
}

func TestRecordKeepsTheResultOfEachAsk(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	r := reopen(t, data)
	if r.begun() {
		t.Error("a session that nobody has asked for has begun")
	}
	if _, ok, err := r.result(1); ok || err != nil {
		t.Errorf("a result before the first ask: %v, %v", ok, err)
	}
	want := SessionResult{Kind: agent.Completed, Report: task.Report{Kind: task.ReportDone, Text: "fix: sum"},
		Plan:     &task.Plan{Summary: "s", Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "d"}}},
		Duration: 3 * time.Second, Usage: task.Usage{Input: 7, CostUSD: 0.25}, Reset: time.Unix(1_700_000_000, 0).UTC()}
	must(t, r.begin(1))
	must(t, r.keep(1, want))
	r = reopen(t, data)
	got, ok, err := r.result(1)
	if diff := cmp.Diff(want, got); !ok || err != nil || diff != "" {
		t.Errorf("kept %v, %v (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, _ := r.result(2); ok || !r.begun() {
		t.Error("the second ask has the result of the first")
	}
}

// The running time of an attempt ends at its last heartbeat. The time until the next attempt does not count.
func TestRecordSpent(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	killed := func(ago, ran time.Duration) { // an attempt that began so long ago and ran so long
		t.Helper()
		r := reopen(t, data)
		r.state.Begun = time.Now().Add(-ago)
		must(t, r.save())
		r.alive()
		at := r.state.Begun.Add(ran)
		must(t, os.Chtimes(filepath.Join(r.dir, "alive"), at, at))
	}
	next := func(ask int, want time.Duration) {
		t.Helper()
		r := reopen(t, data)
		must(t, r.begin(ask))
		if got := r.state.Spent; got < want-time.Second || got > want+time.Second {
			t.Errorf("ask %d: spent %s, want %s", ask, got, want)
		}
		if got := r.elapsed(time.Minute); got != r.state.Spent+time.Minute {
			t.Errorf("elapsed %s after %s spent", got, r.state.Spent)
		}
	}
	next(1, 0)
	next(1, 0) // killed before its first heartbeat
	killed(10*time.Hour, 10*time.Minute)
	next(1, 10*time.Minute)
	killed(time.Hour, 5*time.Minute)
	next(1, 15*time.Minute)
	killed(time.Hour, -time.Minute) // no heartbeat since its begin: the file is that of an earlier attempt
	next(1, 15*time.Minute)
	killed(time.Hour, 5*time.Minute)
	next(2, 0) // the time of another ask counts from 0
}

func TestRecordCountsResumptions(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	r := reopen(t, data)
	must(t, r.begin(1))
	if n := r.resumed(false); n != 0 {
		t.Errorf("resumed %d times", n)
	}
	must(t, r.keep(1, SessionResult{}))
	r = reopen(t, data)
	must(t, r.begin(2))
	r.resumed(true)
	must(t, r.keep(2, SessionResult{}))
	if n := reopen(t, data).resumed(true); n != 2 {
		t.Errorf("resumed %d times, want 2", n)
	}
}
