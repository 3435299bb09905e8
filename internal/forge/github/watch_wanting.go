package github

import (
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

const historyPages = 50 // of 100 entries: a history that is longer is refused, for its end is what counts

// wanting finds who made an issue ours.
type wanting struct {
	label, me          string
	labelled, assigned struct {
		by *gh.User
		at time.Time
	}
}

// holds tells whether the issue is ours as it is now.
func (w *wanting) holds(i *gh.Issue) bool { return w.hasLabel(i) || w.hasUs(i) }

func (w *wanting) hasLabel(i *gh.Issue) bool {
	for _, l := range i.Labels {
		if w.label != "" && strings.EqualFold(l.GetName(), w.label) {
			return true
		}
	}
	return false
}

func (w *wanting) hasUs(i *gh.Issue) bool {
	for _, u := range i.Assignees {
		if w.me != "" && strings.EqualFold(u.GetLogin(), w.me) {
			return true
		}
	}
	return false
}

// read notes the newest of each kind; what was taken back makes nobody.
func (w *wanting) read(e *gh.IssueEvent) {
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

// last is who did the newest that still stands, when, and what it was, as a webhook names it. by is nil when nobody did.
func (w *wanting) last(i *gh.Issue) (by *gh.User, at time.Time, what string) {
	if w.hasLabel(i) && w.labelled.by != nil {
		by, at, what = w.labelled.by, w.labelled.at, "labeled"
	}
	if w.hasUs(i) && w.assigned.by != nil && !w.assigned.at.Before(at) {
		by, at, what = w.assigned.by, w.assigned.at, "assigned"
	}
	return by, at, what
}
