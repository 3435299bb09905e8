package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/fault"
)

// Setting is a variable and its value.
type Setting struct{ Name, Value string }

// SetInFile sets variables in a settings file, and leaves all its other lines as they are. It replaces the file in one step, so a reader
// never sees a part of it. The file keeps its permissions, unless it holds a secret now: then it becomes its owner's alone, and closed
// tells that others could use it before.
func SetInFile(path string, settings ...Setting) (closed bool, err error) {
	info, err := os.Stat(path)
	there := err == nil
	if there && !ownedByUs(info) {
		return false, fault.New(fault.Denied, "set %s in %s: the file belongs to another user", settings[0].Name, path).
			WithHint("run this as the owner of the file, or make it yours with chown")
	}
	var old []byte
	if there {
		old, err = os.ReadFile(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fault.New(fault.Denied, "set %s: %w", settings[0].Name, err).WithHint("make the file readable")
	}
	text, secret, err := editSettings(old, settings...)
	if err != nil {
		return false, fault.New(fault.Input, "set %s in %s: %w", settings[0].Name, path, err).WithHint("correct the file with an editor")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // somebody keeps their settings elsewhere
	}
	if there && !secret {
		err = atomicfile.WriteLike(path, text, info)
	} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
		err = atomicfile.Write(path, text)
	}
	if err != nil {
		return false, fault.New(fault.Denied, "set %s in %s: %w", settings[0].Name, path, err).
			WithHint("see that there is room, and that the folder is writable")
	}
	return there && secret && forOthers(info), nil
}

// ownedByUs tells whether a file is this user's. Replacing one of somebody else would make it ours, so that they could not change it.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// forOthers tells whether others than its owner may use a file.
func forOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// editSettings returns the text of a settings file with variables set, and whether it holds a secret. Comments stay, also behind a value
// that changes. A text in which a line can't be changed by itself, because a value goes over several, is an error.
func editSettings(old []byte, settings ...Setting) (edited []byte, secret bool, err error) {
	want, err := parseSettings(old)
	if err != nil {
		return nil, false, err
	}
	text := strings.TrimRight(string(old), "\n")
	for _, s := range settings {
		text, want[s.Name] = setLine(text, s), s.Value
	}
	text = strings.TrimLeft(text, "\n") + "\n"
	now, err := parseSettings([]byte(text))
	if err != nil || !maps.EqualFunc(now, want, func(a, b any) bool { return reflect.DeepEqual(a, b) }) {
		return nil, false, fmt.Errorf("%s can't be changed there by itself", settings[0].Name)
	}
	unset := func(string) (string, bool) { return "", false }
	return []byte(text), len(waysOf().secrets(want, unset)) > 0, nil
}

// setLine replaces the line that sets a variable, or adds one.
func setLine(text string, s Setting) string {
	line, lines := fmt.Sprintf("%s = %q", s.Name, s.Value), strings.Split(text, "\n")
	for i, l := range lines {
		if keyOf(l) == s.Name {
			lines[i] = line + commentOf(l)
			return strings.Join(lines, "\n")
		}
	}
	return text + "\n" + line
}

// commentOf returns the comment at the end of a line, with the space before it.
func commentOf(line string) string {
	quote, escaped := rune(0), false
	for i, r := range line {
		switch {
		case escaped:
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '#':
			return line[len(strings.TrimRight(line[:i], " \t")):]
		}
	}
	return ""
}
