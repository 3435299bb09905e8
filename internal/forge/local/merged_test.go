package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// onto commits files on a branch.
func onto(t *testing.T, gitDir, branch, entries string) string {
	t.Helper()
	tree := forgetest.Git(t, gitDir, entries, "mktree")
	commit := forgetest.Git(t, gitDir, "", "commit-tree", "-p", "refs/heads/"+branch, "-m", "Change "+branch, tree)
	forgetest.Git(t, gitDir, "", "update-ref", "refs/heads/"+branch, commit)
	return commit
}

// TestMergedByContent: a pull request whose work came into the base branch by other commits than its own is merged.
func TestMergedByContent(t *testing.T) {
	const head = "longshift/task-1"
	for name, c := range map[string]struct {
		greeting, other string // of the base branch: greeting.txt is what the pull request changes
		gone            bool   // its branch is deleted
		want            forge.State
	}{
		"squashed":             {"bonjour from " + head, "", false, forge.Merged},
		"squashed and deleted": {"bonjour from " + head, "", true, forge.Merged},
		"squashed, and more":   {"bonjour from " + head, "more", false, forge.Merged},
		"something else":       {"", "more", false, forge.Open},
		"a conflict":           {"hallo", "", false, forge.Open},
		"deleted only":         {"", "", true, forge.Open},
	} {
		t.Run(name, func(t *testing.T) {
			dir, marker := checkout(t)
			gitDir := filepath.Join(dir, ".git")
			forgetest.Git(t, gitDir, "", "config", "merge.evil.driver", "echo ran >> "+marker)
			writeFile(t, filepath.Join(gitDir, "info", "attributes"), "* merge=evil\n")
			entry := func(text string) string {
				return "100644 blob " + forgetest.Git(t, gitDir, text+"\n", "hash-object", "-w", "--stdin")
			}
			before := forgetest.Git(t, gitDir, "", "ls-tree", "refs/heads/main", "greeting.txt")
			p, err := newForge().EnsurePullRequest(t.Context(), branchRequest(t, dir, gitDir))
			if err != nil {
				t.Fatal(err)
			}
			entries := before + "\n"
			if c.greeting != "" {
				entries = entry(c.greeting) + "\tgreeting.txt\n"
			}
			if c.other != "" {
				entries += entry(c.other) + "\tother.txt\n"
			}
			if c.greeting+c.other != "" {
				onto(t, gitDir, "main", entries)
			}
			if c.gone {
				forgetest.Git(t, gitDir, "", "update-ref", "-d", "refs/heads/"+head)
			}
			removeIfThere(t, marker)
			objects := forgetest.Git(t, gitDir, "", "count-objects")
			state, err := newForge().State(t.Context(), at(dir), p.Number)
			if err != nil || state != c.want {
				t.Errorf("state %s (%v), want %s", state, err, c.want)
			}
			if exists(marker) {
				t.Error("a program of the repository has run")
			}
			if now := forgetest.Git(t, gitDir, "", "count-objects"); now != objects {
				t.Errorf("%s, and %s before", now, objects)
			}
		})
	}
}

func removeIfThere(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}
