package program

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// errWall is the cause when a session's wall time is used up.
var errWall = errors.New("wall time is used up")

// WithWall ends a session's context when its wall time is used up.
func WithWall(ctx context.Context, s agent.Session) (context.Context, context.CancelFunc) {
	if s.Wall <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, s.Wall, errWall)
}

// Stopped is the outcome of a session whose context has ended, and reports whether it has.
func Stopped(ctx context.Context, s agent.Session, o agent.Outcome) (agent.Outcome, bool) {
	switch {
	case errors.Is(context.Cause(ctx), errWall):
		o.Kind, o.Text = agent.Turns, fmt.Sprintf("the session's wall time of %s is used up", s.Wall)
	case ctx.Err() != nil:
		o.Kind, o.Text = agent.Interrupted, "the session was stopped"
	default:
		return o, false
	}
	return o, true
}

// Broken says how a session has ended that has no result: what has happened, how the program exited, and what it said last.
func Broken(what string, exit process.Exit, stderr string) string {
	text := fmt.Sprintf("%s: %s", what, exit)
	if tail := strings.TrimSpace(stderr); tail != "" {
		text += ": " + excerpt.Tail(tail, 1000)
	}
	return text
}

// BudgetMark is the error type, or part of the message, with which the gateway rejects a call that exceeds the budget.
const BudgetMark = "longshift_budget"

// Verdict is the meaning of a session that ended with an error.
type Verdict struct {
	Kind  agent.OutcomeKind
	Text  string
	Reset time.Time  // of the quota; zero if it is unknown
	Fault fault.Kind // kind of a fault outside of the session, or ""; Input for a model that can't be had
	Hint  string

	Throttled bool // for Quota: the endpoint may only want to be asked later; see agent.Throttled
}

// Outcome completes an outcome with the verdict. For a fault outside of the session there is an error too, of that kind.
func (v Verdict) Outcome(o agent.Outcome, s agent.Session) (agent.Outcome, error) {
	o.Kind, o.Text, o.Reset = v.Kind, v.named(s), v.Reset
	if v.Throttled {
		return o, &agent.Throttled{Err: fault.New(fault.Infra, "%s", o.Text)}
	}
	if v.Fault == "" {
		return o, nil
	}
	err := fault.New(v.Fault, "%s", o.Text).WithHint("%s", v.Hint)
	if v.Fault == fault.Input {
		return o, &agent.Unfit{Err: err}
	}
	return o, err
}

// named adds the endpoint's name to an error. The program knows only the gateway's address, which means nothing to people.
func (v Verdict) named(s agent.Session) string {
	text := v.Text
	if s.Upstream == "" {
		return text
	}
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		text = strings.ReplaceAll(text, u.Host, s.Upstream)
	}
	if (v.Fault != "" || v.Kind == agent.AuthFailed) && !strings.Contains(text, s.Upstream) {
		text += " (model endpoint " + s.Upstream + ")"
	}
	return text
}

// NextTime is the next moment with this time of day. Messages omit the seconds, so a time that has only just passed means the next minute,
// not the next day.
func NextTime(now time.Time, hour, minute int) time.Time {
	t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	switch {
	case t.After(now):
		return t
	case now.Sub(t) < 2*time.Minute:
		return now.Add(time.Minute)
	}
	return time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, now.Location())
}
