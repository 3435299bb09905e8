package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// trap plants everything that makes a git run a program, each touching a file of its own in dir.
type trap struct {
	t   *testing.T
	dir string
}

func (p trap) touch(name string) string { return "touch " + filepath.Join(p.dir, name) }

func (p trap) config(where string) string {
	return fmt.Sprintf(`[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = "%[1]sfsmonitor; false"
	hooksPath = %[2]s
	sshCommand = "%[1]sssh"
	pager = "%[1]spager"
	editor = "%[1]seditor"
	gitProxy = "%[1]sproxy"
	alternateRefsCommand = "%[1]salternates; :"
	attributesFile = %[2]s/../attributes
[filter "evil"]
	clean = "%[1]sclean; cat"
	smudge = "%[1]ssmudge; cat"
	process = "%[1]sprocess"
	required = true
[diff "evil"]
	command = "%[1]sdiff"
	textconv = "%[1]stextconv; cat"
[diff]
	external = "%[1]sexternal"
[merge "evil"]
	driver = "%[1]smerge"
[gpg]
	program = %[2]s/gpg
[commit]
	gpgSign = true
[credential]
	helper = "!%[1]scredential"
[uploadpack]
	packObjectsHook = %[2]s/pack-objects
[alias]
	status = "!%[1]salias"
[include]
	path = %[2]s/included
`, p.touch(where), filepath.Join(p.dir, "bin"))
}

// hooks writes every hook there is.
func (p trap) hooks(dir, where string) {
	must(p.t, os.MkdirAll(dir, 0o755))
	for name := range strings.FieldsSeq(`applypatch-msg pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-merge
		pre-push pre-rebase post-rewrite post-index-change reference-transaction pre-auto-gc fsmonitor-watchman pre-merge-commit
		pre-receive update post-receive post-update push-to-checkout proc-receive gpg pack-objects`) {
		script := "#!/bin/sh\n" + p.touch(where+"hook-"+name) + "\n"
		gittest.Program(p.t, filepath.Join(dir, name), script)
	}
}

func (p trap) plant(tree *Tree, mirror string) {
	p.hooks(filepath.Join(p.dir, "bin"), "bin-")
	work, git := tree.Dir(), tree.at.place.git()
	gittest.Write(p.t, work, map[string]string{
		".git/config": p.config("agent-"), ".gitattributes": "* filter=evil diff=evil merge=evil\n",
		"src/.gitattributes": "* filter=evil diff=evil\n", ".git/info/attributes": "* filter=evil diff=evil\n",
		".gitmodules":    "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::sh -c '" + p.touch("submodule") + "'\n\tupdate = !" + p.touch("update") + "\n",
		".git/commondir": p.dir + "/common\n",
	})
	p.hooks(filepath.Join(work, ".git/hooks"), "agent-")
	// An embedded repository, and one that git already knows as a submodule.
	for _, name := range []string{"embedded", "sub"} {
		must(p.t, os.RemoveAll(filepath.Join(work, name)))
		gittest.Write(p.t, work, map[string]string{name + "/f": "x"})
		gittest.Git(p.t, filepath.Join(work, name), "init", "-q", "--template=")
		gittest.Git(p.t, filepath.Join(work, name), "commit", "-q", "--allow-empty", "-m", "x")
		gittest.Write(p.t, work, map[string]string{name + "/.git/config": p.config(name + "-"), name + "/f": "changed", name + "/.gitattributes": "* filter=evil\n"})
		p.hooks(filepath.Join(work, name, ".git/hooks"), name+"-")
	}
	// The agent could reach these without a sandbox.
	for name, dir := range map[string]string{"ours-": git, "mirror-": filepath.Join(filepath.Dir(filepath.Dir(tree.at.place.dir)), "mirrors", mirror)} {
		gittest.Write(p.t, dir, map[string]string{"config": p.config(name), "info/attributes": "* filter=evil diff=evil\n",
			"commondir": p.dir + "/common\n", "config.worktree": p.config(name)})
		p.hooks(filepath.Join(dir, "hooks"), name)
	}
	gittest.Write(p.t, p.dir, map[string]string{"common/config": p.config("common-"), "common/HEAD": "ref: refs/heads/main\n",
		"common/objects/info/x": "", "common/refs/heads/x": "", "attributes": "* filter=evil\n", "bin/included": strings.ReplaceAll(p.config("included-"), "[include]", "[nothing]")})
}

