package activities

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
)

// OpenSession begins a session on this host, or goes on with the conversation of an earlier ask.
func (a *Acts) OpenSession(ctx context.Context, in OpenInput) (Opened, error) {
	if a.model == nil || a.of.launcher.gateway == nil {
		return Opened{}, notSetUp(in.Agent)
	}
	run, kept, err := a.of.begin(ctx, in.SessionInput)
	if err != nil {
		return Opened{}, err
	}
	defer run.tree.Close()
	if kept != nil {
		return Opened{Done: kept}, nil
	}
	if err := a.of.mayWork(in.Role); err != nil {
		return Opened{}, err
	}
	over, err := a.leases.hold(ctx, in.ID, in.Precedence)
	if err != nil {
		return Opened{}, err
	}
	defer over()
	rec := run.rec
	a.processes.end(in.ID)
	a.of.prestarter.handOver(in.ID, in.Agent) // another agent was expected; it ends
	if err := rec.reap(ctx); err != nil {
		return Opened{}, err
	}
	if !rec.begun() {
		rec.goOn(nil)
	}
	run.start = a.of.now()
	started := Started{OpenInput: in, At: run.start}
	var earlier Started
	if err := readJSON(rec.folder().Started(), &earlier); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Opened{}, err
	}
	left, snapshot, err := a.handovers.left(ctx, run.tree, earlier.Snapshot)
	if err != nil {
		return Opened{}, err
	}
	started.Snapshot = snapshot
	if started.Before, err = run.snapshot(ctx); err != nil {
		return Opened{}, err
	}
	s, err := run.session(ctx)
	if err != nil {
		return Opened{}, err
	}
	act := Act{Ref: in.Ref, Session: in.ID, Ask: in.Ask, Head: in.Head}
	if left.Session != in.ID && earlier.Begun != "" && earlier.Head == in.Head {
		act.Head = earlier.Begun // an ask that knows nothing of the one before
	}
	c, err := a.begin(ctx, act, run, left)
	if c == nil && err == nil {
		c, err = a.fresh(act, in, s, left.Session == in.ID)
	}
	if err != nil {
		return Opened{}, err
	}
	started.Begun = c.Head
	if err := writeJSON(rec.folder().Started(), started); err != nil {
		return Opened{}, err
	}
	a.handovers.begin(in.ID, rec.dir)
	open, _ := c.Open()
	return Opened{Head: c.Head, Calls: a.plannedCalls(open), Said: unsaid(c, in)}, nil
}

// fresh begins a conversation, and tells the model when an earlier one was lost.
func (a *Acts) fresh(act Act, in OpenInput, s agent.Session, lost bool) (*transcript.Conversation, error) {
	start := &transcript.Start{API: in.Native.API, Model: in.Model, Thinking: in.Thinking, System: s.System + ownSystem, Prompt: s.Prompt,
		Tools: offered(in.Role, limitsOf(in.Native))}
	for _, i := range s.Images {
		start.Images = append(start.Images, transcript.Image{Type: i.Type, Data: i.Data})
	}
	said := &transcript.Said{Messages: len(in.Prompt.Messages)} // the prompt has them
	if lost {
		said.Text = lostConversation
	}
	return a.add(act, &transcript.Conversation{}, transcript.Entry{Start: start}, transcript.Entry{Said: said})
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
