package linear_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/linear"
	"github.com/longshift/longshift/internal/intake/linear/lineartest"
	"github.com/longshift/longshift/task"
)

func note(taskID, text string) intake.Note { return intake.Note{TaskID: taskID, Text: text} }

func (w *world) has(t *testing.T, key, state string, comments ...string) {
	t.Helper()
	if got := w.State(key); got != state {
		t.Errorf("%s is in state %q, want %q", key, got, state)
	}
	if got := w.Comments(key); !slices.Equal(got, comments) {
		t.Errorf("%s has comments %q, want %q", key, got, comments)
	}
}

var writes = []string{"createNote", "createClaim", "moveIssue", "editNote"}

// TestClaimCrash lets each write of a claim be the last one that the worker sees: its answer is lost and so is the worker.
func TestClaimCrash(t *testing.T) {
	for _, lost := range writes {
		for _, queued := range []bool{false, true} {
			if queued && lost == "createNote" || !queued && lost == "editNote" {
				continue // the claim does not make this request
			}
			t.Run(fmt.Sprint(lost, " queued=", queued), func(t *testing.T) {
				w := open(t)
				key := w.add("x")
				if queued {
					must(t, "Queue", w.Queue(t.Context(), query, key, note("t1", "Waits.")))
				}
				w.Fail(lineartest.Fault{Kind: lineartest.LostAnswer, Operation: lost})
				w.Fail(lineartest.Fault{Kind: lineartest.Broken, Times: 50}) // nothing comes through any more
				kind(t, "Claim that crashes", w.Claim(t.Context(), query, key, note("t1", "Begun.")), fault.Infra)
				for range 50 {
					_ = w.List(t.Context(), query, func(intake.Item) bool { return true })
				}
				if w.Pending() > 0 {
					t.Fatal("the server is still down")
				}
				if lost != "createNote" { // a note alone is no claim
					kind(t, "Claim by another", w.Claim(t.Context(), query, key, note("t2", "I began.")), fault.Conflict)
				}
				must(t, "Claim again", w.Claim(t.Context(), query, key, note("t1", "Begun.")))
				w.has(t, key, "In Progress", "Begun.")
				kind(t, "Claim by another", w.Claim(t.Context(), query, key, note("t2", "I began.")), fault.Conflict)
				w.has(t, key, "In Progress", "Begun.")
			})
		}
	}
}

// TestClaimLostAnswer lets answers get lost on the way while the worker lives.
func TestClaimLostAnswer(t *testing.T) {
	for _, how := range []lineartest.Kind{lineartest.LostAnswer, lineartest.Unsure, lineartest.Truncated, lineartest.Broken, lineartest.Page} {
		for _, op := range append([]string{"readIssue", "readMarks", "startedStates"}, writes...) {
			t.Run(string(how)+" "+op, func(t *testing.T) {
				w := open(t)
				key := w.add("x")
				if op == "editNote" {
					must(t, "Queue", w.Queue(t.Context(), query, key, note("t1", "Waits.")))
				}
				w.Fail(lineartest.Fault{Kind: how, Operation: op})
				must(t, "Claim", w.Claim(t.Context(), query, key, note("t1", "Begun.")))
				if w.Pending() != 0 {
					t.Fatal("the fault did not come")
				}
				w.has(t, key, "In Progress", "Begun.")
				if w.waited == 0 {
					t.Error("no wait before the second try")
				}
			})
		}
	}
}

// TestClaimAfterNote: of two tasks that have written their notes, the one that claims has the issue.
func TestClaimAfterNote(t *testing.T) {
	w := open(t)
	key := w.add("x")
	must(t, "Queue", w.Queue(t.Context(), query, key, note("t1", "One waits.")))
	must(t, "Queue", w.Queue(t.Context(), query, key, note("t2", "Two waits.")))
	must(t, "Claim", w.Claim(t.Context(), query, key, note("t2", "Two works.")))
	kind(t, "Claim", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Conflict)
	w.has(t, key, "In Progress", "One waits.", "Two works.")
}

