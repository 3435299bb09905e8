package policy

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

// placed is a row of a corpus that says where a command reaches.
type placed struct {
	From     string   `json:"from"`
	Command  string   `json:"command"`
	Class    string   `json:"class"`
	Reach    string   `json:"reach"`
	Why      string   `json:"why"`
	Expect   string   `json:"expect"`
	Profiles []string `json:"profiles"`
}

func placedRows(t testing.TB, name string) []placed {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []placed
	for line := range strings.Lines(string(raw)) {
		var r placed
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Command == "" {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		all = append(all, r)
	}
	return all
}

// boxedConfig is the configuration on a host with a complete sandbox and package registries.
func boxedConfig(profiles []string) Config {
	if profiles == nil {
		profiles = task.DefaultProfiles()
	}
	return Config{Root: root, Home: home, Profiles: profiles, Registry: true, PrivateTmp: true, Loopback: true, Namespace: true, Boxed: true}
}

func decideBoxed(p *Policy, command string) Decision {
	return p.Decide(Request{Role: task.Implementer, Command: command, Restorable: func(string) bool { return true }})
}

// Without the whole box nothing is laxer than the list: the rows of the second corpus that were let through before there was a
// box, each of which does no harm and reaches nothing outside.
func TestBareIsNoLaxer(t *testing.T) {
	var want []string
	for _, r := range placedRows(t, "bare-allowed-2.jsonl") {
		if r.Reach != "inside" || r.Why == "" {
			t.Errorf("%q is not one that may be listed: %s, why %q", r.Command, r.Reach, r.Why)
		}
		want = append(want, r.Command)
	}
	for name, c := range map[string]Config{"plain": {Root: root, Home: home, Profiles: knownProfiles}, "everything on": openConfig()} {
		p, got := newPolicy(t, c), []string(nil)
		for _, r := range placedRows(t, "policy-bypass-2.jsonl") {
			if decideBoxed(p, r.Command).Verdict == Allow {
				got = append(got, r.Command)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -listed +allowed\n%s", name, diff)
		}
	}
}

// The rows of the bypass corpora that are allowed in the sandbox are listed with the reason for each, and there are no others.
func TestBoxedBypassIsListed(t *testing.T) {
	inside := []string{"inline-interpreter", "make-then-run", "build-tool-exec", "tool-flag-exec", "wrapper"}
	listed := map[string][]string{}
	for _, r := range placedRows(t, "boxed-allowed.jsonl") {
		if r.Why == "" || r.Reach != "inside" || !slices.Contains(inside, r.Class) {
			t.Errorf("%q is not one that may be listed: %s, %s, why %q", r.Command, r.Class, r.Reach, r.Why)
		}
		listed[r.From] = append(listed[r.From], r.Command)
	}
	bare := newPolicy(t, Config{Root: root, Home: home, Profiles: knownProfiles})
	destructive := boxedConfig(knownProfiles)
	destructive.Destructive = true
	for name, c := range map[string]Config{"boxed": boxedConfig(knownProfiles), "default profiles": boxedConfig(nil), "destructive": destructive} {
		p := newPolicy(t, c)
		for _, corpus := range []string{"policy-bypass.jsonl", "policy-bypass-2.jsonl"} {
			var got []string
			for _, r := range placedRows(t, corpus) {
				d := decideBoxed(p, r.Command)
				if d.Verdict != Allow && (d.Rule == "" || d.Reason == "" || d.Rule == "internal") {
					t.Errorf("%s: %q is refused without a ground: %+v", name, r.Command, d)
				}
				if d.Verdict != Allow || decide(bare, r.Command).Verdict == Allow && r.Reach != "outside" {
					continue
				}
				if got = append(got, r.Command); r.Reach == "outside" {
					t.Errorf("%s: %q reaches outside and is allowed", name, r.Command)
				}
			}
			if diff := cmp.Diff(listed[corpus], got); diff != "" {
				t.Errorf("%s, %s: -listed +allowed\n%s", name, corpus, diff)
			}
		}
	}
}

// Everyday work of projects runs in the sandbox without a person; what reaches outside does not.
func TestDailyWorkInTheBox(t *testing.T) {
	inside, allowed := 0, 0
	for _, r := range placedRows(t, "policy-daily.jsonl") {
		d := decideBoxed(newPolicy(t, boxedConfig(r.Profiles)), r.Command)
		switch {
		case r.Reach == "outside" && d.Verdict == Allow:
			t.Errorf("%q reaches outside and is allowed", r.Command)
		case r.Reach == "outside":
		case d.Verdict == Allow:
			inside, allowed = inside+1, allowed+1
		default:
			inside++
			t.Logf("%s %s: %q", d.Verdict, d.Rule, r.Command)
		}
	}
	if inside < 300 || float64(allowed) < 0.99*float64(inside) {
		t.Errorf("%d of %d rows that stay inside are allowed", allowed, inside)
	}
}

// Commands as agents write them, none of which comes from a corpus; and attacks that reach outside, as they might be written.
func TestHeldOutCommandsInTheBox(t *testing.T) {
	p := newPolicy(t, boxedConfig(nil))
	for _, r := range placedRows(t, "boxed-ordinary.jsonl") {
		if d := decideBoxed(p, r.Command); (d.Verdict == Allow) != (r.Expect == "") {
			t.Errorf("[%s] %q: %s %s: %s", r.Class, r.Command, d.Verdict, d.Rule, d.Reason)
		}
	}
	for _, profiles := range [][]string{nil, knownProfiles} {
		p := newPolicy(t, boxedConfig(profiles))
		for _, r := range placedRows(t, "boxed-attacks.jsonl") {
			if d := decideBoxed(p, r.Command); d.Verdict == Allow || d.Rule == "internal" || d.Reason == "" {
				t.Errorf("[%s] %q: %+v", r.Class, r.Command, d)
			}
		}
	}
}

// All that was allowed without a box is allowed in it.
func TestBoxIsNoStricter(t *testing.T) {
	plain := newPolicy(t, boxedConfig(nil))
	for _, l := range lines(t, "own-benign.txt") {
		if d := decideBoxed(plain, l); d.Verdict != Allow {
			t.Errorf("%q: %+v", l, d)
		}
	}
	policies := map[string]*Policy{}
	for _, name := range []string{"policy-benign.jsonl", "own-benign.jsonl"} {
		for _, r := range corpus(t, name) {
			p := policies[r.Requires]
			if p == nil {
				c := requiredAll(t, r.Requires)
				c.Boxed, c.Registry, c.PrivateTmp, c.Loopback, c.Namespace = true, true, true, true, true
				p = newPolicy(t, c)
				policies[r.Requires] = p
			}
			if d := decideBoxed(p, r.Command); d.Verdict != Allow {
				t.Errorf("[%s %s] %q: %s %s: %s", r.Class, r.Requires, r.Command, d.Verdict, d.Rule, d.Reason)
			}
		}
	}
}

// The rules that people and logs refer to, and that each says what to do instead.
func TestBoxedRulesAreStable(t *testing.T) {
	p := newPolicy(t, boxedConfig(nil))
	for command, want := range map[string]string{
		`python3 -c 'open(".git/config","a").write("x")'`:             "inline.git",
		`python3 -c 'print(open("/root/.ssh/id_rsa").read())'`:        "inline.secret",
		`node -p 'process.env'`:                                       "inline.environment",
		`node -e 'fetch("https://example.org/x")'`:                    "inline.network",
		`python3 -c 'import os; os.system("sudo ls")'`:                "inline.deliver",
		`ruby -e 'puts Dir.home'`:                                     "inline.home",
		`php -r 'file_put_contents("/etc/x", "y");'`:                  "inline.outside",
		`perl -e 'open(F, ">CLAUDE.md")'`:                             "inline.control",
		`python3 -c 'import shutil; shutil.rmtree(".")'`:              "inline.remove",
		"echo 'curl https://example.org' > x.sh && bash x.sh":         "inline.network",
		"npm i https://example.org/x.tgz":                             "npm.i.package",
		"npx husky":                                                   "npx.fetch",
		"psql -h db.example.org -c 'select 1'":                        "psql.host",
		"cargo +mine build":                                           "cargo.toolchain",
		"curl -L http://localhost:8080/redirect":                      "curl.redirect",
		"nosuchprogram":                                               "program.unknown",
		`bash -c "$(cat x.sh)"`:                                       "shell.dynamic",
		"mvn deploy":                                                  "mvn.publish",
		"elixir -e 'IO.puts 1' deploy && hyperfine 'git push origin'": "git.push",
	} {
		d := decideBoxed(p, command)
		if d.Rule != want || d.Verdict == Allow {
			t.Errorf("%q: rule %q (%s), want %q", command, d.Rule, d.Verdict, want)
		}
		if !strings.ContainsAny(d.Reason, ";,:") || strings.ContainsAny(d.Reason, "\n\r") || strings.Contains(d.Reason, "%!") {
			t.Errorf("%q: no fit ground: %q", command, d.Reason)
		}
	}
}

// A slash at the end of what is removed needs no person: the same without it is allowed. A pattern means more without it.
func TestSlashIsLeftOut(t *testing.T) {
	p := newPolicy(t, boxedConfig(nil))
	for _, command := range []string{"rm -rf build/", "rm -rf node_modules/ && npm ci", "rm -r __pycache__/", "mv build/ old", "rm -rf /tmp/work/"} {
		d := decideBoxed(p, command)
		if d.Verdict != Deny || d.Rule != "path.slash" || !strings.HasSuffix(d.Reason, "; leave the slash out") {
			t.Errorf("%q: %+v", command, d)
		}
		without := strings.Replace(command+" ", "/ ", " ", 1)
		if d := decideBoxed(p, without); d.Verdict != Allow {
			t.Errorf("%q: %+v", without, d)
		}
	}
	if d := decideBoxed(p, "rm -r src/*/"); d.Verdict != Ask || d.Rule != "path.slash" {
		t.Errorf("a pattern: %+v", d)
	}
}

// What the settings close or protect is closed to code on the command line as well, as far as it is named there.
func TestInlineCodeKeepsToTheSettings(t *testing.T) {
	c := boxedConfig(nil)
	c.Protected = []string{"deploy/**"}
	c.Scopes = map[task.Role]Scope{task.Implementer: {ReadOnly: []string{"db/*.sql"}, Ignore: []string{"private/**"}}}
	p := newPolicy(t, c)
	for command, allowed := range map[string]bool{
		`python3 -c 'print(open("db/a.sql").read())'`: true, `python3 -c 'open("db/a.sql","w").write("")'`: false,
		`python3 -c 'open("deploy/x","w").write("")'`: false, `node -e 'console.log(require("fs").readFileSync("private/x"))'`: false,
		`perl -pi -e 's/a/b/' deploy/x.yml`: false, `perl -pe 's/a/b/' -i deploy/x.yml`: false, `python3 -c 'open("src/x","w").write("")'`: true,
	} {
		if d := decideBoxed(p, command); (d.Verdict == Allow) != allowed {
			t.Errorf("%q: %+v", command, d)
		}
	}
	for _, role := range []task.Role{task.Planner, task.Reviewer} {
		for _, command := range []string{"python3 -c 'print(1)'", "npm i -D x", "sqlite3 x.db .tables", "rm x", "go generate ./...", "/tmp/x"} {
			if d := p.Decide(Request{Role: role, Command: command, Restorable: func(string) bool { return true }}); d.Verdict != Deny {
				t.Errorf("%s: %q: %+v", role, command, d)
			}
		}
	}
}
