package inbound

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// due counts the requests that were started by the minute, from the beginning, in which they are carried out.
func (w *world) due(began time.Time) map[int]int {
	w.t.Helper()
	minutes := map[int]int{}
	for id, at := range w.server.begins {
		if strings.HasPrefix(id, signals.ArrivalID("")) {
			minutes[int(at.Sub(began)/time.Minute)]++
		}
	}
	return minutes
}

func (w *world) comments(from, n int, actor string) error {
	for i := from; i < from+n; i++ {
		ev := forge.Event{Kind: forge.Commanded, ID: fmt.Sprint("comment-", i), Owner: "acme", Name: "web", Number: 7, Actor: actor, Text: "hello"}
		if err := w.handler.OnForge(w.t.Context(), ev); err != nil {
			return err
		}
	}
	return nil
}

// TestLabelledIssuesAllArrive: a person labels forty issues at once, and each poll reports again the last events of the poll before.
func TestLabelledIssuesAllArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.now = w.config.Now
	for look := range 4 {
		for i := range 40 {
			ev := forge.Event{Kind: forge.IssueWanted, ID: fmt.Sprint("labeled-", i), Owner: "acme", Name: "web", Number: i + 1, Actor: "ada", At: now}
			if err := w.handler.OnForge(t.Context(), ev); err != nil {
				t.Fatalf("look %d: %v", look, err)
			}
		}
		if n := len(w.server.starts); n != 40 {
			t.Fatalf("after look %d, %d of 40 were started", look, n)
		}
		w.pass(10 * time.Second)
	}
	for i := range 40 {
		if w.server.list[signals.ArrivalID(fmt.Sprint("labeled-", i))] == nil {
			t.Errorf("issue %d is lost", i+1)
		}
	}
	if m := w.due(now); m[0] != maxArrivals || m[1] != 10 {
		t.Errorf("by minutes: %v", m)
	}
}

// TestRepeatsCostNothing: an event that is delivered again does not count for the limit.
func TestRepeatsCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.now = w.config.Now
	for range 100 {
		if err := w.comments(0, 10, "ada"); err != nil {
			t.Fatal(err)
		}
	}
	w.server.list[signals.ArrivalID("comment-3")].closed = completed
	for range 100 {
		if err := w.comments(3, 1, "ada"); err != nil {
			t.Fatal(err)
		}
	}
	w.server.down = errDown
	if err := w.comments(10, 1, "ada"); fault.KindOf(err) != fault.Infra {
		t.Errorf("without a server: %v", err)
	}
	w.server.down = nil
	if err := w.comments(10, maxArrivals-10, "ada"); err != nil {
		t.Fatal(err)
	}
	if m := w.due(now); m[0] != maxArrivals {
		t.Errorf("by minutes: %v", m)
	}
}

// TestFailedRequestIsStartedAnew: a request that has failed is carried out when the forge or a person delivers it again, and once.
func TestFailedRequestIsStartedAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		if err := w.comments(0, 1, "ada"); err != nil {
			t.Fatal(err)
		}
	}
	w.server.list[signals.ArrivalID("comment-0")].closed = enumspb.WORKFLOW_EXECUTION_STATUS_FAILED
	for range 2 {
		if err := w.comments(0, 1, "ada"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.server.starts); n != 2 {
		t.Errorf("started %d times", n)
	}
}

// TestRequestsOfOnePersonAreBounded: everybody may comment on a public repository, and the forge would be asked about each comment at once.
func TestRequestsOfOnePersonAreBounded(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w.server.now = w.config.Now
	if err := w.comments(0, 200, "Eve"); err != nil {
		t.Fatal(err)
	}
	if m := w.due(now); len(m) != 7 || m[0] != maxArrivals || m[5] != maxArrivals || m[6] != 20 {
		t.Errorf("by minutes: %v", m)
	}
	if n := strings.Count(log.String(), "requests from a forge wait"); n != 1 {
		t.Errorf("the log:\n%s", log.String())
	}
	if err := w.comments(200, 1, "ada"); err != nil || w.server.starts[200].StartDelay != 0 {
		t.Errorf("somebody else is bounded by it: %v", err)
	}
	if err := w.comments(201, 1, "eve"); err != nil || w.server.starts[201].StartDelay != 6*time.Minute {
		t.Errorf("the case of a name counts: %v, %v", err, w.server.starts[201].StartDelay)
	}
	w.pass(time.Minute)
	if err := w.comments(1000, maxArrivals+maxWaiting-201+maxArrivals, "eve"); err != nil {
		t.Errorf("what is done makes no room for others: %v", err)
	}
	if n := strings.Count(log.String(), "requests from a forge wait"); n != 2 {
		t.Errorf("%d lines in the log", n)
	}
	if err := w.comments(9000, 1, "eve"); fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "too many requests wait") {
		t.Errorf("the queue has no end: %v", err)
	}
	before := len(w.server.starts)
	w.pass(time.Minute)
	if err := w.comments(9000, 1, "eve"); err != nil || len(w.server.starts) != before+1 {
		t.Errorf("what comes again when there is room: %v", err)
	}
	w.pass(2 * time.Hour)
	if err := w.comments(9001, 1, "eve"); err != nil || w.server.starts[before+1].StartDelay != 0 {
		t.Errorf("when all of it is done: %v", err)
	}
}