func (p trap) sprung() []string {
	var out []string
	list, err := os.ReadDir(p.dir)
	must(p.t, err)
	for _, e := range list {
		if e.Type().IsRegular() && e.Name() != "attributes" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestNothingOfTheAgentsRuns(t *testing.T) {
	t.Parallel()
	files := map[string]string{"README.md": "hello\n", "src/main.go": "package main\n"}
	bare := gittest.NewBare(t, files)
	sub := gittest.NewBare(t, files)
	head := gittest.Ref(t, sub, "refs/heads/main")
	gittest.Sh(t, bare, `export GIT_INDEX_FILE=$PWD/x; git read-tree main; git update-index --add --cacheinfo 160000,$1,sub
		git update-ref refs/heads/main $(git commit-tree -p main -m submodule $(git write-tree)); rm x`, head)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	p := trap{t, t.TempDir()}
	mirror := mirrorName(b.repository(), bare)
	ctx := t.Context()

	steps := map[string]func() error{
		"status":      func() error { _, _, err := tree.Status(ctx); return err },
		"fingerprint": func() error { _, err := tree.Fingerprint(ctx); return err },
		"commit": func() error {
			c, err := tree.Commit(ctx, CommitSpec{Key: "k", Message: "x", Exclude: []string{"specs"}})
			if err == nil && (!c.Created || len(c.LeftOut) != 1) {
				err = fmt.Errorf("got %+v", c)
			}
			return err
		},
		"diff":       func() error { _, err := tree.Diffs.Since(ctx, ""); return err },
		"log":        func() error { _, err := tree.Log(ctx, ""); return err },
		"checkpoint": func() error { return tree.Checkpoint(ctx) },
		"push":       func() error { _, err := tree.Push(ctx); return err },
		"squash":     func() error { _, err := tree.Squash(ctx, "", "all"); return err },
		"check out":  func() error { return tree.CheckOut(ctx) },
		"restore": func() error {
			print, err := tree.Fingerprint(ctx)
			if err != nil {
				return err
			}
			gittest.Write(t, tree.Dir(), map[string]string{"README.md": "once more\n"})
			return tree.Restore(ctx, print)
		},
		"prepare": func() error { _, err := b.m.Prepare(ctx, b.spec("t-1", 1)); return err },
		"take over": func() (err error) {
			if _, err = b.m.Prepare(ctx, b.spec("t-1", 2)); err == nil {
				tree, err = b.m.Open(ctx, "t-1", 2)
			}
			return err
		},
		"another task": func() error { _, err := b.m.Prepare(ctx, b.spec("t-2", 1)); return err },
	}
	for n, name := range []string{"status", "fingerprint", "commit", "diff", "log", "checkpoint", "squash", "push", "check out", "restore",
		"prepare", "take over", "commit", "another task", "checkpoint"} {
		p.plant(tree, mirror)
		gittest.Write(t, tree.Dir(), map[string]string{"README.md": fmt.Sprintf("changed before %s, step %d\n", name, n), "src/main.go": "package " + name + "\n"})
		if err := steps[name](); err != nil && !strings.Contains(err.Error(), "got {ID") {
			t.Errorf("%s: %v", name, err)
		}
		if got := p.sprung(); len(got) > 0 {
			t.Fatalf("%s ran %v", name, got)
		}
	}
	must(t, b.m.Remove(ctx, "t-1", false))
	if got := p.sprung(); len(got) > 0 {
		t.Errorf("remove ran %v", got)
	}

	// The trap works: an ordinary run of git triggers it.
	_, other := b.prepare("t-3", 1)
	p.plant(other, mirror)
	must(t, os.Remove(filepath.Join(other.Dir(), ".git/commondir")))
	gittest.Write(t, other.Dir(), map[string]string{"README.md": "changed\n"})
	gittest.Try(other.Dir(), "add", "README.md")
	if got := strings.Join(p.sprung(), " "); !strings.Contains(got, "fsmonitor") || !strings.Contains(got, "-process") {
		t.Errorf("the trap does not work: %q", got)
	}
}

func TestAgentsGitFolderAsALinkOutside(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(t *testing.T, work, victim string){
		"git folder": func(t *testing.T, work, victim string) {
			must(t, os.RemoveAll(filepath.Join(work, ".git")))
			must(t, os.Symlink(victim, filepath.Join(work, ".git")))
		},
		"refs": func(t *testing.T, work, victim string) {
			must(t, os.RemoveAll(filepath.Join(work, ".git/refs/heads/longshift")))
			must(t, os.Symlink(victim, filepath.Join(work, ".git/refs/heads/longshift")))
		},
		"index": func(t *testing.T, work, victim string) {
			must(t, os.Remove(filepath.Join(work, ".git/index")))
			must(t, os.Symlink(filepath.Join(victim, "file"), filepath.Join(work, ".git/index")))
		},
		"head": func(t *testing.T, work, victim string) {
			must(t, os.Remove(filepath.Join(work, ".git/HEAD")))
			must(t, os.Symlink(filepath.Join(victim, "file"), filepath.Join(work, ".git/HEAD")))
		},
		"objects": func(t *testing.T, work, victim string) {
			must(t, os.RemoveAll(filepath.Join(work, ".git/objects")))
			must(t, os.Symlink(victim, filepath.Join(work, ".git/objects")))
		},
		"a file":  func(t *testing.T, work, _ string) { gittest.Sh(t, work, "rm -rf .git; echo gitdir: /elsewhere > .git") },
		"nothing": func(t *testing.T, work, _ string) { must(t, os.RemoveAll(filepath.Join(work, ".git"))) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, gittest.NewBare(t, start))
			_, tree := b.prepare("t-1", 1)
			victim := t.TempDir()
			gittest.Write(t, victim, map[string]string{"file": "precious\n"})
			plant(t, tree.Dir(), victim)
			c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
			if got := gittest.Sh(t, victim, "find . | sort; cat file"); got != ".\n./file\nprecious" {
				t.Errorf("the victim has %q", got)
			}
			if agent(t, tree, "rev-parse", "HEAD") != c.ID || agent(t, tree, "status", "--porcelain") != "" {
				t.Error("the agent's git was not made anew")
			}
		})
	}
}

