package opencode

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// Names in a session's state folder.
const (
	ownName    = "opencode" // of the binary, beside the agent's home
	idName     = "session"
	heldName   = "prompted" // the id of the conversation that holds a prompt of ours
	systemName = "system.md"
	modelsFile = "models.json"
	shellName  = "opencode/bash" // the binary takes a program of this name for a shell
)

// folders are the binary's own, by the variables that name them.
var folders = map[string]string{
	"XDG_CONFIG_HOME": ownName + "/config", "XDG_DATA_HOME": ownName + "/data", "XDG_CACHE_HOME": ownName + "/cache", "XDG_STATE_HOME": ownName + "/state",
}

// conversations are the files with the binary's conversations, from which it can resume one.
var conversations = []string{"opencode.db", "opencode.db-wal", "opencode.db-shm"}

// prepare makes what the binary needs. An earlier attempt may have left settings that let calls through. So the binary's folders keep its
// conversations and nothing else.
func prepare(s agent.Session) error {
	config, data := folders["XDG_CONFIG_HOME"]+"/opencode", folders["XDG_DATA_HOME"]+"/opencode"
	root, err := program.OpenState(s, ownName, folders["XDG_DATA_HOME"], data)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, keep := range []struct {
		folder string
		names  []string
	}{{ownName, []string{"data"}}, {folders["XDG_DATA_HOME"], []string{"opencode"}}, {data, conversations}} {
		if err := program.KeepOnly(root, keep.folder, keep.names...); err != nil {
			return err
		}
	}
	if err := writeFiles(root, s, config); err != nil {
		return fault.New(fault.Infra, "make state folder: %w", err)
	}
	return nil
}

// writeFiles writes the session's files. Without the package's lock the binary would install a package of npm that plugins need.
func writeFiles(root *os.Root, s agent.Session, config string) error {
	if err := root.RemoveAll("home/.opencode"); err != nil {
		return err
	}
	if err := root.MkdirAll(config+"/node_modules", 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{
		config + "/package-lock.json": `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}`,
		systemName:                    s.System,
		modelsFile:                    "{}",
		shellName:                     shell(s),
	} {
		if err := program.WriteFile(root, name, text); err != nil {
			return err
		}
	}
	return root.Chmod(shellName, 0o700)
}

// holds writes down that a conversation holds the prompt, so that a later attempt does not send its images again. An attempt that died
// between the opening of the conversation and the prompt has left one without them.
func (a *attempt) holds(id string) {
	a.held.Do(func() {
		if err := program.KeepID(a.s, heldName, id); err != nil {
			a.d.log.Warn("an attempt that follows sends the images again", "session", a.s.ID, "error", err)
		}
	})
}

func shellPath(s agent.Session) string { return filepath.Join(s.StateDir, shellName) }

// shell is the program that the binary runs commands with: a shell that does not see the token and what else is for the binary alone, and has
// the variables that are for commands.
func shell(s agent.Session) string {
	var b strings.Builder
	own := append(slices.Sorted(maps.Keys(folders)), compilerName, modelsName)
	b.WriteString("#!/bin/sh\nunset " + settingsName + " " + passwordName + " OPENCODE_PID " + strings.Join(own, " ") + "\n")
	set := map[string]string{}
	maps.Copy(set, s.CommandEnv)
	for _, name := range own { // the session's, in place of the binary's
		if value, given := s.Env[name]; given {
			set[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		b.WriteString("export " + name + "=" + quote(set[name]) + "\n")
	}
	b.WriteString("for shell in /bin/bash /usr/bin/bash /usr/local/bin/bash; do\n\tif [ -x $shell ]; then exec $shell \"$@\"; fi\ndone\nexec /bin/sh \"$@\"\n")
	return b.String()
}

// quote writes a word for the shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
