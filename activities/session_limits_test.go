package activities

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// The gateway decides how a session ended where it knows better than the agent.
func TestLimitsAreJudgedByTheGateway(t *testing.T) {
	t.Parallel()
	reset := time.Now().Add(3 * time.Hour).Truncate(time.Second).UTC()
	rejected := refuses(http.StatusTooManyRequests, "rate_limit_error", "usage limit reached", map[string]string{
		"Anthropic-Ratelimit-Unified-Status": "rejected", "Anthropic-Ratelimit-Unified-Representative-Claim": "five_hour",
		"Anthropic-Ratelimit-Unified-Reset": strconv.FormatInt(reset.Unix(), 10)})
	pause := refuses(http.StatusTooManyRequests, "rate_limit_error", "slow down", map[string]string{"Retry-After": "1"})
	poor := refuses(http.StatusBadRequest, "invalid_request_error", "Your credit balance is too low", nil)
	failed := agent.Outcome{Kind: agent.Errored, Text: "API error"}
	earlier := reset.Add(-time.Hour)
	b := newBench(t, map[string]agent.Agent{})
	u := b.useModel(replies)
	b.prepare()
	for _, c := range []struct {
		name    string
		answer  func(http.ResponseWriter)
		ceiling float64
		ends    agent.Outcome
		want    agent.OutcomeKind
		reset   time.Time
		calls   int32
	}{
		{"quota gone", rejected, 5, failed, agent.Quota, reset, 1},
		{"quota gone, and the agent knows when it is back", rejected, 5, agent.Outcome{Kind: agent.Quota, Reset: earlier}, agent.Quota, earlier, 1},
		{"quota gone, and the agent does not know when it is back", rejected, 5, agent.Outcome{Kind: agent.Quota}, agent.Quota, reset, 1},
		{"no money in the account", poor, 5, failed, agent.Quota, time.Time{}, 1},
		{"a short pause is no quota", pause, 5, failed, agent.Errored, time.Time{}, 1},
		{"no budget", replies, -1, failed, agent.Budget, time.Time{}, 0},
		{"no budget, and quota gone before", rejected, -1, agent.Outcome{Kind: agent.Turns}, agent.Budget, time.Time{}, 0},
		{"no budget, but complete all the same", replies, -1, agent.Outcome{Kind: agent.Completed}, agent.Completed, time.Time{}, 0},
		{"login refused", refuses(http.StatusUnauthorized, "authentication_error", "no", nil), 5, agent.Outcome{Kind: agent.AuthFailed}, agent.AuthFailed, time.Time{}, 1},
		{"budget enough", replies, 5, failed, agent.Errored, time.Time{}, 1},
		{"no ceiling", replies, 0, failed, agent.Errored, time.Time{}, 1},
	} {
		u.answer = c.answer
		b.Agents["script"] = asking(c.ends)
		in := b.session(task.Implementer, "script")
		in.Ask, in.CeilingUSD = 2, c.ceiling // a session that is asked for once could take over the refusal before
		before := u.calls.Load()
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if res.Kind != c.want || !res.Reset.Equal(c.reset) || u.calls.Load()-before != c.calls {
			t.Errorf("%s: %s, reset %s, %d calls; want %s, %s, %d", c.name, res.Kind, res.Reset, u.calls.Load()-before, c.want, c.reset, c.calls)
		}
	}
}

// A session that is only asked to come later is tried again, and after some attempts, or when the gateway knows of it, the quota counts as used up.
func TestThrottledSession(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	u := b.useModel(refuses(http.StatusTooManyRequests, "rate_limit_error", "slow down", map[string]string{"Retry-After": "1"}))
	b.prepare()
	asks := 1
	b.Agents["script"] = &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		var err error
		for range asks {
			_, err = askModel(ctx, s)
		}
		return agent.Outcome{Kind: agent.Quota, Text: "slow down"}, cmp.Or[error](err, &agent.Throttled{Err: fault.New(fault.Infra, "slow down")})
	}}
	try := func(number int32) (SessionResult, error) {
		a, in := b.attempt(), b.session(task.Implementer, "script")
		a.number, in.Ask = number, 2
		return a.session(b.Sessions, in)
	}
	for number, pause := range map[int32]time.Duration{1: 20 * time.Second, mostThrottled: time.Minute} {
		if _, err := try(number); applicationError(t, err).NextRetryDelay() != pause {
			t.Errorf("attempt %d: %v", number, err)
		}
	}
	if res, err := try(mostThrottled + 1); err != nil || res.Kind != agent.Quota || res.Error != "slow down" {
		t.Errorf("the last attempt: %+v, %v", res, err)
	}
	u.answer = refuses(http.StatusTooManyRequests, "rate_limit_error", "used up", map[string]string{"Retry-After": "3600"})
	if res, err := try(1); err != nil || res.Kind != agent.Quota || res.Reset.IsZero() {
		t.Errorf("a quota that the gateway knows of: %+v, %v", res, err)
	}
	// Refusals that persist and say nothing more are no quota that is known.
	u.answer = refuses(http.StatusTooManyRequests, "rate_limit_error", "slow down", nil)
	var reads atomic.Int64
	b.Gateway = newGatewayAt(t, func() time.Time { return time.Unix(2*reads.Add(1), 0) }, u.URL)
	b.start()
	asks = 5
	if _, err := try(1); applicationError(t, err).NextRetryDelay() != 20*time.Second {
		t.Errorf("refusals that persist: %v", err)
	}
	if res, err := try(mostThrottled + 1); err != nil || res.Kind != agent.Quota || !res.Reset.IsZero() {
		t.Errorf("refusals that persist at the last attempt: %+v, %v", res, err)
	}
}

