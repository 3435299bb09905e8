package activities

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// confined makes a host whose commands run in the real sandbox, with a workspace of the repository at remote.
func confined(t *testing.T, remote string) *bench {
	t.Helper()
	box, err := sandbox.New(t.Context(), sandbox.Config{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	b := newBench(t, nil)
	if remote != "" {
		b.remote = remote
	}
	b.Confine.Box, b.Confine.Mounts = box, true
	b.CommandEnv = func(d Dirs) []string {
		return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home, "GIT_TERMINAL_PROMPT=0"}
	}
	b.start()
	b.prepare()
	return b
}

// gitWork is what agents and checks do with git, one command a line.
var gitWork = []string{
	"git status", "git status --short", "git diff", "git diff HEAD", "git log --oneline -5", "git show --stat HEAD", "git blame README.md",
	"git rev-parse --show-toplevel", "git rev-parse --git-dir", "git branch -a", "git describe --always --dirty", "git ls-files", "git grep -n .",
	"echo more >> README.md", "git stash", "git stash pop", "git add -A", "git diff --cached --stat", "git commit -qm 'docs: say more'",
	"git checkout -q -b try", "git checkout -q -", "git merge -q try", "git tag here", "git reset -q --soft HEAD~1", "git restore --staged .",
	"git restore README.md",
	"touch new.txt", "git clean -fdq", "test ! -e new.txt", "git fsck", "git bisect start", "git bisect reset", "git worktree list", "git reflog",
	"git config --list",
}

// Git works in the box although paths in it are protected, for every kind of repository.
func TestGitInTheBox(t *testing.T) {
	t.Parallel()
	files := map[string]string{"calc.go": "package calc\n", "README.md": "Calc\n", "go.mod": "module example.com/calc\n\ngo 1.26\n",
		"cmd/calc/main.go": "package main\n\nfunc main() {}\n"}
	checkout := gittest.NewCheckout(t, files)
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, checkout, "worktree", "add", "--quiet", "-b", "linked", linked)
	parent := gittest.NewCheckout(t, map[string]string{"README.md": "Parent\n"})
	gittest.Git(t, parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", checkout, "part")
	gittest.Git(t, parent, "commit", "--quiet", "--message=Add a part")
	for name, remote := range map[string]string{"checkout": checkout, "linked worktree": linked, "inside of a submodule": filepath.Join(parent, "part"),
		"with a submodule": parent} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := confined(t, remote)
			script := ""
			for _, line := range gitWork {
				script += "{ " + line + "; } || { echo \"exit $?: " + line + "\"; exit 1; }\n"
			}
			if c := b.check(script, nil); !c.Passed() {
				t.Errorf("exit %d: %s", c.ExitCode, c.Tail)
			}
		})
	}
}

// submoduleWork is what is done in and around a submodule.
var submoduleWork = []string{
	"test \"$(cat part/calc.go)\" = 'package calc'", "test \"$(git submodule status | cut -c1)\" = ' '", "git submodule status --recursive",
	"git submodule update --init --recursive",
	"git submodule foreach --quiet 'git log -1 --format=%h'", "git -C part log -1", "git -C part status --short", "git -C part diff HEAD",
	"git -C part show --stat", "git -C part ls-files",
	"(cd part && git rev-parse --show-superproject-working-tree | grep .)", "echo more >> part/calc.go", "git status --short | grep part",
	"git diff | grep part", "git diff --submodule=diff | grep more",
	"touch part/new.txt && git -C part clean -fdq && test ! -e part/new.txt", "git clean -fd && test -e part/calc.go",
}

// submoduleAttacks try to make a later git, of Longshift or of a person, run another program.
var submoduleAttacks = []string{
	"echo gitdir: /tmp/evil > part/.git", "rm -f part/.git", "mv part/.git part/x", "mv part other", "echo x > n && mv -f n part/.git",
	"git -C part config core.fsmonitor /tmp/evil",
	"for d in .git/modules/*; do echo x >> $d/config && exit; done; false", "for d in .git/modules/*; do mkdir $d/hooks && exit; done; false",
	"for d in .git/modules/*; do echo / > $d/commondir && exit; done; false", "mv .git/modules m", "git init -q part --separate-git-dir evil",
}

