package claude

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/task"
)

// wire speaks the binary's protocol without the driver, to see what the binary does when answers are wrong or do not come.
type wire struct {
	*input
	p *process.Process
}

// answered answers a question in some way; q is the id of the request.
type answered func(w wire, q string)

func with(response any) answered {
	return func(w wire, q string) {
		w.send(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": q, "response": response}})
	}
}

func decision(word string) map[string]any {
	return map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "permissionDecision": word}}
}

// failed are the ways in which an answer can fail.
var failed = map[string]answered{
	"error":    func(w wire, q string) { w.fail(q, "broken") },
	"word":     with("yes"),
	"field":    with(map[string]any{"hookSpecificOutput": "allow", "behavior": true}),
	"decision": with(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "yes"}, "behavior": "yes"}),
	"closed":   func(w wire, _ string) { w.close() },
}

// speak runs the binary over a Bash and a Read and answers both questions about each in the given ways. It gives the workspace and
// the results of the calls.
func speak(t *testing.T, hook map[string]any, first, second answered) (dir, results string) {
	t.Helper()
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("echo ran | tee ran.txt"), call("Read", "file_path", filepath.Join(dir, "kept.txt"))}},
			agenttest.Turn{Text: "Done."})(dir)
	})
	write(t, b.session.Dir, "kept.txt", "kept words\n")
	l := b.launch(b.session, false)
	if err := l.prepare(b.session); err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(t.Context(), process.Spec{Path: b.cfg.Binary, Args: l.args, Dir: b.session.Dir, Env: l.env, Session: b.session.ID, StdinPipe: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	w := wire{newInput(p.Stdin()), p}
	w.request(map[string]any{"subtype": "initialize", "hooks": map[string]any{"PreToolUse": []any{hook}}})
	prompt, _ := promptLine(b.session.Prompt, nil)
	w.write(prompt)
	lines := process.NewLineScanner(p.Stdout(), lineMax)
	var all strings.Builder
	for lines.Scan() {
		var m struct {
			Type    string `json:"type"`
			ID      string `json:"request_id"`
			Request struct{ Subtype string }
			Message struct{ Content json.RawMessage }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			t.Errorf("line: %s", lines.Bytes())
		}
		switch {
		case m.Type == "user":
			all.Write(m.Message.Content)
		case m.Type == "result":
			w.close()
		case m.Request.Subtype == "hook_callback":
			first(w, m.ID)
		case m.Request.Subtype == "can_use_tool":
			second(w, m.ID)
		}
	}
	p.Wait()
	return b.session.Dir, all.String()
}

func notMade(t *testing.T, dir, results string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err == nil || strings.Contains(results, "kept words") {
		t.Errorf("a call was made; results: %s", results)
	}
	if !strings.Contains(results, `"is_error":true`) {
		t.Errorf("no call was refused; results: %s", results)
	}
}

// TestBinaryFailsClosed is what the driver relies on in the pinned binary. Each question fails in each way; the other one allows.
func TestBinaryFailsClosed(t *testing.T) {
	ours := hooks(agent.Session{})["hooks"].(map[string]any)["PreToolUse"].([]any)[0].(map[string]any)
	hook := func(key string, value any) map[string]any {
		h := map[string]any{}
		maps.Copy(h, ours)
		h[key] = value
		return h
	}
	allow := with(map[string]any{"behavior": "allow"})
	deny := with(map[string]any{"behavior": "deny", "message": "no"})
	none := func(wire, string) {}
	for name, wrong := range failed {
		t.Run("first/"+name, func(t *testing.T) {
			t.Parallel()
			dir, results := speak(t, ours, wrong, allow)
			notMade(t, dir, results)
		})
		t.Run("second/"+name, func(t *testing.T) {
			t.Parallel()
			dir, results := speak(t, ours, with(decision("ask")), wrong)
			notMade(t, dir, results)
		})
	}
	t.Run("first/no answer in time", func(t *testing.T) {
		t.Parallel()
		dir, results := speak(t, hook("timeout", 1), none, allow)
		notMade(t, dir, results)
	})
	t.Run("first allows, second denies", func(t *testing.T) { // the second is asked in spite of what the first says
		t.Parallel()
		dir, results := speak(t, ours, with(decision("allow")), deny)
		notMade(t, dir, results)
	})
	t.Run("first denies, second allows", func(t *testing.T) {
		t.Parallel()
		dir, results := speak(t, ours, with(decision("deny")), allow)
		notMade(t, dir, results)
	})
	t.Run("open without onFailure", func(t *testing.T) { // so the cases above can tell
		t.Parallel()
		dir, results := speak(t, hook("onFailure", "continue"), failed["error"], allow)
		if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err != nil || !strings.Contains(results, "kept words") {
			t.Errorf("results: %s", results)
		}
	})
}
