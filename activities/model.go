package activities

import (
	"context"
	"errors"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/task"
)

// model is a session's connection to its model. With a gateway, usage and limits are measured there;
// without one, they are what the agent reports.
type model struct {
	endpoint *gateway.Session // nil when agents talk to their own endpoint
	api      gateway.API      // by which it is asked
	name     string           // of the only model that it lets the agent ask; "" for any
}

// serves tells whether the session may ask its own model here.
func (m *model) serves(in SessionInput) bool { return m.api == in.api() && m.name == in.Model }

// usage returns the usage of the session over all its attempts on this host; zero without a gateway.
func (m *model) usage() task.Usage {
	if m.endpoint == nil {
		return task.Usage{}
	}
	return m.endpoint.Usage()
}

// finish lets no further call of the model begin.
func (m *model) finish() {
	if m.endpoint != nil {
		m.endpoint.Finish()
	}
}

func (m *model) close() task.Usage {
	if m.endpoint == nil {
		return task.Usage{}
	}
	return m.endpoint.Close()
}

// unwritten returns an error when the gateway could not record the cost of the session's calls; it allows no call then.
func (m *model) unwritten() error {
	if m.endpoint == nil {
		return nil
	}
	why := m.endpoint.State().LedgerError
	if why == "" {
		return nil
	}
	return fault.New(fault.Infra, "what the session's model calls cost can't be written down: %s", why).
		WithHint("make room on the disk of the data folder; the session continues where it stopped")
}

// spent tells until when the account's quota is used up, which is zero when the API does not say.
func (m *model) spent() (until time.Time, spent bool) {
	limit := m.endpoint.State().Limit
	if limit == nil {
		return time.Time{}, false
	}
	return limit.Reset, true
}

// failing tells since when the endpoint has failed every call, which is zero while it answers one.
func (m *model) failing() time.Time {
	state := m.endpoint.State()
	if state.InFlight > 0 {
		return time.Time{}
	}
	return state.FailingSince
}

// throttledPause is how long a session waits whose model endpoint has answered "too many requests", once for each attempt so far.
const throttledPause = 20 * time.Second

// throttled has a session that the endpoint only wants later tried again. At a later attempt, or if the gateway knows better, the quota counts as
// used up, as for Longshift's own agent.
func (m *model) throttled(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*agent.Throttled](err); !ok {
		return err
	}
	n := heartbeatOf(ctx).info.Attempt
	if n > mostThrottled {
		return nil
	}
	if m.endpoint != nil {
		if limit := m.endpoint.State().Limit; limit != nil && !limit.Vague() {
			return nil
		}
	}
	return &fault.Later{After: time.Duration(n) * throttledPause, Err: err}
}

// judge corrects the result of a session where the gateway knows more: that it refused a call because of the budget,
// and when the quota resets.
func (m *model) judge(res *SessionResult, out agent.Outcome) {
	if m.endpoint == nil || out.Kind == agent.Completed {
		return
	}
	state := m.endpoint.State()
	switch {
	case state.BudgetRefused:
		res.Kind = agent.Budget
	case state.Limit != nil && res.Kind == agent.Errored:
		res.Kind = agent.Quota
	case state.AuthRefused != "" && res.Kind == agent.Errored:
		res.Kind = agent.AuthFailed
	}
	if res.Kind == agent.Quota && res.Reset.IsZero() && state.Limit != nil {
		res.Reset = state.Limit.Reset
	}
}
