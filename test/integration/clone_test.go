package integration

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/test/lab"
)

// TestRunInAClone has a person start a task as with gh: in a clone whose origin is on GitHub. The pull request is opened there, and the
// clone is left as it was.
func TestRunInAClone(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), lab.QuickSettings)
	s.Ready()
	clone := filepath.Join(t.TempDir(), "calc")
	gittest.Git(t, "/", "clone", "--quiet", s.Bare, clone)
	gittest.Git(t, clone, "remote", "set-url", "origin", s.Front+"/"+lab.Name+".git")
	before := gittest.Refs(t, clone)
	env := []string{"LONGSHIFT_GITHUB_URL=" + s.Front, "GH_TOKEN=" + forgetest.Token}

	ran := s.LongshiftIn(t, clone, env, "run", lab.Ask)
	if ran.Code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", ran.Code, ran.Out, ran.Err)
	}
	where := regexp.MustCompile(`(?m)^pull request: 127\.0\.0\.1:\d+/acme/calc, base main; the first one, so branches longshift/\* will be pushed there$`)
	if !where.MatchString(ran.Err) {
		t.Errorf("where the pull request goes is not said:\n%s", ran.Err)
	}
	pulls := s.GitHub.Pulls(lab.Name)
	if len(pulls) != 1 || pulls[0].Base != "main" || !strings.HasPrefix(pulls[0].Head, "longshift/") {
		t.Fatalf("pull requests %+v", pulls)
	}
	if got := s.Subjects(pulls[0].Head); strings.Join(got, "\n") != lab.Messages[0] {
		t.Errorf("commits %q", got)
	}
	if after := gittest.Refs(t, clone); len(after) != len(before) || gittest.Git(t, clone, "status", "--porcelain") != "" {
		t.Errorf("the clone was touched: %v, before %v", after, before)
	}
	takesOver(t, s, clone, env, pulls[0].Head)
	if strings.Contains(ran.Out+ran.Err, forgetest.Token) {
		t.Error("the token is shown")
	}
}

// takesOver has the person look at the pull request's branch and check it out, with a login that only their git knows.
func takesOver(t *testing.T, s *lab.Stage, clone string, env []string, branch string) {
	t.Helper()
	gittest.Git(t, s.Bare, "symbolic-ref", "refs/pull/1/head", "refs/heads/"+branch) // as GitHub has it
	gittest.Git(t, clone, "config", "credential.helper", "!f() { echo username=ada; echo password="+forgetest.Token+"; }; f")
	tasks := s.LongshiftIn(t, clone, env, "list", "-o", "jsonl")
	id := regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(tasks.Out)
	if id == nil {
		t.Fatalf("no task is listed: %+v", tasks)
	}
	if r := s.LongshiftIn(t, clone, env, "diff", id[1], "--", "--stat"); r.Code != 0 || !strings.Contains(r.Out, "calc.go") {
		t.Errorf("longshift diff: %+v", r)
	}
	if r := s.LongshiftIn(t, clone, env, "open", id[1]); r.Code != 0 || !strings.Contains(r.Out, "/acme/calc/pull/1\n") {
		t.Errorf("longshift open: %+v", r)
	}
	if r := s.LongshiftIn(t, clone, env, "checkout", id[1]); r.Code != 0 {
		t.Errorf("longshift checkout: %+v", r)
	}
	if got, want := gittest.Git(t, clone, "rev-parse", "HEAD"), gittest.Git(t, s.Bare, "rev-parse", branch); got != want {
		t.Errorf("checked out is %s, the branch is at %s", got, want)
	}
	if remote := gittest.Git(t, clone, "config", "branch."+branch+".remote"); remote != "origin" {
		t.Errorf("git pull would ask %q", remote)
	}
	if r := s.LongshiftIn(t, t.TempDir(), env, "diff", id[1]); r.Code != 2 || !strings.Contains(r.Err, "go to a clone of acme/calc") {
		t.Errorf("longshift diff outside of a clone: %+v", r)
	}
}
