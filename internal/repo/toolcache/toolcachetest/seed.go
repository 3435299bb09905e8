// Package toolcachetest gives tests a filled cache, so that they need not compile the standard library each time.
package toolcachetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// program imports what the projects of our tests import.
const program = `package seed

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestSeed(t *testing.T) {
	if !slices.Contains(strings.Fields(fmt.Sprintln("a", os.Args)), "a") {
		t.Error(errors.New("no a"))
	}
}
`

// Seed returns a directory for LONGSHIFT_CACHE that only this package writes to. It stays on the machine. The first call takes as long as
// compiling the standard library.
var Seed = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("seed: %w", err)
	}
	seed := filepath.Join(cache, "longshift-test-seed")
	dir, err := os.MkdirTemp("", "longshift-seed-")
	if err != nil {
		return "", fmt.Errorf("seed: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"go.mod":       "module seed\n\ngo 1.26\n",
		"seed_test.go": program,
		"main/main.go": "package main\n\nfunc main() {}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return "", fmt.Errorf("seed: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("seed: %w", err)
		}
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}, {"test", "-trimpath", "./..."}} { // what is compiled without paths is compiled anew
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOCACHE="+filepath.Join(seed, "go-build"), "GOFLAGS=", "GOTOOLCHAIN=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("seed: go %s: %w\n%s", args[0], err, out)
		}
	}
	return seed, nil
})
