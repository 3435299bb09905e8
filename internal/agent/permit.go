package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

// Call is a tool call that an agent is about to make.
type Call struct {
	Tool  string
	ID    string
	Sub   string          // id of the sub-agent that makes it; "" for the session's own agent
	Dir   string          // absolute folder in which a command would run; "" if unknown
	Input json.RawMessage // a JSON object, as the model has written it
}

// Decision is the answer to a Call. The zero value refuses.
type Decision struct {
	Allow  bool
	Reason string          // for the model: why the call is refused and what to do instead, or what it should know
	Input  json.RawMessage // replaces the call's input; nil to keep it. An agent whose calls can't be changed is refused, with this as the reason
	End    OutcomeKind     // not "": the call is refused regardless of Allow, and the session ends with this outcome and Reason as its text
}

// Permit decides on a tool call of a session before it is made. It is called once per call, possibly from several goroutines at once, and
// may block, for example to ask a person. It must return when ctx ends. A call without an answer, or with one after the end of ctx, is
// not made.
type Permit func(ctx context.Context, c Call) Decision

// patience is how long Ask waits for a permit to return after ctx has ended.
const patience = time.Second

// Ask asks the permit about a call. It refuses if the permit is nil, panics, answers after the end of ctx, or does not return when ctx
// ends. A refusal always has a reason.
func (p Permit) Ask(ctx context.Context, c Call) Decision {
	if p == nil {
		return Decision{Reason: "tools are off in this session"}
	}
	answer := make(chan Decision, 1)
	go func() {
		d := Decision{Reason: "the check of this call broke down; it was not made"}
		defer func() {
			_ = recover() // refuse the call instead of crashing a worker with other sessions
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
		d.Reason = cmp.Or(d.Reason, "not allowed in this session")
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

// Start starts a program of a session. The session's own Start runs it in a sandbox; process.Start does not.
type Start func(ctx context.Context, s process.Spec) (*process.Process, error)