// TestClaimLost: a task that comes second between the first one's look and its claim takes its note back.
func TestClaimLost(t *testing.T) {
	w := open(t)
	key := w.add("x")
	once := false
	w.Before(func(op string) {
		if op == "createClaim" && !once {
			once = true
			must(t, "Claim in between", w.Claim(t.Context(), query, key, note("t2", "Two works.")))
		}
	})
	kind(t, "Claim", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Conflict)
	w.has(t, key, "In Progress", "Two works.")
	must(t, "Report", w.Report(t.Context(), query, key, note("t1", "One gave up."))) // its id is taken, its note is not there
	w.has(t, key, "In Progress", "Two works.", "One gave up.")
}

func TestClaimByHand(t *testing.T) {
	w := open(t)
	key := w.add("x")
	must(t, "Queue", w.Queue(t.Context(), query, key, note("t1", "Waits.")))
	w.Move(key, "anna", "In Progress")
	kind(t, "Claim of what a person has begun", w.Claim(t.Context(), query, key, note("t1", "Begun.")), fault.Conflict)
	w.has(t, key, "In Progress", "Waits.")
}

// TestClaimPutBack: work that a person puts back is free for the next task, and not for a late call of the last one.
func TestClaimPutBack(t *testing.T) {
	w := open(t)
	key := w.add("x")
	must(t, "Claim", w.Claim(t.Context(), query, key, note("t1", "One works.")))
	w.now = w.now.Add(time.Minute)
	w.Move(key, "anna", "Todo")
	must(t, "Claim of what was put back", w.Claim(t.Context(), query, key, note("t2", "Two works.")))
	kind(t, "late Claim", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Conflict)
	must(t, "second Claim", w.Claim(t.Context(), query, key, note("t2", "Two works.")))
	w.Move(key, "anna", "In Review")
	must(t, "Claim after the pull request is open", w.Claim(t.Context(), query, key, note("t2", "Two works.")))
	w.has(t, key, "In Review", "One works.", "Two works.")
}

// TestClaimExpires: a claim whose task died before it moved the issue does not hold it forever.
func TestClaimExpires(t *testing.T) {
	w := open(t)
	key := w.add("x")
	w.Fail(lineartest.Fault{Kind: lineartest.Broken, Operation: "moveIssue", Times: 5})
	kind(t, "Claim that dies", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Infra)
	kind(t, "Claim at once", w.Claim(t.Context(), query, key, note("t2", "Two works.")), fault.Conflict)
	w.now = w.now.Add(15 * time.Minute)
	must(t, "Claim later", w.Claim(t.Context(), query, key, note("t2", "Two works.")))
	kind(t, "Claim by the dead", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Conflict)
}

// TestClaimExpiresByTheServersClock: a host whose clock is an hour off neither takes a claim that holds nor waits for one that does not.
func TestClaimExpiresByTheServersClock(t *testing.T) {
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		w := open(t)
		key := w.add("x")
		w.Fail(lineartest.Fault{Kind: lineartest.Broken, Operation: "moveIssue", Times: 5})
		kind(t, "Claim that dies", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Infra)
		other, err := linear.New(linear.Config{Token: func(context.Context) (string, error) { return lineartest.Key, nil }, BaseURL: w.URL,
			Now: func() time.Time { return w.now.Add(off) }})
		must(t, "New", err)
		kind(t, "Claim at once", other.Claim(t.Context(), query, key, note("t2", "Two works.")), fault.Conflict)
		w.now = w.now.Add(15 * time.Minute)
		must(t, "Claim later", other.Claim(t.Context(), query, key, note("t2", "Two works.")))
	}
}

