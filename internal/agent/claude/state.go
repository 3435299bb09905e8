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

// Names in a session's state folder.
const (
	homeName   = "home"
	tmpName    = "tmp"
	systemName = "system.md"
	envName    = "variables.sh"
	serverName = "servers.json"
	pidName    = "claude.pid"
)

func home(s agent.Session) string       { return filepath.Join(s.StateDir, homeName) }
func systemFile(s agent.Session) string { return filepath.Join(s.StateDir, systemName) }
func envFile(s agent.Session) string    { return filepath.Join(s.StateDir, envName) }

func serversFile(s agent.Session) string { return filepath.Join(s.StateDir, serverName) }

// prepare creates the folders and files that the command line names. The agent can write to the state folder, and an earlier attempt may
// have left links, pipes or anything else there. So whatever is not ours is replaced, and links are never followed.
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
	if err := root.RemoveAll(pidName); err != nil { // a folder with this name would prevent every start
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
	if s.Reports != nil {
		if err := ownFile(root, serverName, servers(s)); err != nil {
			return fault.New(fault.Infra, "write where the session reports: %w", err)
		}
	}
	return nil
}

// exports is the script that the binary runs before each command. The binary reads it once, before the first command.
func exports(env map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		b.WriteString("export " + name + "='" + strings.ReplaceAll(env[name], "'", `'\''`) + "'\n")
	}
	return b.String()
}

// clearTmp removes the temporary files of the session's commands, because killed commands don't.
func clearTmp(s agent.Session) {
	_ = os.RemoveAll(filepath.Join(s.StateDir, tmpName)) // leftovers cost only disk space
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

// ownFile creates a new file. An existing one could be a pipe, or a hard link to a file outside.
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

// transcripts lists the binary's files for the session: one, unless the workspace has moved.
func transcripts(s agent.Session) []string {
	files, _ := filepath.Glob(filepath.Join(glob(home(s)), ".claude", "projects", "*", s.ID+".jsonl"))
	return files
}

func hasTranscript(s agent.Session) bool { return len(transcripts(s)) > 0 }

// setAsideTranscript renames a file that the binary can't resume from, to free the id. A process that is killed right after its start
// leaves such a file.
func setAsideTranscript(s agent.Session) error {
	for _, f := range transcripts(s) {
		if err := os.Rename(f, f+".unusable"); err != nil {
			return fault.New(fault.Infra, "set transcript aside: %w", err)
		}
	}
	return nil
}

// glob escapes a path for use in a pattern.
func glob(path string) string {
	out := make([]byte, 0, len(path))
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}
