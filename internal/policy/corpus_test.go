package policy

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

type row struct {
	Command  string `json:"command"`
	Class    string `json:"class"`
	Expect   string `json:"expect"`
	Requires string `json:"requires"`
}

func corpus(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var rows []row
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

const root, home = "/work/tree", "/home/agent"

func plainConfig() Config { return Config{Root: root, Home: home} }

// openConfig has every permission there is.
func openConfig() Config {
	return Config{Root: root, Home: home, Profiles: knownProfiles, Destructive: true, Registry: true, PrivateTmp: true, Loopback: true, Namespace: true}
}

// required returns the plain config with what a row requires.
func required(t testing.TB, what string) Config {
	t.Helper()
	c := plainConfig()
	switch {
	case what == "":
	case what == "registry":
		c.Registry = true
	case what == "allow_destructive":
		c.Destructive = true
	case what == "private_tmp":
		c.PrivateTmp = true
	case what == "loopback":
		c.Loopback = true
	case what == "pid_namespace":
		c.Namespace = true
	case strings.HasPrefix(what, "profile:"):
		c.Profiles = append([]string{strings.TrimPrefix(what, "profile:")}, standardProfiles...)
	default:
		t.Fatalf("a row requires %q, which is not known", what)
	}
	return c
}

func newPolicy(t testing.TB, c Config) *Policy {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decide(p *Policy, command string) Decision {
	return p.Decide(Request{Role: task.Implementer, Command: command})
}

func TestNoBypassIsAllowed(t *testing.T) {
	rows := corpus(t, "policy-bypass.jsonl")
	if len(rows) < 400 {
		t.Fatalf("only %d rows; this would prove little", len(rows))
	}
	for name, c := range map[string]Config{"plain": plainConfig(), "everything on": openConfig()} {
		p := newPolicy(t, c)
		for _, r := range rows {
			d := decide(p, r.Command)
			if d.Verdict == Allow {
				t.Errorf("%s: allowed [%s] %q", name, r.Class, r.Command)
			} else if d.Rule == "" || d.Reason == "" || d.Rule == "internal" {
				t.Errorf("%s: %q is refused without a ground: %+v", name, r.Command, d)
			}
		}
	}
}

func TestBenignIsAllowed(t *testing.T) {
	rows := corpus(t, "policy-benign.jsonl")
	plain, refused := 0, 0
	for _, r := range rows {
		d := decide(newPolicy(t, required(t, r.Requires)), r.Command)
		if r.Requires == "" {
			plain++
		}
		if d.Verdict == Allow {
			continue
		}
		if r.Requires == "" {
			refused++
		}
		t.Errorf("[%s %s] %q: %s %s: %s (%s)", r.Class, r.Requires, r.Command, d.Verdict, d.Rule, d.Reason, d.Part)
	}
	if plain < 250 {
		t.Fatalf("only %d rows without requirements; this would prove little", plain)
	}
	t.Logf("%d of %d rows without requirements allowed", plain-refused, plain)
}
