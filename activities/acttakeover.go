package activities

import (
	"context"
	"errors"

	"github.com/longshift/longshift/internal/agent/tools"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
)

// What the model is told when its host was lost.
const (
	lostHost = "The machine that you worked on was lost, and this is another. The workspace is as it was after the last result above: what was done " +
		"after that is gone, and what ran in the background has ended."
	lostConversation = "An earlier session on this was lost with its machine. What it had changed by then is in the workspace and not committed: look " +
		"at it (git status, git diff) before you go on."
	lostCall = "the machine was lost before this call had a result. It is not made again by itself: it may have been made there, but not in this " +
		"workspace. Make it again if that is right"
)

// begin returns the conversation to go on with; nil for none. left is where another host left the session.
func (a *Acts) begin(ctx context.Context, act Act, run *sessionRun, left point) (*transcript.Conversation, error) {
	moved := left.Session == act.Session
	if moved {
		act.Head = left.Head
		if err := a.handovers.fetch(ctx, act, a.store(act), act.Head); err != nil {
			return nil, err
		}
	}
	if act.Head == "" {
		return nil, nil
	}
	c, err := a.store(act).Load(act.Head)
	switch {
	case errors.Is(err, transcript.ErrMissing):
		return nil, nil
	case err != nil || !moved:
		return c, err
	}
	return a.goOn(act, run, c)
}

// goOn has a conversation go on that another host has left. What it has reported is taken down here, its open calls are answered, because
// they may have been made there, and the model is told.
func (a *Acts) goOn(act Act, run *sessionRun, c *transcript.Conversation) (*transcript.Conversation, error) {
	reports, err := a.of.launcher.keepReports(run.in, run.rec)
	if err != nil {
		return nil, err
	}
	defer reports.Close()
	log, err := openSessionLog(run)
	if err != nil {
		return nil, err
	}
	defer log.close()
	log.line("! the host that this session ran on was lost; it goes on here after answer %d", c.Answers())
	reports.Begin(aboutSession(run.in, log.report))
	failed := c.Failed()
	for _, call := range c.Calls() {
		if classOf(call.Tool) != tools.Reports || failed[call.ID] {
			continue
		}
		tool, arguments, err := asReport(call, run.in.Prompt.Deliverable)
		if err != nil {
			continue // it was refused there too
		}
		if text, failed, _ := reports.Call(call.ID, tool, arguments); failed {
			return nil, fault.New(fault.Infra, "take down a report of the lost host again: %s", text)
		}
	}
	said := transcript.Entry{Said: &transcript.Said{Text: lostHost, Messages: c.Messages()}}
	open, _ := c.Open()
	if len(open) == 0 {
		return a.add(act, c, said)
	}
	results := &transcript.Results{}
	for _, call := range open {
		if said := len(run.in.Prompt.Messages) > c.Messages(); classOf(call.Tool) == tools.Asks && said {
			results.List = append(results.List, transcript.Result{Call: call.ID, Content: answerOf(said).content})
			continue
		}
		results.List = append(results.List, transcript.Result{Call: call.ID, Content: refused(lostCall).content, Failed: true})
	}
	return a.add(act, c, transcript.Entry{Results: results}, said)
}
