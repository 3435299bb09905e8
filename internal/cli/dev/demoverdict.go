package dev

import (
	"fmt"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func sessionOf(status *signals.Status, id string) *signals.Session {
	for i := range status.Sessions {
		if status.Sessions[i].ID == id {
			return &status.Sessions[i]
		}
	}
	return nil
}

// sameSession compares what a client can see of a session. The zone of a time is no part of it.
func sameSession(a, b signals.Session) bool {
	a.Started, b.Started = a.Started.UTC(), b.Started.UTC()
	return a == b
}

// compareAfterKill lists what speaks against the promise: the session that was cut off went on by its own id, what had
// finished stayed as it was, and nothing came twice.
func compareAfterKill(before, after *signals.Status, cut string) []string {
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if s := sessionOf(after, cut); s == nil {
		problem("the session that was cut off is gone")
	} else if s.Resumed < 1 {
		problem("session %d was not resumed", s.N)
	}
	for _, was := range before.Sessions {
		if was.Outcome == "" {
			continue
		}
		is := sessionOf(after, was.ID)
		if is == nil {
			problem("session %d, which had finished, is gone", was.N)
		} else if !sameSession(*is, was) {
			problem("session %d, which had finished, changed", was.N)
		}
	}
	ids, commits := map[string]bool{}, map[string]bool{}
	for _, s := range after.Sessions {
		if ids[s.ID] {
			problem("session %s is listed twice", s.ID)
		}
		ids[s.ID] = true
	}
	for i, c := range after.Commits {
		if commits[c.ID] {
			problem("commit %.10s is listed twice", c.ID)
		}
		commits[c.ID] = true
		if i < len(before.Commits) && c != before.Commits[i] {
			problem("commit %d changed from %.10s to %.10s", i+1, before.Commits[i].ID, c.ID)
		}
	}
	if len(after.Commits) < len(before.Commits) {
		problem("commits were lost: %d of %d are left", len(after.Commits), len(before.Commits))
	}
	return append(problems, repeated(before, after)...)
}

// repeated finds deliverables that had passed before the kill and were worked on again after it, under the same plan. A
// review may well ask for more work, but under a new one.
func repeated(before, after *signals.Status) []string {
	if before.Plan == nil || after.Plan == nil || before.Plan.Revision != after.Plan.Revision {
		return nil
	}
	var problems []string
	for _, d := range before.Plan.Deliverables {
		if d.Status != task.Passed {
			continue
		}
		was, is := sessionsFor(before, d.ID), sessionsFor(after, d.ID)
		if is > was {
			problems = append(problems, fmt.Sprintf("%s had passed, and was worked on again (%d sessions before, %d after)", d.ID, was, is))
		}
	}
	return problems
}

func sessionsFor(status *signals.Status, deliverable string) int {
	n := 0
	for _, s := range status.Sessions {
		if s.Deliverable == deliverable {
			n++
		}
	}
	return n
}
