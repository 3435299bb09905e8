package base_test

import (
	"bufio"
	"os"
	"testing"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

// scripts reads a list of scripts, one a line.
func scripts(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if lines.Text() != "" {
			all = append(all, lines.Text())
		}
	}
	if len(all) < 200 {
		t.Fatalf("%s holds only %d scripts", file, len(all))
	}
	return all
}

// The tables are judged here through the whole policy: with the shell, folders and paths around them.
func TestWholePolicy(t *testing.T) {
	p, err := policy.New(policy.Config{Root: "/work/tree", Home: "/home/agent", Destructive: true, PrivateTmp: true, Loopback: true, Namespace: true})
	if err != nil {
		t.Fatal(err)
	}
	decide := func(script string) policy.Decision {
		return p.Decide(policy.Request{Role: task.Implementer, Command: script})
	}
	for _, s := range scripts(t, "testdata/allowed.txt") {
		if d := decide(s); d.Verdict != policy.Allow {
			t.Errorf("%s\n\tgot %s %s: %s", s, d.Verdict, d.Rule, d.Reason)
		}
	}
	for _, s := range scripts(t, "testdata/refused.txt") {
		if d := decide(s); d.Verdict == policy.Allow {
			t.Errorf("%s\n\tis allowed", s)
		} else if d.Reason == "" || d.Rule == "" {
			t.Errorf("%s\n\tis refused without a reason: %+v", s, d)
		}
	}
}
