package github

import (
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

const historyPages = 50 // of 100 entries; a longer history is refused, because its end is what counts

// requester finds out who requested work on an issue, by label or assignment.
type requester struct {
	label, me          string
	labelled, assigned struct {
		by *gh.User
		at time.Time
	}
}

// holds tells whether the issue has the label or the assignment now.
func (w *requester) holds(i *gh.Issue) bool { return w.hasLabel(i) || w.hasUs(i) }

func (w *requester) hasLabel(i *gh.Issue) bool {
	for _, l := range i.Labels {
		if w.label != "" && strings.EqualFold(l.GetName(), w.label) {
			return true
		}
	}
	return false
}

func (w *requester) hasUs(i *gh.Issue) bool {
	for _, u := range i.Assignees {
		if w.me != "" && strings.EqualFold(u.GetLogin(), w.me) {
			return true
		}
	}
	return false
}

// read records the newest label and assignment. One that was removed has no author.
func (w *requester) read(e *gh.IssueEvent) {
	switch kind := e.GetEvent(); kind {
	case "labeled", "unlabeled":
		if strings.EqualFold(e.GetLabel().GetName(), w.label) {
			w.labelled.by, w.labelled.at = nil, e.GetCreatedAt().Time
			if kind == "labeled" {
				w.labelled.by = e.GetActor()
			}
		}
	case "assigned", "unassigned":
		if w.me != "" && strings.EqualFold(e.GetAssignee().GetLogin(), w.me) {
			w.assigned.by, w.assigned.at = nil, e.GetCreatedAt().Time
			if kind == "assigned" {
				w.assigned.by = e.GetAssigner()
			}
		}
	}
}

// last returns who set the newest of those that the issue still has, when, and which it was, in the words of a webhook. by is nil when
// there is none.
func (w *requester) last(i *gh.Issue) (by *gh.User, at time.Time, what string) {
	if w.hasLabel(i) && w.labelled.by != nil {
		by, at, what = w.labelled.by, w.labelled.at, "labeled"
	}
	if w.hasUs(i) && w.assigned.by != nil && !w.assigned.at.Before(at) {
		by, at, what = w.assigned.by, w.assigned.at, "assigned"
	}
	return by, at, what
}
