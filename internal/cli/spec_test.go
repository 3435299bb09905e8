package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// specified is a repository whose branch "work" carries out a specification in two commits and records it in a third, as a task does.
// main has moved on since, in another file.
type specified struct {
	*console
	dir string
}

func newSpecified(t *testing.T) *specified {
	t.Helper()
	s := &specified{console: newConsole(t), dir: gittest.NewCheckout(t, map[string]string{"SPEC.md": "It adds and divides.\n", "calc.sh": "exit 1\n"})}
	s.Dir = s.dir
	s.git("checkout", "-qb", "work")
	s.commit("feat: add", map[string]string{"add.sh": "exit 0\n", "calc.sh": "sh add.sh\n"})
	s.commit("feat: divide", map[string]string{"divide.sh": "exit 0\n"})
	entry := func(id, what, command string, files ...string) deliverable.Entry {
		content := s.content()
		return deliverable.Entry{ID: id, Description: what, Proof: command, Status: task.Passed, Evidence: &deliverable.Evidence{Command: command,
			Commit: s.git("rev-parse", "HEAD"), Files: content.Bind(files), Check: content.Check(command), Time: time.Unix(0, 0).UTC()}}
	}
	f := deliverable.New()
	f.Spec = s.content().Spec([]string{"SPEC.md"})
	f.Record(entry("FEAT-001", "It adds", "sh calc.sh", "add.sh", "calc.sh"), entry("FEAT-002", "It divides", "sh divide.sh", "divide.sh"))
	s.record(f)
	s.git("checkout", "-q", "main")
	s.commit("docs: more", map[string]string{"README.md": "more\n"})
	return s
}

func (s *specified) git(args ...string) string {
	return gittest.Git(s.T, s.dir, append([]string{"-c", "user.name=x", "-c", "user.email=x@localhost"}, args...)...)
}

func (s *specified) commit(message string, files map[string]string) {
	s.T.Helper()
	gittest.Write(s.T, s.dir, files)
	s.git("add", "-A")
	s.git("commit", "-qm", message)
}

func (s *specified) record(f *deliverable.File) {
	s.T.Helper()
	data, err := f.Bytes()
	if err != nil {
		s.T.Fatal(err)
	}
	s.commit("chore: record", map[string]string{deliverable.Path: string(data)})
}

func (s *specified) content() *deliverable.Content {
	s.T.Helper()
	c, err := deliverable.ContentOf(s.T.Context(), func(_ context.Context, args ...string) (string, error) {
		return gittest.Try(s.dir, args...)
	}, "HEAD")
	if err != nil {
		s.T.Fatal(err)
	}
	return c
}

// says runs a command on a fresh screen.
func (s *specified) says(args ...string) int {
	s.Out, s.Errs = clitest.Buffer{}, clitest.Buffer{}
	return s.run(args...)
}

// check runs spec sync --check, and gives its exit code with what it says below the first line.
func (s *specified) check(more ...string) (code int, said string) {
	s.T.Helper()
	code = s.says(append([]string{"spec", "sync", "--check"}, more...)...)
	_, said, _ = strings.Cut(strings.TrimSpace(s.Out.String()), "\n")
	return code, strings.Join(strings.Fields(said), " ")
}