// TestClaimWithdrawn: a task dies after its claim, and a person does not want the work any more. Its comment does not go on saying that it works.
func TestClaimWithdrawn(t *testing.T) {
	for name, do := range map[string]func(w *world, key string){
		"label taken off": func(w *world, key string) { w.Unlabel(key, "anna", "Longshift") },
		"closed":          func(w *world, key string) { w.Move(key, "anna", "Canceled") },
	} {
		w := open(t)
		key := w.add("x")
		w.Fail(lineartest.Fault{Kind: lineartest.Broken, Operation: "moveIssue", Times: 5})
		kind(t, "Claim that dies", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Infra)
		do(w, key)
		for range 2 {
			kind(t, "Claim again", w.Claim(t.Context(), query, key, note("t1", "One works.")), fault.Conflict)
		}
		if got := w.Comments(key); len(got) != 1 || !strings.Contains(got[0], "does not begin") || w.Edits(key) != 1 {
			t.Errorf("%s: comments %q, edited %d times", name, got, w.Edits(key))
		}
	}
}

func TestClaimForbidden(t *testing.T) {
	w := open(t)
	key := w.add("x")
	w.Fail(lineartest.Fault{Kind: lineartest.Complaint, Operation: "moveIssue", Code: "FORBIDDEN", Type: "forbidden", Message: "no " + lineartest.Key})
	err := w.Claim(t.Context(), query, key, note("t1", "Begun."))
	kind(t, "Claim with a key that reads", err, fault.Denied)
	if !strings.Contains(fault.HintOf(err), "LONGSHIFT_LINEAR_TOKEN_FILE") {
		t.Errorf("hint %q", fault.HintOf(err))
	}
}

func TestNotes(t *testing.T) {
	w := open(t)
	key := w.add("x")
	w.Say(key, "anna", "Hello?")
	must(t, "Queue", w.Queue(t.Context(), query, key, note("t1", "Waits.")))
	must(t, "Queue", w.Queue(t.Context(), query, key, note("t1", " Waits.\r\n")))
	if w.Edits(key) != 0 {
		t.Errorf("the same text was written %d times", w.Edits(key))
	}
	w.has(t, key, "Todo", "Hello?", "Waits.")
	for _, o := range []task.Outcome{task.PullRequest, task.Failed} {
		n := note("t1", "It ended: "+string(o))
		n.Outcome = o
		must(t, "Report", w.Report(t.Context(), query, key, n))
		w.has(t, key, "Todo", "Hello?", "It ended: "+string(o)) // nothing is moved
	}
	for n := range 3 { // somebody deletes our comment: the next text is a new one
		w.Uncomment(key)
		must(t, "Report", w.Report(t.Context(), query, key, note("t1", "Again.")))
		if got := w.Comments(key); len(got) != 1 || got[0] != "Again." {
			t.Fatalf("after deletion %d: %q", n, got)
		}
	}
	w.Uncomment(key)
	kind(t, "Report after too many deletions", w.Report(t.Context(), query, key, note("t1", "Again.")), fault.Input)
	must(t, "Report", w.Report(t.Context(), query, key, note("t2", strings.Repeat("é", 20_000))))
	if got := w.Comments(key); len(got) != 1 || len(got[0]) > 17<<10 {
		t.Errorf("%d comments, of %d bytes", len(got), len(got[0]))
	}
	w.Trash(key)
	kind(t, "Report on what is in the trash", w.Report(t.Context(), query, key, note("t2", "x")), fault.NotFound)
	w.Delete(key)
	kind(t, "Report on what is gone", w.Report(t.Context(), query, key, note("t2", "x")), fault.NotFound)
	kind(t, "a note without a task", w.Report(t.Context(), query, key, note("", "x")), fault.Internal)
}

// TestReportMoved: an issue that has gone to another team is found by its old key, with its notes.
func TestReportMoved(t *testing.T) {
	w := open(t)
	w.AddTeam("OPS")
	key := w.add("x")
	must(t, "Claim", w.Claim(t.Context(), query, key, note("t1", "Begun.")))
	now := w.MoveTeam(key, "OPS")
	must(t, "Report", w.Report(t.Context(), query, key, note("t1", "Done.")))
	w.has(t, now, "In Progress", "Done.")
}
