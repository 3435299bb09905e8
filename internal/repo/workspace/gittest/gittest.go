// Package gittest gives tests real git repositories: bare ones, checkouts, and a smart HTTP server that can be made to
// fail. It is for tests only.
package gittest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
)

// Env is the environment of every git that is started here: nobody's configuration, a fixed identity.
func Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/dev/null", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=Jane", "GIT_AUTHOR_EMAIL=jane@example.com", "GIT_COMMITTER_NAME=Jane", "GIT_COMMITTER_EMAIL=jane@example.com",
	}
}

// Git runs git in a folder and gives what it prints, without the last line break. A failure ends the test.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := Try(dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Try is Git for calls that may fail.
func Try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, Env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// NewBare makes a bare repository whose default branch main has one commit with the files; without files it has none.
func NewBare(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo.git")
	fillBare(t, dir, files)
	return dir
}

// made holds repositories as they were made, by what is in them: making one takes ten processes, and most tests begin with the same.
var made sync.Map // from fmt.Sprint of the files to fs.FS

func fillBare(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	key := fmt.Sprint(files)
	if known, ok := made.Load(key); ok {
		if err := os.CopyFS(dir, known.(fs.FS)); err != nil {
			t.Fatal(err)
		}
		return
	}
	Git(t, "/", "init", "--quiet", "--bare", "--template=", "--initial-branch=main", dir)
	Git(t, dir, "config", "gc.auto", "0")
	if len(files) > 0 {
		Commit(t, dir, "main", "First commit", files)
	}
	kept := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			kept[path] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		kept[path] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	made.Store(key, kept)
}

// NewCheckout makes a normal repository with main checked out and one commit with the files.
func NewCheckout(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	Git(t, "/", "init", "--quiet", "--template=", "--initial-branch=main", dir)
	Write(t, dir, files)
	Git(t, dir, "add", "-A")
	Git(t, dir, "commit", "--quiet", "-m", "First commit")
	return dir
}

// Write writes files below a folder.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Program writes a program. Nothing forks meanwhile: the child would hold the file open for writing for a moment, in which the system
// refuses to start it ("text file busy").
func Program(t testing.TB, path, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Commit adds a commit with the files to a branch of a bare repository, as somebody else would push it, and gives its id.
// The branch starts at main when it is new.
func Commit(t testing.TB, bare, branch, message string, files map[string]string) string {
	t.Helper()
	work := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		return Git(t, work, append([]string{"--git-dir=" + bare, "--work-tree=" + work}, args...)...)
	}
	index := filepath.Join(t.TempDir(), "index")
	env := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"--git-dir=" + bare, "--work-tree=" + work}, args...)...)
		cmd.Dir, cmd.Env = work, append(Env(), "GIT_INDEX_FILE="+index)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	parent := Ref(t, bare, "refs/heads/"+branch)
	if parent == "" {
		parent = Ref(t, bare, "refs/heads/main")
	}
	args := []string{"commit-tree", "-m", message}
	if parent != "" {
		env("read-tree", parent)
		args = append(args, "-p", parent)
	}
	Write(t, work, files)
	if len(files) > 0 {
		env(append([]string{"update-index", "--add", "--"}, slices.Sorted(maps.Keys(files))...)...)
	}
	id := env(append(args, env("write-tree"))...)
	git("update-ref", "refs/heads/"+branch, id)
	return id
}

// Ref gives the commit of a ref in a repository, "" when there is none.
func Ref(t testing.TB, dir, ref string) string {
	t.Helper()
	return Git(t, dir, "for-each-ref", "--format=%(objectname)", ref)
}

// Refs gives all refs of a repository with their commits.
func Refs(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(Git(t, dir, "for-each-ref", "--format=%(refname) %(objectname)")) {
		name, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[name] = id
	}
	return out
}

// Show gives a file of a commit.
func Show(t testing.TB, dir, commit, file string) string {
	t.Helper()
	return Git(t, dir, "show", commit+":"+file)
}

// Sh runs a shell script with arguments in a folder, in the environment of Env. A failure ends the test.
func Sh(t testing.TB, dir, script string, args ...string) string {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...)
	cmd.Dir, cmd.Env = dir, Env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("script: %v\n%s", err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}
