package policy

import (
	"strings"
	"testing"
)

// TestEverydayCommandsAreAllowed holds the commands that agents run all day: none of them may stop a task with a question.
func TestEverydayCommandsAreAllowed(t *testing.T) {
	rows := corpus(t, "own-benign.jsonl")
	if len(rows) < 4000 {
		t.Fatalf("only %d rows; this would prove little", len(rows))
	}
	policies := map[string]*Policy{}
	for _, r := range rows {
		p := policies[r.Requires]
		if p == nil {
			p = newPolicy(t, requiredAll(t, r.Requires))
			policies[r.Requires] = p
		}
		if d := decide(p, r.Command); d.Verdict != Allow {
			t.Errorf("[%s %s] %q: %s %s: %s", r.Class, r.Requires, r.Command, d.Verdict, d.Rule, d.Reason)
		}
	}
}

// requiredAll returns the plain config with everything that a list of requirements names.
func requiredAll(t testing.TB, what string) Config {
	t.Helper()
	c := plainConfig()
	for _, one := range strings.Split(what, ",") {
		n := required(t, one)
		c.Registry = c.Registry || n.Registry
		c.Destructive = c.Destructive || n.Destructive
		c.PrivateTmp = c.PrivateTmp || n.PrivateTmp
		c.Loopback = c.Loopback || n.Loopback
		c.Namespace = c.Namespace || n.Namespace
		if len(n.Profiles) > 0 {
			c.Profiles = append(c.Profiles, n.Profiles...)
		}
	}
	return c
}
