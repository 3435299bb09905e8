package codex

import (
	"encoding/json"
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

// hasPrompt tells whether a conversation has the user's turn that it began with. One that a crash has torn may be resumed without.
func hasPrompt(s agent.Session, thread string) bool {
	files := conversations(s, thread)
	return len(files) == 1 && program.HasLine(s, files[0], isPrompt)
}

// isPrompt tells whether a line of a conversation says that it has a user's turn. Of the messages in the user's name some are the binary's own.
func isPrompt(line []byte) bool {
	var l struct {
		Type    string `json:"type"`
		Payload struct {
			Type string `json:"type"`
			Item struct {
				Type string `json:"type"`
			} `json:"item"`
		} `json:"payload"`
	}
	return json.Unmarshal(line, &l) == nil && l.Type == "event_msg" && l.Payload.Type == "item_completed" && l.Payload.Item.Type == "UserMessage"
}

// conversations lists the binary's files for a conversation.
func conversations(s agent.Session, thread string) []string {
	files, _ := filepath.Glob(filepath.Join(program.Glob(codexHome(s)), sessionsName, "*", "*", "*", "*"+thread+".jsonl"))
	return files
}
