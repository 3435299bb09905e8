package local

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// checkout makes a repository with a working tree, a branch to merge, and settings that run a program wherever git allows it. It
// returns the folder and the file that the program writes.
func checkout(t *testing.T) (dir, marker string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "shop")
	git := filepath.Join(dir, ".git")
	forgetest.Git(t, git, "", "clone", "--quiet", "--no-local", forgetest.NewRepository(t), dir)
	marker = filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "evil")
	writeFile(t, script, "#!/bin/sh\necho ran >> "+marker+"\ncat 2>/dev/null\nexit 0\n")
	for _, hook := range []string{"reference-transaction", "post-update", "update", "pre-commit"} {
		writeFile(t, filepath.Join(git, "hooks", hook), "#!/bin/sh\nexec "+script+" \"$@\" </dev/null\n")
	}
	for _, kv := range [][2]string{
		{"core.fsmonitor", script}, {"diff.external", script}, {"diff.evil.textconv", script}, {"diff.evil.command", script},
		{"core.pager", script}, {"core.sshCommand", script},
	} {
		forgetest.Git(t, git, "", "config", kv[0], kv[1])
	}
	if err := os.MkdirAll(filepath.Join(git, "info"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(git, "info", "attributes"), []byte("* diff=evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, marker
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func branchRequest(t *testing.T, dir, gitDir string) forge.Request {
	t.Helper()
	const head = "longshift/task-1"
	return forge.Request{
		Repository: at(dir), TaskID: "task-1", Fence: 1, Head: head, HeadCommit: forgetest.AddBranch(t, gitDir, head, "main"),
		Base: "main", Title: "Greet in French", Body: "What was done.",
	}
}

// TestRunsNothing opens, reads and shows a pull request in a repository whose hooks and settings run a program.
func TestRunsNothing(t *testing.T) {
	dir, marker := checkout(t)
	r := branchRequest(t, dir, filepath.Join(dir, ".git"))
	if !exists(marker) {
		t.Fatal("the settings run nothing even when git is let: the test can't fail")
	}
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	if _, err := newForge().EnsurePullRequest(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var patch bytes.Buffer
	if err := Diff(t.Context(), dir, 1, &patch); err != nil {
		t.Fatal(err)
	}
	if exists(marker) {
		t.Error("a program of the repository has run")
	}
	if !strings.Contains(patch.String(), "-hello\n+bonjour from longshift/task-1\n") {
		t.Errorf("patch:\n%s", patch.String())
	}
	if after := tree(t, dir); after != before {
		t.Errorf("the working tree changed:\n%s\n%s", before, after)
	}
}

// tree lists the contents of the working tree, the index and HEAD.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() == "objects" || d.Name() == "refs" || d.Name() == "logs" {
			return skipDir(d, err)
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.WriteString(path + " " + string(data) + "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func skipDir(d os.DirEntry, err error) error {
	if err == nil && d.IsDir() {
		return filepath.SkipDir
	}
	return err
}

// TestOwnEnvironment: git variables of the own process must not redirect the commands.
func TestOwnEnvironment(t *testing.T) {
	dir := forgetest.NewRepository(t)
	r := branchRequest(t, dir, dir)
	elsewhere := forgetest.NewRepository(t)
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"} {
		t.Setenv(name, elsewhere)
	}
	if _, err := newForge().EnsurePullRequest(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if n := len(standing(t, dir)); n != 1 {
		t.Errorf("%d pull requests stand", n)
	}
}
