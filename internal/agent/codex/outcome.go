package codex

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// outcome determines how the attempt ended.
func (a *attempt) outcome(ctx context.Context) (agent.Outcome, error) {
	o := agent.Outcome{Kind: agent.Errored, SessionID: a.thread, Resumed: a.resumed, Usage: a.report.usage, Turns: a.report.usage.Calls}
	if a.finished() {
		o.Kind, o.Text = agent.Completed, a.report.said
		return o, nil
	}
	if end := a.calls.Over(); end != nil {
		o.Kind, o.Text = end.End, end.Reason
		return o, nil
	}
	if a.over != nil && a.over.Status == "completed" && (a.exit.Success() || a.ended.Load()) {
		o.Kind, o.Text = agent.Completed, a.report.said
		return o, nil
	}
	if stopped, yes := program.Stopped(ctx, a.s, o); yes {
		return stopped, nil
	}
	switch {
	case a.over == nil:
		o.Text = program.Broken("codex ended without a result", a.exit, a.stderr)
		return o, nil
	case a.over.Error == nil:
		o.Text = program.Broken("codex ended its turn as "+a.over.Status, a.exit, a.stderr)
		return o, nil
	}
	return judge(*a.over.Error, a.report.limits, a.d.cfg.Now()).Outcome(o, a.s)
}

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
func judge(p problem, l limits, now time.Time) program.Verdict {
	v := program.Verdict{Kind: agent.Errored, Text: p.Message}
	name, status := p.what()
	switch {
	case name == "sessionBudgetExceeded" || strings.Contains(p.Message, program.BudgetMark):
		v.Kind = agent.Budget
	case name == "usageLimitExceeded" || name == "rateLimitExceeded" || status == 429:
		v.Kind = agent.Quota
		if v.Reset = l.reset(); v.Reset.IsZero() {
			v.Reset = resetTime(p.Message, now)
		}
		v.Throttled = name != "usageLimitExceeded" && v.Reset.IsZero()
	case name == "unauthorized" || status == 401 || status == 403:
		v.Kind = agent.AuthFailed
	case name == "modelNotFound":
		v.Fault, v.Hint = fault.Input, "choose a model that the endpoint serves"
	case isOutage(name, status) || name == "other" && strings.HasPrefix(p.Message, cutOff):
		v.Fault = fault.Infra // without a hint: nobody has to do anything
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
