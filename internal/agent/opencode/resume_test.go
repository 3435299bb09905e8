package opencode

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestKilledBeforeAnswer kills the binary while it waits for the model.
func TestKilledBeforeAnswer(t *testing.T) {
	t.Parallel()
	var b *bench
	b = newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here I am.", Before: func(c *agenttest.Call) {
		if c.Try == 1 {
			agenttest.Kill(t, b.session)
		}
	}}))
	first, _ := b.run(t)
	if first.Kind != agent.Errored || first.SessionID == "" {
		t.Fatalf("outcome of the killed attempt: %+v", first)
	}
	b.session.Resume = true
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Here I am." || !o.Resumed || o.SessionID != first.SessionID {
		t.Errorf("outcome of the resumed attempt: %+v", o)
	}
}

// TestStateFolderIsNotTrusted starts anew when the conversation that was written down is gone or no id, and follows no links.
func TestStateFolderIsNotTrusted(t *testing.T) {
	outside := t.TempDir()
	for name, plant := range map[string]func(dir string) error{
		"conversation gone": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, idName), []byte("ses_deb00851effezbgQJfqmHPNRpc"), 0o600)
		},
		"no id":             func(dir string) error { return os.WriteFile(filepath.Join(dir, idName), []byte("../../x"), 0o600) },
		"link for a folder": func(dir string) error { return os.Symlink(outside, filepath.Join(dir, ownName)) },
		"settings": func(dir string) error { // that let everything through
			for file, text := range map[string]string{
				ownName + "/config/opencode/opencode.json": `{"permission":{"bash":"allow","edit":"allow"},"mcp":{"x":{"type":"local","command":["touch","` + outside + `/mcp"]}}}`,
				"home/.opencode/opencode.json":             `{"permission":{"bash":"allow","edit":"allow"}}`,
				"home/.opencode/plugin/x.js":               `require("fs").writeFileSync("` + outside + `/plugin", "x")`,
				ownName + "/config/opencode/plugin/x.js":   `require("fs").writeFileSync("` + outside + `/plugin", "x")`,
				ownName + "/config/opencode/tool/x.js":     `require("fs").writeFileSync("` + outside + `/tool", "x")`,
				ownName + "/data/opencode/auth.json":       `{}`,
				"home/.config/opencode/opencode.json":      `{"permission":{"bash":"allow"}}`,
			} {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					return err
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("touch x")}}, agenttest.Turn{Text: "Here."}))
			var asked agenttest.Record
			b.session.Resume, b.session.Permit = true, asked.Of(b.session.Permit)
			if err := plant(b.session.StateDir); err != nil {
				t.Fatal(err)
			}
			if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Here." || o.Resumed || len(asked.Calls()) != 1 {
				t.Errorf("outcome: %+v, asked about %+v", o, asked.Calls())
			}
			if left, _ := os.ReadDir(outside); len(left) > 0 {
				t.Errorf("it wrote outside: %v", left)
			}
		})
	}
}

// TestReasonsReachTheModel tells the model why a call was refused, and what it should know of one that was made.
func TestReasonsReachTheModel(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("touch a.txt")}},
		agenttest.Turn{Tools: []agenttest.Tool{bash("sleep 0.5; touch b.txt")}}, agenttest.Turn{Text: "Done."}))
	b.session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		return agent.Decision{Allow: strings.Contains(string(c.Input), "b.txt"), Reason: "take b.txt"}
	}
	if o, _ := b.run(t); o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	calls := b.model.Calls()
	if len(calls) != 3 || calls[1].Prompt != "The call of Bash was refused: take b.txt" || calls[2].Prompt != "About the call of Bash: take b.txt" {
		t.Errorf("the model was told %q and %q in %d calls", calls[1].Prompt, calls[len(calls)-1].Prompt, len(calls))
	}
}

// TestImages sends an image with the first prompt, and not again.
func TestImages(t *testing.T) {
	t.Parallel()
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	data, err := base64.StdEncoding.DecodeString(dot)
	if err != nil {
		t.Fatal(err)
	}
	// The image is for the conversation, and not for the session: an attempt that dies before its prompt has not sent it.
	opening := introduces(Pinned, able) + hears + answers(`{"sessionId":"`+conversation+`"}`)
	resuming := introduces(Pinned, able) + hears + answers(`{}`) + hears + `echo "$line" > heard.txt` + "\n" + goodEnd
	for name, c := range map[string]struct {
		first string // what the first attempt does
		again int
	}{
		"died before its prompt": {opening + "exit 3\n", 1},
		"died in its answer":     {opening + hears + strings.Split(goodEnd, end)[0] + "exit 3\n", 0},
		"its first call failed":  {opening + hears + fails, 0},
		"no longer has quota":    {opening + hears + answers(`{"stopReason":"cancelled"}`), 0},
	} {
		first, s := stub(t, c.first)
		s.Images = []agent.Image{{Type: "image/png", Data: data}}
		second, other := stub(t, resuming)
		s.Dir = other.Dir
		if _, err := first.Run(t.Context(), s, func(agent.Event) {}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.Resume = true
		o, err := second.Run(t.Context(), s, func(agent.Event) {})
		if n := strings.Count(read(t, s.Dir, "heard.txt"), "image/png"); err != nil || !o.Resumed || n != c.again {
			t.Errorf("%s: %d images in the next prompt, %+v, %v", name, n, o, err)
		}
	}
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Seen."}, agenttest.Turn{Text: "Again."}))
	b.session.Images = []agent.Image{{Type: "image/png", Data: data}}
	b.run(t)
	b.session.Resume, b.session.Prompt = true, "Go on."
	b.run(t)
	for i, c := range b.model.Calls() {
		if n := strings.Count(string(c.Body), "data:image/png;base64,"); n != 1 {
			t.Errorf("call %d holds %d images", i, n)
		}
	}
}
