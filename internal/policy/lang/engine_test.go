package lang_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

// everything is a policy whose conditions are all met, so that only the tables can refuse.
func everything(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.New(policy.Config{Root: "/w/tree", Home: "/home/agent", Destructive: true, Registry: true, PrivateTmp: true, Loopback: true, Namespace: true,
		Profiles: []string{"node", "bun", "python", "ruby", "go", "rust", "php", "jvm", "dotnet", "cpp"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCommandLines reads testdata/*.txt: a line is "allow", "ask", "deny" or "refuse" (ask or deny), a tab, and a command.
func TestCommandLines(t *testing.T) {
	p := everything(t)
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("one file for each profile: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			rows := 0
			for _, r := range lines(t, file) {
				want, command, ok := strings.Cut(r, "\t")
				if !ok {
					t.Fatalf("%s: no tab in %q", file, r)
				}
				rows++
				d := p.Decide(policy.Request{Role: task.Implementer, Command: command})
				refused := d.Verdict == policy.Ask || d.Verdict == policy.Deny
				if want == "refuse" && !refused || want != "refuse" && string(d.Verdict) != want {
					t.Errorf("want %s: %s\n\tgot %s %s: %s", want, command, d.Verdict, d.Rule, d.Reason)
				}
				if refused && d.Reason == "" {
					t.Errorf("no reason: %s", command)
				}
			}
			if rows < 10 {
				t.Errorf("only %d rows", rows)
			}
		})
	}
}

func lines(t testing.TB, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if l := s.Text(); l != "" && !strings.HasPrefix(l, "#") {
			all = append(all, l)
		}
	}
	return all
}
