package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// The examples are read as a worker reads such files: a key that does not exist, or a value that can't be used, is an error.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	must(t, err)
	settings, policies := 0, 0
	for _, file := range files {
		if strings.HasSuffix(file, project.FileName) {
			settings++
			data, err := os.ReadFile(file)
			must(t, err)
			if _, err := project.Parse(data); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
			continue
		}
		policies++
		path, err := filepath.Abs(file)
		must(t, err)
		if _, err := operatorPolicy(load(t, "LONGSHIFT_POLICY="+path), true); err != nil {
			t.Error(err)
		}
	}
	if settings < 5 || policies != 1 {
		t.Errorf("%d settings and %d policies found in examples", settings, policies)
	}
}

// Each kind of rule in the example of a policy makes a difference to what is decided without it.
func TestExamplePolicyDecides(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", "policy.yaml"))
	must(t, err)
	got := map[string][2]policy.Verdict{}
	for i, settings := range [][]string{nil, {"LONGSHIFT_POLICY=" + path}} {
		c, err := operatorPolicy(load(t, settings...), true)
		must(t, err)
		c.Root = "/workspace"
		p, err := policy.New(c)
		must(t, err)
		for _, command := range []string{"acme-schema check db", "acme-schema fmt --write", "npm i left-pad", "make golden", "npm run release",
			"make deploy", "echo x > deploy/x"} {
			both := got[command]
			both[i] = p.Decide(policy.Request{Role: task.Implementer, Command: command}).Verdict
			got[command] = both
		}
	}
	want := map[string][2]policy.Verdict{
		"acme-schema check db": {policy.Ask, policy.Allow}, "acme-schema fmt --write": {policy.Ask, policy.Allow},
		"npm i left-pad": {policy.Allow, policy.Ask}, "make golden": {policy.Allow, policy.Ask},
		"npm run release": {policy.Allow, policy.Deny}, "make deploy": {policy.Ask, policy.Deny}, "echo x > deploy/x": {policy.Allow, policy.Deny},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without and with the example (-want +got):\n%s", diff)
	}
}
