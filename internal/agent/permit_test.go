package agent

import (
	"context"
	"testing"
)

func TestAsk(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	allow := func(context.Context, Call) Decision {
		return Decision{Allow: true, Input: []byte(`{}`), Reason: "mind this"}
	}
	for name, c := range map[string]struct {
		permit Permit
		ctx    context.Context
		want   Decision
	}{
		"allowed":       {allow, t.Context(), Decision{Allow: true, Input: []byte(`{}`), Reason: "mind this"}},
		"nil":           {nil, t.Context(), Decision{Reason: "tools are off in this session"}},
		"zero":          {func(context.Context, Call) Decision { return Decision{} }, t.Context(), Decision{Reason: "not allowed in this session"}},
		"end wins":      {func(context.Context, Call) Decision { return Decision{Allow: true, End: Looped, Input: []byte(`{}`)} }, t.Context(), Decision{End: Looped, Reason: "not allowed in this session"}},
		"panic":         {func(context.Context, Call) Decision { panic("oops") }, t.Context(), Decision{Reason: "the check of this call broke down; it was not made"}},
		"too late":      {allow, ended, Decision{Reason: "the session ended before this call was decided on; it was not made"}},
		"never returns": {func(context.Context, Call) Decision { select {} }, ended, Decision{Reason: "the session ended before this call was decided on; it was not made"}},
	} {
		d := c.permit.Ask(c.ctx, Call{Tool: "Bash"})
		if d.Allow != c.want.Allow || d.Reason != c.want.Reason || d.End != c.want.End || string(d.Input) != string(c.want.Input) {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
