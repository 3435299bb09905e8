package policy

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// tiered has rules of an operator and of settings for roles.
func tiered(boxed bool) Config {
	c := openConfig()
	c.Boxed = boxed
	readers := []task.Role{task.Planner, task.Reviewer}
	c.Allow = []Rule{{Command: "lintall *", Roles: readers}, {Command: "buildall"}}
	c.Granted = []Rule{{Command: "wordstat *", Roles: readers}, {Command: "codegen *", Roles: []task.Role{task.Implementer}},
		{Command: "git push *", Roles: task.Roles()}, {Command: "stopped *", Roles: task.Roles()}}
	c.Deny = []Rule{{Command: "stopped"}, {Command: "npm test", Roles: readers}}
	c.Ask = []Rule{{Command: "make", Roles: []task.Role{task.Implementer}}}
	c.Pkill = []string{"custom-server"}
	return c
}

func TestTiers(t *testing.T) {
	for _, x := range []struct {
		command           string
		planner, coder    Verdict
		bare, bareplanner Verdict
	}{
		{"lintall src", Allow, Ask, Ask, Deny},
		{"buildall", Deny, Allow, Allow, Deny},
		{"wordstat src", Allow, Ask, Ask, Ask},
		{"wordstat --option", Ask, Ask, Ask, Ask},
		{"wordstat /etc", Ask, Ask, Ask, Ask},
		{"wordstat src > /etc/x", Deny, Deny, Deny, Deny},
		{"codegen src", Ask, Allow, Ask, Ask},
		{"/usr/bin/codegen src", Ask, Ask, Ask, Ask},
		{"git push origin", Deny, Deny, Deny, Deny},
		{"stopped x", Deny, Deny, Deny, Deny},
		{"npm test", Deny, Allow, Allow, Deny},
		{"make", Deny, Ask, Ask, Deny},
		{"pkill -f custom-server", Deny, Allow, Allow, Deny},
		{"pkill custom-server2", Deny, Ask, Ask, Deny},
		{"pkill sshd", Deny, Ask, Ask, Deny},
	} {
		for boxed, want := range map[bool][2]Verdict{true: {x.planner, x.coder}, false: {x.bareplanner, x.bare}} {
			p := newPolicy(t, tiered(boxed))
			for i, role := range []task.Role{task.Planner, task.Implementer} {
				if d := p.Decide(Request{Role: role, Command: x.command}); d.Verdict != want[i] {
					t.Errorf("boxed %t, %s: %q: %+v, want %s", boxed, role, x.command, d, want[i])
				}
			}
		}
	}
	c := tiered(true)
	c.WriteOff = true
	if d := newPolicy(t, c).Decide(Request{Role: task.Planner, Command: "wordstat src"}); d.Verdict != Deny {
		t.Errorf("with writing off: %+v", d)
	}
	c = tiered(true)
	c.Namespace = false
	if d := decide(newPolicy(t, c), "pkill custom-server"); d.Verdict != Ask {
		t.Errorf("pkill where processes are shared: %+v", d)
	}
	c.Allow = []Rule{{Command: "x", Roles: []task.Role{"boss"}}}
	if _, err := New(c); err == nil || !strings.Contains(err.Error(), `allow[0].roles: "boss" is no role`) {
		t.Errorf("an unknown role: %v", err)
	}
}

// Settings that name every program of the collected attacks let no role do one more of them: they open only what has no table, and
// nothing outside of the sandbox.
func TestGrantedNeverOpensTheCorpora(t *testing.T) {
	var rows []row
	for _, name := range []string{"policy-bypass.jsonl", "policy-bypass-2.jsonl", "boxed-attacks.jsonl"} {
		rows = append(rows, corpus(t, name)...)
	}
	var granted []Rule
	for _, r := range rows {
		for _, word := range strings.FieldsFunc(r.Command, func(c rune) bool { return strings.ContainsRune(" \t\n;|&(){}<>`$\"'\\*?[]#~!", c) }) {
			if one := (Rule{Command: word + " *", Roles: task.Roles()}); validRule(one) {
				granted = append(granted, one)
			}
		}
	}
	for _, boxed := range []bool{false, true} {
		c := openConfig()
		c.Boxed = boxed
		before := newPolicy(t, c)
		c.Granted = granted
		after := newPolicy(t, c)
		for _, r := range rows {
			for _, role := range []task.Role{task.Planner, task.Implementer, task.Reviewer} {
				was := before.Decide(Request{Role: role, Command: r.Command})
				now := after.Decide(Request{Role: role, Command: r.Command})
				if now.Verdict == Allow && was.Verdict != Allow && (!boxed || was.Rule != "program.unknown") {
					t.Errorf("boxed %t, %s: %q was refused (%s) and is allowed", boxed, role, r.Command, was.Rule)
				}
			}
		}
	}
}

func validRule(r Rule) bool {
	_, err := compileRules("granted", []Rule{r})
	return err == nil
}
