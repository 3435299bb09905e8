package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	if err := os.WriteFile(file, []byte("a longer text than the new one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if text, _ := os.ReadFile(file); string(text) != "new" || err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", text, info.Mode(), err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What can't be replaced stays as it is, and no temporary file is left.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(folder, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Write(filepath.Join(dir, "none", "a"), nil); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
