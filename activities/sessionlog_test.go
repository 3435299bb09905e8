package activities

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// The log of a session is kept on the host and shared by people, and a heartbeat goes into history. Neither holds a secret, and a long name
// of a tool does not make them grow.
func TestSessionLogIsClean(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	b.Agents = map[string]agent.Agent{"script": &player{play: func(_ context.Context, _ agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		for _, e := range []agent.Event{
			{Kind: agent.Text, Text: "the key is " + secret[:10] + "\n" + secret[10:] + "\n<NOTE>" + secret + "</NOTE>"},
			{Kind: agent.ToolCall, Tool: "Bash", Text: `{"command":"curl -H ` + secret + `"}`},
			{Kind: agent.ToolResult, Text: secret, Failed: true},
			{Kind: agent.Denied, Tool: secret, Text: secret},
			{Kind: agent.Limit, Text: secret},
			{Kind: agent.Retry, Text: secret},
			{Kind: agent.ToolCall, Tool: secret + strings.Repeat("x", 1<<20), Text: "{}"},
		} {
			emit(e)
		}
		return agent.Outcome{Kind: agent.Completed, Text: "<DONE>" + secret + "</DONE>"}, nil
	}}}
	b.start()
	in := b.session(task.Implementer, "script")
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	text, err := os.ReadFile(filepath.Join(b.Data, logFile(in)))
	must(t, err)
	if n := strings.Count(string(text), "[hidden]"); n < 8 || strings.Contains(string(text), secret) || strings.Contains(string(text), secret[10:]) {
		t.Errorf("the log:\n%.2000s", text)
	}
	if len(text) > 4<<10 {
		t.Errorf("the log has %d bytes", len(text))
	}
	l := &sessionLog{hide: b.Redact.String, now: b.Now}
	l.event(agent.Event{Kind: agent.ToolCall, Tool: secret + strings.Repeat("x", 1<<20)})
	if beat := l.current.Activity; len(beat) > 100 || strings.Contains(beat, secret) {
		t.Errorf("the heartbeat says %.200q", beat)
	}
}
