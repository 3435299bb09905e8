package chaos

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// swept starts every worker once more, which has it sweep, and looks for what is left of the tasks: on the hosts, and on the forges. All
// have ended, so nothing may.
func (s *scene) swept() {
	if s.T.Failed() {
		return // what did not end stays
	}
	for _, w := range s.workers() {
		w.Kill()
		w.Start()
	}
	var left []string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-time.After(100 * time.Millisecond) {
		if left = s.leftovers(); len(left) == 0 {
			return
		}
	}
	s.T.Errorf("left of tasks that have ended: %q", left)
	for _, w := range s.hosts {
		why := s.LongshiftIn(s.T, s.T.TempDir(), append(slices.Clone(s.env), "LONGSHIFT_DATA="+w.Data, "LONGSHIFT_GITHUB_URL="+s.Front, "LONGSHIFT_GITHUB_TOKEN="+forgetest.Token),
			"clean", "--dry-run")
		inside, _ := filepath.Glob(filepath.Join(w.Data, "tasks", "*", "*"))
		s.T.Logf("longshift clean --dry-run:\n%s%s%q", why.Out, why.Err, inside)
	}
}

func (s *scene) leftovers() (left []string) {
	s.figures.refs, s.figures.commits = 0, 0
	for _, w := range s.hosts {
		folders, _ := filepath.Glob(filepath.Join(w.Data, "tasks", "*"))
		for _, folder := range folders {
			if s.redone(w, folder) {
				s.figures.commits++
			} else {
				left = append(left, folder)
			}
		}
	}
	lost := s.lost()
	for _, dir := range []string{s.Bare, s.local} {
		for _, ref := range strings.Fields(gittest.Git(s.T, dir, "for-each-ref", "--format=%(refname)", "refs/longshift", "refs/longshift-fence")) {
			switch {
			case strings.HasPrefix(ref, "refs/longshift/pulls/"):
			case lost[path.Base(ref)]:
				s.figures.refs++
			default:
				left = append(left, ref)
			}
		}
	}
	return left
}

var hostName = regexp.MustCompile(`"Host ready" host=(\S+)`)

// redone tells whether a host has a commit of its own in a task's folder, after the task has ended on another one, which has done that work again.
// Such a commit is nowhere else, so the folder stays: docs/operations.md says so.
func (s *scene) redone(w *lab.Worker, folder string) bool {
	branch := ""
	for _, j := range s.jobs {
		for _, end := range []*signals.Status{j.end, j.pull} {
			if end == nil || end.TaskID != filepath.Base(folder) {
				continue
			}
			if branch = end.Branch; end.Host == hostOf(w) {
				return false
			}
		}
	}
	head, err := gittest.Try(filepath.Join(folder, "git"), "rev-parse", "--verify", "refs/heads/"+branch)
	if err != nil {
		return false
	}
	for _, dir := range []string{s.Bare, s.local} {
		if _, err := gittest.Try(dir, "cat-file", "-e", head); err == nil {
			return false
		}
	}
	return true
}

// hostOf is the name of a worker's host, "" before it was ready.
func hostOf(w *lab.Worker) string {
	if m := hostName.FindStringSubmatch(w.Logs()); m != nil {
		return m[1]
	}
	return ""
}

// lost are the tasks that ended on a host that is gone with its disk. Nobody else knows of their refs: docs/operations.md leaves them to people.
func (s *scene) lost() map[string]bool {
	gone, tasks := map[string]bool{}, map[string]bool{}
	for _, w := range s.gone {
		if name := hostOf(w); name != "" {
			gone[name] = true
		}
	}
	for _, j := range s.jobs {
		for _, end := range []*signals.Status{j.end, j.pull} {
			if end != nil && gone[end.Host] {
				tasks[end.TaskID] = true
			}
		}
	}
	return tasks
}
