package claude

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// What lies in a session's state folder.
const (
	homeName   = "home"
	tmpName    = "tmp"
	systemName = "system.md"
	envName    = "variables.sh"
	pidName    = "claude.pid"
)

func home(s agent.Session) string       { return filepath.Join(s.StateDir, homeName) }
func systemFile(s agent.Session) string { return filepath.Join(s.StateDir, systemName) }
func envFile(s agent.Session) string    { return filepath.Join(s.StateDir, envName) }

// prepare makes the folders and files that the command line names. The state folder is the agent's to write in, and an attempt
// before this one may have put links, pipes or anything else there: what is not ours is replaced, and nothing is followed.
func (l launch) prepare(s agent.Session) error {
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
	for _, name := range []string{homeName, tmpName} {
		if err := ownFolder(root, name); err != nil {
			return fault.New(fault.Infra, "make state folder: %w", err)
		}
	}
	if err := root.RemoveAll(pidName); err != nil { // a folder there would keep every process from being started
		return fault.New(fault.Infra, "clear state folder: %w", err)
	}
	if s.System != "" {
		if err := ownFile(root, systemName, s.System); err != nil {
			return fault.New(fault.Infra, "write system prompt: %w", err)
		}
	}
	if len(s.CommandEnv) > 0 {
		if err := ownFile(root, envName, exports(s.CommandEnv)); err != nil {
			return fault.New(fault.Infra, "write the variables of commands: %w", err)
		}
	}
	return nil
}

// exports is what the binary runs ahead of each command. It reads the file once, when the first of them is due.
func exports(env map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		b.WriteString("export " + name + "='" + strings.ReplaceAll(env[name], "'", `'\''`) + "'\n")
	}
	return b.String()
}

// clearTmp removes what the session's commands have left in its folder for temporary files: those that are killed clean up nothing.
func clearTmp(s agent.Session) {
	_ = os.RemoveAll(filepath.Join(s.StateDir, tmpName)) // what stays costs disk alone
}

// ownFolder makes sure that name is a folder and not a link to one.
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

// ownFile writes a file that is new: one that is there may be a pipe, or another name of a file that is not the agent's.
func ownFile(root *os.Root, name, text string) error {
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
