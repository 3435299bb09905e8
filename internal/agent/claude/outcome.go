package claude

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
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
	o := agent.Outcome{Kind: agent.Errored, SessionID: a.s.ID, Resumed: a.resume && a.reader.init != nil, Usage: a.reader.usage()}
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
	switch {
	case r != nil && r.Subtype == "success" && !r.IsError && r.Terminal == "completed" && (a.exit.Success() || a.ended.Load()):
		return a.completed(o), nil
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errWall):
		o.Kind, o.Text = agent.Turns, fmt.Sprintf("the session's wall time of %s is used up", a.s.Wall)
		return o, nil
	case ctx.Err() != nil:
		o.Kind, o.Text = agent.Interrupted, "the session was stopped"
		return o, nil
	case r == nil:
		o.Text = fmt.Sprintf("claude ended without a result: %s", a.exit)
		if tail := strings.TrimSpace(a.stderr); tail != "" {
			o.Text += ": " + excerpt.Tail(tail, 1000)
		}
		return o, nil
	}
	v := judge(r, a.reader.problem, a.reader.limit, a.d.cfg.Now())
	v.text = named(a.s, v)
	o.Kind, o.Text, o.Reset = v.kind, v.text, v.reset
	if v.fault == "" {
		return o, nil
	}
	return o, fault.New(v.fault, "run claude: %s", v.text).WithHint("%s", v.hint)
}

func (a *attempt) completed(o agent.Outcome) agent.Outcome {
	r := a.reader.result
	o.Kind, o.Text = agent.Completed, r.Result
	return o
}

// verdict is the meaning of a result with an error.
type verdict struct {
	kind  agent.OutcomeKind
	text  string
	reset time.Time
	fault fault.Kind // kind of a fault outside of the session, or ""
	hint  string
}

// budgetMark is the error type, or part of the message, with which the gateway rejects a call that exceeds the budget.
const budgetMark = "longshift_budget"

// judge interprets an unsuccessful result.
func judge(r *resultLine, p apiProblem, limit *limitInfo, now time.Time) verdict {
	text := cmp.Or(r.Result, strings.Join(r.Errors, "; "), p.text, "claude ended as "+cmp.Or(r.Terminal, r.Subtype))
	v := verdict{kind: agent.Errored, text: text}
	switch {
	case r.ErrorType == budgetMark || strings.Contains(text, budgetMark) || r.Subtype == "error_max_budget_usd":
		v.kind = agent.Budget
	case r.Subtype == "error_max_turns":
		v.kind = agent.Turns
	case isQuota(r, p, text):
		v.kind = agent.Quota
		if limit != nil {
			v.reset = limit.reset()
		}
		if v.reset.IsZero() {
			v.reset, _ = resetTime(text, now)
		}
	case r.Status == 401 || r.Status == 403 || p.kind == "authentication_failed" || strings.HasPrefix(text, "Not logged in") ||
		strings.HasPrefix(text, "Invalid API key"):
		v.kind = agent.AuthFailed
	case p.kind == "model_not_found":
		v.fault, v.hint = fault.Input, "choose a model that the endpoint serves"
	case r.Terminal == "api_error" && isOutage(r, p):
		v.fault, v.hint = fault.Infra, "the model endpoint is down or overloaded; the session can be resumed"
	case r.Subtype == "success" && !r.IsError && r.Terminal != "completed":
		v.text = "claude ended as " + cmp.Or(r.Terminal, "a local command") + ": " + r.Result
	}
	return v
}

// named adds the endpoint's name to an error. The binary knows only the gateway's address, which means nothing to people.
func named(s agent.Session, v verdict) string {
	if s.Upstream == "" {
		return v.text
	}
	text := v.text
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		text = strings.ReplaceAll(text, u.Host, s.Upstream)
	}
	if (v.fault != "" || v.kind == agent.AuthFailed) && !strings.Contains(text, s.Upstream) {
		text += " (model endpoint " + s.Upstream + ")"
	}
	return text
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
