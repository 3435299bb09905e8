package dev

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestCompareAfterKill(t *testing.T) {
	before := signals.Status{
		Sessions: []signals.Session{{N: 1, ID: "a", Role: task.Planner, Outcome: "completed"},
			{N: 2, ID: "b", Deliverable: "F-1", Outcome: "completed"}, {N: 3, ID: "c", Deliverable: "F-2"}},
		Commits: []signals.Commit{{ID: "1111"}},
		Plan:    &task.Plan{Revision: 1, Deliverables: []task.Deliverable{{ID: "F-1", Status: task.Passed}, {ID: "F-2"}}},
	}
	good := func() *signals.Status {
		s := before
		s.Sessions = append([]signals.Session(nil), before.Sessions...)
		s.Sessions[2].Outcome, s.Sessions[2].Resumed = "completed", 1
		s.Sessions = append(s.Sessions, signals.Session{N: 4, ID: "d", Outcome: "completed"})
		s.Commits = []signals.Commit{{ID: "1111"}, {ID: "2222"}}
		return &s
	}
	for _, c := range []struct {
		name   string
		change func(*signals.Status)
		want   []string
	}{
		{"kept", func(*signals.Status) {}, nil},
		{"not resumed", func(s *signals.Status) { s.Sessions[2].Resumed = 0 }, []string{"session 3 was not resumed"}},
		{"session gone", func(s *signals.Status) { s.Sessions = s.Sessions[:2] }, []string{"the session that was cut off is gone"}},
		{"ran again", func(s *signals.Status) { s.Sessions[1].Turns = 9 }, []string{"session 2, which had finished, changed"}},
		{"finished one gone", func(s *signals.Status) { s.Sessions[1].ID = "x" }, []string{"session 2, which had finished, is gone"}},
		{"listed twice", func(s *signals.Status) { s.Sessions[3].ID = "c" }, []string{"session c is listed twice"}},
		{"worked on again", func(s *signals.Status) { s.Sessions[3].Deliverable = "F-1" }, []string{"F-1 had passed, and was worked on again (1 sessions before, 2 after)"}},
		{"worked on again after a review", func(s *signals.Status) { s.Sessions[3].Deliverable = "F-1"; s.Plan = &task.Plan{Revision: 2} }, nil},
		{"commit twice", func(s *signals.Status) { s.Commits[1].ID = "1111" }, []string{"commit 1111 is listed twice"}},
		{"commit rewritten", func(s *signals.Status) { s.Commits[0].ID = "3333" }, []string{"commit 1 changed from 1111 to 3333"}},
		{"commits lost", func(s *signals.Status) { s.Commits = nil }, []string{"commits were lost: 0 of 1 are left"}},
	} {
		after := good()
		c.change(after)
		if diff := cmp.Diff(c.want, compareAfterKill(&before, after, "c")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
