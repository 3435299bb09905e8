package codex

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// Names in a session's state folder.
const (
	homeName   = "home"
	codexName  = "codex"
	tmpName    = "tmp"
	threadName = "thread"
	pidName    = "codex.pid"
)

// sessionsName is the folder of the binary's home with its conversations, from which alone it can resume one.
const sessionsName = "sessions"

func home(s agent.Session) string      { return filepath.Join(s.StateDir, homeName) }
func codexHome(s agent.Session) string { return filepath.Join(s.StateDir, codexName) }
func tmp(s agent.Session) string       { return filepath.Join(s.StateDir, tmpName) }

// prepare makes the folders that the binary needs. The agent can write to the state folder, and an earlier attempt may have left links,
// settings or rules there that let commands through. So the binary's home keeps its conversations and nothing else, and links are never
// followed.
func prepare(s agent.Session) error {
	if err := os.MkdirAll(s.StateDir, 0o700); err != nil {
		return fault.New(fault.Infra, "make state folder: %w", err)
	}
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return fault.New(fault.Infra, "open state folder: %w", err)
	}
	defer root.Close()
	if err := root.Chmod(".", 0o700); err != nil {
		return fault.New(fault.Infra, "open state folder: %w", err)
	}
	for _, name := range []string{homeName, codexName, tmpName} {
		if err := ownFolder(root, name); err != nil {
			return fault.New(fault.Infra, "make state folder: %w", err)
		}
	}
	if err := errors.Join(root.RemoveAll(pidName), keepOnly(root, codexName, sessionsName)); err != nil {
		return fault.New(fault.Infra, "clear state folder: %w", err)
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

// keepOnly removes everything in a folder but one folder.
func keepOnly(root *os.Root, folder, name string) error {
	dir, err := root.Open(folder)
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close() // was only read
	for _, e := range entries {
		if e.Name() != name || !e.IsDir() {
			err = errors.Join(err, root.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

// keepThread writes down the conversation's id, so that it is known after a death at any moment.
func keepThread(s agent.Session, id string) error {
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return fault.New(fault.Infra, "open state folder: %w", err)
	}
	defer root.Close()
	if err := root.RemoveAll(threadName); err != nil {
		return fault.New(fault.Infra, "write the conversation's id: %w", err)
	}
	f, err := root.OpenFile(threadName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(id + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fault.New(fault.Infra, "write the conversation's id: %w", err)
	}
	return nil
}

// keptThread is the id of an earlier attempt's conversation, "" if there is none.
func keptThread(s agent.Session) string {
	root, err := os.OpenRoot(s.StateDir)
	if err != nil {
		return ""
	}
	defer root.Close()
	if info, err := root.Lstat(threadName); err != nil || !info.Mode().IsRegular() {
		return "" // a pipe would block
	}
	data, err := root.ReadFile(threadName)
	if id := strings.TrimSpace(string(data)); err == nil && uuid.MatchString(id) {
		return id
	}
	return ""
}

// clearTmp removes the temporary files of the session's commands, because killed commands don't.
func clearTmp(s agent.Session) {
	_ = os.RemoveAll(tmp(s)) // leftovers cost only disk space
}
