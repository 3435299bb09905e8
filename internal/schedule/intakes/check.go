package intakes

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

const (
	LeastEvery = 30 * time.Second
	mostEvery  = 31 * 24 * time.Hour
	mostQueue  = 100
)

// DefaultEvery is the default interval between polls of a source.
func DefaultEvery(k intake.Kind) time.Duration {
	switch k {
	case intake.Heartbeat:
		return 5 * time.Minute
	case intake.Backlog:
		return time.Minute
	}
	return 15 * time.Minute
}

// DefaultLabel marks the work of trackers that is meant for Longshift, where neither a label nor an assignee is chosen.
const DefaultLabel = "longshift"

// DefaultPause reports whether an intake waits by default while one of our pull requests is open. Backlog files are meant to be worked
// off one after the other.
func DefaultPause(k intake.Kind) bool { return k != intake.Backlog }

var (
	nameForm  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,59}$`)
	loginForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}$`)
	teamForm  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,9}$`)
)

// Check rejects an intake that could not work. The error names the field, its value and a correction.
func (s *Spec) Check() error {
	kind := intake.Kind(s.Source)
	r, err := task.ParseRepository(s.Repository)
	tracker := kind.Tracker()
	for _, c := range []struct {
		ok               bool
		field, value, to string
	}{
		{nameForm.MatchString(s.Name), "", s.Name, "give lower-case letters, digits and hyphens, at most 60"},
		{slices.Contains(intake.Kinds(), kind), "source", s.Source, "use github, linear, backlog or heartbeat"},
		{err == nil, "repo", s.Repository, "give owner/name, a git URL without a password, or an absolute path"},
		{kind != intake.GitHub || r.Owner != "" && r.Path == "", "repo", s.Repository, "for github give owner/name"},
		{tracker || r.Path != "", "repo", s.Repository, "for " + s.Source + " give the path of a git repository on the machine of the worker"},
		{!tracker || s.Label != "" || s.Assignee != "", "label", "",
			"give --label or --assignee, so that only what is meant for us is worked on"},
		{tracker || s.Label == "" && s.Assignee == "", "label", s.Label + s.Assignee,
			"only github and linear have labels and assignees; leave it out"},
		{s.Label == "" || utf8.RuneCountInString(s.Label) <= 50 && strings.TrimSpace(s.Label) == s.Label && !strings.Contains(s.Label, ","),
			"label", s.Label, "give one label of up to 50 characters, without a comma"},
		{!strings.HasSuffix(strings.ToLower(s.Label), "-claimed"), "label", s.Label,
			"such a label is what Longshift sets on issues that it works on; give another one"},
		{s.Assignee == "" || loginForm.MatchString(s.Assignee), "assignee", s.Assignee, `give a user name, or "me" for the account of the token`},
		{s.Team == "" || kind == intake.Linear && teamForm.MatchString(s.Team), "team", s.Team,
			`only linear has teams; give a key such as "ENG"`},
		{s.Path == "" || !tracker, "path", s.Path, "only backlog and heartbeat have a path; leave it out"},
		{s.Path == "" || inside(s.Path), "path", s.Path, "give a path inside the repository, such as docs/backlog, without a slash at its ends"},
		{s.Guard.DailyCost == 0 || s.Guard.DailyCost >= s.budget(), "daily-cost", strconv.FormatFloat(s.Guard.DailyCost, 'f', -1, 64),
			"a day must pay for one task at least, whose budget is " + strconv.FormatFloat(s.budget(), 'f', -1, 64) +
				" US dollars; give more, or a smaller budget with -c budget.cost=5"},
		{s.Every >= LeastEvery && s.Every <= mostEvery, "every", s.Every.String(), "give a duration from " + LeastEvery.String() + " to 744h"},
		{s.Guard.Sessions >= 1 && s.Guard.Sessions <= 1000, "sessions", strconv.Itoa(s.Guard.Sessions), "give a count from 1 to 1000"},
		{s.Guard.DailyCost >= 0 && s.Guard.DailyCost <= 1e6, "daily-cost",
			strconv.FormatFloat(s.Guard.DailyCost, 'f', -1, 64), "give US dollars, or 0 for no limit"},
		{s.Queue >= 1 && s.Queue <= mostQueue, "queue", strconv.Itoa(s.Queue), "give a count from 1 to " + strconv.Itoa(mostQueue)},
	} {
		if !c.ok {
			field := "--" + c.field
			if c.field == "" {
				field = "the name"
			}
			if c.value == "" {
				return fault.New(fault.Input, "%s is missing", field).WithHint("%s", c.to)
			}
			return fault.New(fault.Input, "%s %q is not possible", field, c.value).WithHint("%s", c.to)
		}
	}
	if s.Base != "" {
		if _, err := task.ParseInput(inputWith(s.Repository, s.Base)); err != nil {
			return fault.New(fault.Input, "--base %q is no branch name", s.Base).WithHint(`give a branch such as "main", or leave it out`)
		}
	}
	return nil
}

// budget is the highest cost of one task that the intake sets.
func (s *Spec) budget() float64 {
	if c := s.Config; c != nil && c.Budget != nil && c.Budget.Cost != nil {
		return *c.Budget.Cost
	}
	return task.DefaultBudget
}

func inputWith(repository, base string) []byte {
	return []byte(`{"repository":` + strconv.Quote(repository) + `,"task":"x","base":` + strconv.Quote(base) + `}`)
}

// inside reports whether a path stays within the repository's folder.
func inside(path string) bool {
	if strings.HasPrefix(path, "/") || strings.ContainsAny(path, "\\\x00\n") || len(path) > 200 {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == ".." || part == "." || part == ".git" {
			return false
		}
	}
	return true
}
