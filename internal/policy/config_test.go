package policy

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/cputest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy/base"
	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/internal/policy/lang"
	"github.com/longshift/longshift/task"
)

func TestNewNamesWhatIsWrong(t *testing.T) {
	for want, c := range map[string]Config{
		`root: "" must`:                            {},
		`root: "tree" must`:                        {Root: "tree"},
		`root: "/" must`:                           {Root: "/"},
		`home: "x" must`:                           {Root: root, Home: "x"},
		`readable[1]: "lib" must`:                  {Root: root, Readable: []string{"/opt", "lib"}},
		`profiles[0]: "cobol" is no profile`:       {Root: root, Profiles: []string{"cobol"}},
		`protected[0]: "/etc" must be relative`:    {Root: root, Protected: []string{"/etc"}},
		`protected[1]: "../x" must be relative`:    {Root: root, Protected: []string{"a", "../x"}},
		`protected[0]: "[" is no valid glob`:       {Root: root, Protected: []string{"["}},
		`protected[0]: " " is empty`:               {Root: root, Protected: []string{" "}},
		`scopes: "boss" is no role`:                {Root: root, Scopes: map[task.Role]Scope{"boss": {}}},
		`scopes.planner.ignore[0]: "!x" must`:      {Root: root, Scopes: map[task.Role]Scope{task.Planner: {Ignore: []string{"!x"}}}},
		`allow[0].command: "" is empty`:            {Root: root, Allow: []Rule{{}}},
		`allow[1].command: "*" would match every`:  {Root: root, Allow: []Rule{{Command: "x"}, {Command: "*"}}},
		`deny[0].command: "git push; ls" holds`:    {Root: root, Deny: []Rule{{Command: "git push; ls"}}},
		`ask[0].command: "terraform * plan" holds`: {Root: root, Ask: []Rule{{Command: "terraform * plan"}}},
		`allow[0].command: "x $(y)" holds`:         {Root: root, Allow: []Rule{{Command: "x $(y)"}}},
	} {
		_, err := New(c)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("New: %v, want one line with %q", err, want)
		}
		if fault.KindOf(err) != fault.Input {
			t.Errorf("%q: kind %s", want, fault.KindOf(err))
		}
	}
}

func TestOperatorRules(t *testing.T) {
	c := openConfig()
	c.Allow = []Rule{{Command: "terraform plan *"}, {Command: "terraform apply"}, {Command: "deploytool check --fast *"}, {Command: "git fetch origin"}}
	c.Ask = []Rule{{Command: "npm run *", Why: "scripts are slow here"}, {Command: "git stash"}}
	c.Deny = []Rule{{Command: "make release"}, {Command: "terraform plan prod"}, {Command: "go generate"}}
	p := newPolicy(t, c)
	for command, want := range map[string]Verdict{
		"terraform plan": Allow, "terraform plan staging": Allow, "terraform plan staging modules/a": Allow, "terraform plan -var x=y": Deny, "terraform plan /etc/x": Deny, "terraform plan ../x": Deny,
		"terraform plan $x": Deny, "terraform plan $(curl evil)": Deny, "terraform plan .env": Deny, "terraform plan https://evil": Deny, "terraform plan prod": Deny, "terraform plan prod x": Deny,
		"terraform apply": Allow, "terraform apply x": Deny, "terraform apply > /etc/x": Deny, "LD_PRELOAD=x terraform apply": Deny, "terraform destroy": Deny, "terraform": Deny,
		"deploytool check --fast src": Allow, "deploytool check": Ask, "deploytool check --slow": Ask, "deploytool check --fast --all": Ask,
		"git fetch origin": Allow, "git fetch origin main": Deny, "git -C . fetch origin": Deny,
		"npm run build": Ask, "npm run": Ask, "npm test": Allow, "cd web && npm run build": Ask, "timeout 5 npm run build": Ask, "git stash": Ask, "git -C . stash": Ask, "git stash pop": Ask,
		"make release": Deny, "make build": Allow, "/usr/bin/make release": Deny, "go generate ./...": Deny, "go -C web generate": Deny, "ls; make release": Deny, "x=$(make release)": Deny,
	} {
		d := decide(p, command)
		if d.Verdict != want && !(want == Deny && d.Verdict == Ask && strings.HasPrefix(command, "terraform")) {
			t.Errorf("%q: %+v, want %s", command, d, want)
		}
	}
	if d := decide(p, "npm run x"); !strings.Contains(d.Reason, "scripts are slow here") || d.Rule != "rule.ask" {
		t.Errorf("the reason of a rule is not shown: %+v", d)
	}
	for _, r := range []task.Role{task.Planner, task.Reviewer} {
		if d := p.Decide(Request{Role: r, Command: "terraform plan"}); d.Verdict != Deny {
			t.Errorf("%s may run what an operator allows: %+v", r, d)
		}
	}
}

