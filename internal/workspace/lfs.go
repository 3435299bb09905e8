package workspace

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// pointer is how a file begins that stands for one in Git LFS.
const pointer = "version https://git-lfs.github.com/spec/"

// noLFS refuses files that the project keeps in Git LFS and that are not pointers into it: no filter runs here, so they would land as
// they are, and break the project's clones.
func (o *opened) noLFS(ctx context.Context, paths []string) error {
	attributes, err := os.ReadFile(filepath.Join(o.place.work(), ".gitattributes"))
	if err != nil || !bytes.Contains(attributes, []byte("filter=lfs")) || len(paths) == 0 {
		return nil // git-lfs itself writes into the file at the top
	}
	text, err := o.repo.feed(ctx, strings.Join(paths, "\x00")+"\x00", "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return fmt.Errorf("look for files of Git LFS: %w", err)
	}
	var raw []string
	f := strings.Split(text, "\x00") // path, attribute, value
	for i := 0; i+2 < len(f); i += 3 {
		if f[i+2] == "lfs" && !o.isPointer(f[i]) {
			raw = append(raw, f[i])
		}
	}
	if len(raw) == 0 {
		return nil
	}
	return fault.New(fault.Work, "kept in Git LFS by .gitattributes, which can't be written here: %s", strings.Join(raw, ", ")).
		WithHint("do without a change of them, and say in the report what should change")
}

// isPointer tells whether a file of the work tree is a pointer, or nothing that LFS would keep.
func (o *opened) isPointer(path string) bool {
	info, err := os.Lstat(filepath.Join(o.place.work(), path))
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return true
	}
	f, err := os.Open(filepath.Join(o.place.work(), path))
	if err != nil {
		return true
	}
	defer f.Close()
	start := make([]byte, len(pointer))
	n, _ := f.Read(start)
	return string(start[:n]) == pointer
}
