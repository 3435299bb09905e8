package claude

import (
	"cmp"
	"encoding/json"
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
	systemName = "system.md"
	envName    = "variables.sh"
	serverName = "servers.json"
)

// conversationFile holds the id of the session's conversation if it is not the session's own.
func conversationFile(s agent.Session) string { return "conversation-" + s.ID }

// conversation is the binary's id of the session.
func conversation(s agent.Session) string {
	return cmp.Or(program.KeptID(s, conversationFile(s), program.UUID), s.ID)
}

func systemFile(s agent.Session) string { return filepath.Join(s.StateDir, systemName) }
func envFile(s agent.Session) string    { return filepath.Join(s.StateDir, envName) }

func serversFile(s agent.Session) string { return filepath.Join(s.StateDir, serverName) }

// prepare creates the folders and files that the command line names.
func (l launch) prepare(s agent.Session) error {
	root, err := program.OpenState(s)
	if err != nil {
		return err
	}
	defer root.Close()
	return l.write(root, s)
}

// write writes the files that the command line names.
func (l launch) write(root *os.Root, s agent.Session) error {
	if s.System != "" {
		if err := program.WriteFile(root, systemName, s.System); err != nil {
			return fault.New(fault.Infra, "write system prompt: %w", err)
		}
	}
	if err := program.WriteFile(root, envName, exports(s.CommandEnv)); err != nil {
		return fault.New(fault.Infra, "write the variables of commands: %w", err)
	}
	if s.Reports != nil {
		if err := program.WriteFile(root, serverName, servers(s)); err != nil {
			return fault.New(fault.Infra, "write where the session reports: %w", err)
		}
	}
	return nil
}

// exports is the script that the binary runs before each command. The binary reads it once, before the first command.
func exports(env map[string]string) string {
	var b strings.Builder
	b.WriteString("unset " + compilerName + "\n") // it is for the binary's own engine
	for _, name := range slices.Sorted(maps.Keys(env)) {
		b.WriteString("export " + name + "='" + strings.ReplaceAll(env[name], "'", `'\''`) + "'\n")
	}
	return b.String()
}

// transcripts lists the binary's files for the session: one, unless the workspace has moved.
func transcripts(s agent.Session) []string {
	files, _ := filepath.Glob(filepath.Join(program.Glob(program.Home(s)), ".claude", "projects", "*", conversation(s)+".jsonl"))
	return files
}

func hasTranscript(s agent.Session) bool { return len(transcripts(s)) > 0 }

// hasPrompt tells whether the conversation that is resumed has the user's turn that it began with. The binary writes it at about the time that it
// asks the model, so one that is killed early has not.
func hasPrompt(s agent.Session) bool {
	files := transcripts(s)
	return len(files) == 1 && program.HasLine(s, files[0], isPrompt)
}

// isPrompt tells whether a line of a transcript is a user's turn that came over standard input. What the binary says itself in the user's name, as
// of the /clear that the conversation of a kept process begins with, has no source, and neither has the result of a call.
func isPrompt(line []byte) bool {
	var l struct {
		Type   string `json:"type"`
		Source string `json:"promptSource"`
	}
	return json.Unmarshal(line, &l) == nil && l.Type == "user" && l.Source == "sdk"
}

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
