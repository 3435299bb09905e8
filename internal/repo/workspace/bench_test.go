package workspace

import (
	"fmt"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// BenchmarkSteps measures what a task's git work costs; the figures of a plain script stand beside them.
func BenchmarkSteps(b *testing.B) {
	bare := gittest.NewBare(b, start)
	w := newBench(b, bare)
	b.Run("prepare", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if _, err := w.m.Prepare(b.Context(), w.spec(fmt.Sprintf("p-%d", n), 1)); err != nil {
				b.Fatal(err)
			}
		}
	})
	_, tree := w.prepare("steps", 1)
	n := 0
	b.Run("commit", func(b *testing.B) {
		for b.Loop() {
			n++
			w.commit(tree, fmt.Sprint(n), map[string]string{"a.txt": fmt.Sprint(n)})
		}
	})
	b.Run("commit+checkpoint", func(b *testing.B) {
		for b.Loop() {
			n++
			w.commit(tree, fmt.Sprint(n), map[string]string{"a.txt": fmt.Sprint(n)})
			if err := tree.Checkpoint(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fingerprint", func(b *testing.B) {
		for b.Loop() {
			if _, err := tree.Fingerprint(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("script: add, commit, push", func(b *testing.B) {
		dir := b.TempDir()
		gittest.Git(b, "/", "clone", "-q", bare, dir)
		for b.Loop() {
			n++
			gittest.Write(b, dir, map[string]string{"a.txt": fmt.Sprint(n)})
			gittest.Git(b, dir, "add", "-A")
			gittest.Git(b, dir, "commit", "-q", "-m", "work")
			gittest.Git(b, dir, "push", "-q", "origin", "HEAD:refs/heads/script")
		}
	})
}
