package codex

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// Names in a session's state folder.
const (
	codexName  = "codex" // home of the binary, beside that of the agent
	threadName = "thread"
)

// sessionsName is the folder of the binary's home with its conversations, from which alone it can resume one.
const sessionsName = "sessions"

func codexHome(s agent.Session) string { return filepath.Join(s.StateDir, codexName) }

// prepare makes the folders that the binary needs. An earlier attempt may have left settings or rules in them that let commands through. So the
// binary's home keeps its conversations and nothing else.
func prepare(s agent.Session) error {
	root, err := program.OpenState(s, programName, codexName)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := keepOnly(root, codexName, sessionsName); err != nil {
		return fault.New(fault.Infra, "clear state folder: %w", err)
	}
	return nil
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
	if err := program.WriteFile(root, threadName, id+"\n"); err != nil {
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
	if id := strings.TrimSpace(string(data)); err == nil && program.UUID.MatchString(id) {
		return id
	}
	return ""
}
