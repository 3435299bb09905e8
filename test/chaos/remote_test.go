package chaos

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/local"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// forge is where branches stand, and how many pull requests there are of each.
type forge struct {
	dir   string
	pulls map[string]int
}

// pulls counts those of the forge that is called, by branch.
func (s *scene) pulls() map[string]int {
	n := map[string]int{}
	for _, p := range s.GitHub.Pulls(lab.Name) {
		n[p.Head]++
	}
	return n
}

// records counts those of the repository on disk.
func (s *scene) records() map[string]int {
	n := map[string]int{}
	for number := 1; ; number++ {
		p, err := local.Read(s.T.Context(), s.local, number)
		if fault.KindOf(err) == fault.NotFound {
			return n
		} else if err != nil {
			s.T.Error(err)
			return n
		}
		n[p.Head]++
	}
}

// stands holds the branches and pull requests of a forge against the tasks that went there: one of each, with every commit once.
func (s *scene) stands(f forge, there func(*job) bool) {
	branches := map[string]bool{"main": true}
	for _, j := range s.jobs {
		if !there(j) || j.end == nil || j.end.Outcome != task.PullRequest {
			continue
		}
		branches[j.end.Branch] = true
		if f.pulls[j.end.Branch] != 1 {
			s.T.Errorf("%s: branch %s has %d pull requests", j.id, j.end.Branch, f.pulls[j.end.Branch])
		}
		s.holds(f.dir, j)
	}
	if len(f.pulls) != len(branches)-1 {
		s.T.Errorf("pull requests of %v, branches of tasks %v", f.pulls, branches)
	}
	for _, name := range strings.Fields(gittest.Git(s.T, f.dir, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")) {
		if !branches[name] {
			s.T.Errorf("branch %s is nobody's", name)
		}
	}
	s.figures.again += s.madeAgain(f.dir)
}

// holds holds a branch against what the task says that it has done.
func (s *scene) holds(dir string, j *job) {
	want, newest := j.messages(), j.end
	if j.said != 0 {
		want = append(slices.Clone(want), thanks)
	}
	if j.pull != nil {
		newest = j.pull
	}
	git := func(args ...string) []string {
		out := gittest.Git(s.T, dir, append(args, "main.."+j.end.Branch)...)
		return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
	}
	if got := git("log", "--reverse", "--format=%s"); !slices.Equal(got, want) {
		s.T.Errorf("%s: commits %q, want %q", j.id, got, want)
	}
	ids := git("rev-list")
	if len(ids) == 0 || ids[0] != newest.Head {
		s.T.Errorf("%s: its head is %s, and the branch has %q", j.id, newest.Head, ids)
	}
	if len(j.end.Commits) != len(j.messages()) {
		s.T.Errorf("%s: it reports %d commits", j.id, len(j.end.Commits))
	}
	for _, c := range slices.Concat(j.end.Commits, newest.Commits) {
		if !slices.Contains(ids, c.ID) {
			s.T.Errorf("%s: the branch does not hold %s (%s), which it reports", j.id, c.ID, c.Subject)
		}
	}
	keys := git("log", "--format=%(trailers:key=Longshift-Task,valueonly,separator=)")
	if n := len(keys); len(slices.Compact(slices.Sorted(slices.Values(keys)))) != n || n != len(ids) {
		s.T.Errorf("%s: the sessions of its commits are %q", j.id, keys)
	}
}

// madeAgain counts the commits of tasks that reached a forge and that no branch holds: other commits have taken their place.
func (s *scene) madeAgain(dir string) (n int) {
	kept := strings.Fields(gittest.Git(s.T, dir, "rev-list", "--branches"))
	for line := range strings.Lines(gittest.Git(s.T, dir, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")) {
		kind, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind == "commit" && !slices.Contains(kept, id) && strings.Contains(gittest.Git(s.T, dir, "log", "-1", "--format=%B", id), "Longshift-Task: ") {
			n++
		}
	}
	return n
}
