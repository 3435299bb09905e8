package codex

import (
	"path/filepath"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
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
	root, err := program.OpenState(s, codexName)
	if err != nil {
		return err
	}
	defer root.Close()
	return program.KeepOnly(root, codexName, sessionsName)
}
