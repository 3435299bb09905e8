package codex

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestSecretsInCalls has the model make calls with what the binary takes for secrets. It hides them where it tells of a command, and asks about the
// command as it is, which is what is decided on.
func TestSecretsInCalls(t *testing.T) {
	t.Parallel()
	commands := []string{
		`echo sk-0123456789abcdefghijABCD > key.txt`,
		`echo "authorization: bearer  abcdefghijklmnop0123" 'token = "it is long"' >> key.txt`,
		`grep -rn "password = os.environ" . ; API_KEY=abcdefghijk env | grep -c AKIAABCDEFGHIJKLMNOP; true`,
	}
	var turns []agenttest.Turn
	for _, c := range commands {
		turns = append(turns, agenttest.Turn{Tools: []agenttest.Tool{bash(c)}})
	}
	content := "token: abcdefghijklmnop\nsk-0123456789abcdefghijABCD\n"
	turns = append(turns, agenttest.Turn{Tools: []agenttest.Tool{write("sk-0123456789abcdefghijABCDE.txt", content)}},
		agenttest.Turn{Tools: []agenttest.Tool{{Name: "mcp__longshift__note_save", Input: map[string]any{"text": "token: abcdefghijklmnop"}}}},
		agenttest.Turn{Tools: []agenttest.Tool{{Name: "mcp__longshift__deliverable_set_status", Input: map[string]any{"id": "FIX-001", "status": "passed", "text": "fix: sk-0123456789abcdefghijABCD"}}}})
	b := newBench(t, task.Implementer, one(task.Implementer, turns...))
	r := agenttest.Reports(t, task.Implementer)
	b.session.Reports = r.Endpoint()
	var asked agenttest.Record
	b.session.Permit = asked.Of(b.session.Permit)
	o, e := b.run(t)
	if o.Kind != agent.Completed {
		t.Errorf("outcome %+v", o)
	}
	decided := asked.Calls()
	if len(decided) != len(turns) {
		t.Fatalf("asked about %+v", decided)
	}
	for i, c := range commands {
		var in struct{ Command string }
		if err := json.Unmarshal(decided[i].Input, &in); err != nil || in.Command != c {
			t.Errorf("decided on %s", decided[i].Input)
		}
	}
	for _, call := range decided[len(commands):] {
		if strings.Contains(string(call.Input), hidden) {
			t.Errorf("decided on %s", call.Input)
		}
	}
	for _, told := range e.Of(agent.ToolCall)[:len(commands)] {
		if !strings.Contains(told.Text, hidden) {
			t.Errorf("the binary hides nothing in %s", told.Text)
		}
	}
}

func TestHides(t *testing.T) {
	for _, c := range []struct {
		told, command string
		want          bool
	}{
		{"ls", "ls", true}, {"ls", "LS", false}, {"ls ", "ls", false},
		{"echo " + hidden, "echo sk-1", true}, {"echo " + hidden + " > a", "echo sk-1 > a", true},
		{"x: Bearer " + hidden + "; ls", "x: bearer  abc; ls", true},
		{"echo " + hidden, "rm sk-1", false}, {"echo " + hidden + " > a", "echo sk-1 > b", false}, {"echo " + hidden + " > a", "echo sk-1 > a; ls", false},
		{"a " + hidden + " b " + hidden + " c", "a 1 b 2 c", true}, {"a " + hidden + " b " + hidden + " c", "a 1 2 c", false},
		{hidden + "aba", "aba", true}, {"ab" + hidden + "ba", "aba", false},
	} {
		if got := hides(c.told, c.command); got != c.want {
			t.Errorf("%q for %q: %t", c.told, c.command, got)
		}
	}
}
