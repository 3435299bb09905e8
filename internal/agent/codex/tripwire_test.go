package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
)

func notice(method, params string) string {
	return says(`{"method":"` + method + `","params":` + params + "}")
}

// command is a notification about a command. Its id is its text.
func command(method, text, fields string) string {
	return notice(method, fmt.Sprintf(`{"item":{"type":"commandExecution","id":"%[1]s","command":"%[1]s","cwd":"/"%[2]s}}`, text, fields))
}

func begins(text string) string {
	return command("item/started", text, `,"status":"inProgress","source":"agent"`)
}

func ran(text string) string {
	return command("item/completed", text, `,"status":"completed","processId":"1","exitCode":0,"aggregatedOutput":"x"`)
}

// asks asks about a command and hears the answer.
func asks(text string) string { return question(text) + hears }

func question(text string) string {
	return says(fmt.Sprintf(`{"id":7,"method":"item/commandExecution/requestApproval","params":{"turnId":"turn1","itemId":"%[1]s","kind":"command","command":"%[1]s","cwd":"/"}}`, text))
}

func patchItem(method, status string) string {
	return notice(method, `{"item":{"type":"fileChange","id":"p","status":"`+status+`","changes":[{"path":"/a","diff":"x","kind":{"type":"add"}}]}}`)
}

