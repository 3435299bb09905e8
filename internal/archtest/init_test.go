package archtest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrappersStartEarly: a worker's executable becomes a guard, or the inner init of a box, before what takes time is initialized. Go
// initializes first what needs no more than has been initialized, in the order of import paths. So what net or a later path needs comes after
// nearly all else.
func TestWrappersStartEarly(t *testing.T) {
	t.Parallel()
	for name, tooLate := range map[string][]string{
		"internal/confine/process/guard": {"golang.org/x/sys/unix", "os/exec", "path/filepath"},
		"internal/confine/sandbox/inner": {"crypto/rand", "log/slog", "net", "os/exec", "path/filepath", "regexp", "runtime/debug"},
	} {
		cmd := exec.Command("go", "list", "-deps", "./"+name)
		cmd.Dir = filepath.Join("..", "..")
		cmd.Env = append(cmd.Environ(), "GOOS=linux")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		needs := strings.Fields(string(out))
		if !slices.Contains(needs, module+"/internal/confine/process/tree") {
			t.Errorf("the list of what %s needs lacks internal/confine/process/tree: %q", name, needs)
		}
		for _, late := range tooLate {
			if slices.Contains(needs, late) {
				t.Errorf("%s needs %s, so each of these processes waits for what is initialized before that", name, late)
			}
		}
	}
}
