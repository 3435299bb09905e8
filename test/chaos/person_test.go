package chaos

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// tend does what people do: they see what has ended, have a remark about a pull request, merge it when that has its answer, and begin
// another task when fewer than so many are at work. It tells how many are not done.
func (s *scene) tend(atWork int) (left int) {
	s.fromChat()
	for _, j := range s.jobs {
		s.see(j)
		if !j.done() {
			left++
		}
	}
	for ; left < atWork; left++ {
		s.begin()
	}
	return left
}

func (j *job) done() bool { return j.end != nil && (j.pull != nil || !j.followed()) }

// followed tells whether there is a pull request on a forge that people can speak on.
func (j *job) followed() bool { return !j.onDisk() && j.end.Outcome == task.PullRequest }

// see looks after one job.
func (s *scene) see(j *job) {
	switch {
	case j.id == "" || j.done():
	case j.end == nil:
		if end, ok := s.closed(j.id); ok {
			j.end = &end
		}
	case j.remark && j.said == 0:
		_, lines := s.GitHub.AddReview(lab.Name, j.end.PullRequest.Number, forgetest.Review{By: ada, State: "CHANGES_REQUESTED",
			Lines: []forgetest.Comment{{Path: "README.md", Line: 3, Body: remark, Hunk: "@@ -1 +3 @@\n+Add gives the sum, Mul the product."}}})
		j.said = lines[0]
	case !j.merged:
		if !j.remark || s.answers(j) > 0 {
			s.GitHub.Merge(lab.Name, j.end.PullRequest.Number)
			j.merged = true
		}
	default:
		if end, ok := s.closed(j.pullID()); ok {
			j.pull = &end
		}
	}
}

func (j *job) pullID() string {
	return signals.PullRequestID("127.0.0.1", "acme", "calc", j.end.PullRequest.Number)
}

// answers counts ours to the remark.
func (s *scene) answers(j *job) (n int) {
	for _, c := range s.GitHub.LineComments(lab.Name, j.end.PullRequest.Number) {
		if c.ReplyTo == j.said && c.By != ada {
			n++
		}
	}
	return n
}

// now asks a job how it stands.
func (s *scene) now(j *job) (now signals.Status, ok bool) {
	if j.end != nil && j.end.PullRequest != nil {
		return s.Status(j.pullID())
	}
	return s.Status(j.id)
}

// excuse is what a suspended task may say, because chance has made it true: it has killed some of these kinds so many times.
type excuse struct {
	says  string
	kinds []string
	times int
}

var excuses = []excuse{
	{"errors in a row", []string{"agent"}, 3},
	{"the worker was lost", []string{"worker", "host", "stopped", "asked", "power"}, 5},
	{"hosts in a row failed", []string{"worker", "host", "stopped", "asked", "power", "server"}, 5},
}

var lockFile = regexp.MustCompile(`/\S+\.lock\b`)

// excused tells whether chance has done what a task that began then gives as the reason of its suspension.
func (s *scene) excused(says string, began time.Time) bool {
	return slices.ContainsFunc(excuses, func(e excuse) bool {
		return strings.Contains(says, e.says) && s.figures.since(began, e.kinds...) >= e.times
	})
}

// lift does what a suspended task asks of a person, when it says what is true: one of the excuses, or that somebody's lock lies where it
// says. Anything else is nobody's to mend here.
func (s *scene) lift(now signals.Status) bool {
	lock := lockFile.FindString(now.Detail)
	if !s.excused(now.Detail, now.Started) && (lock == "" || os.Remove(lock) != nil) {
		return false
	}
	s.T.Logf("%s is suspended, and says why: %s", now.WorkflowID, now.Detail)
	if s.Longshift(s.T, "resume", now.WorkflowID).Code == 0 {
		s.figures.lifted++
	}
	return true
}

// suspended looks for suspensions that were over before anybody saw them, and were not true.
func (s *scene) suspended(j *job) {
	for _, end := range []*signals.Status{j.end, j.pull} {
		if end == nil {
			continue
		}
		for _, l := range end.Log {
			if l.Kind == "suspended" && !s.excused(l.Text, end.Started) && !lockFile.MatchString(l.Text) {
				s.T.Errorf("%s was suspended: %s", end.WorkflowID, l.Text)
			}
		}
	}
}