// TestTripwire has a binary that makes calls it must not make. The command "yes" is allowed in these sessions, and nothing else.
func TestTripwire(t *testing.T) {
	const report = `{"item":{"type":"mcpToolCall","id":"r","server":"longshift","tool":"plan_submit","arguments":{},"status":%q}}`
	refused := begins("no") + question("no") + answers(`{"turnId":"turn1"}`) + hears // what the model is told comes first
	for name, c := range map[string]struct{ script, names string }{                  // names: in the error; none is one when it is empty
		"allowed":                  {begins("yes") + asks("yes") + ran("yes"), ""},
		"refused":                  {refused + command("item/completed", "no", `,"status":"declined"`), ""},
		"interrupted":              {begins("yes") + command("item/completed", "yes", `,"status":"failed"`), ""},
		"runs unasked":             {command("item/started", "yes", `,"status":"inProgress","processId":"1"`), "no longer asks before every call"},
		"ran unasked":              {begins("yes") + ran("yes"), "no longer asks before every call"},
		"ran untold":               {ran("yes"), "no longer asks before every call"},
		"failed unasked":           {begins("yes") + command("item/completed", "yes", `,"status":"failed","exitCode":1`), "no longer asks"},
		"output before the answer": {begins("yes") + notice("item/commandExecution/outputDelta", `{"itemId":"yes"}`), "no longer asks"},
		"refused and run":          {refused + ran("no"), "was not allowed"},
		"patch unasked":            {patchItem("item/started", "inProgress") + patchItem("item/completed", "completed"), "no longer asks"},
		"patch failed unasked":     {patchItem("item/started", "inProgress") + patchItem("item/completed", "failed"), "no longer asks"},
		"report unasked":           {notice("item/started", fmt.Sprintf(report, "inProgress")) + notice("item/completed", fmt.Sprintf(report, "completed")), "no longer asks"},
		"patch changes":            {patchItem("item/started", "inProgress") + notice("item/fileChange/patchUpdated", `{"itemId":"p","changes":[]}`), "changed a patch"},
		"input to a command":       {begins("yes") + asks("yes") + notice("item/commandExecution/terminalInteraction", `{"itemId":"yes","stdin":"rm x"}`), "writes to a running command"},
		"look at a command":        {begins("yes") + asks("yes") + notice("item/commandExecution/terminalInteraction", `{"itemId":"yes","stdin":""}`) + ran("yes"), ""},
		"asks about another":       {begins("no") + strings.Replace(asks("yes"), `"itemId":"yes"`, `"itemId":"no"`, 1), "another command"},
		"asks twice":               {begins("yes") + asks("yes") + asks("yes"), "asks twice"},
		"asks about nothing":       {asks("yes"), "has not told of"},
		"told twice":               {begins("yes") + begins("yes") + asks("yes") + ran("yes"), ""},
		"again":                    {begins("yes") + asks("yes") + begins("yes"), "two calls"},
		"two of one id":            {begins("yes") + command("item/started", "yes", `,"status":"inProgress","source":"other"`), "two calls"},
		"sub-agent":                {notice("item/started", `{"item":{"type":"collabAgentToolCall","id":"s"}}`), "collabAgentToolCall"},
		"search":                   {notice("item/completed", `{"item":{"type":"webSearch","id":"s"}}`), "webSearch"},
		"policy":                   {notice("thread/settings/updated", `{"threadSettings":{"approvalPolicy":"never","approvalsReviewer":"user","sandboxPolicy":{"type":"dangerFullAccess"}}}`), "never"},
		"same policy":              {notice("thread/settings/updated", `{"threadSettings":{"approvalPolicy":"untrusted","approvalsReviewer":"user","sandboxPolicy":{"type":"dangerFullAccess"}}}`), ""},
		"hook":                     {notice("hook/started", `{}`), "hook"},
		"another model":            {notice("item/autoApprovalReview/started", `{}`), "another model"},
		"server":                   {notice("mcpServer/startupStatus/updated", `{"name":"evil","status":"starting"}`), "evil"},
		"turn":                     {notice("turn/started", `{"turn":{"id":"turn2"}}`), "turn that is not ours"},
		"answer to nobody":         {says(`{"id":"x","result":{}}`), "not ours"},
		"number as id":             {says(`{"id":1,"result":{}}`), "not ours"},
		"answer of another":        {notice("serverRequest/resolved", `{"requestId":9}`), "an answer that is not ours"},
		"not an item":              {notice("item/completed", `{"item":[]}`), "in another way"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, greeting+c.script+goodEnd+untilEnd)
			s.Permit = func(_ context.Context, c agent.Call) agent.Decision {
				return agent.Decision{Allow: string(c.Input) == `{"command":"yes"}`, Reason: ""}
			}
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

// TestNothingMoreIsGranted has a binary that asks for more than a call. None of it is granted.
func TestNothingMoreIsGranted(t *testing.T) {
	more := func(method, params string) string {
		return says(`{"id":8,"method":"` + method + `","params":` + params + `}`)
	}
	for name, c := range map[string]struct{ script, answer string }{
		"permissions":    {more("item/permissions/requestApproval", `{"permissions":{"network":{"enabled":true}}}`), `"permissions":{}`},
		"elicitation":    {more("mcpServer/elicitation/request", `{"serverName":"x","mode":"form","message":"?"}`), `{"action":"decline"}`},
		"report untold":  {more("mcpServer/elicitation/request", `{"serverName":"x","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"y"}}`), `{"action":"decline"}`},
		"question":       {more("item/tool/requestUserInput", `{"questions":[]}`), `"error":{"code":-32601`},
		"unknown":        {more("item/anything", `{}`), `"error":{"code":-32601`},
		"old approval":   {more("execCommandApproval", `{"command":["ls"]}`), `"error":{"code":-32601`},
		"input":          {begins("yes") + more("item/commandExecution/requestApproval", `{"itemId":"yes","kind":"writeStdin"}`), `"decline"`},
		"network":        {begins("yes") + more("item/commandExecution/requestApproval", `{"itemId":"yes","networkApprovalContext":{"host":"x"}}`), `"decline"`},
		"write anywhere": {patchItem("item/started", "inProgress") + more("item/fileChange/requestApproval", `{"itemId":"p","grantRoot":"/"}`), `"decline"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, greeting+c.script+hears+`echo "$line" > answer.txt`+"\n"+goodEnd+untilEnd)
			s.Permit = func(context.Context, agent.Call) agent.Decision { return agent.Decision{Allow: true} }
			if o, err := d.Run(t.Context(), s, func(agent.Event) {}); err != nil || o.Kind != agent.Completed {
				t.Errorf("outcome %+v, error %v", o, err)
			}
			if answer := read(t, filepath.Dir(d.cfg.Binary), "answer.txt"); !strings.Contains(answer, c.answer) {
				t.Errorf("the answer is %s", answer)
			}
		})
	}
}
