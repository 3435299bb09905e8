package policy

import (
	"testing"

	"github.com/longshift/longshift/task"
)

func TestRolesAllowTheirClasses(t *testing.T) {
	p := newPolicy(t, openConfig())
	off := openConfig()
	off.WriteOff = true
	closed := newPolicy(t, off)
	readers := []task.Role{task.Planner, task.Reviewer, task.Manager}
	runners := []task.Role{task.Auditor, task.Verifier}
	for _, c := range []struct {
		command            string
		read, run, changes bool // who may
	}{
		{"git log -3", true, true, true},
		{"grep -rn foo src | head", true, true, true},
		{"ls 2>/dev/null", true, true, true},
		{"cat a 2>&1 >/dev/null", true, true, true},
		{"go test ./...", false, true, true},
		{"npm test", false, true, true},
		{"./scripts/test.sh", false, true, true},
		{"bash scripts/test.sh", false, true, true},
		{"bash -c 'ls'", false, true, true},
		{"go build -o bin/x .", false, false, true},
		{"echo x > f", false, false, true},
		{"> f", false, false, true},
		{"for i in 1; do ls; done > f", false, false, true},
		{"ls | tee f", false, false, true},
		{"touch f", false, false, true},
		{"sed -i s/a/b/ f", false, false, true},
		{"sort -o f f", false, false, true},
		{"git add .", false, false, true},
		{"git commit -m x", false, false, true},
		{"git stash", false, false, true},
		{"git checkout -b x", false, false, true},
		{"rm f", false, false, true},
		{"mv a b", false, false, true},
		{"gofmt -w main.go", false, false, true},
		{"find . -name x -delete", false, false, true},
		{"git ls-files | xargs sed -i s/a/b/", false, false, true},
		{"npm ci", false, false, true},
		{"go mod tidy", false, false, true},
		{"mkdir x", false, false, true},
		{"(cd src && touch f)", false, false, true},
		{"x=$(touch f)", false, false, true},
		{"cat <(touch f)", false, false, true},
	} {
		check := func(p *Policy, r task.Role, want bool) {
			t.Helper()
			d := p.Decide(Request{Role: r, Command: c.command})
			if (d.Verdict == Allow) != want {
				t.Errorf("%s: %q: %+v, want allowed %v", r, c.command, d, want)
			}
			if !want && d.Verdict != Deny {
				t.Errorf("%s: %q: %s, want a denial: nobody can answer for a role", r, c.command, d.Verdict)
			}
		}
		for _, r := range readers {
			check(p, r, c.read)
		}
		for _, r := range runners {
			check(p, r, c.run)
		}
		check(p, task.Implementer, c.changes)
		check(closed, task.Implementer, c.read)
		check(closed, task.Verifier, c.read)
	}
	if d := p.Decide(Request{Role: "root", Command: "ls"}); d.Verdict != Deny || d.Rule != "role.unknown" {
		t.Errorf("an unknown role: %+v", d)
	}
	if d := p.Decide(Request{Command: "ls"}); d.Verdict != Deny {
		t.Errorf("no role: %+v", d)
	}
}

func TestPlannerCannotWrite(t *testing.T) {
	p := newPolicy(t, openConfig())
	for _, l := range append(lines(t, "own-benign.txt"), tricky...) {
		d := p.Decide(Request{Role: task.Planner, Command: l})
		if d.Verdict != Allow {
			continue
		}
		closed := openConfig()
		closed.WriteOff = true
		if again := newPolicy(t, closed).Decide(Request{Role: task.Implementer, Command: l}); again.Verdict != Allow {
			t.Errorf("%q: a planner may, but with writing off nobody may: %+v", l, again)
		}
	}
}
