package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

func TestOperatorPolicy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	for _, c := range []struct{ text, wrong string }{
		{"", ""},
		{"allow:\n  - {command: \"terraform plan *\", why: reads}\nprotected: [\"deploy/**\"]\n", ""},
		{"alow: []\n", "line 1: alow is no key here"},
		{"allow: ls\n", "line 1: cannot unmarshal"},
		{"allow:\n  - {command: \"rm -rf $HOME\"}\n", "allow[0]"},
	} {
		must(t, os.WriteFile(file, []byte(c.text), 0o600))
		_, err := operatorPolicy(load(t, "LONGSHIFT_POLICY="+file), true)
		if c.wrong == "" {
			must(t, err)
			continue
		}
		wantFault(t, err, fault.Input, "LONGSHIFT_POLICY", c.wrong)
	}
	_, err := operatorPolicy(load(t, "LONGSHIFT_POLICY=/none.yaml"), true)
	wantFault(t, err, fault.Input, "/none.yaml")
}

// What the operator allows is allowed, what the operator denies is denied, and the sandbox makes the rest of the difference.
func TestOperatorRulesHold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	must(t, os.WriteFile(file, []byte("allow:\n  - {command: \"terraform plan *\"}\ndeny:\n  - {command: \"npm run release\", why: people release}\n"), 0o600))
	got := map[string]policy.Verdict{}
	for _, sandboxed := range []bool{false, true} {
		c, err := operatorPolicy(load(t, "LONGSHIFT_POLICY="+file), sandboxed)
		must(t, err)
		c.Root = "/workspace"
		p, err := policy.New(c)
		must(t, err)
		for _, command := range []string{"terraform plan prod", "terraform apply", "npm run release", "npm ci"} {
			key := command
			if sandboxed {
				key += " in the sandbox"
			}
			got[key] = p.Decide(policy.Request{Role: task.Implementer, Command: command}).Verdict
		}
	}
	want := map[string]policy.Verdict{
		"terraform plan prod": policy.Allow, "terraform plan prod in the sandbox": policy.Allow, "npm run release": policy.Deny,
		"npm run release in the sandbox": policy.Deny, "npm ci": policy.Ask, "npm ci in the sandbox": policy.Allow,
		"terraform apply": got["terraform apply"], "terraform apply in the sandbox": got["terraform apply"],
	}
	if diff := cmp.Diff(want, got); diff != "" || got["terraform apply"] == policy.Allow {
		t.Error(diff)
	}
}

// Policy counts on the box only where it stands with every layer.
func TestPolicyKnowsTheBox(t *testing.T) {
	for _, c := range []struct {
		env              string
		sandboxed, boxed bool
	}{{"", true, true}, {"", false, false}, {"LONGSHIFT_SANDBOX_WITHOUT=limits", true, false},
		{"LONGSHIFT_SANDBOX_WITHOUT=landlock,seccomp", true, false}, {"LONGSHIFT_REGISTRIES=none", true, true}} {
		rules, err := operatorPolicy(load(t, c.env), c.sandboxed)
		must(t, err)
		if rules.Boxed != c.boxed {
			t.Errorf("%q, sandboxed %v: boxed %v", c.env, c.sandboxed, rules.Boxed)
		}
	}
}

// The names of tool chains and layers stand in two places, because the process's configuration knows no tasks and no sandbox.
func TestNamesAgree(t *testing.T) {
	for _, name := range task.Profiles() {
		if _, err := config.Load(lookup("LONGSHIFT_PROFILES=" + name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var layers []string
	for _, l := range sandbox.AllLayers() {
		layers = append(layers, string(l))
	}
	if diff := cmp.Diff(layers, config.Layers()); diff != "" {
		t.Error(diff)
	}
}
