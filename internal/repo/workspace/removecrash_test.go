package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// dieAt makes the manager die while it removes the nth folder, when a part of the folder is gone.
func dieAt(t *testing.T, m *Manager, n int) {
	t.Helper()
	m.discard = func(path string) error {
		if n--; n > 0 {
			return remove.All(path)
		}
		if inside, _ := os.ReadDir(path); len(inside) > 0 {
			must(t, remove.All(filepath.Join(path, inside[len(inside)-1].Name())))
		}
		panic("killed")
	}
}

// TestKilledWhileRemoving: what a removal leaves at its death is neither taken for somebody's changes nor for a damaged workspace, so that
// the next sweep ends it; and the only other place of the work stays on the remote.
func TestKilledWhileRemoving(t *testing.T) {
	t.Parallel()
	for _, pushed := range []bool{false, true} {
		for n, died := 1, true; died; n++ {
			t.Run(fmt.Sprintf("pushed=%v,n=%d", pushed, n), func(t *testing.T) {
				bare := gittest.NewBare(t, start)
				b := newBench(t, bare)
				_, tree := b.prepare("t-1", 1)
				one := b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
				must(t, tree.Checkpoint(t.Context()))
				if pushed {
					_, err := tree.Push(t.Context())
					must(t, err)
				}
				tree.Close()
				dieAt(t, b.m, n)
				died = func() (died bool) {
					defer func() { died = recover() != nil }()
					must(t, b.m.Remove(t.Context(), "t-1", !pushed))
					return false
				}()
				if !died {
					if n < 6 {
						t.Errorf("only %d things are removed; the test breaks nothing", n)
					}
					return
				}
				m := b.manager(b.m.config.Dir)
				why, alone, err := m.Unsaved(t.Context(), "t-1")
				if err != nil || why != "" {
					t.Fatalf("after a death at %d it stays: %q, %v", n, why, err)
				}
				must(t, m.Remove(t.Context(), "t-1", alone))
				if exists(m.place("t-1").dir) {
					t.Error("something is left of it")
				}
				if there := gittest.Ref(t, bare, checkpointRef("t-1")) == one.ID; there == pushed {
					t.Errorf("the checkpoint is there: %v", there)
				}
			})
		}
	}
}
