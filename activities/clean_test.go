package activities

import (
	"os"
	"path/filepath"
	"testing"
)

// Clean-up removes the homes and the caches of a task's commands, folders without permissions too. (Root can open those anyway.)
func TestCleanUpOfFoldersThatAreClosed(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	folders := []string{homeOf(b.Data, b.ref.TaskID), cleanHomeOf(b.Data, b.ref.TaskID), cachesOf(b.Data, b.ref.TaskID)}
	b.check("true", nil)
	for _, dir := range folders {
		must(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "a", "b", "f"), nil, 0o400))
		must(t, os.Chmod(filepath.Join(dir, "a", "b"), 0o500))
		must(t, os.Chmod(filepath.Join(dir, "a"), 0o000))
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a"), 0o700) })
	}
	work := b.work()
	must(t, b.attempt().run(b.CleanUp, CleanInput{b.ref}, nil))
	for _, dir := range append(folders, work) {
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", dir, err)
		}
	}
}
