package intaketest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
)

func testQueue(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	n := note(t, h, key, "t1", "Waits for two others.")
	for range 2 {
		must(t, "Queue", h.Reporter.Queue(soon(t), h.Query, key, n))
		soFar(t, h, key, "Waits for two others.")
	}
	n.Text = "Waits for one other."
	must(t, "Queue with another text", h.Reporter.Queue(soon(t), h.Query, key, n))
	soFar(t, h, key, "Waits for one other.")
	listed(t, h, key) // it is not claimed
	n.TaskID = "t2"
	must(t, "Claim by another task than the one that waits", h.Reporter.Claim(soon(t), h.Query, key, n))
}

func testClaim(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	before := read(t, h, key)
	n := note(t, h, key, "t1", "Work has begun.")
	for range 2 {
		must(t, "Claim", h.Reporter.Claim(soon(t), h.Query, key, n))
		soFar(t, h, key, "Work has begun.")
		listed(t, h)
	}
	if after := read(t, h, key); after.ID != before.ID || after.Sum != before.Sum { // the task reads what it has claimed
		t.Errorf("read as %+v before the claim, as %+v after", before.Item, after.Item)
	}
}

func testClaimByAnother(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	must(t, "Claim", h.Reporter.Claim(soon(t), h.Query, key, note(t, h, key, "t1", "The first one works.")))
	err := h.Reporter.Claim(soon(t), h.Query, key, note(t, h, key, "t2", "The second one works."))
	failed(t, h, "Claim by another task", err, fault.Conflict)
	soFar(t, h, key, "The first one works.")
	must(t, "Claim by the first task", h.Reporter.Claim(soon(t), h.Query, key, note(t, h, key, "t1", "The first one works.")))
}

func testClaimAtOnce(t *testing.T, h Harness) {
	const tasks = 8
	key := h.Add(t, "Greet in French", body)
	n := note(t, h, key, "", "")
	errs := make([]error, tasks)
	var all sync.WaitGroup
	for i := range tasks {
		all.Go(func() {
			mine := n
			mine.TaskID, mine.Text = fmt.Sprintf("t%d", i), fmt.Sprintf("Task %d works.", i)
			errs[i] = h.Reporter.Claim(soon(t), h.Query, key, mine)
		})
	}
	all.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			continue
		}
		failed(t, h, fmt.Sprintf("Claim %d", i), err, fault.Conflict)
	}
	if won != 1 {
		t.Errorf("%d tasks have claimed the same work", won)
	}
}

func testClaimOfOne(t *testing.T, h Harness) {
	var all []string
	for i := range 3 {
		all = append(all, h.Add(t, fmt.Sprintf("Piece %d", i+1), body))
	}
	must(t, "Claim", h.Reporter.Claim(soon(t), h.Query, all[1], note(t, h, all[1], "t1", "Begun.")))
	listed(t, h, all[0], all[2])
	soFar(t, h, all[1], "Begun.")
	shown(t, h, all[0])
}

func testClaimRemoved(t *testing.T, h Harness) {
	key := h.Add(t, "Soon gone", body)
	n := note(t, h, key, "t1", "Begun.")
	h.Remove(t, key)
	failed(t, h, "Claim of what was removed", h.Reporter.Claim(soon(t), h.Query, key, n), fault.NotFound, fault.Conflict)
	if err := h.Reporter.Report(soon(t), h.Query, key, n); err != nil {
		failed(t, h, "Report of what was removed", err, fault.NotFound)
	}
}

// testClaimOldText: if a changed text is new work, the work of the old text no longer exists.
func testClaimOldText(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	before := read(t, h, key)
	n := note(t, h, key, "t1", "Begun.")
	h.Edit(t, key, "Greet people in Danish.\n")
	if read(t, h, key).ID == before.ID {
		t.Log("another text is the same work here: nothing to hold")
		return
	}
	failed(t, h, "Claim of the old text", h.Reporter.Claim(soon(t), h.Query, key, n), fault.Conflict)
	listed(t, h, key)
	must(t, "Claim of the new text", h.Reporter.Claim(soon(t), h.Query, key, note(t, h, key, "t2", "Begun.")))
}

func testReport(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	must(t, "Queue", h.Reporter.Queue(soon(t), h.Query, key, note(t, h, key, "t1", "Waits.")))
	must(t, "Claim", h.Reporter.Claim(soon(t), h.Query, key, note(t, h, key, "t1", "Begun.")))
	n := ended(t, h, key, "t1", "It failed: no compiler.")
	for range 2 {
		must(t, "Report", h.Reporter.Report(soon(t), h.Query, key, n))
		shown(t, h, key, "It failed: no compiler.")
	}
}

func testReportWithoutClaim(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	n := ended(t, h, key, "t1", "It was cancelled.")
	for range 2 {
		must(t, "Report", h.Reporter.Report(soon(t), h.Query, key, n))
		shown(t, h, key, "It was cancelled.")
	}
}

// testTwoTasks: what one task has written stays when the next one reports.
func testTwoTasks(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	first, second := ended(t, h, key, "t1", "The first one failed."), ended(t, h, key, "t2", "The second one failed.")
	for _, n := range []intake.Note{first, second, first, second} {
		must(t, "Report", h.Reporter.Report(soon(t), h.Query, key, n))
	}
	shown(t, h, key, "The first one failed.", "The second one failed.")
}
