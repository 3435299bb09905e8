package workflows_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// losing is a world whose second host restores an older commit than the last one that was reported.
func losing(t *testing.T, head string) (w *world, reported *[]string) {
	w, reported = newWorld(t), new([]string)
	w.hosts, w.probe = []string{"alpha", "beta"}, unanswered
	w.behind = func(in activities.PrepareInput) string {
		if w.takes != 2 {
			return ""
		}
		*reported = in.Reported
		return head
	}
	return w, reported
}

func statusOf(s signals.Status, id string) task.Status {
	at := slices.IndexFunc(s.Plan.Deliverables, func(d task.Deliverable) bool { return d.ID == id })
	return s.Plan.Deliverables[at].Status
}

// The host goes while the work is reviewed, and again while what was approved is pushed: only what is lost is done again, and all of
// it is reviewed before it is pushed.
func TestLostCommitsAreDoneAgainBeforePublishing(t *testing.T) {
	for name, c := range map[string]struct{ head, roles, again string }{
		"the second, in review": {"commit1", "piirir", "API-002"}, "the second, in push": {"commit1", "piirir", "API-002"},
		"both, in review": {"base", "piiriir", "FIX-001"}, "both, in push": {"base", "piiriir", "FIX-001"},
	} {
		t.Run(name, func(t *testing.T) {
			w, reported := losing(t, c.head)
			inReview := name[len(name)-6:] == "review"
			gone := false
			w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				if in.Role == task.Reviewer && inReview && !gone {
					gone = true
					return activities.SessionResult{}, stopping()
				}
				return activities.SessionResult{}, nil
			}
			w.push = func() (string, error) {
				if !inReview && !gone {
					gone = true
					return "", stopping()
				}
				return "pushed", nil
			}
			s := w.start(t)
			if s.Outcome != task.PullRequest || w.roles() != c.roles || w.asked[4].Prompt.Deliverable.ID != c.again {
				t.Fatalf("outcome %s, sessions %s, then %v", s.Outcome, w.roles(), w.asked[4].Prompt.Deliverable)
			}
			if want := []string{"base", "commit1", "commit2", "commit2"}; !slices.Equal(*reported, want) {
				t.Errorf("the host was told of %q, want %q", *reported, want)
			}
			last := s.Commits[len(s.Commits)-1].ID
			if got := w.pushed[len(w.pushed)-1].Reviewed; got != last || last == "commit2" {
				t.Errorf("pushed what holds %s, the last commit is %s", got, last)
			}
			if len(s.Commits) != 2 || statusOf(s, "FIX-001") != task.Passed || statusOf(s, "API-002") != task.Passed || len(w.requests) != 1 {
				t.Errorf("commits %v, plan %+v", s.Commits, s.Plan.Deliverables)
			}
		})
	}
}

// The session has reported, its host goes before the commit, and the next one has lost more than that.
func TestCommitsLostBeforeTheNextCommit(t *testing.T) {
	w, _ := losing(t, "base")
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if len(w.commits) == 2 {
			return activities.Committed{}, stopping()
		}
		return activities.Committed{Commit: w.commits[len(w.commits)-1].Message, Created: true, Files: 1}, nil
	}
	s := w.start(t)
	var done []string
	for _, in := range w.asked {
		if d := in.Prompt.Deliverable; d != nil {
			done = append(done, d.ID)
		}
	}
	if want := []string{"FIX-001", "API-002", "FIX-001", "API-002"}; s.Outcome != task.PullRequest || !slices.Equal(done, want) {
		t.Errorf("outcome %s, sessions for %q", s.Outcome, done)
	}
}

