package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/jsonrpc"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/fault"
)

// outcome determines how the attempt ended.
func (a *attempt) outcome(ctx context.Context) (agent.Outcome, error) {
	o := agent.Outcome{Kind: agent.Errored, SessionID: a.id, Resumed: a.resumed, Usage: a.usage}
	if a.finished() || a.done {
		o.Kind, o.Text = agent.Completed, a.spoken.last
		return o, nil
	}
	if end := a.calls.Over(); end != nil {
		o.Kind, o.Text = end.End, end.Reason
		return o, nil
	}
	if why, yes := spent(ctx); yes {
		return program.Verdict{Kind: agent.Quota, Text: why.Error(), Reset: why.until, Throttled: why.until.IsZero()}.Outcome(o, a.s)
	}
	if errors.Is(context.Cause(ctx), errOutage) {
		return program.Verdict{Kind: agent.Errored, Text: errOutage.Error(), Fault: fault.Infra}.Outcome(o, a.s)
	}
	if stopped, yes := program.Stopped(ctx, a.s, o); yes {
		return stopped, nil
	}
	if a.failed == nil && a.ended != "" {
		o.Text = "opencode ended its turn without a result: " + a.ended
		return o, nil
	}
	if a.failed == nil {
		o.Text = program.Broken("opencode ended without a result", a.exit, a.stderr)
		return o, nil
	}
	return judge(*a.failed).Outcome(o, a.s)
}

// problem is what a model endpoint says, of which the binary passes on the message, or the whole when there is none.
type problem struct {
	Error struct {
		Type    string `json:"type"`
		Code    any    `json:"code"` // a number on some servers
		Message string `json:"message"`
	} `json:"error"`
}

var (
	// placeText begins what an API says of a part of the request, whose place is no status.
	placeText  = regexp.MustCompile(`^(?:messages|tools|system|input)[.\[]`)
	quotaText  = regexp.MustCompile(`(?i)rate.?limit|insufficient_quota|usage.?limit|quota|too many requests|\b429\b`)
	accessText = regexp.MustCompile(`(?i)invalid.{0,5}api.?key|incorrect api key|authentication|unauthori[sz]ed|permission_error|\b40[13]\b`)
	modelText  = regexp.MustCompile(`(?i)model_?not_?found|not_found_error|model .{1,80}(?:does not exist|not found)`)
	outageText = regexp.MustCompile(`(?i)server_error|overloaded|api_error|unable to connect|connection|socket|fetch failed|econn|timed? ?out|unavailable|bad gateway|\b5\d\d\b`)
)

// nameOf is the name of a session's error; "" for one of the protocol.
func nameOf(e jsonrpc.Error) string {
	var data struct {
		Name string `json:"errorName"`
	}
	_ = json.Unmarshal(e.Data, &data) // without it there is no name
	return data.Name
}

// judge interprets the error of a prompt.
func judge(e jsonrpc.Error) program.Verdict {
	text, name := strings.TrimPrefix(e.Message, "Internal error: "), nameOf(e)
	v := program.Verdict{Kind: agent.Errored, Text: text}
	var p problem
	if json.Unmarshal([]byte(text), &p) == nil && p.Error.Message != "" {
		v.Text = p.Error.Message
	}
	switch {
	case strings.Contains(text, program.BudgetMark):
		v.Kind = agent.Budget
	case name == "ContextOverflowError":
		v.Text = "the conversation no longer fits the model: " + v.Text
	case placeText.MatchString(v.Text):
	case quotaText.MatchString(text):
		v.Kind = agent.Quota
	case accessText.MatchString(text) || name == "ProviderAuthError":
		v.Kind = agent.AuthFailed
	case modelText.MatchString(text):
		v.Fault, v.Hint = fault.Input, "choose a model that the endpoint serves"
	case outageText.MatchString(text):
		v.Fault = fault.Infra // without a hint: nobody has to do anything
	}
	return v
}
