package checkouts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	_, f := projects(t)
	for name, want := range map[string]struct {
		files   int
		commits string
	}{"web": {6, "six five four three two"}, "origin.git": {6, "six five four three two"}, "new": {}, "notes": {files: 2}} {
		info, err := f.Info(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var subjects []string
		for _, c := range info.Commits {
			subjects = append(subjects, c.Subject)
			if c.Author != "Ada" || len(c.ID) < 7 || time.Since(c.Time) > time.Hour {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if info.Files != want.files || strings.Join(subjects, " ") != want.commits || info.Dirty || info.AtLeast ||
			info.Path != filepath.Join(f.Dir(), name) || info.Commits == nil {
			t.Errorf("%s: %+v", name, info)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Info(gone, "web"); fault.KindOf(err) != fault.Infra {
		t.Errorf("nobody waits any more: %v", err)
	}
	without, err := Open(f.Dir(), "/no/git")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Info(t.Context(), "web"); err == nil {
		t.Error("there is no git, and nobody says it")
	}
}

func TestDirty(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string){
		"changed":   func(dir string) { write(t, filepath.Join(dir, "dir", "one"), "other words") },
		"removed":   func(dir string) { os.Remove(filepath.Join(dir, "dir", "one")) },
		"untracked": func(dir string) { write(t, filepath.Join(dir, "more"), "") },
		"staged": func(dir string) {
			write(t, filepath.Join(dir, "more"), "")
			repo(t, dir, "add more")
		},
	} {
		root, f := projects(t)
		change(filepath.Join(root, "web"))
		if info, err := f.Info(t.Context(), "web"); err != nil || !info.Dirty || len(info.Commits) != newest {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	root, f := projects(t)
	web := filepath.Join(root, "web")
	write(t, filepath.Join(web, "out", "x"), "")
	write(t, filepath.Join(web, ".git", "info", "exclude"), "/out/\n")
	if info, err := f.Info(t.Context(), "web"); err != nil || info.Dirty {
		t.Errorf("what is ignored: %+v, %v", info, err)
	}
	repo(t, web, "checkout -q --detach HEAD~1")
	if info, err := f.Info(t.Context(), "web"); err != nil || info.Branch != "" || info.Commits[0].Subject != "five" || info.Dirty {
		t.Errorf("without a branch: %+v, %v", info, err)
	}
}

func TestShallow(t *testing.T) {
	t.Parallel()
	root, f := projects(t)
	repo(t, root, "clone -q --depth 2 file://"+filepath.Join(root, "web")+" part")
	if info, err := f.Info(t.Context(), "part"); err != nil || len(info.Commits) != 2 || info.Files != 6 || info.Dirty {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestNothingOfAProjectIsRun: each of these settings names a program that git itself would run, for one of our commands or for one
// that people give.
func TestNothingOfAProjectIsRun(t *testing.T) {
	root, f := projects(t)
	t.Setenv("TMPDIR", t.TempDir())
	web := filepath.Join(root, "web")
	mark := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	write(t, program, "#!/bin/sh\necho \"$@\" >> "+mark+"\ncat\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	included := filepath.Join(t.TempDir(), "more.config")
	write(t, included, "[core]\n\tfsmonitor = "+program+"\n\tpager = "+program+"\n[filter \"more\"]\n\tclean = "+program+"\n\trequired = true\n")
	config := "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = " + program + "\n\tsshCommand = " + program + "\n\tpager = " + program + "\n\teditor = " + program +
		"\n\thooksPath = " + filepath.Dir(program) + "\n\taskPass = " + program + "\n\tworktree = /etc\n\talternateRefsCommand = " + program + "\n" +
		"[alias]\n\tlog = !" + program + "\n\tstatus = !" + program + "\n\tls-files = !" + program + "\n\trev-parse = !" + program + "\n" +
		"[includeIf \"gitdir:**\"]\n\tpath = " + included + "\n[include]\n\tpath = " + included + "\n" +
		"[filter \"x\"]\n\tclean = " + program + "\n\tsmudge = " + program + "\n\tprocess = " + program + "\n\trequired = true\n" +
		"[diff]\n\texternal = " + program + "\n[diff \"x\"]\n\ttextconv = " + program + "\n\tcommand = " + program + "\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = " + program + "\n" +
		"[pager]\n\tlog = " + program + "\n\tstatus = " + program + "\n[credential]\n\thelper = !" + program + "\n" +
		"[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::" + program + "\n\tpromisor = true\n\tuploadpack = " + program + "\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n"
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction"} {
		link(t, program, filepath.Join(filepath.Dir(program), hook))
	}
	sub := filepath.Join(web, "sub")
	write(t, filepath.Join(sub, "x"), "x")
	repo(t, sub, "init -q", "add .", "commit -q -m sub")
	repo(t, web, "-c core.hooksPath=/dev/null add sub")
	write(t, filepath.Join(sub, "x"), "changed")
	write(t, filepath.Join(sub, ".gitattributes"), "* filter=x\n")
	write(t, filepath.Join(web, ".gitattributes"), "* filter=x diff=x\n")
	write(t, filepath.Join(web, ".git", "info", "attributes"), "* filter=more diff=x\n")
	for _, git := range []string{web, sub} {
		write(t, filepath.Join(git, ".git", "config"), config)
	}
	write(t, filepath.Join(web, "dir", "one"), "changed, so that its content is asked for")
	late := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(web, "dir", "two"), late, late); err != nil { // so that it may have changed
		t.Fatal(err)
	}
	info, err := f.Info(t.Context(), "web")
	if err != nil || info.Files < 6 || !info.Dirty || len(info.Commits) != newest {
		t.Errorf("%+v, %v", info, err)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("the project ran a program: %s", ran)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSubmodulesAreLeftAlone: git would start itself in each of them, under a configuration of its own.
func TestSubmodulesAreLeftAlone(t *testing.T) {
	t.Parallel()
	root, f := projects(t)
	web := filepath.Join(root, "web")
	sub, mark := filepath.Join(web, "sub"), filepath.Join(t.TempDir(), "ran")
	write(t, filepath.Join(sub, "x"), "x")
	write(t, filepath.Join(sub, ".gitattributes"), "* filter=x\n")
	repo(t, sub, "init -q", "add .", "commit -q -m sub")
	repo(t, web, "add sub", "commit -q -m sub")
	write(t, filepath.Join(sub, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n[filter \"x\"]\n\tclean = \"echo ran >> "+mark+"; cat\"\n")
	write(t, filepath.Join(sub, "x"), "y")
	if info, err := f.Info(t.Context(), "web"); err != nil || info.Dirty {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the submodule ran a program")
	}
}

// TestTheHarnessWouldSeeIt: git's own status runs what the configuration names, so the test above can fail.
func TestTheHarnessWouldSeeIt(t *testing.T) {
	t.Parallel()
	root, _ := projects(t)
	web := filepath.Join(root, "web")
	mark := filepath.Join(t.TempDir(), "ran")
	write(t, filepath.Join(web, ".gitattributes"), "* filter=x\n")
	write(t, filepath.Join(web, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n[filter \"x\"]\n\tclean = \"echo ran >> "+mark+"; cat\"\n")
	write(t, filepath.Join(web, "dir", "one"), "eno")
	repo(t, web, "status --porcelain")
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the filter did not run: %v", err)
	}
}

// TestLinksInGitFolders: no file from elsewhere is shown as the project's.
func TestLinksInGitFolders(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(root, git string){
		"the folder":    func(root, git string) { os.Rename(git, git+"-away"); link(t, git+"-away", git) },
		"a file":        func(root, git string) { os.Rename(git, git+"-away"); write(t, git, "gitdir: "+git+"-away\n") },
		"the objects":   func(root, git string) { os.Rename(git+"/objects", git+"/o"); link(t, git+"/o", git+"/objects") },
		"the head":      func(root, git string) { os.Rename(git+"/HEAD", git+"/H"); link(t, git+"/H", git+"/HEAD") },
		"no repository": func(root, git string) { os.Remove(git + "/HEAD") },
	} {
		root, f := projects(t)
		spoil(root, filepath.Join(root, "web", ".git"))
		if info, err := f.Info(t.Context(), "web"); err != nil || info.Repository || len(info.Commits) != 0 || info.Branch != "" {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	root, f := projects(t)
	index := filepath.Join(root, "web", ".git", "index")
	os.Rename(index, index+"-away")
	link(t, index+"-away", index)
	if _, err := f.Info(t.Context(), "web"); fault.KindOf(err) != fault.Work {
		t.Errorf("a link in the place of the index: %v", err)
	}
	write(t, filepath.Join(root, "new", ".git", "HEAD"), "ref: refs/heads/x\x1b[2J\u202ey\n")
	if p, err := f.Find("new"); err != nil || p.Branch != "x[2Jy" {
		t.Errorf("%q, %v", p.Branch, err)
	}
	write(t, filepath.Join(root, "new", ".git", "HEAD"), "ref: refs/heads/.invalid\n") // as with a reftable
	if p, err := f.Find("new"); err != nil || p.Branch != "" {
		t.Errorf("%q, %v", p.Branch, err)
	}
}