// What is lost while a new plan is made is planned again, and the plan is approved before anything is done.
func TestCommitsLostWhilePlanning(t *testing.T) {
	w, _ := losing(t, "base")
	w.settings.Approval.Mode = "required"
	w.settings.Approval.Again = true
	reviews, plans, approved := 0, 0, 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		switch in.Role {
		case task.Reviewer:
			reviews++
			return activities.SessionResult{Kind: agent.Completed, Review: &task.Review{Approved: reviews > 1, Text: "more"}}, nil
		case task.Planner:
			if plans++; plans == 2 {
				return activities.SessionResult{}, stopping()
			}
			return activities.SessionResult{}, nil
		}
		if plans == 3 && approved < 2 {
			t.Errorf("worked on a plan that was approved %d times of 2", approved)
		}
		return activities.SessionResult{}, nil
	}
	for n := range 2 {
		w.env.RegisterDelayedCallback(func() {
			approved++
			w.env.SignalWorkflow(signals.Approve, nil)
		}, time.Duration(n+1)*time.Hour)
	}
	if s := w.start(t); s.Outcome != task.PullRequest || w.roles() != "piirppiir" || s.Iteration != 2 {
		t.Errorf("outcome %s after %d rounds, sessions %s", s.Outcome, s.Iteration, w.roles())
	}
}

// A round is begun anew: what there is to do still stands at the pull request.
func TestLostCommitsOfARound(t *testing.T) {
	w, reported := losing(t, "base")
	gone := false
	w.push = func() (string, error) {
		if !gone {
			gone = true
			return "", stopping()
		}
		return "pushed", nil
	}
	s := w.lookAfter(t, func(time.Duration) forge.Snapshot {
		if len(w.replies) > 0 {
			return merged()
		}
		return open(thread(7, "use a table"))
	})
	if s.Outcome != task.PullMerged || w.roles() != "irir" || s.Rounds != 2 || len(w.replies) != 1 {
		t.Errorf("outcome %s after %d rounds, sessions %s, %d answers", s.Outcome, s.Rounds, w.roles(), len(w.replies))
	}
	if got := w.pushed[len(w.pushed)-1].Reviewed; got != "commit2" {
		t.Errorf("pushed what holds %s", got)
	}
	if want := []string{"base", "commit1", "commit1"}; !slices.Equal(*reported, want) {
		t.Errorf("the host was told of %q, want %q", *reported, want)
	}
}

// Who takes a secret out of the branch's commits makes others of them: these are pushed, for they were asked for.
func TestCommitsWithoutTheirSecretArePushed(t *testing.T) {
	w := newWorld(t)
	w.push = func() (string, error) {
		if w.pushes == 1 {
			return "", temporal.NewNonRetryableApplicationError("it holds a key", string(fault.Leak), nil)
		}
		return "pushed", nil
	}
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, nil) }, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || w.pushed[0].Reviewed != "commit2" || w.pushed[1].Reviewed != "" {
		t.Errorf("outcome %s, pushed %+v", s.Outcome, w.pushed)
	}
}

// TestCommitThatNobodyReported: the host that had made a deliverable's commit was lost before it could say so, and another one has that commit. It
// is among those of the task, and the deliverable is recorded with it.
func TestCommitThatNobodyReported(t *testing.T) {
	w := newWorld(t)
	w.losesHost(task.Implementer)
	w.ahead = "lost"
	w.commit = func(in activities.CommitInput) (activities.Committed, error) {
		if in.Since == "base" {
			return activities.Committed{Commit: "lost", Files: 1, Earlier: []signals.Commit{{ID: "lost", Subject: "fix: add"}}}, nil
		}
		return activities.Committed{Commit: "commit" + in.Since, Created: true, Files: 1}, nil
	}
	s := w.startWith(t, `{"repository":"acme/calc","task":"carry it out","spec":["SPEC.md"]}`)
	if s.Outcome != task.PullRequest || len(s.Commits) != 2 || s.Commits[0] != (signals.Commit{ID: "lost", Subject: "fix: add"}) ||
		s.Commits[1].ID != "commitlost" {
		t.Fatalf("outcome %s, commits %v", s.Outcome, s.Commits)
	}
	for n, want := range []string{"[{base lost}]", "[{lost commitlost}]"} {
		if got := fmt.Sprint(w.records[0].Deliverables[n].Made); got != want {
			t.Errorf("deliverable %d is recorded with %s, want %s", n+1, got, want)
		}
	}
}