// Sessions that were meant for an account before their tasks could know that it is used up take the refusal of the one before, and the account
// is not asked again.
func TestOneRefusalSparesTheOthers(t *testing.T) {
	t.Parallel()
	used := refuses(http.StatusBadRequest, "invalid_request_error", "Your credit balance is too low", nil)
	p := &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		if status, err := askModel(ctx, s); err != nil || status != http.StatusOK {
			return agent.Outcome{Kind: agent.Errored, Text: "no money"}, err
		}
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
	b := newBench(t, map[string]agent.Agent{"script": p, "other": p})
	u := b.useModel(used)
	start := time.Now()
	now := start
	b.Now = func() time.Time { return now }
	b.start()
	b.prepare()
	for _, c := range []struct {
		name, agent, model string
		ask                int
		after              time.Duration
		answer             func(http.ResponseWriter)
		want               agent.OutcomeKind
		calls              int32
	}{
		{"the first", "script", "sonnet", 1, 0, used, agent.Quota, 1},
		{"the next one", "script", "sonnet", 1, 0, used, agent.Quota, 0},
		{"another model", "script", "opus", 1, 0, replies, agent.Completed, 1},
		{"another agent", "other", "sonnet", 1, 0, replies, agent.Completed, 1},
		{"just before all know", "script", "sonnet", 1, newsWithin - time.Second, used, agent.Quota, 0},
		{"asked for again", "script", "sonnet", 2, newsWithin - time.Second, used, agent.Quota, 1},
		{"when all know", "script", "sonnet", 1, 2 * newsWithin, used, agent.Quota, 1},
		{"a person has paid", "script", "sonnet", 2, 2*newsWithin + time.Second, replies, agent.Completed, 1},
		{"after that", "script", "sonnet", 1, 2*newsWithin + 2*time.Second, replies, agent.Completed, 1},
	} {
		u.answer, now = c.answer, start.Add(c.after)
		in := b.session(task.Implementer, c.agent)
		in.Model, in.Ask = c.model, c.ask
		before := u.calls.Load()
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		if calls := u.calls.Load() - before; res.Kind != c.want || calls != c.calls {
			t.Errorf("%s: %s, %d calls; want %s, %d", c.name, res.Kind, calls, c.want, c.calls)
		}
		if res.Kind == agent.Quota && res.Error != "no money" {
			t.Errorf("%s: it says %q", c.name, res.Error)
		}
	}
}

// A session takes over no refusal whose reset has passed, or that is an hour old, however long it has waited for its slot.
func TestRefusalsPass(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	in := SessionInput{Ask: 1, Agent: "claude", Model: "sonnet"}
	for _, c := range []struct {
		reset, after time.Duration
		want         bool
	}{
		{0, 59 * time.Minute, true}, {0, time.Hour, false},
		{time.Minute, 59 * time.Second, true}, {time.Minute, time.Minute, false},
		{24 * time.Hour, 59 * time.Minute, true}, {24 * time.Hour, time.Hour, false},
	} {
		var r refusals
		res := SessionResult{Kind: agent.Quota, Error: "used up"}
		if c.reset > 0 {
			res.Reset = at.Add(c.reset)
		}
		r.note(in, at, at, res)
		if _, ok := r.spare(in, at.Add(-time.Hour), at.Add(c.after)); ok != c.want {
			t.Errorf("reset after %s, %s later: %v", c.reset, c.after, ok)
		}
	}
}

// Usage is what the gateway has counted over all attempts of the session. Without a gateway it is what the agent reports.
func TestUsage(t *testing.T) {
	t.Parallel()
	said := task.Usage{Input: 1, Output: 2, CostUSD: 3}
	p := asking(agent.Outcome{Kind: agent.Completed, Usage: said})
	b := newBench(t, map[string]agent.Agent{"script": p})
	u := b.useModel(replies)
	b.prepare()
	in := b.session(task.Implementer, "script")
	for ask := 1; ask <= 3; ask++ {
		in.Ask = ask
		in.CeilingUSD = 0.011 // two calls of $0.0045 fit, the third exceeds it, the fourth is refused
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		want := task.Usage{Input: int64(1000 * ask), Output: int64(100 * ask), Calls: ask, CostUSD: 0.0045 * float64(ask)}
		if math.Abs(res.Usage.CostUSD-want.CostUSD) > 1e-9 {
			t.Errorf("ask %d cost $%f, want $%f", ask, res.Usage.CostUSD, want.CostUSD)
		}
		if res.Usage.CostUSD = want.CostUSD; res.Usage != want {
			t.Errorf("ask %d used %+v, want %+v", ask, res.Usage, want)
		}
	}
	p.play = asking(agent.Outcome{Kind: agent.Errored, Text: "refused"}).play
	in.Ask = 4
	res, err := b.attempt().session(b.Sessions, in)
	if err != nil || res.Kind != agent.Budget || res.Usage.Calls != 3 || u.calls.Load() != 3 {
		t.Errorf("above the ceiling: %+v after %d calls, %v", res, u.calls.Load(), err)
	}
	b.Gateway = nil
	b.start()
	b.Agents["script"] = outcome(agent.Outcome{Kind: agent.Completed, Usage: said})
	res, err = b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	if err != nil || res.Usage != said {
		t.Errorf("without a gateway: %+v, %v", res.Usage, err)
	}
}
