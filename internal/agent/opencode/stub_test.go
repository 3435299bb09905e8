package opencode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// stub makes a program that replaces the binary and does what the real one never does.
func stub(t *testing.T, script string) (*Driver, agent.Session) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "opencode")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := agent.Session{ID: uuid.NewString(), Role: task.Implementer, Dir: dir, StateDir: t.TempDir(), Prompt: "p", Model: "m", Wall: time.Minute}
	s.Permit = agenttest.Inside(s)
	return New(Config{Binary: path, Path: os.Getenv("PATH"), Grace: 200 * time.Millisecond}), s
}

const conversation = "ses_deb00851effezbgQJfqmHPNRpc"

// says prints a message. hears reads one.
func says(line string) string { return "echo '" + line + "'\n" }

const hears = "read -r line\n" + `id=$(echo "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')` + "\n"

// answers answers the request that was heard last.
func answers(result string) string {
	return `echo '{"jsonrpc":"2.0","id":"'"$id"'","result":` + result + "}'\n"
}

// fails answers a prompt as the binary does whose call of the model has failed.
var fails = `echo '{"jsonrpc":"2.0","id":"'"$id"'","error":{"code":-32603,"message":"Internal error: no","data":{"service":"session","errorName":"APIError"}}}'` +
	"\ncat > rest.txt\n"

func introduces(version string, capabilities string) string {
	return hears + answers(`{"agentInfo":{"name":"OpenCode","version":"`+version+`"},"agentCapabilities":`+capabilities+`}`)
}

const able = `{"mcpCapabilities":{"http":true},"sessionCapabilities":{"resume":{}}}`

// greeting goes as far as the prompt, which is heard.
var greeting = introduces(Pinned, able) + hears + answers(`{"sessionId":"`+conversation+`"}`) + hears