// What people said to a session whose work is lost is said to the one that does it again, and to no other.
func TestMessagesOfLostWorkAreToldAgain(t *testing.T) {
	for name, c := range map[string]struct {
		inReview bool
		roles    string
		told     []int // sessions, from 0
	}{
		"before the commit": {false, "piiir", []int{1, 2}}, "in review": {true, "piiriir", []int{1, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := losing(t, "base")
			gone := false
			w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
				if in.Role == task.Planner {
					w.env.SignalWorkflow(signals.Tell, signals.TellRequest{Text: "use tabs"})
				}
				if in.Role == task.Reviewer && c.inReview && !gone {
					gone = true
					return activities.SessionResult{}, stopping()
				}
				return activities.SessionResult{}, nil
			}
			if !c.inReview {
				w.behind = nil
				w.commit = func(in activities.CommitInput) (activities.Committed, error) {
					switch {
					case !gone:
						gone = true
						return activities.Committed{}, stopping()
					case in.Session == 2: // on the new host there is nothing of that session
						return activities.Committed{Commit: "base"}, nil
					}
					return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
				}
			}
			s := w.start(t)
			var told []int
			for n, in := range w.asked {
				if len(in.Prompt.Messages) > 0 {
					told = append(told, n)
				}
			}
			if s.Outcome != task.PullRequest || w.roles() != c.roles || !slices.Equal(told, c.told) {
				t.Errorf("outcome %s, sessions %s, of which %v were told, want %s, %v", s.Outcome, w.roles(), told, c.roles, c.told)
			}
		})
	}
}

// A round whose host is lost in its review is done again as a whole, and is told what the first one was.
func TestMessagesOfALostRoundAreToldAgain(t *testing.T) {
	w, _ := losing(t, "base")
	gone := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Reviewer && !gone {
			gone = true
			return activities.SessionResult{}, stopping()
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		w.env.SignalWorkflow(signals.Tell, signals.TellRequest{Text: "use tabs"})
	}, time.Minute)
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case at < 10*time.Minute || len(w.replies) > 0:
			return open()
		}
		return open(thread(1, "x"))
	})
	var told []int
	for n, in := range w.asked {
		if len(in.Prompt.Messages) > 0 {
			told = append(told, n)
		}
	}
	if w.roles() != "irir" || !slices.Equal(told, []int{0, 2}) {
		t.Errorf("sessions %s, of which %v were told", w.roles(), told)
	}
}

// A commit fails, a person is asked, and the host goes with the work before the answer: it is done again, checked and reviewed before anything
// is published. A host that is only assigned again has it still.
func TestWorkThatNoCommitHasIsLostWithItsHost(t *testing.T) {
	for name, c := range map[string]struct {
		hosts []string
		roles string
	}{
		"another host": {[]string{"alpha", "beta"}, "piiir"}, "the same host": {[]string{"alpha", "alpha"}, "piir"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hosts, w.probe = c.hosts, unanswered
			w.commit = func(activities.CommitInput) (activities.Committed, error) {
				switch len(w.commits) {
				case 1:
					return activities.Committed{Commit: "commit1", Created: true, Files: 1}, nil
				case 2, 3:
					return activities.Committed{Commit: "commit1", Failed: "no space"}, nil
				case 4:
					return activities.Committed{}, stopping()
				}
				return activities.Committed{Commit: "commit2", Created: true, Files: 2}, nil
			}
			w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, nil) }, time.Hour)
			s := w.start(t)
			if s.Outcome != task.PullRequest || w.roles() != c.roles || len(s.Commits) != 2 {
				t.Errorf("outcome %s, sessions %s, commits %v\n%s", s.Outcome, w.roles(), s.Commits, logText(s))
			}
			if d := w.asked[len(w.asked)-2].Prompt.Deliverable; c.hosts[1] == "beta" && (d == nil || d.ID != "API-002") {
				t.Errorf("%v was done again, want API-002", d)
			}
		})
	}
}
