package policy

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cputest"
	"github.com/longshift/longshift/task"
)

// FuzzDecide looks for scripts that break the judge, that are judged in two ways, or that are allowed though bash reads them
// in another way than we do.
func FuzzDecide(f *testing.F) {
	for _, name := range []string{"policy-benign.jsonl", "policy-bypass.jsonl"} {
		for _, r := range corpus(f, name) {
			f.Add(r.Command)
		}
	}
	for _, name := range []string{"boxed-ordinary.jsonl", "boxed-attacks.jsonl"} {
		for _, r := range placedRows(f, name) {
			f.Add(r.Command)
		}
	}
	for _, s := range tricky {
		f.Add(s)
	}
	all := openConfig()
	all.Profiles = nil // with more tables more names are known, and a script of one of those names is refused
	p, open, boxed := newPolicy(f, plainConfig()), newPolicy(f, all), newPolicy(f, boxedConfig(nil))
	bash, err := exec.LookPath("bash")
	if err != nil {
		if os.Getenv("CI") == "true" {
			f.Fatal("bash is not installed")
		}
		f.Skip("bash is not installed")
	}
	f.Fuzz(func(t *testing.T, script string) {
		for _, role := range []task.Role{task.Implementer, task.Planner} {
			r := Request{Role: role, Command: script}
			var d Decision
			cputest.Bounded(t, script, func() { d = p.Decide(r) })
			if d.Rule == "internal" {
				t.Fatalf("%q broke the judge", script)
			}
			if again := p.Decide(r); again != d {
				t.Fatalf("%q: %+v, then %+v", script, d, again)
			}
			inside := boxed.Decide(r)
			if again := boxed.Decide(r); inside.Rule == "internal" || again != inside || inside.Reason == "" {
				t.Fatalf("%q in the box: %+v, then %+v", script, inside, again)
			}
			wide := open.Decide(r)
			if wide.Rule == "internal" {
				t.Fatalf("%q broke the judge", script)
			}
			if rank(wide.Verdict) > rank(d.Verdict) && d.Verdict == Allow {
				t.Fatalf("%q is allowed with less and %s (%s) with more permissions", script, wide.Verdict, wide.Rule)
			}
			if (d.Verdict == Allow) != (d.Rule == "allowed") || d.Rule == "" || d.Reason == "" {
				t.Fatalf("%q: a verdict without its ground: %+v", script, d)
			}
			if wide.Verdict != Allow || len(script) > 4096 {
				continue
			}
			cmd := exec.Command(bash, "--noprofile", "--norc", "-p", "-n", "-c", script)
			cmd.Env = []string{"LC_ALL=C.UTF-8"}
			if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "syntax error") || strings.Contains(string(out), "here-document") {
				t.Fatalf("%q is allowed, but bash does not read it: %v: %s", script, err, out)
			}
		}
	})
}

// pieces are what FuzzArgv puts scripts together from.
var pieces = []string{"a", "b c", "'", `"`, `\`, "$x", `"$x"`, "${x}", "$y", `"${z[@]}"`, "{", "}", ",", "..", "1", "3", "*", "?", "[", "]", "~", "=", ":", "$((1+1))",
	"$(echo q r)", `"$(echo q r)"`, "`echo s`", "$'", `\n`, `\x41`, "/", "-", "#", "!", " ", " ", " ", "${x%b}", "${x#a }", "${x##*/}", "${#x}", "${x:-d e}", "${w:+f}", "x=", "${x^^}",
	";", "&&", "||", "|", "\n", "cat ", "cat ", "{a,b}", "{1..3}", "é", "$w", "(", ")", "$", "&", "if true; then ", "fi", "for v in ", "; do ", "done", "$v", "\t", "+", "@", "%", "\\\n", "<<< ", ">out/f "}

// FuzzArgv looks for scripts in which bash runs something else than we have judged.
func FuzzArgv(f *testing.F) {
	f.Add([]byte{51, 0, 5, 33, 52})
	f.Add([]byte{50, 10, 0, 12, 14, 11, 16})
	b := newBox(f)
	p := newPolicy(f, openConfig())
	f.Fuzz(func(t *testing.T, choice []byte) {
		if len(choice) > 40 {
			return
		}
		script := "x='a b'; y=*.go; z=(k 'l m'); w=; cat "
		for _, c := range choice {
			script += pieces[int(c)%len(pieces)]
		}
		if _, err := parse(script, bash); err != nil || badByte(script) != "" {
			return
		}
		compare(t, b, p, script, false)
	})
}