// What becomes of a finished branch: evidence is bound to content, whatever the commits are.
func TestSpecSyncAfterGit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*specified)
		code int
		said string
	}{
		"as it was":         {do: func(s *specified) { s.git("checkout", "-q", "work") }},
		"merged":            {do: func(s *specified) { s.git("merge", "-q", "--no-ff", "--no-edit", "work") }},
		"squashed":          {do: func(s *specified) { s.git("merge", "-q", "--squash", "work"); s.git("commit", "-qm", "feat: all") }},
		"rebased":           {do: func(s *specified) { s.git("checkout", "-q", "work"); s.git("rebase", "-q", "main") }},
		"picked one by one": {do: func(s *specified) { s.git("cherry-pick", "main..work") }},
		"merged and reverted": {do: func(s *specified) {
			s.git("merge", "-q", "--no-ff", "--no-edit", "work")
			s.git("revert", "--no-edit", "-m", "1", "HEAD")
		}, code: fault.ExitNotFound},
		"one commit reverted": {
			do: func(s *specified) {
				s.git("merge", "-q", "--no-ff", "--no-edit", "work")
				s.git("revert", "--no-edit", "work~1")
			},
			code: fault.ExitFailed, said: "FEAT-002 passed (evidence outdated): divide.sh is gone",
		},
		"changed since": {
			do: func(s *specified) {
				s.git("checkout", "-q", "work")
				s.commit("fix: add", map[string]string{"add.sh": "exit 0 # better\n", "calc.sh": "sh ./add.sh\n"})
			},
			code: fault.ExitFailed, said: "FEAT-001 passed (evidence outdated): add.sh and 1 more have changed",
		},
		"changed and changed back": {do: func(s *specified) {
			s.git("checkout", "-q", "work")
			s.commit("fix: add", map[string]string{"add.sh": "exit 1\n"})
			s.git("revert", "--no-edit", "HEAD")
		}},
		"merged with a conflict": {
			do: func(s *specified) {
				s.commit("feat: subtract", map[string]string{"calc.sh": "sh subtract.sh\n"})
				_, _ = gittest.Try(s.dir, "-c", "user.name=x", "-c", "user.email=x@localhost", "merge", "-q", "work")
				s.commit("Merge", map[string]string{"calc.sh": "sh add.sh\nsh subtract.sh\n"})
			},
			code: fault.ExitFailed, said: "FEAT-001 passed (evidence outdated): calc.sh has changed",
		},
		"another specification": {
			do: func(s *specified) {
				s.git("checkout", "-q", "work")
				s.commit("docs: specify", map[string]string{"SPEC.md": "It adds, divides and rounds.\n"})
			},
			code: fault.ExitFailed, said: "SPEC.md is not what was carried out",
		},
		"another setup": {
			do: func(s *specified) {
				s.git("checkout", "-q", "work")
				s.commit("chore: set up", map[string]string{".longshift.yaml": "setup: \"true\"\n"})
			},
			code: fault.ExitFailed,
			said: "FEAT-001 passed (evidence outdated): what decides what its command runs has changed: the setup command, a script, a Makefile or the settings of a test runner " +
				"FEAT-002 passed (evidence outdated): what decides what its command runs has changed: the setup command, a script, a Makefile or the settings of a test runner",
		},
		"other settings": {do: func(s *specified) {
			s.git("checkout", "-q", "work")
			s.commit("chore: settings", map[string]string{".longshift.yaml": "approval: {mode: required}\n"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpecified(t)
			c.do(s)
			if code, said := s.check(); code != c.code || said != c.said {
				t.Errorf("exit %d: %s\nwanted %d: %s\n%s", code, said, c.code, c.said, s.Errs.String())
			}
		})
	}
}

// A status file that lies is not believed, and one that cannot be read is named with the line.
func TestSpecSyncBelievesNothing(t *testing.T) {
	t.Parallel()
	s := newSpecified(t)
	s.git("checkout", "-q", "work")
	path := filepath.Join(s.dir, deliverable.Path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	where := fmt.Sprintf("%s:%d: ", deliverable.Path, strings.Count(good[:strings.Index(good, `"id": "FEAT-002"`)], "\n"))
	s.commit("x", map[string]string{deliverable.Path: strings.Replace(good, "It divides", "It divides by anything", 1)})
	if code, _ := s.check(); code != fault.ExitUsage || !strings.Contains(s.Errs.String(), where+"\"FEAT-002\" was changed by hand") {
		t.Errorf("exit %d: %s", code, s.Errs.String())
	}
	// The sum can be made right again by anybody. The content can't.
	f := deliverable.New()
	f.Spec = s.content().Spec([]string{"SPEC.md"})
	f.Record(deliverable.Entry{ID: "FEAT-003", Description: "It rounds", Status: task.Passed, Evidence: &deliverable.Evidence{Command: "sh round.sh",
		Commit: "f00", Files: map[string]string{"round.sh": "0123456789"}, Check: "0123"}})
	s.record(f)
	if code, said := s.check(); code != fault.ExitFailed || said != "FEAT-003 passed (evidence outdated): round.sh is gone" {
		t.Errorf("exit %d: %s", code, said)
	}
}

// With --rerun the commands decide, in a checkout that holds what is committed.
func TestSpecSyncRerun(t *testing.T) {
	t.Parallel()
	s := newSpecified(t)
	s.git("checkout", "-q", "work")
	if code, said := s.check("--rerun"); code != fault.ExitOK || said != "" || !strings.Contains(s.Errs.String(), "running sh calc.sh") {
		t.Errorf("exit %d: %s\n%s", code, said, s.Errs.String())
	}
	f := deliverable.New()
	for id, command := range map[string]string{"A-001": "test -e ignored.txt", "A-002": "test \"$(git status --porcelain)\" = ''", "A-003": "echo no tests ran", "A-004": "kill -9 $$"} {
		f.Record(deliverable.Entry{ID: id, Description: "x", Status: task.Passed, Evidence: &deliverable.Evidence{Command: command, Commit: "c",
			Files: s.content().Bind([]string{"add.sh"}), Check: s.content().Check(command)}})
	}
	s.record(f)
	gittest.Write(t, s.dir, map[string]string{"ignored.txt": "x\n", ".git/info/exclude": "ignored.txt\n"})
	code := s.says("spec", "sync", "--check", "--rerun", "-o", "json")
	var rows specRows
	if err := json.Unmarshal([]byte(s.Out.String()), &rows); err != nil || code != fault.ExitFailed || rows.Stands || rows.Passed != 4 {
		t.Fatalf("exit %d, %+v, %v", code, rows, err)
	}
	failed := map[string]string{}
	for _, r := range rows.Deliverables {
		failed[r.ID] = r.Failed
	}
	if !strings.Contains(failed["A-001"], "failed: exit code 1") || failed["A-002"] != "" || !strings.Contains(failed["A-003"], "ran no tests") ||
		!strings.Contains(failed["A-004"], "SIGKILL") {
		t.Errorf("%q", failed)
	}
}

// A check looks at the repository that --repo names, and refuses what only a task heeds: it must not find good what was not meant.
func TestSpecSyncCheckFlags(t *testing.T) {
	t.Parallel()
	s := newSpecified(t)
	s.git("checkout", "-q", "work")
	s.Dir = t.TempDir()
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--repo " + s.dir, fault.ExitOK, ""},
		{"-p " + s.dir + " --rerun -o jsonl", fault.ExitOK, "running sh calc.sh"},
		{"", fault.ExitUsage, "is not in a git repository"},
		{"--repo acme/web", fault.ExitUsage, "--repo acme/web: it must be a repository on this machine; give the path of a clone"},
		{"--repo " + s.dir + " --base main", fault.ExitUsage, "--base counts only for a task, and --check starts none; leave one of them out"},
		{"--spec API.md", fault.ExitUsage, "--spec counts only"}, {"-n 3", fault.ExitUsage, "--iterations counts only"},
		{"--wait", fault.ExitUsage, "--wait counts only"},
	} {
		if code, _ := s.check(strings.Fields(c.args)...); code != c.code || !strings.Contains(s.Errs.String(), c.says) {
			t.Errorf("%s: exit %d: %s", c.args, code, s.Errs.String())
		}
	}
}

func TestSpecStatus(t *testing.T) {
	t.Parallel()
	s := newSpecified(t)
	if code := s.says("spec", "status"); code != fault.ExitNotFound || !strings.Contains(s.Errs.String(), "there is no "+deliverable.Path) {
		t.Errorf("exit %d: %s", code, s.Errs.String())
	}
	s.git("checkout", "-q", "work")
	f, err := s.content().File()
	if err != nil {
		t.Fatal(err)
	}
	f.Record(deliverable.Entry{ID: "FEAT-003", Description: "It *rounds*", Status: task.Blocked, Reason: "which way?"})
	s.record(f)
	s.commit("fix", map[string]string{"divide.sh": "exit 0 # x\n", "SPEC.md": "more\n"})
	head := s.git("rev-parse", "HEAD")[:10]
	for format, want := range map[string]string{
		"text": "1 of 3 deliverables done at " + head + `
  [x] FEAT-001  It adds
        passed: sh calc.sh
  [ ] FEAT-002  It divides
        passed (evidence outdated): divide.sh has changed
  [!] FEAT-003  It *rounds*
        blocked: which way?
SPEC.md is not what was carried out
`,
		"markdown": "**1 of 3 deliverables done at " + head + "**\n\n- [x] `FEAT-001` It adds\n- [ ] `FEAT-002` It divides (passed (evidence outdated): divide.sh has changed)\n" +
			"- [ ] `FEAT-003` It \\*rounds\\* (blocked: which way?)\n\nSPEC.md is not what was carried out.\n",
	} {
		if code := s.says("spec", "status", "-o", format); code != fault.ExitOK || s.Out.String() != want {
			t.Errorf("exit %d, %s is\n%s", code, format, s.Out.String())
		}
	}
	if code := s.says("spec", "status", "-o", "xml"); code != fault.ExitUsage {
		t.Errorf("exit %d: %s", code, s.Errs.String())
	}
	if code := s.says("spec", "sync", "-o", "markdown"); code != fault.ExitUsage {
		t.Errorf("exit %d: %s", code, s.Errs.String())
	}
}
