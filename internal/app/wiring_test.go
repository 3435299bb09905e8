package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/setup"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/internal/forge/local"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func setting(t *testing.T, r setup.Resolved, key string) setup.Setting {
	t.Helper()
	for _, s := range r.Settings {
		if s.Key == key {
			return s
		}
	}
	t.Fatalf("there is no setting %s", key)
	return setup.Setting{}
}

// The settings are those of the commit, as a worker will see them, whatever lies in the work tree.
func TestResolveConfigReadsTheCommit(t *testing.T) {
	t.Parallel()
	cfg := load(t, "LONGSHIFT_MAX_COST=9")
	dir := gittest.NewCheckout(t, map[string]string{project.FileName: "check: committed\nbudget: {cost: 50}\n", "a/b.txt": "b\n"})
	gittest.Git(t, dir, "branch", "old")
	gittest.Write(t, dir, map[string]string{project.FileName: "check: newer\n"})
	gittest.Git(t, dir, "commit", "--quiet", "-am", "newer")
	gittest.Write(t, dir, map[string]string{project.FileName: "check: [not committed\n"})
	for _, c := range []struct {
		dir, base, key, value, origin string
	}{
		{dir, "", "check", "newer", project.FileName},
		{filepath.Join(dir, "a"), "main", "check", "newer", project.FileName},
		{dir, "old", "check", "committed", project.FileName},
		{dir, "old", "budget.cost", "9", project.OriginOperator},
		{dir, "", "model", "opus", project.OriginTask},
		{dir, "", "iterations", "10", project.OriginDefault},
	} {
		model := "opus"
		r, err := resolveConfig(t.Context(), cfg, c.dir, c.base, &task.Config{Model: &model})
		must(t, err)
		if got := setting(t, r, c.key); got.Value != c.value || got.Origin != c.origin {
			t.Errorf("base %q: %s is %q from %s; want %q from %s", c.base, c.key, got.Value, got.Origin, c.value, c.origin)
		}
	}
	r, err := resolveConfig(t.Context(), cfg, dir, "old", nil)
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "budget.cost") {
		t.Errorf("warnings %q, %v", r.Warnings, err)
	}
}

func TestResolveConfigRefuses(t *testing.T) {
	t.Parallel()
	bad := gittest.NewCheckout(t, map[string]string{project.FileName: "chekc: make\n"})
	for _, c := range []struct {
		dir, base string
		words     []string
	}{
		{bad, "", []string{project.FileName + " of HEAD", "chekc", "line 1"}},
		{bad, "no-such-branch", []string{`"no-such-branch"`, "--base"}},
		{bad, "--output=x", []string{`"--output=x"`}},
		{t.TempDir(), "", []string{"not a git repository"}},
	} {
		_, err := resolveConfig(t.Context(), load(t), c.dir, c.base, nil)
		wantFault(t, err, fault.Input, c.words...)
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(bad, "x")); err == nil {
		t.Error("the base was taken for an option of git")
	}
}

// A repository without the file has the defaults, in whichever language git speaks to the user.
func TestResolveConfigWithoutAFile(t *testing.T) {
	dir := gittest.NewCheckout(t, map[string]string{"a.txt": "a\n"})
	bin := t.TempDir()
	gittest.Write(t, bin, map[string]string{"git": "#!/bin/sh\nPATH=" + os.Getenv("PATH") + "\n" +
		`[ "$LC_ALL" = C ] || { echo "Schwerwiegend: Pfad existiert nicht in 'HEAD'" >&2; exit 128; }` + "\n" + `exec git "$@"` + "\n"})
	must(t, os.Chmod(filepath.Join(bin, "git"), 0o755))
	t.Setenv("PATH", bin)
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	for _, onDisk := range []bool{false, true} {
		if onDisk {
			gittest.Write(t, dir, map[string]string{project.FileName: "check: not committed\n"})
		}
		r, err := resolveConfig(t.Context(), load(t), dir, "", nil)
		must(t, err)
		if got := setting(t, r, "check"); got.Value != "" || got.Origin != project.OriginDefault {
			t.Errorf("check is %q from %s", got.Value, got.Origin)
		}
	}
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"check: make test\n", " \n{\"check\": \"make test\"}"} {
		if c, err := parseConfig([]byte(text)); err != nil || c.Check == nil || *c.Check != "make test" {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
	_, err := parseConfig([]byte(`{"chekc": "x"}`))
	wantFault(t, err, fault.Input, "chekc")
}

// An issue has one task, so it is read before that is started, or none is.
func TestReadIssue(t *testing.T) {
	t.Parallel()
	hub := forgetest.NewGitHub(t)
	hub.AddRepository(forgetest.Repository{Name: "acme/web"})
	n := hub.AddIssue("acme/web", forgetest.Issue{Title: "Add a flag", Body: "It is missing."})
	closed := hub.AddIssue("acme/web", forgetest.Issue{Title: "Add another flag"})
	hub.CloseIssue("acme/web", closed)
	cfg := load(t, "LONGSHIFT_GITHUB_URL="+hub.URL, "GH_TOKEN="+forgetest.Token)
	issue, err := readIssue(t.Context(), cfg, "acme/web", n)
	if err != nil || issue.Number != n || issue.Title != "Add a flag" {
		t.Errorf("%+v, %v", issue, err)
	}
	_, err = readIssue(t.Context(), cfg, "acme/web", closed)
	wantFault(t, err, fault.Conflict, "is closed")
}

// Where an issue can't be read, its task would know nothing but a number.
func TestReadIssueRefuses(t *testing.T) {
	t.Parallel()
	_, err := readIssue(t.Context(), load(t), "acme/web", 42)
	wantFault(t, err, fault.Input, "issue #42 of acme/web", "GH_TOKEN", "gh auth login", "label the issue longshift", "/longshift run")
	for _, elsewhere := range []string{"/srv/web", "https://git.example.com/acme/web"} {
		_, err = readIssue(t.Context(), load(t, "GH_TOKEN=ghp-planted"), elsewhere, 42)
		wantFault(t, err, fault.Input, "issue #42", elsewhere+" is not on GitHub", "--repo owner/name")
	}
}

func TestLocalPullRequest(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"a.txt": "a\n"})
	head := gittest.Commit(t, bare, "work", "Work", map[string]string{"b.txt": "b\n"})
	_, err := local.New(local.Config{}).EnsurePullRequest(t.Context(), forge.Request{Repository: repository(t, bare), TaskID: "t1", Fence: 1,
		Head: "work", HeadCommit: head, Base: "main", Title: "Add b", Body: "What it does.", Labels: []string{"bot", "small"}})
	must(t, err)
	record, diff, err := localPullRequest(t.Context(), bare, 1)
	must(t, err)
	if !strings.HasPrefix(record, "#1 Add b (open)\nwork -> main, "+head+"\nlabels: bot, small\n\nWhat it does.") || !strings.Contains(diff, "+b") {
		t.Errorf("record:\n%s\ndiff:\n%s", record, diff)
	}
	_, _, err = localPullRequest(t.Context(), bare, 2)
	wantFault(t, err, fault.NotFound, "2")
	if w := Wiring(); w.ParseInput == nil || len(w.Demo().Files) == 0 || len(w.Demo().Scenario) == 0 || w.Demo().Task == "" {
		t.Error("the command line lacks something")
	}
}
