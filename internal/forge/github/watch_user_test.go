package github

import (
	"testing"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/task"
)

func TestMayWrite(t *testing.T) {
	b := newBench(t)
	for login, level := range map[string]string{
		"owner": "admin", "maintainer": "write", "writer": "write", "reader": "read", "nobody": "none", "stranger": "missing",
		"octo_acme": "write", "robot": "write", "renovate[bot]": "write",
	} {
		b.server.SetPermission(repoName, login, level)
	}
	b.server.SetBot("robot")
	for _, c := range []struct {
		user  string
		want  bool
		calls int
	}{
		{"owner", true, 1}, {"maintainer", true, 1}, {"writer", true, 1}, {"WRITER", true, 1}, {"octo_acme", true, 1},
		{"reader", false, 1}, {"nobody", false, 1}, {"stranger", false, 1}, {"robot", false, 1},
		{"renovate[bot]", false, 0}, {"", false, 0}, {"../../user", false, 0}, {"a/b", false, 0}, {"writer?x", false, 0}, {"-x", false, 0},
	} {
		before := len(b.server.Calls())
		got, err := b.forge.MayWrite(t.Context(), shop(), c.user)
		if err != nil || got != c.want || len(b.server.Calls())-before != c.calls {
			t.Errorf("%q: %t, %v, %d calls", c.user, got, err, len(b.server.Calls())-before)
		}
	}
	// GitHub is asked every time, so a permission that was taken away is lost at once.
	b.server.SetPermission(repoName, "writer", "read")
	if got, err := b.forge.MayWrite(t.Context(), shop(), "writer"); err != nil || got {
		t.Errorf("after the right was taken away: %t, %v", got, err)
	}
}

func TestMayWriteFaults(t *testing.T) {
	b := newBench(t)
	const path = "/permission"
	b.server.Inject(forgetest.ServerError(502).On("GET", path), forgetest.Hung().On("GET", path))
	if got, err := b.forge.MayWrite(t.Context(), shop(), "alice"); err != nil || !got {
		t.Errorf("%t, %v", got, err)
	}
	b.server.Inject(forgetest.Fault{Status: 403, Text: "Must have push access to view collaborator permission."}.On("GET", path))
	if got, err := b.forge.MayWrite(t.Context(), shop(), "alice"); got || fault.KindOf(err) != fault.Denied {
		t.Errorf("%t, %v", got, err)
	}
	b.server.Inject(forgetest.SecondaryLimit(429, time.Minute).On("GET", path))
	got, err := b.forge.MayWrite(t.Context(), shop(), "alice")
	if wait := retryAfterOf(t, err); got || wait != time.Minute {
		t.Errorf("%t, wait %s", got, wait)
	}
	if got, err := b.forge.MayWrite(t.Context(), task.Repository{Text: "x", Owner: "acme", Name: "../user"}, "alice"); got || fault.KindOf(err) != fault.Input {
		t.Errorf("%t, %v", got, err)
	}
}

func TestWrites(t *testing.T) {
	for role, want := range map[string]bool{
		"admin": true, "maintain": true, "write": true, "triage": false, "read": false, "none": false, "": false, "Admin": false, "writer": false,
	} {
		if writes(role) != want {
			t.Errorf("%q: %t", role, !want)
		}
	}
}

func TestIsBot(t *testing.T) {
	for _, c := range []struct {
		login, kind string
		want        bool
	}{
		{"alice", "User", false}, {"robot", "Bot", true}, {"renovate[bot]", "User", true}, {"acme", "Organization", true},
		{"old", "Mannequin", true}, {"alice", "", true},
	} {
		if got := isBot(&gh.User{Login: &c.login, Type: &c.kind}); got != c.want {
			t.Errorf("%s of type %q: %t", c.login, c.kind, got)
		}
	}
	if !isBot(nil) {
		t.Error("an account that is gone is a person")
	}
}
