package policy

import (
	"os"
	"strings"
	"testing"
)

// lines reads one command a line; "⏎" is a line end.
func lines(t testing.TB, name string) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for l := range strings.Lines(string(raw)) {
		if l = strings.TrimSuffix(l, "\n"); l != "" {
			all = append(all, strings.ReplaceAll(l, "⏎", "\n"))
		}
	}
	if len(all) < 200 {
		t.Fatalf("%s: only %d lines", name, len(all))
	}
	return all
}

func TestOwnBypassVariantsAreRefused(t *testing.T) {
	plain, open := newPolicy(t, plainConfig()), newPolicy(t, openConfig())
	for _, l := range lines(t, "own-bypass.txt") {
		if d := decide(plain, l); d.Verdict == Allow || d.Rule == "internal" {
			t.Errorf("plain: %q: %+v", l, d)
		}
		if d := decide(open, l); d.Verdict == Allow || d.Rule == "internal" {
			t.Errorf("everything on: %q: %+v", l, d)
		}
	}
}

func TestOwnBenignVariantsAreAllowed(t *testing.T) {
	p := newPolicy(t, plainConfig())
	for _, l := range lines(t, "own-benign.txt") {
		if d := decide(p, l); d.Verdict != Allow {
			t.Errorf("%q: %+v", l, d)
		}
	}
}

// TestRulesAreStable pins the rule ids that settings, logs and people refer to.
func TestRulesAreStable(t *testing.T) {
	p := newPolicy(t, plainConfig())
	for command, want := range map[string]string{
		"echo x > /etc/x":                    "redirect.outside",
		"echo x > .git/config":               "path.git",
		"echo x > .longshift/state":          "path.state",
		"echo x > CLAUDE.md":                 "path.control",
		"cat .env":                           "path.secret",
		"cat /etc/shadow":                    "path.secret",
		"cat /opt/x":                         "path.outside",
		"nosuchprogram":                      "program.unknown",
		"./git status":                       "program.lookalike",
		"/opt/x/y":                           "program.outside",
		"$x":                                 "command.dynamic",
		"LD_PRELOAD=x ls":                    "env.name",
		"NODE_OPTIONS=--require=x node a.js": "env.value",
		"ls\rls":                             "syntax.bytes",
		"ls 'a":                              "syntax.error",
		"":                                   "syntax.empty",
		"eval ls":                            "builtin.eval",
		"source x.sh":                        "builtin.source",
		"f() { ls; }; x=1 f":                 "function",
		"ls() { id; }":                       "function.name",
		"echo ${x@P}":                        "param.transform",
		"echo $((x))":                        "arith.unknown",
		"[[ -v 'a[1]' ]]":                    "test.variable",
		"[[ x == @(a) ]]":                    "word.extglob",
		"cat x | bash":                       "stdin.code",
		"echo x > a.sh; bash a.sh":           "made.run",
		"ln -s src l; cat l/x":               "path.link",
		"rm x":                               "need.destructive",
		"ls /tmp":                            "need.tmp",
		"cat < /dev/tcp/h/1":                 "redirect.network",
		"echo x > $y":                        "redirect.unknown",
		"sort --nosuch x":                    "sort.option",
		"git push":                           "git.push",
		"coproc ls":                          "node.coproc",
		"echo {1..9999}":                     "word.braces",
		"cd $x":                              "cd.unknown",
		"set":                                "set.print",
		"export":                             "declare.print",
		"echo $GITHUB_TOKEN":                 "env.secret",
		"echo \"$(id)\"":                     "probe",
		"timeout 5 bash -c 'ls'":             "shell.wrapped",
		"bash -c \"$x\"":                     "shell.dynamic",
		"exec -a x ls":                       "exec.option",
		strings.Repeat("( ", 300) + "ls" + strings.Repeat(" )", 300): "syntax.deep",
		"echo " + strings.Repeat("x", MaxScript):                     "syntax.long",
	} {
		d := decide(p, command)
		if len(command) > 60 {
			command = command[:60]
		}
		if d.Rule != want || d.Verdict == Allow {
			t.Errorf("%q: rule %q (%s), want %q", command, d.Rule, d.Verdict, want)
		}
		if d.Reason == "" || strings.ContainsAny(d.Reason, "\n\r") || len(d.Part) > 160 || strings.Contains(d.Reason, "%!") {
			t.Errorf("%q: no fit ground: %+v", command, d)
		}
	}
}