// Git works in and around a submodule, whose git configuration is protected like that of the repository.
func TestSubmoduleInTheBox(t *testing.T) {
	t.Parallel()
	part := gittest.NewCheckout(t, map[string]string{"calc.go": "package calc\n"})
	parent := gittest.NewCheckout(t, map[string]string{"README.md": "Parent\n"})
	gittest.Git(t, parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
	gittest.Git(t, parent, "commit", "--quiet", "--message=Add a part")
	b := confined(t, parent)
	control := func() string {
		return gittest.Sh(t, b.work(), `cat part/.git .git/config; for f in $(find .git/modules -type f ! -name index | sort); do echo $f; cat $f; done`)
	}
	before := control()
	for _, attack := range submoduleAttacks {
		if c := b.check(attack, nil); c.Passed() {
			t.Errorf("%s: went through", attack)
		}
	}
	if after := control(); after != before {
		t.Errorf("was:\n%s\nis:\n%s", before, after)
	}
	script := ""
	for _, line := range submoduleWork {
		script += "{ " + line + "; } || { echo \"exit $?: " + line + "\"; exit 1; }\n"
	}
	if c := b.check(script, nil); !c.Passed() {
		t.Errorf("exit %d: %s", c.ExitCode, c.Tail)
	}
	out, err := b.CommitWork(t.Context(), CommitInput{Ref: b.ref, Session: 1, Message: "Work", BaseCommit: b.made.BaseCommit})
	must(t, err)
	if got := strings.Join(out.Notes, "\n"); got != "left out of the commit: part (changes in a submodule, which were undone)" {
		t.Errorf("notes %q", got)
	}
	if c := b.check("test \"$(cat part/calc.go)\" = 'package calc' && test -z \"$(git status --short)\"", nil); !c.Passed() {
		t.Errorf("the submodule was not put back: %s", c.Tail)
	}
}

// Nothing that a program does to the agent's git makes a later git, of Longshift or of a person, run another program.
func TestGitControlFilesHold(t *testing.T) {
	t.Parallel()
	b := confined(t, "")
	git := filepath.Join(b.work(), ".git")
	before := gittest.Sh(t, git, `cat config commondir; ls hooks info modules worktrees 2>&1; git config --list --local`)
	for _, attack := range []string{
		"echo /tmp/evil > .git/commondir", "rm -f .git/commondir", "mv .git/commondir x", "ln -sf /tmp .git/commondir", "echo x > n && mv -f n .git/commondir",
		"git config core.fsmonitor /tmp/evil", "git config core.hooksPath /tmp", "echo '[core]' >> .git/config",
		"mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
		"echo '*.x filter=evil' > .git/info/attributes", "echo x > .git/config.worktree", "mv .git g",
		"mkdir -p .git/modules/evil", "mkdir -p .git/worktrees/evil", "git worktree add ../evil", "echo /tmp > .git/objects/info/alternates",
	} {
		if c := b.check(attack, nil); c.Passed() {
			t.Errorf("%s: went through", attack)
		}
	}
	if after := gittest.Sh(t, git, `cat config commondir; ls hooks info modules worktrees 2>&1; git config --list --local`); after != before {
		t.Errorf("was:\n%s\nis:\n%s", before, after)
	}
	if c := b.check("git status --short", nil); !c.Passed() {
		t.Errorf("git does not work any more: %s", c.Tail)
	}
}

func (b *bench) trial() ([]Tool, error) {
	return Trial(b.t.Context(), TrialConfig{ID: b.ID, Data: b.Data, Confine: b.Confine, CommandEnv: b.CommandEnv, Log: b.Log})
}

// The trial at a host's start fails when ordinary work fails, and reports the tool chains.
func TestTrial(t *testing.T) {
	t.Parallel()
	b := confined(t, "")
	tools, err := b.trial()
	must(t, err)
	if len(tools) == 0 || tools[0].Name != "go" || !tools[0].Works || !strings.HasPrefix(tools[0].Detail, "go1.") {
		t.Errorf("got %+v", tools)
	}
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho git is broken here >&2\nexit 128\n"), 0o755))
	b.Confine.Readable = append(b.Confine.Readable, bin)
	path := bin + ":" + os.Getenv("PATH")
	b.CommandEnv = func(d Dirs) []string { return []string{"PATH=" + path, "HOME=" + d.Home} }
	_, err = b.trial()
	wantFault(t, err, fault.Infra, "exit code 128", "git is broken here")
	left, _ := filepath.Glob(filepath.Join(b.Data, "trial-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Devices are not hidden when a variable such as TEMPORAL_CONFIG_FILE names them.
func TestHiddenDevices(t *testing.T) {
	t.Parallel()
	b := confined(t, "")
	b.Confine.Hidden = append(b.Confine.Hidden, os.DevNull, "/dev/zero", "/dev/urandom")
	if _, err := b.trial(); err != nil {
		t.Error(err)
	}
}
