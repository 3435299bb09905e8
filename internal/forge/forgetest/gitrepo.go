package forgetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NewRepository makes a bare git repository with one commit on main, and gives its folder.
func NewRepository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop.git")
	Git(t, dir, "", "init", "--quiet", "--bare", "--initial-branch=main", dir)
	blob := Git(t, dir, "hello\n", "hash-object", "-w", "--stdin")
	tree := Git(t, dir, "100644 blob "+blob+"\tgreeting.txt\n", "mktree")
	commit := Git(t, dir, "", "commit-tree", "-m", "Begin", tree)
	Git(t, dir, "", "update-ref", "refs/heads/main", commit)
	return dir
}

// AddBranch sets a branch one commit ahead of another, and gives the commit. The commit's content names the branch.
func AddBranch(t testing.TB, gitDir, name, from string) string {
	t.Helper()
	blob := Git(t, gitDir, "bonjour from "+name+"\n", "hash-object", "-w", "--stdin")
	tree := Git(t, gitDir, "100644 blob "+blob+"\tgreeting.txt\n", "mktree")
	commit := Git(t, gitDir, "", "commit-tree", "-p", "refs/heads/"+from, "-m", "Work on "+name, tree)
	Git(t, gitDir, "", "update-ref", "refs/heads/"+name, commit)
	return commit
}

// PointBranch sets a branch to where another is, and gives the commit.
func PointBranch(t testing.TB, gitDir, name, to string) string {
	t.Helper()
	commit := Git(t, gitDir, "", "rev-parse", "refs/heads/"+to)
	Git(t, gitDir, "", "update-ref", "refs/heads/"+name, commit)
	return commit
}

// Git runs one git command that must go well and gives what it printed. Settings of the user and the machine have no part in it.
func Git(t testing.TB, gitDir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(gitEnv(), "GIT_DIR="+gitDir,
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func gitEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0"}
}
