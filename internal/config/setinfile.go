package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/fault"
)

// SetInFile sets a variable in a settings file, and leaves all its other lines as they are. The file becomes its owner's alone. It replaces
// the file in one step, so a reader never sees a part of it.
func SetInFile(path, name, value string) error {
	if err := setInFile(path, name, value); err != nil {
		return fault.New(fault.Infra, "set %s in %s: %w", name, path, err)
	}
	return nil
}

func setInFile(path, name, value string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	line := fmt.Sprintf("%s = %q", name, value)
	lines, found := strings.Split(strings.TrimRight(string(old), "\n"), "\n"), false
	for i, l := range lines {
		if key, _, ok := strings.Cut(l, "="); ok && strings.TrimSpace(key) == name {
			lines[i], found = line, true
		}
	}
	if !found {
		lines = append(lines, line)
	}
	text := strings.TrimLeft(strings.Join(lines, "\n"), "\n") + "\n"
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // somebody keeps their settings elsewhere
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, []byte(text))
}