func update(session, fields string) string {
	return says(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":{` + fields + `}}}`)
}

func begins(id, tool string) string {
	return update(conversation, `"sessionUpdate":"tool_call","toolCallId":"`+id+`","title":"`+tool+`","status":"pending","rawInput":{}`)
}

func becomes(id, status, more string) string {
	return update(conversation, `"sessionUpdate":"tool_call_update","toolCallId":"`+id+`","status":"`+status+`"`+more)
}

func questions(id, input string) string {
	return says(`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"` + conversation + `","toolCall":{"toolCallId":"` + id +
		`","rawInput":` + input + `},"options":[{"optionId":"a","kind":"allow_always"},{"optionId":"o","kind":"allow_once"},{"optionId":"r","kind":"reject_once"}]}}`)
}

// end answers the prompt, whose id is in the variable prompt, and waits for the end of the input.
const end = `id=$prompt` + "\n"

var goodEnd = "prompt=$id\n" + update(conversation, `"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"ok"}`) +
	end + answers(`{"stopReason":"end_turn"}`) + "cat > rest.txt\n"

// TestGreeting refuses a binary that is not what it was started as, and ends it before it hears the prompt.
func TestGreeting(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		kind   fault.Kind
		names  string
	}{
		"good":       {introduces(Pinned, able), "", ""},
		"version":    {introduces("1.19.0", able), fault.Infra, "1.19.0"},
		"no version": {introduces("", able), fault.Infra, `version ""`},
		"no resume":  {introduces(Pinned, `{"mcpCapabilities":{"http":true}}`), fault.Internal, "resume"},
		"no HTTP":    {introduces(Pinned, `{"sessionCapabilities":{"resume":{}}}`), fault.Internal, "HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, c.script+hears+answers(`{"sessionId":"`+conversation+`"}`)+hears+"touch heard\n"+goodEnd)
			o, err := d.Run(t.Context(), s, func(agent.Event) {})
			if fault.KindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.names) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			data, _ := os.ReadFile(filepath.Join(s.Dir, "rest.txt"))
			if heard := err == nil; heard != (o.Kind == agent.Completed) {
				t.Errorf("outcome %+v, rest %q", o, data)
			}
			if left := agenttest.Processes(t, s.ID); left != nil {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestAlarms has a binary that no longer asks, or asks about something else than it does.
func TestAlarms(t *testing.T) {
	command := `,"rawInput":{"command":"ls"}`
	for name, c := range map[string]struct{ script, names string }{
		"made unasked":            {begins("c", "bash") + becomes("c", "in_progress", command) + becomes("c", "completed", ""), "no longer asks"},
		"output unasked":          {begins("c", "bash") + becomes("c", "in_progress", command+`,"content":[]`), "no longer asks"},
		"unknown tool":            {begins("c", "webfetch") + becomes("c", "completed", ""), "no longer asks"},
		"made though refused":     {begins("c", "read") + becomes("c", "in_progress", `,"rawInput":{"filePath":"/etc/shadow"}`) + questions("c", `{}`) + "read -r answer\n" + becomes("c", "completed", ""), "was not allowed"},
		"another command":         {begins("c", "bash") + becomes("c", "in_progress", command) + questions("c", `{"command":"rm x"}`), "another command"},
		"asked twice":             {begins("c", "bash") + questions("c", `{"command":"ls"}`) + questions("c", `{"command":"ls"}`), "asks twice"},
		"asked about nothing":     {questions("c", `{"command":"ls"}`), "has not begun"},
		"one id for two":          {begins("c", "bash") + begins("c", "read"), "two calls"},
		"another session":         {update("ses_other", `"sessionUpdate":"tool_call","toolCallId":"c","title":"bash"`), "not ours"},
		"answer that is not ours": {says(`{"jsonrpc":"2.0","id":"x","result":{}}`), "not ours"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, greeting+"prompt=$id\n"+c.script+"cat > rest.txt\n")
			o, err := d.Run(t.Context(), s, func(agent.Event) {})
			if fault.KindOf(err) != fault.Internal || !strings.Contains(fmt.Sprint(err), c.names) {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if left := agenttest.Processes(t, s.ID); left != nil {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestNeverAlways refuses a call where the binary would take no answer that allows it alone.
func TestNeverAlways(t *testing.T) {
	question := strings.Replace(questions("c", `{"command":"ls"}`), `{"optionId":"o","kind":"allow_once"},`, "", 1)
	d, s := stub(t, greeting+"prompt=$id\n"+begins("c", "bash")+becomes("c", "in_progress", `,"rawInput":{"command":"ls"}`)+question+
		"read -r answer; echo \"$answer\" > answer.txt\n"+becomes("c", "failed", "")+end+answers(`{"stopReason":"cancelled"}`)+
		hears+"echo \"$line\" > told.txt\n"+answers(`{"stopReason":"end_turn"}`)+"cat > rest.txt\n")
	o, err := d.Run(t.Context(), s, func(agent.Event) {})
	if answer := read(t, s.Dir, "answer.txt"); err != nil || o.Kind != agent.Completed || !strings.Contains(answer, `"optionId":"r"`) ||
		!strings.Contains(read(t, s.Dir, "told.txt"), "only a single call") {
		t.Errorf("outcome %+v, error %v, answer %s", o, err, answer)
	}
}

// TestSameIDAgain has an endpoint that numbers the calls of each answer from the start.
func TestSameIDAgain(t *testing.T) {
	again := begins("c", "bash") + becomes("c", "in_progress", `,"rawInput":{"command":"ls"}`) + questions("c", `{"command":"ls"}`) + "read -r answer\n" + becomes("c", "completed", "")
	d, s := stub(t, greeting+"prompt=$id\n"+again+again+end+answers(`{"stopReason":"end_turn"}`)+"cat > rest.txt\n")
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

// TestNoResult has a binary that dies, and one that does not exit at the end of its input.
func TestNoResult(t *testing.T) {
	d, s := stub(t, greeting+"echo 'it broke' >&2; exit 3\n")
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Errored || !strings.Contains(o.Text, "exit code 3: it broke") {
		t.Errorf("outcome %+v, error %v", o, err)
	}
	d, s = stub(t, greeting+strings.Replace(goodEnd, "cat > rest.txt\n", "trap '' TERM\nwhile :; do sleep 0.05; done\n", 1))
	s.Wall = 0 // nothing else ends it
	if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed || o.Text != "ok" {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}

// TestPinnedBinary has the tests run the version that the driver takes.
func TestPinnedBinary(t *testing.T) {
	page, err := os.ReadFile("../../../test/opencode/package.json")
	if want := `"opencode-ai": "` + Pinned + `"`; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("test/opencode does not install %s (%v)", want, err)
	}
}

func TestBadStarts(t *testing.T) {
	d, good := stub(t, "")
	for name, c := range map[string]struct {
		change func(d *Driver, s *agent.Session)
		kind   fault.Kind
	}{
		"no binary": {func(d *Driver, _ *agent.Session) { d.cfg.Binary = "/nowhere/opencode" }, fault.Infra},
		"no model":  {func(_ *Driver, s *agent.Session) { s.Model = "" }, fault.Internal},
		"login":     {func(_ *Driver, s *agent.Session) { s.Login = true }, fault.Input},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := good, New(d.cfg)
			c.change(other, &s)
			if _, err := other.Run(t.Context(), s, func(agent.Event) {}); fault.KindOf(err) != c.kind {
				t.Errorf("error: %v", err)
			}
		})
	}
}
