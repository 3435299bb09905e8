package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

const (
	mostBeside = 10 // calls that are made side by side
	mostSilent = 1  // answers in a row that call no tool, before the session ends without a report
	mostRecent = 30 // acts that are shown
)

// open begins the session on its host. It returns the kept result of an ask that has ended before.
func (s *agentSession) open(ctx workflow.Context) (*activities.SessionResult, error) {
	var out activities.Opened
	if err := s.act(ctx, "begin", acts.OpenSession, s.in.Open, &out); err != nil {
		return nil, err
	}
	s.at.Head, s.at.Calls = out.Head, out.Calls
	if out.Said != nil {
		s.at.Unsaid = []signals.SessionMessage{{Text: out.Said.Text, N: out.Said.Messages}}
	}
	return out.Done, nil
}

// ask asks the model for its next answer.
func (s *agentSession) ask(ctx workflow.Context) (*stopped, error) {
	s.receive(ctx)
	in := activities.AskInput{Act: s.next(), Said: s.said()}
	var out activities.ActResult
	if err := s.act(ctx, "ask "+s.in.Open.Model, acts.AskModel, in, &out); err != nil {
		return nil, err
	}
	s.at.Head, s.at.Calls, s.at.Usage = out.Head, out.Calls, out.Usage
	s.at.Worked += out.Took
	if out.Summed { // what the model has to be told is not said yet
		return nil, nil
	}
	s.at.Unsaid = nil
	s.at.Turns++
	switch {
	case out.Kind != "":
		return &stopped{kind: out.Kind, text: out.Text, reset: out.Reset}, nil
	case !out.Empty:
		s.at.Silent = 0
		return nil, nil
	}
	if s.at.Silent++; s.at.Silent > mostSilent {
		return &stopped{kind: agent.Completed}, nil // without a report; the task asks for it once more
	}
	s.at.Unsaid = append(s.at.Unsaid, signals.SessionMessage{Text: "Your answer calls no tool. Go on by calling one, or report by one."})
	return nil, nil
}

// said is what people and Longshift have said since the model's last answer; nil for nothing.
func (s *agentSession) said() *activities.Said {
	if len(s.at.Unsaid) == 0 {
		return nil
	}
	said := &activities.Said{}
	var parts []string
	for _, m := range s.at.Unsaid {
		parts, said.Messages = append(parts, m.Text), max(said.Messages, m.N)
	}
	said.Text = strings.Join(parts, "\n\n")
	return said
}

// run makes the next call that the answer has left open, or several that only read.
func (s *agentSession) run(ctx workflow.Context) (*stopped, error) {
	group := s.at.Calls[:s.together()]
	in := activities.RunInput{Act: s.next(), Calls: len(group), Usage: s.at.Usage, Left: s.left()}
	var out activities.ActResult
	if err := s.act(ctx, summaryOf(group), acts.RunTools, in, &out); err != nil {
		return nil, err
	}
	s.at.Worked += out.Took
	if out.Kind != "" {
		return &stopped{kind: out.Kind, text: out.Text}, nil
	}
	s.at.Head, s.at.Calls = out.Head, s.at.Calls[len(group):]
	s.at.Steps += len(group)
	s.at.Recent = append(s.at.Recent, out.Lines...)
	s.at.Recent = s.at.Recent[max(0, len(s.at.Recent)-mostRecent):]
	if out.Ended {
		return &stopped{kind: agent.Completed}, nil
	}
	return nil, nil
}

// together is how many of the open calls are made side by side: those that only read, and no others.
func (s *agentSession) together() int {
	most := min(len(s.at.Calls), mostBeside, max(1, s.in.Limits.Steps-s.at.Steps))
	n := 0
	for n < most && s.at.Calls[n].Read {
		n++
	}
	return max(1, n)
}

func summaryOf(group []activities.PlannedCall) string {
	if len(group) == 1 {
		return group[0].Line
	}
	return excerpt.Clip(fmt.Sprintf("%s, and %d more", group[0].Line, len(group)-1), 140)
}

// exhausted returns why the session may do no more; nil while it may.
func (s *agentSession) exhausted() *stopped {
	switch {
	case s.at.Steps >= s.in.Limits.Steps:
		return &stopped{kind: agent.Steps, text: fmt.Sprintf("%d calls of tools", s.at.Steps)}
	case s.at.Worked >= s.in.Limits.Time:
		return &stopped{kind: agent.Turns, text: "the running time is used up"}
	}
	return nil
}

// left is what the model is told of its limits.
func (s *agentSession) left() string { return "[left: " + s.remains() + "]" }

// remains is what is left of money, time and calls.
func (s *agentSession) remains() string {
	var parts []string
	if most := s.in.Open.CeilingUSD; most > 0 {
		parts = append(parts, usd(max(0, most-s.at.Usage.CostUSD)))
	}
	parts = append(parts, spell(max(0, s.in.Limits.Time-s.at.Worked).Round(time.Minute)),
		fmt.Sprintf("%d calls", max(0, s.in.Limits.Steps-s.at.Steps-1)))
	return strings.Join(parts, ", ")
}

// next names the next act.
func (s *agentSession) next() activities.Act {
	s.at.Acts++
	return activities.Act{Ref: s.in.Open.Ref, Session: s.in.Open.ID, Ask: s.in.Open.Ask, N: s.at.Acts, Head: s.at.Head}
}

// end ends the ask on its host.
func (s *agentSession) end(ctx workflow.Context, why stopped) (res activities.SessionResult, err error) {
	in := activities.EndInput{Act: s.next(), Kind: why.kind, Text: why.text, Reset: why.reset, Turns: s.at.Turns,
		Duration: s.at.Worked}
	err = s.act(ctx, "end: "+string(why.kind), acts.EndSession, in, &res)
	return res, err
}

// actsWait is the change since which an act that waits for a slot counts no worker as lost.
const actsWait = "acts-wait"

// act carries out an act on the task's host. An attempt that was lost with its worker is made again when the worker is back: the host knows
// what it had begun. A host that does not come back is a matter for the task.
func (s *agentSession) act(ctx workflow.Context, summary string, activity, in, out any) error {
	s.doing = summary
	s.show(ctx)
	defer func() { s.doing = ""; s.show(ctx) }()
	for cuts := 0; ; {
		err := workflow.ExecuteActivity(s.assignment.act(ctx, summary), activity, in).Get(ctx, out)
		if err == nil || ctx.Err() != nil {
			return err
		}
		inQuestion, neverStarted := hostInQuestion(err)
		if !inQuestion {
			return err
		}
		var said activities.Alive
		if workflow.ExecuteActivity(s.assignment.probe(ctx), assigner.Probe).Get(ctx, &said) != nil {
			return err
		}
		lost := !neverStarted && kindOf(err) != fault.Stopping && !said.OutOfTouch
		if lost && waited(err) && workflow.GetVersion(ctx, actsWait, workflow.DefaultVersion, 1) >= 1 {
			lost = false
		}
		if lost {
			if cuts++; cuts > mostReassignments {
				return fmt.Errorf("the worker was lost %d times during %s: %w", cuts, summary, errLostWorker)
			}
		}
	}
}
