package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// outcome determines how the attempt ended.
func (a *attempt) outcome(ctx context.Context) (agent.Outcome, error) {
	o := agent.Outcome{Kind: agent.Errored, SessionID: a.thread, Resumed: a.resumed, Usage: a.report.usage, Turns: a.report.usage.Calls}
	if a.finished() {
		o.Kind, o.Text = agent.Completed, a.report.said
		return o, nil
	}
	if end := a.calls.over(); end != nil {
		o.Kind, o.Text = end.End, end.Reason
		return o, nil
	}
	switch {
	case a.over != nil && a.over.Status == "completed" && (a.exit.Success() || a.ended.Load()):
		o.Kind, o.Text = agent.Completed, a.report.said
		return o, nil
	case errors.Is(context.Cause(ctx), errWall):
		o.Kind, o.Text = agent.Turns, fmt.Sprintf("the session's wall time of %s is used up", a.s.Wall)
		return o, nil
	case ctx.Err() != nil:
		o.Kind, o.Text = agent.Interrupted, "the session was stopped"
		return o, nil
	case a.over == nil || a.over.Error == nil:
		o.Text = fmt.Sprintf("codex ended without a result: %s", a.exit)
		if a.over != nil {
			o.Text = fmt.Sprintf("codex ended its turn as %s: %s", a.over.Status, a.exit)
		}
		if tail := strings.TrimSpace(a.stderr); tail != "" {
			o.Text += ": " + excerpt.Tail(tail, 1000)
		}
		return o, nil
	}
	v := judge(*a.over.Error, a.report.limits, a.d.cfg.Now())
	o.Kind, o.Text, o.Reset = v.kind, named(a.s, v), v.reset
	if v.fault == "" {
		return o, nil
	}
	return o, fault.New(v.fault, "run codex: %s", o.Text).WithHint("%s", v.hint)
}

// verdict is the meaning of a turn that has failed.
type verdict struct {
	kind  agent.OutcomeKind
	text  string
	reset time.Time
	fault fault.Kind // kind of a fault outside of the session, or ""
	hint  string
}

// budgetMark is part of the message with which the gateway rejects a call that exceeds the budget.
const budgetMark = "longshift_budget"

// cutOff begins the message about an answer that has broken off, which has no name of its own.
const cutOff = "stream disconnected before completion"

// what takes the information of a problem apart: its name, and the HTTP status of the model endpoint, 0 if there is none.
func (p problem) what() (name string, status int) {
	if json.Unmarshal(p.Info, &name) == nil {
		return name, 0
	}
	var object map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	if json.Unmarshal(p.Info, &object) == nil {
		for name, in := range object {
			return name, in.Status
		}
	}
	return "", 0
}

// judge interprets the error of a turn.
func judge(p problem, l limits, now time.Time) verdict {
	v := verdict{kind: agent.Errored, text: p.Message}
	name, status := p.what()
	switch {
	case name == "sessionBudgetExceeded" || strings.Contains(p.Message, budgetMark):
		v.kind = agent.Budget
	case name == "usageLimitExceeded" || name == "rateLimitExceeded" || status == 429:
		v.kind = agent.Quota
		if v.reset = l.reset(); v.reset.IsZero() {
			v.reset = resetTime(p.Message, now)
		}
	case name == "unauthorized" || status == 401 || status == 403:
		v.kind = agent.AuthFailed
	case name == "modelNotFound":
		v.fault, v.hint = fault.Input, "choose a model that the endpoint serves"
	case isOutage(name, status) || name == "other" && strings.HasPrefix(p.Message, cutOff):
		v.fault, v.hint = fault.Infra, "the model endpoint is down or overloaded; the session can be resumed"
	}
	return v
}

// isOutage reports whether the call failed because of the endpoint or the network.
func isOutage(name string, status int) bool {
	switch name {
	case "serverOverloaded", "internalServerError", "flexUnavailable", "policyCapacityUnavailable":
		return true
	case "httpConnectionFailed", "responseStreamConnectionFailed", "responseStreamDisconnected", "responseTooManyFailedAttempts":
		return status == 0 || status == 408 || status >= 500
	}
	return false
}

// named adds the endpoint's name to an error. The binary knows only the gateway's address, which means nothing to people.
func named(s agent.Session, v verdict) string {
	text := v.text
	if s.Upstream == "" {
		return text
	}
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		text = strings.ReplaceAll(text, u.Host, s.Upstream)
	}
	if (v.fault != "" || v.kind == agent.AuthFailed) && !strings.Contains(text, s.Upstream) {
		text += " (model endpoint " + s.Upstream + ")"
	}
	return text
}