func TestFoldersGoneByALink(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	before, err := tree.Fingerprint(t.Context())
	must(t, err)
	victim := t.TempDir()
	gittest.Write(t, victim, map[string]string{"main.go": "precious\n", "more/x": "x"})
	must(t, os.RemoveAll(filepath.Join(tree.Dir(), "src")))
	must(t, os.Symlink(victim, filepath.Join(tree.Dir(), "src")))
	b.commit(tree, "1", nil)
	_, err = b.m.Prepare(t.Context(), b.spec("t-1", 1))
	must(t, err)
	must(t, tree.Restore(t.Context(), before))
	if readFile(t, victim, "main.go") != "precious\n" || readFile(t, victim, "more/x") != "x" {
		t.Error("files behind a link were changed")
	}
	must(t, os.Symlink(victim, filepath.Join(tree.Dir(), "link")))
	must(t, b.m.Remove(t.Context(), "t-1", false))
	if readFile(t, victim, "main.go") != "precious\n" {
		t.Error("files behind a link were removed")
	}
}

// TestNothingRunsInAMerge: a merge runs no program of the agent or of the base branch.
func TestNothingRunsInAMerge(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"f.txt": "base\n", "src/x": "x\n"})
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"f.txt": "ours\n", ".gitattributes": "* merge=evil filter=evil diff=evil\n"})
	ws, tree := b.prepareOn(b.m, b.round("t-1", 2))
	p := trap{t, t.TempDir()}
	mirror := mirrorName(b.repository(), bare)
	onMain(t, bare, "echo theirs > f.txt; echo '* merge=evil filter=evil diff=evil' > src/.gitattributes; echo y > src/y")
	ctx := t.Context()
	print := ""
	steps := []struct {
		name string
		do   func() error
	}{
		{"merge", func() error {
			m, err := tree.MergeBase(ctx, "m")
			if err == nil && len(m.Conflicts) == 0 {
				err = fmt.Errorf("got %+v", m)
			}
			return err
		}},
		{"abort", func() error { return tree.AbortMerge(ctx) }},
		{"merge again", func() error { _, err := tree.MergeBase(ctx, "m"); return err }},
		{"fingerprint", func() (err error) { print, err = tree.Fingerprint(ctx); return err }},
		{"restore", func() error { return tree.Restore(ctx, print) }},
		{"take over", func() (err error) {
			if _, err = b.m.Prepare(ctx, b.round("t-1", 3)); err == nil {
				tree, err = b.m.Open(ctx, "t-1", 3)
			}
			return err
		}},
		{"commit", func() error {
			gittest.Write(t, tree.Dir(), map[string]string{"f.txt": "both\n"})
			_, err := tree.Commit(ctx, CommitSpec{Key: "1", Message: "x"})
			return err
		}},
		{"uncommit", func() error { return tree.Uncommit(ctx) }},
		{"commit again", func() error { _, err := tree.Commit(ctx, CommitSpec{Key: "2", Message: "x"}); return err }},
		{"outgoing", func() error { return tree.Diffs.Outgoing(ctx, &strings.Builder{}) }},
		{"diff", func() error { _, err := tree.Diffs.Since(ctx, ws.BaseCommit); return err }},
		{"push", func() error { _, err := tree.Push(ctx); return err }},
	}
	for _, step := range steps {
		p.plant(tree, mirror)
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if got := p.sprung(); len(got) > 0 {
			t.Fatalf("%s ran %v", step.name, got)
		}
	}
	if got := gittest.Git(t, bare, "log", "-1", "--merges", "--format=%s", "refs/heads/longshift/t-1"); got != "x" {
		t.Errorf("the branch ends with %q", got)
	}
}
