package tools

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLinkInPlaceOfFolder lets a program put a link in a folder's place while a file is written there, at each step.
func TestLinkInPlaceOfFolder(t *testing.T) {
	planned := []change{{path: "d/config", after: []byte("forged\n")}}
	for _, step := range []string{"stage", "compare", "apply"} {
		t.Run(step, func(t *testing.T) {
			f := newFolder(t, map[string]string{"d/": "", ".git/config": "real\n"})
			swap := func(at string) {
				if at == step {
					must(t, os.Rename(filepath.Join(f.dir, "d"), filepath.Join(f.dir, "was")))
					must(t, os.Symlink(".git", filepath.Join(f.dir, "d")))
				}
			}
			tr := &transaction{tree: &f.Tree, folders: map[string]*os.Root{}}
			defer tr.close()
			swap("stage")
			err := tr.stage(t.Context(), planned)
			if refused := err != nil; refused != (step == "stage") {
				t.Fatalf("stage: %v", err)
			}
			if err == nil {
				swap("compare")
				must(t, tr.compare(planned))
				swap("apply")
				must(t, tr.apply(planned[0], tr.staged[0]))
				if got := f.get("was/config"); got != "forged\n" {
					t.Errorf("the folder that was looked at has got %q", got)
				}
			}
			left, err := os.ReadDir(filepath.Join(f.dir, ".git"))
			if must(t, err); len(left) != 1 || f.get(".git/config") != "real\n" {
				t.Errorf("written through the link: %v, config %q", left, f.get(".git/config"))
			}
		})
	}
}
