package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

// Call is a tool call that an agent is about to make.
type Call struct {
	Tool  string
	ID    string
	Dir   string          // where a command would run, absolute; "" when the agent does not say
	Input json.RawMessage // an object, as the model gave it
}

// Decision is the answer to a Call. The zero value refuses.
type Decision struct {
	Allow  bool
	Reason string          // told to the model: why not, and what it can do instead; or what it should know
	Input  json.RawMessage // in place of the call's own; nil to leave it
	End    OutcomeKind     // not "": the call is refused whatever Allow says, and the session ends with this outcome and Reason as its text
}

// Permit decides on every tool call of a session before it is made, each once. It may be called from several goroutines at once
// and may block, as when a person is asked; it must return when ctx ends. A call that gets no answer is not made, nor is one whose
// answer comes after ctx has ended. The tool through which a structured answer is given is no tool in this sense: it does nothing.
type Permit func(ctx context.Context, c Call) Decision

// patience is what a permit gets to return after its ctx has ended, before it is left behind.
const patience = time.Second

// Ask asks the permit about a call: nil refuses, an answer that comes after ctx has ended refuses, a panic refuses, and so does a
// permit that does not return when ctx ends. A refusal allows nothing and has a reason.
func (p Permit) Ask(ctx context.Context, c Call) Decision {
	if p == nil {
		return Decision{Reason: "tools are off in this session"}
	}
	answer := make(chan Decision, 1)
	go func() {
		d := Decision{Reason: "the check of this call broke down; it was not made"}
		defer func() {
			_ = recover() // the call is refused; a worker with other sessions must not go down with it
			answer <- d
		}()
		d = p(ctx, c)
	}()
	select {
	case d := <-answer:
		if ctx.Err() != nil {
			break
		}
		if d.Allow && d.End == "" {
			return d
		}
		if d.Reason == "" {
			d.Reason = "not allowed in this session"
		}
		d.Allow, d.Input = false, nil
		return d
	case <-ctx.Done():
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case <-answer:
		case <-late.C:
		}
	}
	return Decision{Reason: "the session ended before this call was decided on; it was not made"}
}

// Start starts a program of a session. A session's own confines it; process.Start is the plain one.
type Start func(ctx context.Context, s process.Spec) (*process.Process, error)
