package forge

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// A CheckRunner shows on a commit how the work on its pull request stands.
type CheckRunner interface {
	// WritesCheckRuns tells whether the forge takes check runs from this login. It asks nobody.
	WritesCheckRuns() bool
	// WriteCheckRun creates the check run of a commit, or brings it up to date: a commit has one for each key. One that is completed is not
	// opened again. Without the permission the error is a fault of kind Denied, for an hour without asking the forge again.
	WriteCheckRun(ctx context.Context, r task.Repository, c CheckRun) error
}

// CheckRun is what a forge shows beside the checks of others.
type CheckRun struct {
	Commit     string // full id
	Key        string // see CheckRunKey
	Conclusion Conclusion
	Title      string // one line
	Summary    string // Markdown
	Text       string // Markdown
	URL        string // for more; may be empty
}

// Conclusion is how a check run ended; "" while it is in progress.
type Conclusion string

const (
	Success        Conclusion = "success"
	Neutral        Conclusion = "neutral"
	Failure        Conclusion = "failure"
	ActionRequired Conclusion = "action_required"
)

// CheckRunName is the name of all check runs of Longshift.
const CheckRunName = "Longshift"

const checkRunKey = "longshift/"

// CheckRunKey identifies the nth check run of a task on a commit.
func CheckRunKey(taskID string, n int) string { return fmt.Sprintf("%s%s/%d", checkRunKey, taskID, n) }

// OwnCheckRun tells whether a check run is said to be Longshift's. Others can give theirs the same name and key: see who has written it.
func OwnCheckRun(name, key string) bool {
	return name == CheckRunName && strings.HasPrefix(key, checkRunKey)
}

// Standing is how the work on a pull request stands. Texts may come from a model or from strangers: CheckRun neutralises them.
type Standing struct {
	State   StandingState `json:"state"`
	Detail  string        `json:"detail,omitempty"` // what is worked on, why a person is asked, or why it came to nothing
	Next    string        `json:"next,omitempty"`   // what a person can do
	Summary Summary       `json:"summary,omitzero"`
	Log     []task.Entry  `json:"log,omitempty"`
}

type StandingState string

const (
	Working StandingState = "working"
	Worked  StandingState = "worked"  // the commit is what the work came to
	Stopped StandingState = "stopped" // until a person lifts the cause
	Void    StandingState = "void"    // nothing can be said of the commit
)

// The API takes 65 535 characters for each text.
const (
	mostOfPlan = 20_000
	mostOfLog  = 36_000
	mostOfRun  = 64_000
)

// CheckRun writes the check run of a commit. A failing check is never a success, and neither is work that nobody has checked and reviewed.
func (s Standing) CheckRun(commit, key string) CheckRun {
	c := CheckRun{Commit: commit, Key: key, URL: s.Summary.RunURL}
	c.Conclusion, c.Title = s.verdict()
	c.Title = excerpt.Line(titleLine(plain(start(c.Title, MaxTitle))), 200)
	l := limits{8_000, 600, 60}
	var parts []string
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	add(prose(s.Detail, l.text))
	if s.Next != "" {
		add("**What to do**: " + s.Next + ".")
	}
	if s.State == Worked {
		add(strings.Join(s.Summary.proof(l), "\n"))
		add(s.Summary.review(l))
	}
	c.Summary, parts = cutBytes(strings.Join(parts, "\n\n"), mostOfRun), nil
	if c.Summary == "" {
		c.Summary = c.Title
	}
	if s.Summary.Overview != "" || len(s.Summary.Deliverables) > 0 {
		plan := prose(s.Summary.Overview, l.text) + "\n\n" + strings.Join(s.Summary.deliverables(l), "\n")
		add("### Plan\n\n" + cutBytes(strings.TrimSpace(plan), mostOfPlan))
	}
	if len(s.Log) > 0 {
		add("### Log\n\n" + block(logText(s.Log), mostOfLog))
	}
	c.Text = cutBytes(strings.Join(parts, "\n\n"), mostOfRun)
	return c
}

// verdict is how the check run ends, and why in a line.
func (s Standing) verdict() (Conclusion, string) {
	switch s.State {
	case Working:
		return "", s.Detail
	case Stopped:
		return ActionRequired, "A person is asked: " + s.Detail
	case Void:
		return Neutral, s.Detail
	}
	known, few := false, ""
	for _, c := range s.Summary.Checks {
		if !c.Passed && !c.Known {
			return Failure, "The check fails: " + c.Command
		}
		known = known || !c.Passed
		if c.ranTooFew(s.Summary.RanBefore) {
			few = "The check passed, and ran " + c.Ran.String()
		}
	}
	switch r := s.Summary.Review; {
	case r != nil && !r.Approved:
		return ActionRequired, "The reviewer asks for changes"
	case known:
		return Neutral, "The check fails as it did before"
	case s.Summary.Unchecked:
		return Neutral, "Unchecked: the settings name no check command"
	case len(s.Summary.Checks) == 0:
		return Neutral, "The check has not run on this commit"
	case r == nil:
		return Neutral, "The check passed, and nobody has reviewed it"
	case few != "" && s.Summary.RanBefore != nil:
		return Neutral, few + "; before this change " + s.Summary.RanBefore.String()
	case few != "":
		return Neutral, few
	}
	return Success, "The check passed, and the reviewer approves"
}

// logText is a line for each entry, with its time and kind, and more for those that have more.
func logText(log []task.Entry) string {
	var b strings.Builder
	for _, e := range log {
		text := strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n    ")
		fmt.Fprintf(&b, "%s  %-12s %s\n", e.Time.UTC().Format(time.DateTime), e.Kind, text)
	}
	return b.String()
}
