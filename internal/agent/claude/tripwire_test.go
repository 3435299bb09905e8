package claude

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
)

// The lines of a binary that a stub says.
const (
	askLine = `{"type":"control_request","request_id":"q%[1]s","request":{"subtype":"hook_callback","callback_id":"before-call","tool_use_id":"%[1]s",` +
		`"input":{"hook_event_name":"PreToolUse","tool_name":"%[2]s","tool_input":{},"tool_use_id":"%[1]s","cwd":"/","permission_mode":"default"}}}`
	confirmLine = `{"type":"control_request","request_id":"c%[1]s","request":{"subtype":"can_use_tool","tool_name":"%[2]s","input":{},"tool_use_id":"%[1]s"}}`
	callLine    = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"%[1]s","name":"%[2]s","input":{}}]}}`
	resultLine0 = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"%[1]s","content":"%[3]s","is_error":%[4]s}]},"tool_result_meta":[%[5]s]}`
)

func said(line string, args ...any) string {
	for len(args) < 2 {
		args = append(args, "Read")
	}
	line = fmt.Sprintf(line, args...)
	if i := strings.Index(line, "%!(EXTRA"); i >= 0 {
		line = line[:i]
	}
	return "echo '" + line + "'\n"
}

func result(id, text, failed, meta string) string {
	return said(resultLine0, id, "", text, failed, meta)
}

// TestTripwire has a binary that makes forbidden calls. Read is allowed in these sessions, Glob is refused.
func TestTripwire(t *testing.T) {
	const hear = "read -r x\n"
	asked := said(callLine, "t1") + said(askLine, "t1") + hear
	refused := said(callLine, "t1", "Glob") + said(askLine, "t1", "Glob") + hear
	denied := `{"id":"t1","non_execution_kind":"permission-rule"}`
	for name, c := range map[string]struct{ script, names string }{ // names: in the error; none is one when it is empty
		"allowed":                  {asked + said(confirmLine, "t1") + hear + result("t1", "fine", "false", ""), ""},
		"allowed and failed":       {asked + result("t1", "no such file", "true", ""), ""},
		"refused":                  {refused + result("t1", "refused", "true", denied), ""},
		"no such tool":             {said(callLine, "t1", "Skill") + result("t1", "<tool_use_error>No such tool available: Skill</tool_use_error>", "true", ""), ""},
		"interrupted":              {said(callLine, "t1") + result("t1", "", "true", `{"id":"t1","non_execution_kind":"interrupted"}`), ""},
		"not asked":                {said(callLine, "t1", "Grep") + result("t1", "found", "false", ""), "call of Grep that nobody decided on"},
		"not asked and failed":     {said(callLine, "t1", "Bash") + result("t1", "Exit code 1", "true", ""), "call of Bash that nobody decided on"},
		"not called":               {result("t1", "found", "false", ""), "an unknown tool that nobody decided on"},
		"says it was not made":     {said(callLine, "t1") + result("t1", "found", "false", denied), "nobody decided on"},
		"another's word":           {said(callLine, "t1", "Bash") + result("t1", "Exit code 1", "true", strings.Replace(denied, "t1", "t2", 1)), "nobody decided on"},
		"refused and made":         {refused + result("t1", "found", "false", ""), "call of Glob that was refused"},
		"refused, made and failed": {refused + result("t1", "Exit code 1", "true", ""), "call of Glob that was refused"},
		"second question only":     {said(callLine, "t1") + said(confirmLine, "t1"), "has skipped a Read"},
		"mode":                     {`echo '{"type":"system","subtype":"status","permissionMode":"acceptEdits"}'` + "\n", "acceptEdits"},
		"second start, mode":       {strings.Split(hello(Pinned, "bypassPermissions", ""), "done\n")[1], "bypassPermissions"},
		"answer to nobody":         {`echo '{"type":"control_response","response":{"subtype":"success","request_id":"x"}}'` + "\n", "not ours"},
		"answer twice":             {strings.Split(greeting, "\n")[1] + "\n", "not ours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, hello(Pinned, "default", `"Read","Grep","Glob"`)+"read -r prompt\n"+c.script+goodEnd+"cat > /dev/null\n")
			s.Permit = func(_ context.Context, c agent.Call) agent.Decision { return agent.Decision{Allow: c.Tool == "Read"} }
			o, err := d.Run(t.Context(), s, func(agent.Event) {})
			if c.names == "" {
				if err != nil || o.Kind != agent.Completed {
					t.Errorf("outcome %+v, error %v", o, err)
				}
			} else if fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), c.names) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if left := agenttest.Processes(t, s.ID); left != nil {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestNoHooks has a binary that does not take our hooks. It never hears its prompt.
func TestNoHooks(t *testing.T) {
	for name, c := range map[string]struct{ script, names string }{
		"refuses": {strings.Replace(greeting, "success", "error", 1) + "read -r prompt && touch heard\n", "does not take our hooks"},
		"skips":   {strings.TrimPrefix(hello(Pinned, "default", ""), greeting), "without our hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			d, s := stub(t, c.script+goodEnd)
			if o, err := d.Run(t.Context(), s, func(agent.Event) {}); fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), c.names) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if _, err := os.Stat(filepath.Join(s.Dir, "heard")); err == nil {
				t.Error("it heard its prompt")
			}
		})
	}
}

// TestOneRulingPerCall asks twice about the same call, and once more with another input.
func TestOneRulingPerCall(t *testing.T) {
	var asked agenttest.Record
	g := newDecisions(agent.Session{Permit: asked.Of(func(context.Context, agent.Call) agent.Decision { return agent.Decision{Allow: true} })})
	c := agent.Call{Tool: "Bash", ID: "t1", Input: []byte(`{"command":"ls"}`)}
	first, second := g.decide(t.Context(), "a", c), g.decide(t.Context(), "b", c)
	if first == nil || first != second || !first.Allow {
		t.Errorf("rulings: %+v, %+v", first, second)
	}
	c.Input = []byte(`{"command":"rm"}`)
	if third := g.decide(t.Context(), "c", c); third != nil {
		t.Errorf("another call by the same id: %+v", third)
	}
	if n := len(asked.Calls()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
