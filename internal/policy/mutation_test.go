package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// mutations write a script in other ways that do the same. What is in braces is on lines of its own, so that comments and
// here-documents end where they did.
var mutations = map[string]string{
	"bash": "bash -c {q}", "sh": "sh -c {q}", "login": "bash -lc {q}", "errexit": "bash -ec {q}", "eval": "eval {q}", "env": "env A=b bash -c {q}",
	"timeout": "timeout 60 bash -c {q}", "nohup": "nohup bash -c {q}", "nice": "nice -n 10 sh -c {q}", "stdbuf": "stdbuf -oL bash -c {q}",
	"xargs": "echo | xargs -I _it_ bash -c {q}", "find": `find . -maxdepth 0 -exec bash -c {q} \;`, "document": "bash <<'END-OF-IT'\n{c}\nEND-OF-IT",
	"subshell": "({c})", "group": "{ {c}}", "and": "true && { {c}}", "or": "false || { {c}}", "if": "if true; then {c}fi", "for": "for one in 1; do {c}done",
	"while": "while true; do {c}break\ndone", "case": "case x in x) {c};; esac", "function": "later() { {c}}\nlater", "printed": `echo "$({c})"`, "kept": "kept=$({c})",
	"process": "cat <({c})", "piped": "{ {c}} 2>&1 | tail -5", "background": "{ {c}} & wait", "timed": "time { {c}}", "after": "cd . && ls >/dev/null; { {c}}",
}

// wordMutations spell the first word, the name of a program, in another way.
var wordMutations = map[string]string{
	"backslash": `\{w}`, "quoted": `'{w}'`, "halves": `"{w1}"'{w2}'`, "dollar": `$'{w}'`, "command": "command {w}",
}

var plainProgram = regexp.MustCompile(`^[a-z][a-z0-9]+ `)

// mutants returns the mutations of a script by their names.
func mutants(script string) map[string]string {
	all := map[string]string{}
	for name, m := range mutations {
		quoted := "'" + strings.ReplaceAll(script, "'", `'\''`) + "'"
		all[name] = strings.NewReplacer("{q}", quoted, "{c}", "\n"+script+"\n").Replace(m)
	}
	first := plainProgram.FindString(script)
	for name, m := range wordMutations {
		w, rest := strings.TrimSpace(first), script[len(first):]
		if w == "" || shellWord[w] {
			continue
		}
		all[name] = strings.NewReplacer("{w}", w, "{w1}", w[:1], "{w2}", w[1:]).Replace(m) + " " + rest
	}
	return all
}

var shellWord = grammar.Set("if for while until case select function time coproc")

// What is refused in one way of writing is refused in every other.
func TestNoMutationIsAllowed(t *testing.T) {
	if len(mutations) < 29 {
		t.Fatalf("only %d mutations", len(mutations))
	}
	for name, c := range map[string]Config{"bare": openConfig(), "boxed": boxedConfig(knownProfiles)} {
		p, tried := newPolicy(t, c), 0
		for _, r := range append(placedRows(t, "policy-bypass-2.jsonl"), placedRows(t, "policy-bypass.jsonl")...) {
			if decideBoxed(p, r.Command).Verdict == Allow {
				continue // it is listed as harmless
			}
			if _, err := parse(r.Command, bash); err != nil {
				continue // what stands around it could complete it to another script
			}
			for how, script := range mutants(r.Command) {
				if _, err := parse(script, bash); err != nil {
					t.Errorf("%s: %q does not parse: %v", how, script, err)
				}
				if tried++; decideBoxed(p, script).Verdict == Allow {
					t.Errorf("%s, %s: allowed [%s, %s] %q", name, how, r.Class, r.Reach, script)
				}
			}
		}
		if tried < 29*600 {
			t.Errorf("%s: only %d mutations were tried", name, tried)
		}
	}
}

// A mutation of what may run may run: they are refused for what they do, not for how they are written.
func TestMutationsOfOrdinaryCommandsAreAllowed(t *testing.T) {
	p := newPolicy(t, boxedConfig(nil))
	for _, command := range []string{"npm test", "git status --short", "cargo +nightly fmt", "npm config get registry"} {
		for how, script := range mutants(command) {
			if d := decideBoxed(p, script); (d.Verdict == Allow) != (how != "eval") { // which may never run
				t.Errorf("%s: %q: %+v", how, script, d)
			}
		}
	}
}