func TestProfiles(t *testing.T) {
	c := plainConfig()
	c.Profiles = []string{"go"}
	p := newPolicy(t, c)
	for command, want := range map[string]Verdict{"go test ./...": Allow, "npm test": Ask, "cargo test": Ask, "git status": Allow, "python x.py": Ask, "make": Allow} {
		if d := decide(p, command); d.Verdict != want {
			t.Errorf("%q: %+v, want %s", command, d, want)
		}
	}
	c.Profiles = []string{}
	if d := decide(newPolicy(t, c), "go test ./..."); d.Verdict != Ask {
		t.Errorf("no profile: %+v", d)
	}
}

func TestTablesCompile(t *testing.T) {
	for name, programs := range map[string][]grammar.Program{"base": base.Programs(), "lang": lang.Programs()} {
		seen := map[string]string{}
		for _, p := range programs {
			if _, err := grammar.Compile(p); err != nil {
				t.Error(err)
			}
			for _, n := range p.Names {
				if at, twice := seen[n]; twice {
					t.Errorf("%s: %s is in two tables: %s and %s", name, n, at, p.Names[0])
				}
				seen[n] = p.Names[0]
				if builtinNames[n] && n != "type" && n != "kill" && n != "command" {
					t.Logf("%s: the table of %s is never used, it is a part of the shell", name, n)
				}
			}
		}
		if len(seen) < 150 {
			t.Fatalf("%s: only %d names", name, len(seen))
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	p := newPolicy(t, openConfig())
	rows := append(corpus(t, "policy-benign.jsonl"), corpus(t, "policy-bypass.jsonl")...)
	want := make([]Decision, len(rows))
	for i, r := range rows {
		want[i] = decide(p, r.Command)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rows {
				i = (i + g*97) % len(rows)
				if d := decide(p, rows[i].Command); d != want[i] {
					t.Errorf("%q: %+v, alone %+v", rows[i].Command, d, want[i])
				}
			}
		}()
	}
	wg.Wait()
}

func TestLimits(t *testing.T) {
	p := newPolicy(t, openConfig())
	for name, script := range map[string]string{
		"many commands":  strings.Repeat("true; ", 16_000) + "curl evil.example",
		"many pipes":     "ls" + strings.Repeat(" | cat", 3_000) + "; curl evil.example",
		"deep":           strings.Repeat("$(", 5_000) + "ls" + strings.Repeat(")", 5_000),
		"deep loops":     strings.Repeat("while true; do ", 12) + "ls" + strings.Repeat("; done", 12) + "; curl evil.example",
		"deep for loops": strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 9) + "x=$i" + strings.Repeat("; done", 9) + "; curl evil.example",
		"braces":         "echo {1..100}{1..100}{1..100}",
		"braces deep":    "echo " + strings.Repeat("{a,", 600) + strings.Repeat("}", 600),
		"long word":      "curl " + strings.Repeat("a", 90_000),
		"many variables": strings.Repeat("a=1; b=$a; ", 3_000) + "if x; then a=2; fi; curl evil.example",
		"many branches":  strings.Repeat("if [ $x ]; then a=$b; else b=$a; fi; ", 1_000) + "curl evil.example",
		"arithmetic":     "echo $((" + strings.Repeat("(", 3_000) + "x" + strings.Repeat(")", 3_000) + "))",
		"many states":    strings.Repeat("for i in 1 2 3; do if [ $a ]; then a=$i; b=$a; c=$b; fi; ", 4) + "ls" + strings.Repeat("; done", 4) + strings.Repeat("; x=$a; y=$x", 2000) + "; curl evil.example",
		"while states":   strings.Repeat("while [ $a ]; do a=1; b=$a; cd src; ", 8) + "ls" + strings.Repeat("; done", 8) + "; curl evil.example",
		"many arrays":    strings.Repeat("a+=(1); ", 2_000) + "echo \"${a[@]}\"; curl evil.example",
		"many files":     strings.Repeat("echo x > f$((1)); ", 3_000) + "bash x.sh; curl evil.example",
		"many names": func() string {
			b := ""
			for i := range 4_000 {
				b += fmt.Sprintf("echo x > f%d; ", i)
			}
			return b + "for i in 1 2 3 4; do bash x$i.sh; done; curl evil.example"
		}(),
		"growing":         "x=a; " + strings.Repeat("x=$x$x; ", 40) + "curl evil.example",
		"growing words":   "x='a b'; " + strings.Repeat("x=\"$x $x\"; ", 24) + "ls $x; curl evil.example",
		"long":            strings.Repeat("#", MaxScript+1),
		"shell in shell":  strings.Repeat("bash -c ", 300) + "ls",
		"wrapped wrapped": strings.Repeat("timeout 5 ", 3_000) + "ls",
	} {
		var d Decision
		cputest.Bounded(t, name, func() { d = decide(p, script) })
		if d.Verdict == Allow || d.Rule == "internal" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if d := decide(p, strings.Repeat("true; ", 16_000)); d.Verdict != Allow {
		t.Errorf("a long harmless script: %+v", d)
	}
}

func TestBytes(t *testing.T) {
	p := newPolicy(t, plainConfig())
	for _, r := range []rune{0, 1, 7, 8, 0x0b, 0x0c, '\r', 0x1b, 0x7f, 0x80, 0x9b, 0xa0, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x2000, 0x2003, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029,
		0x202a, 0x202e, 0x202f, 0x205f, 0x2060, 0x2066, 0x2069, 0x3000, 0x3164, 0xfe00, 0xfeff, 0xfff9, 0xffa0, 0xe000, 0xfdd0, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0x10ffff} {
		if d := decide(p, "echo a"+string(r)+"b"); d.Verdict == Allow {
			t.Errorf("U+%04X outside quotes is allowed", r)
		}
		d := decide(p, "echo 'a"+string(r)+"b'")
		quotedFine := r == 0xa0 || r == 0x2000 || r == 0x2003 || r == 0x202f || r == 0x205f || r == 0x3000
		if (d.Verdict == Allow) != quotedFine {
			t.Errorf("U+%04X in quotes: %+v", r, d)
		}
	}
	for _, s := range []string{"echo \xff", "echo '\xc3\x28'", "echo '\xed\xa0\x80'", "\ufeffls"} {
		if d := decide(p, s); d.Verdict == Allow {
			t.Errorf("%q is allowed", s)
		}
	}
	for _, s := range []string{"echo 'Größe ✓ 日本 🎉 ⚠️'", "echo Größe", "echo 'a\tb'", "git commit -m 'naïve – “quoted”'"} {
		if d := decide(p, s); d.Verdict != Allow {
			t.Errorf("%q: %+v", s, d)
		}
	}
}
