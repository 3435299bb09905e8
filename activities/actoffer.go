package activities

import (
	"cmp"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/task"
)

// ownSystem is what Longshift's own agent is told beside the texts that all agents get.
const ownSystem = `
# How you work here

Understand first: read what the work touches, and what tests it. Then plan, with checklist when there are more than three things to do. Change
one thing at a time and test it; mend what fails before you go on. At last look at the whole change (git diff), and report by your tool.

You act by tools alone: text between calls is for the log. Call several reading tools in one answer where you can, they run side by side.
Paths are relative to the workspace. Change files by edit_file, and new ones by write_file; run_command is for building, testing and git.
Each result is a JSON object: when success is false, error says what to do instead. With the results you are told what is left of money,
time and steps: report before they are used up.
`

// ownTools are the tools that the host carries out itself, beside those for files. Texts name the limits of the session.
func ownTools(l limits) []tools.Tool {
	return []tools.Tool{{
		Name: "run_command", Class: tools.Runs,
		Text: "Run a command with bash in the workspace, without input. The answer has its exit code, its duration and the beginning and end of " +
			"its output; command_output shows the rest of a longer one.",
		Schema: []byte(`{"type":"object","additionalProperties":false,"required":["command"],"properties":{` +
			`"command":{"type":"string"},` +
			fmt.Sprintf(`"timeout":{"type":"integer","description":"seconds, %d unless given, at most %d"},`, seconds(l.timeout), seconds(l.longest)) +
			`"cwd":{"type":"string","description":"folder below the workspace to run it in"},` +
			`"background":{"type":"boolean","description":"start it and go on; manage_process shows it"}}}`),
	}, {
		Name: "manage_process", Class: tools.Runs,
		Text: "Show or end the commands that run in the background: at most 5, for 30 minutes at most. They end with the session and when it waits.",
		Schema: []byte(`{"type":"object","additionalProperties":false,"required":["action"],"properties":{` +
			`"action":{"type":"string","enum":["list","poll","log","kill"]},` +
			`"process":{"type":"string","description":"such as p1; not for list"},` +
			`"lines":{"type":"integer","description":"for log: how many of the last ones, 50 unless given, at most 200"}}}`),
	}, {
		Name: "command_output", Class: tools.Reads,
		Text: "Show lines of the whole output of an earlier command, at most 200 at a time.",
		Schema: []byte(`{"type":"object","additionalProperties":false,"required":["file","from","to"],"properties":{` +
			`"file":{"type":"string","description":"output_file of the command's result"},` +
			`"from":{"type":"integer","description":"first line, from 1"},"to":{"type":"integer"}}}`),
	}, {
		Name: "checklist", Class: tools.Reads,
		Text: "Keep a list of what is to be done, for yourself: give the whole list each time. You are told how much of it is done.",
		Schema: []byte(`{"type":"object","additionalProperties":false,"required":["items"],"properties":{"items":{"type":"array","items":{` +
			`"type":"object","additionalProperties":false,"required":["text","done"],"properties":{` +
			`"text":{"type":"string"},"done":{"type":"boolean"}}}}}}`),
	}, {
		Name: "ask_person", Class: tools.Asks,
		Text: "Ask the people behind the task what nothing here tells and no sensible choice settles. The session waits for the answer, for hours if " +
			"need be, so ask once and everything.",
		Schema: []byte(`{"type":"object","additionalProperties":false,"required":["question"],"properties":{` +
			`"question":{"type":"string","description":"with the choices that there are, and what you would do; at most 1000 bytes"}}}`),
	}}
}

// limits bound the tools of a session.
type limits struct {
	read             int64         // bytes of a file that read_file shows
	timeout, longest time.Duration // of a command: unless it names one, and at most
	context          int           // tokens that the model takes
}

// limitsOf are the limits that the settings name. A task that was started before there were such settings has the usual ones.
func limitsOf(s task.NativeSettings) limits {
	l := limits{read: int64(s.ReadBytes), longest: cmp.Or(s.MaxTimeout.Std(), 5*time.Minute), context: cmp.Or(s.Context, 200_000)}
	l.timeout = min(cmp.Or(s.Timeout.Std(), 30*time.Second), l.longest)
	return l
}

// output is the limit of one answer of the model, in tokens.
func (l limits) output() int { return min(mostOutput, l.context/4) }

func seconds(d time.Duration) int { return int(d.Seconds()) }

// completeRun ends the session of an implementer whose deliverable is done.
var completeRun = tools.Tool{
	Name: "complete_run", Class: tools.Reports,
	Text: "End the session: the deliverable is done. The same as deliverable_set_status with passed. The summary becomes the commit message.",
	Schema: []byte(`{"type":"object","additionalProperties":false,"required":["summary"],"properties":{` +
		`"summary":{"type":"string","description":"the commit message"}}}`),
}

// offered are the tools of a role, in the order in which the model sees them.
func offered(role task.Role, l limits) (list []transcript.Tool) {
	add := func(name, text string, schema []byte) {
		list = append(list, transcript.Tool{Name: name, Text: text, Schema: schema})
	}
	for _, t := range append(tools.Files(), ownTools(l)...) {
		if t.Class != tools.Writes || !role.ReadOnly() {
			add(t.Name, t.Text, t.Schema)
		}
	}
	for _, t := range reporting.Tools(role) {
		add(t.Name, t.Text, []byte(t.Schema))
	}
	if role == task.Implementer {
		add(completeRun.Name, completeRun.Text, completeRun.Schema)
	}
	return list
}

// classOf says what calls of a tool may do. A tool that nobody knows does nothing.
func classOf(name string) tools.Class {
	for _, t := range append(tools.Files(), ownTools(limits{})...) {
		if t.Name == name {
			return t.Class
		}
	}
	return tools.Reports
}
