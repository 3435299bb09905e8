package program

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// Names in a session's state folder.
const (
	homeName = "home"
	tmpName  = "tmp"
)

// Home is the home folder of the session's agent.
func Home(s agent.Session) string { return filepath.Join(s.StateDir, homeName) }

// Tmp is the folder for temporary files of the session's agent and its commands.
func Tmp(s agent.Session) string { return filepath.Join(s.StateDir, tmpName) }

// ClearTmp removes the temporary files of the session's commands, because killed commands don't.
func ClearTmp(s agent.Session) { _ = os.RemoveAll(Tmp(s)) } // leftovers cost only disk space

// OpenState makes the session's state folder, with a home, a folder for temporary files and those that are named, and opens it. The agent
// can write to it, and an earlier attempt may have left links, pipes or anything else there. So whatever is not ours is replaced, and links
// are never followed. The caller closes it.
func OpenState(s agent.Session, folders ...string) (*os.Root, error) {
	if err := os.MkdirAll(s.StateDir, 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make state folder: %w", err)
	}
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return nil, fault.New(fault.Infra, "open state folder: %w", err)
	}
	if err := tidy(root, append([]string{homeName, tmpName}, folders...)); err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

func tidy(root *os.Root, folders []string) error {
	if err := root.Chmod(".", 0o700); err != nil {
		return fault.New(fault.Infra, "open state folder: %w", err)
	}
	for _, name := range folders {
		if err := ownFolder(root, name); err != nil {
			return fault.New(fault.Infra, "make state folder: %w", err)
		}
	}
	return nil
}

// ownFolder makes sure that name is a folder and not a link.
func ownFolder(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err == nil && info.IsDir() {
		return root.Chmod(name, 0o700)
	}
	if err == nil {
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	return root.Mkdir(name, 0o700)
}

// WriteFile puts a new file in the place of the one that may be there, which could be a folder, a pipe, or a hard link to a file outside. A
// worker that is killed leaves the old one or the new one, whole.
func WriteFile(root *os.Root, name, text string) error {
	next := name + ".next"
	if err := root.RemoveAll(next); err != nil {
		return err
	}
	f, err := root.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() { // a file can't replace it
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	return root.Rename(next, name)
}

// Environment consists only of Session.Env and own, with PATH and the session's folders; nothing is inherited. Our values win, except for
// PATH.
func Environment(s agent.Session, path string, own map[string]string) []string {
	env := map[string]string{"PATH": path}
	maps.Copy(env, s.Env)
	maps.Copy(env, map[string]string{"HOME": Home(s), "TMPDIR": Tmp(s), "TZ": "UTC", "LANG": "C.UTF-8"})
	maps.Copy(env, own)
	list := make([]string, 0, len(env))
	for _, k := range slices.Sorted(maps.Keys(env)) {
		list = append(list, k+"="+env[k])
	}
	return list
}
