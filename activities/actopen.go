package activities

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// OpenSession begins a session on this host, or goes on with the conversation of an earlier ask.
func (a *Acts) OpenSession(ctx context.Context, in OpenInput) (Opened, error) {
	if a.model == nil || a.of.launcher.gateway == nil {
		return Opened{}, fault.New(fault.Input, "agent %q is not set up on this host", in.Agent).
			WithHint("allow it with LONGSHIFT_AGENTS, or choose another agent in the configuration")
	}
	tree, err := a.of.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return Opened{}, err
	}
	defer tree.Close()
	rec, err := openRecord(a.of.data, in.SessionInput)
	if err != nil {
		return Opened{}, err
	}
	if kept, ok, err := rec.result(in.Ask); err != nil || ok {
		return Opened{Done: &kept}, err
	}
	if err := disk.Full(a.of.data); err != nil { // before anything is spent
		return Opened{}, err
	}
	if a.of.writeOff && !in.Role.ReadOnly() {
		return Opened{}, fault.New(fault.Denied, "writing is switched off on host %s, and this session has to write", a.of.host).
			WithHint("start its worker without LONGSHIFT_WRITE_OFF")
	}
	over, err := a.leases.hold(ctx, in.ID, in.Precedence)
	if err != nil {
		return Opened{}, err
	}
	defer over()
	a.processes.end(in.ID)
	if _, err := process.ReapSession(ctx, in.ID); err != nil {
		return Opened{}, fault.New(fault.Infra, "end what an earlier attempt left: %w", err)
	}
	run := &sessionRun{ctx: ctx, of: a.of, in: in.SessionInput, tree: tree, rec: rec, start: a.of.now()}
	started := Started{OpenInput: in}
	if started.Before, err = run.snapshot(ctx); err != nil {
		return Opened{}, err
	}
	s, err := run.session(ctx)
	if err != nil {
		return Opened{}, err
	}
	act := Act{Ref: in.Ref, Session: in.ID, Ask: in.Ask, Head: in.Head}
	c, err := a.begin(act, in, s)
	if err != nil {
		return Opened{}, err
	}
	if err := writeJSON(filepath.Join(rec.dir, "started.json"), started); err != nil {
		return Opened{}, err
	}
	open, _ := c.Open()
	return Opened{Head: c.Head, Calls: a.plannedCalls(open), Said: unsaid(c, in)}, nil
}

// begin returns the conversation to go on with: the earlier one, or a new one.
func (a *Acts) begin(act Act, in OpenInput, s agent.Session) (*transcript.Conversation, error) {
	if act.Head != "" {
		c, err := a.store(act).Load(act.Head)
		if err == nil || !errors.Is(err, transcript.ErrMissing) {
			return c, err
		}
	}
	start := &transcript.Start{Model: in.Model, Thinking: in.Thinking, System: s.System + ownSystem, Prompt: s.Prompt, Tools: offered(in.Role)}
	for _, i := range s.Images {
		start.Images = append(start.Images, transcript.Image{Type: i.Type, Data: i.Data})
	}
	return a.add(act, &transcript.Conversation{}, transcript.Entry{Start: start},
		transcript.Entry{Said: &transcript.Said{Messages: len(in.Prompt.Messages)}}) // the prompt has them
}

// unsaid is what people have said since the conversation was left, and that a report is missing; nil for nothing.
func unsaid(c *transcript.Conversation, in OpenInput) *transcript.Said {
	var parts []string
	for _, m := range in.Prompt.Messages[min(c.Messages(), len(in.Prompt.Messages)):] {
		parts = append(parts, m.Quote())
	}
	if in.Nudge {
		parts = append(parts, "The session can't end without your report. Make it now, by its tool.")
	}
	if open, _ := c.Open(); len(parts) == 0 && len(open) == 0 && c.Entries[len(c.Entries)-1].Answer != nil {
		parts = append(parts, "Go on by calling a tool, or report by one.")
	}
	if len(parts) == 0 {
		return nil
	}
	return &transcript.Said{Text: strings.Join(parts, "\n\n"), Messages: len(in.Prompt.Messages)}
}

// ownSystem is what Longshift's own agent is told beside the texts that all agents get.
const ownSystem = `
# How you work here

You act by tools alone: text between calls is for the log. Call several reading tools in one answer where you can, they run side by side.
Paths are relative to the workspace. Change files by edit_file, and new ones by write_file; run_command is for building, testing and git.
Each result is a JSON object: when success is false, error says what to do instead. With the results you are told what is left of money,
time and steps: report before they are used up.
`

// runTools are the tools that the host carries out itself, beside those for files.
var runTools = []tools.Tool{{
	Name: "run_command", Class: tools.Runs,
	Text: "Run a command with bash in the workspace, without input. The answer has its exit code, its duration and the beginning and end of " +
		"its output; command_output shows the rest of a longer one.",
	Schema: []byte(`{"type":"object","additionalProperties":false,"required":["command"],"properties":{` +
		`"command":{"type":"string"},` +
		`"timeout":{"type":"integer","description":"seconds, 30 unless given, at most 300"},` +
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
}}

// completeRun ends the session of an implementer whose deliverable is done.
var completeRun = tools.Tool{
	Name: "complete_run", Class: tools.Reports,
	Text: "End the session: the deliverable is done. The same as deliverable_set_status with passed. The summary becomes the commit message.",
	Schema: []byte(`{"type":"object","additionalProperties":false,"required":["summary"],"properties":{` +
		`"summary":{"type":"string","description":"the commit message"}}}`),
}

// offered are the tools of a role, in the order in which the model sees them.
func offered(role task.Role) (list []transcript.Tool) {
	add := func(name, text string, schema []byte) {
		list = append(list, transcript.Tool{Name: name, Text: text, Schema: schema})
	}
	for _, t := range append(tools.Files(), runTools...) {
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
	for _, t := range append(tools.Files(), runTools...) {
		if t.Name == name {
			return t.Class
		}
	}
	return tools.Reports
}
