package deliverable

import (
	"maps"
	"slices"
	"strconv"

	"github.com/longshift/longshift/task"
)

// State is what a deliverable comes to at a commit. People read it.
type State string

const (
	Passed     State = "passed"
	Outdated   State = "passed (evidence outdated)" // counts as pending
	Pending    State = "pending"
	Blocked    State = "blocked"
	Deprecated State = "deprecated"
)

// Standing is a deliverable at a commit.
type Standing struct {
	Entry
	State State
	Why   string // it is blocked, pending or outdated; "" otherwise
}

// String is such as "blocked: no device".
func (s Standing) String() string {
	if s.Why == "" {
		return string(s.State)
	}
	return string(s.State) + ": " + s.Why
}

// Report is what all deliverables come to at a commit.
type Report struct {
	All         []Standing
	Passed, Of  int      // how many of those in use have passed with evidence that holds
	SpecChanged []string // files and folders of the specification that are not what was carried out, sorted
}

// At judges the file at a commit by what the commit holds, whatever the file says.
func (f *File) At(c *Content) Report {
	r := Report{}
	for _, e := range f.Deliverables {
		s := e.at(c)
		r.All = append(r.All, s)
		if s.State != Deprecated {
			r.Of++
		}
		if s.State == Passed {
			r.Passed++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Spec)) {
		if c.Spec([]string{name})[name] != f.Spec[name] {
			r.SpecChanged = append(r.SpecChanged, name)
		}
	}
	return r
}

// Stands tells whether everything that is asked for is there.
func (r Report) Stands() bool { return r.Passed == r.Of && len(r.SpecChanged) == 0 }

func (e Entry) at(c *Content) Standing {
	s := Standing{Entry: e, State: Pending, Why: e.Reason}
	switch {
	case e.DeprecatedAt != nil:
		s.State, s.Why = Deprecated, ""
	case e.Status == task.Blocked:
		s.State = Blocked
	case e.Status == task.Passed:
		if s.State, s.Why = Passed, e.outdated(c); s.Why != "" {
			s.State = Outdated
		}
	}
	return s
}

// outdated says what of the content is not what the evidence was found on; "" when all of it is.
func (e Entry) outdated(c *Content) string {
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(e.Evidence.Files)) {
		if c.id(name) != e.Evidence.Files[name] {
			changed = append(changed, name)
		}
	}
	switch n := len(changed); {
	case n == 1 && c.id(changed[0]) == "":
		return changed[0] + " is gone"
	case n == 1:
		return changed[0] + " has changed"
	case n > 1:
		return changed[0] + " and " + strconv.Itoa(n-1) + " more have changed"
	case c.Check(e.Evidence.Command) != e.Evidence.Check:
		return "what decides what its command runs has changed: the setup command, a script, a Makefile or the settings of a test runner"
	}
	return ""
}
