package base

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/policy/grammar"
)

func TestTablesAreWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, p := range Programs() {
		if _, err := grammar.Compile(p); err != nil {
			t.Error(err)
		}
		for _, n := range p.Names {
			if names[n] {
				t.Errorf("program %s is there twice", n)
			}
			names[n] = true
		}
		if p.Profile != "" {
			t.Errorf("%s belongs to a profile", p.Names[0])
		}
	}
	if len(names) < 600 {
		t.Errorf("only %d programs", len(names))
	}
}

// Every option of every table is tried alone: none may make a judge panic, and a refused one must refuse.
func TestOptionsOneByOne(t *testing.T) {
	var walk func(name string, table *grammar.Table, spec grammar.Spec, before []string)
	walk = func(name string, table *grammar.Table, spec grammar.Spec, before []string) {
		for _, entry := range strings.Fields(spec.Opts) {
			bare := strings.TrimLeft(entry, "!~")
			option, kind, valued := strings.Cut(bare, "=")
			for _, o := range strings.Split(strings.TrimSuffix(option, "?"), ",") {
				if strings.HasSuffix(o, "*") || o == "-#" {
					continue
				}
				words := lits(append(before, o)...)
				if valued && !strings.HasSuffix(option, "?") {
					words = append(words, grammar.Lit("x"))
				}
				m := table.Parse(words)
				refuses := false
				for _, r := range m.Refused {
					refuses = refuses || r.Class == grammar.Deny && entry[0] == '!' || entry[0] == '~'
				}
				if (entry[0] == '!' || entry[0] == '~') && !refuses && m.Class != grammar.Deny && m.Class != grammar.Ask {
					t.Errorf("%s %s (%s): not refused", name, o, kind)
				}
			}
		}
		for sub, s := range spec.Subs {
			walk(name+" "+sub, table, s, append(before[:len(before):len(before)], sub))
		}
	}
	for _, p := range Programs() {
		table, err := grammar.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		walk(p.Names[0], table, p.Spec, nil)
	}
}

func lits(texts ...string) []grammar.Word {
	words := make([]grammar.Word, len(texts))
	for i, s := range texts {
		words[i] = grammar.Lit(s)
	}
	return words
}

// FuzzJudges looks for a panic, and for a refusal without a reason, in everything that reads words itself.
func FuzzJudges(f *testing.F) {
	for _, seed := range []string{
		"sed -n '/a/,/b/{s/x/y/gp;q}' f", "sed 's/[/]/x/;y/ab/cd/;a\\' f", "awk '/a[/]b/{print $1/2 > \"x\"}' f", "jq -r '.a|\"x\\(env)\"' f", "find . -name '*.go' -exec rm {} +",
		"tar czf a.tgz -C build .", "ln -s ../a b/c", "ps auxeww", "kill -9 -1", "git log -c HEAD:x -- ..", "git -c a=b commit -m x", "dd if=/dev/zero of=x count=1", "date +%F", "curl -d @x localhost:1",
		"make -j4 A=$(x) t", "chmod u+x f", "fd -x rm {} ;", "test -v x", "env A=b xargs -I{} sh -c '{}'", "yq -i .a f", "nc -z localhost 80", "$? $# ~ * \"$?\"",
	} {
		f.Add(seed)
	}
	var names []string
	for n := range tables {
		names = append(names, n)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Count(line, "'")%2 != 0 || strings.Count(line, `"`) > 0 && strings.Contains(line, "'") || strings.Count(line, `"`)%2 != 0 || strings.Contains(line, `\`) && strings.Contains(line, `"`) {
			t.Skip()
		}
		words := split(t, line)
		if len(words) == 0 {
			return
		}
		first, _ := words[0].Text()
		for _, n := range names {
			table := tables[n]
			if n != first && table.Program.Whole == nil && table.Program.Judge == nil {
				continue
			}
			m := table.Parse(words[1:])
			for _, r := range m.Refused {
				if r.Reason == "" || r.Rule == "" || r.Class != grammar.Ask && r.Class != grammar.Deny {
					t.Fatalf("%s: refusal %+v", n, r)
				}
			}
		}
	})
}
