package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// Everything that a push would publish is shown, also changes that a later commit reverts and that attributes hide from a diff.
func TestOutgoing(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"one.txt": "first\n", ".gitattributes": "*.txt binary\n"})
	gittest.Write(t, tree.Dir(), map[string]string{"one.txt": "second\n"})
	last, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "change one\n\nwith a body"})
	must(t, err)
	var patch strings.Builder
	if err := tree.Diffs.Outgoing(t.Context(), &patch); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"commit " + last.ID + "\n", "+first\n", "-first\n", "+second\n"} {
		if !strings.Contains(patch.String(), want) {
			t.Errorf("%q is not in what goes out:\n%s", want, patch.String())
		}
	}
	messages, err := tree.Diffs.Messages(t.Context())
	if err != nil || len(messages) != 2 {
		t.Fatalf("messages %q, %v", messages, err)
	}
	var all strings.Builder
	for _, m := range messages {
		all.WriteString(m)
	}
	if !strings.Contains(all.String(), "change one") || !strings.Contains(all.String(), "with a body") {
		t.Errorf("messages %q", all.String())
	}
}

// Commits that were not pushed can be taken back. Their content stays, and can be changed and committed again.
func TestUncommit(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	first := b.commit(tree, "1", map[string]string{"kept.txt": "kept\n"})
	if err := tree.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	gittest.Write(t, tree.Dir(), map[string]string{"secret.txt": "secret\n"})
	agent(t, tree, "add", "-A")
	agent(t, tree, "commit", "-qm", "the agent's own")
	b.commit(tree, "2", map[string]string{"more.txt": "more\n"})
	if err := tree.Uncommit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, head, err := tree.Status(t.Context()); err != nil || head != first.ID {
		t.Fatalf("head %s, want %s, %v", head, first.ID, err)
	}
	if data, err := os.ReadFile(filepath.Join(tree.Dir(), "secret.txt")); err != nil || string(data) != "secret\n" {
		t.Errorf("the work is gone: %q, %v", data, err)
	}
	b.commit(tree, "2", map[string]string{"secret.txt": "nothing\n"})
	var patch strings.Builder
	if err := tree.Diffs.Outgoing(t.Context(), &patch); err != nil || strings.Contains(patch.String(), "+secret") || !strings.Contains(patch.String(), "+nothing") {
		t.Errorf("%v: %s", err, patch.String())
	}
}
