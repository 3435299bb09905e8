package claude

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// startProblem is a failed start that the driver can work around.
type startProblem int

const (
	noProblem      startProblem = iota
	unknownSession              // resume of a session that the binary does not know
	sessionInUse                // start of a session that the binary already has
)

func (a *attempt) startProblem() startProblem {
	if a.proc == nil || a.reader.init != nil {
		return noProblem
	}
	said := a.stderr
	if a.reader.result != nil {
		said += strings.Join(a.reader.result.Errors, "\n")
	}
	switch {
	case strings.Contains(said, "No conversation found with session ID"):
		return unknownSession
	case strings.Contains(said, "is already in use"):
		return sessionInUse
	}
	return noProblem
}

// outcome determines how the attempt ended. Neither the exit code nor the subtype is reliable alone: API errors have subtype success, and
// an interrupted run exits with 0.
func (a *attempt) outcome(ctx context.Context) (agent.Outcome, error) {
	r := a.reader.result
	o := agent.Outcome{Kind: agent.Errored, SessionID: a.s.ID, Kept: a.kept, Resumed: a.resume && a.reader.init != nil, Usage: a.reader.usage()}
	if r != nil {
		o.Turns = r.Turns
	}
	if a.finished() {
		o.Kind = agent.Completed
		if r != nil {
			o.Text = r.Result
		}
		return o, nil
	}
	if end := a.decisions.over(); end != nil {
		o.Kind, o.Text = end.End, end.Reason
		return o, nil
	}
	if a.succeeded() && (a.exit.Success() || a.ended.Load()) {
		return a.completed(o), nil
	}
	if stopped, yes := program.Stopped(ctx, a.s, o); yes {
		return stopped, nil
	}
	if r == nil {
		o.Text = program.Broken("claude ended without a result", a.exit, a.stderr)
		return o, nil
	}
	return judge(r, a.reader.problem, a.reader.limit, a.d.cfg.Now()).Outcome(o, a.s)
}

// succeeded tells whether the binary says that its work is done.
func (a *attempt) succeeded() bool {
	r := a.reader.result
	return r != nil && r.Subtype == "success" && !r.IsError && r.Terminal == "completed"
}

func (a *attempt) completed(o agent.Outcome) agent.Outcome {
	r := a.reader.result
	o.Kind, o.Text = agent.Completed, r.Result
	return o
}

// judge interprets an unsuccessful result.
func judge(r *resultLine, p apiProblem, limit *limitInfo, now time.Time) program.Verdict {
	text := cmp.Or(r.Result, strings.Join(r.Errors, "; "), p.text, "claude ended as "+cmp.Or(r.Terminal, r.Subtype))
	v := program.Verdict{Kind: agent.Errored, Text: text}
	switch {
	case r.ErrorType == program.BudgetMark || strings.Contains(text, program.BudgetMark) || r.Subtype == "error_max_budget_usd":
		v.Kind = agent.Budget
	case r.Subtype == "error_max_turns":
		v.Kind = agent.Turns
	case isQuota(r, p, text):
		v.Kind = agent.Quota
		if limit != nil {
			v.Reset = limit.reset()
		}
		if v.Reset.IsZero() {
			v.Reset, _ = resetTime(text, now)
		}
		named := limit != nil || r.APIError == "usage_limit_reached" || p.kind == "billing_error" || isLimitText(text)
		v.Throttled = r.Status == 429 && !named && v.Reset.IsZero()
	case r.Status == 401 || r.Status == 403 || p.kind == "authentication_failed" || strings.HasPrefix(text, "Not logged in") ||
		strings.HasPrefix(text, "Invalid API key"):
		v.Kind = agent.AuthFailed
	case p.kind == "model_not_found":
		v.Fault, v.Hint = fault.Input, "choose a model that the endpoint serves"
	case r.Terminal == "api_error" && isOutage(r, p):
		v.Fault = fault.Infra // without a hint: nobody has to do anything
	case r.Subtype == "success" && !r.IsError && r.Terminal != "completed":
		v.Text = "claude ended as " + cmp.Or(r.Terminal, "a local command") + ": " + r.Result
	}
	return v
}

func isQuota(r *resultLine, p apiProblem, text string) bool {
	return r.Status == 429 || r.APIError == "usage_limit_reached" || p.kind == "rate_limit" || p.kind == "billing_error" ||
		r.IsError && isLimitText(text)
}

// isOutage reports whether the call failed because of the endpoint or the network.
func isOutage(r *resultLine, p apiProblem) bool {
	if r.Status >= 500 || r.Status == 408 || p.kind == "server_error" || p.kind == "overloaded" {
		return true
	}
	return r.Status == 0 && r.StopReason != "refusal" && unreached.MatchString(r.Result)
}

// unreached matches errors of a call without any response.
var unreached = regexp.MustCompile(`(?i)^API Error: .*(connect|network|socket|timed? ?out|ECONN|ENOTFOUND|EAI_AGAIN)`)
