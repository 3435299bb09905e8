package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// KeepOnly removes everything in a folder but the named entries. An earlier attempt may have left settings in it that let calls through.
func KeepOnly(root *os.Root, folder string, names ...string) error {
	dir, err := root.Open(folder)
	if err != nil {
		return fault.New(fault.Infra, "clear state folder: %w", err)
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close() // was only read
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) || e.Type()&^os.ModeDir != 0 {
			err = errors.Join(err, root.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	if err != nil {
		return fault.New(fault.Infra, "clear state folder: %w", err)
	}
	return nil
}

// KeepID writes down the conversation's id in a file of the state folder, so that it is known after a death at any moment.
func KeepID(s agent.Session, name, id string) error {
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return fault.New(fault.Infra, "open state folder: %w", err)
	}
	defer root.Close()
	if err := WriteFile(root, name, id+"\n"); err != nil {
		return fault.New(fault.Infra, "write the conversation's id: %w", err)
	}
	return nil
}

// KeptID is the id of an earlier attempt's conversation, "" if there is none that valid matches.
func KeptID(s agent.Session, name string, valid *regexp.Regexp) string {
	data, err := ReadFile(s, name)
	if id := strings.TrimSpace(string(data)); err == nil && valid.MatchString(id) {
		return id
	}
	return ""
}

// HasLine tells whether a file below the state folder has a whole line that is looked for. It reads larger files than ReadFile.
func HasLine(s agent.Session, path string, sought func(line []byte) bool) bool {
	name, err := filepath.Rel(s.StateDir, path)
	if err != nil {
		return false
	}
	f, _, err := open(s, name)
	if err != nil {
		return false
	}
	defer f.Close()
	for r := bufio.NewReader(io.LimitReader(f, mostSearched)); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return false
		}
		if sought(line) {
			return true
		}
	}
}

// mostSearched limits what HasLine reads, in bytes. What it looks for stands near the beginning, behind images at most.
const mostSearched = 32 << 20

// mostRead limits a file that ReadFile reads, in bytes.
const mostRead = 1 << 20

// ReadFile reads a small file of the state folder.
func ReadFile(s agent.Session, name string) ([]byte, error) {
	f, size, err := open(s, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > mostRead {
		return nil, fmt.Errorf("%s is not a small file", name)
	}
	return io.ReadAll(f)
}

// open opens a file of the state folder, in which the agent may have left anything: it follows no link out of it, and fails for what is no
// file, because a pipe would block. The size is that before it was opened.
func open(s agent.Session, name string) (f *os.File, size int64, err error) {
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a file", name)
	}
	f, err = root.Open(name)
	return f, info.Size(), err
}

// Glob escapes a path for use in a pattern.
func Glob(path string) string {
	out := make([]byte, 0, len(path))
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
