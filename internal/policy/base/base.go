// Package base declares the tables of programs that every project may use: tools of the shell, of text, search and archives,
// git, and those of the system that no task may use. It has data and small judges of words, and does not decide on paths or roles.
package base

import (
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Programs returns new copies of the tables.
func Programs() []grammar.Program {
	return slices.Concat(
		textPrograms(), textTools(), digests(), filePrograms(), changePrograms(), searchPrograms(), findPrograms(), filterPrograms(),
		shellPrograms(), builtinPrograms(), wrapperPrograms(), archivePrograms(), gitPrograms(), makePrograms(), checkPrograms(),
		networkPrograms(), processPrograms(), systemPrograms(), interpreters(), infoPrograms(), chainPrograms(),
	)
}

const std = " --help --version"

// program makes an entry without a judge; spaces separate the names. It always has GNU's two options that only print.
func program(names string, class grammar.Class, opts, args string) grammar.Program {
	return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: class, Opts: opts + std, Args: args}}
}

// judged is program with a judge.
func judged(names string, class grammar.Class, opts, args string, judge func(*grammar.Match)) grammar.Program {
	p := program(names, class, opts, args)
	p.Judge = judge
	return p
}

// yielding is program with a kind of output.
func yielding(y grammar.Yields, names string, opts, args string) grammar.Program {
	p := program(names, grammar.Inspect, opts, args)
	p.Yields = y
	return p
}

// whole makes an entry that reads its words itself.
func whole(names string, class grammar.Class, read func(*grammar.Match)) grammar.Program {
	return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: class, Whole: read}}
}

// refused makes an entry for programs that never run unattended.
func refused(why string, names string) grammar.Program {
	return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: grammar.Deny, Why: why}}
}

// asked makes an entry for programs that a person decides on.
func asked(why string, names string) grammar.Program {
	return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: grammar.Ask, Why: why}}
}

// both combines judges: they run in order, and stop at a refusal.
func both(judges ...func(*grammar.Match)) func(*grammar.Match) {
	return func(m *grammar.Match) {
		for _, j := range judges {
			if len(m.Refused) == 0 {
				j(m)
			}
		}
	}
}

// once joins option lists, and leaves out names that an earlier entry has.
func once(lists ...string) string {
	seen := map[string]bool{}
	var kept []string
	for _, entry := range strings.Fields(strings.Join(lists, " ")) {
		bare := strings.TrimLeft(entry, "!~")
		mark := entry[:len(entry)-len(bare)]
		names, value, valued := strings.Cut(bare, "=")
		if valued {
			value = "=" + value
		}
		if plain := strings.TrimSuffix(names, "?"); plain != names {
			names, value = plain, "?"+value
		}
		var fresh []string
		for _, n := range strings.Split(names, ",") {
			if !seen[n] {
				seen[n] = true
				fresh = append(fresh, n)
			}
		}
		if len(fresh) > 0 {
			kept = append(kept, mark+strings.Join(fresh, ",")+value)
		}
	}
	return strings.Join(kept, " ")
}

// inner makes a table for delegate, compiled when it is first used. A table that is malformed refuses everything.
func inner(name string, spec grammar.Spec) func() *grammar.Table {
	return sync.OnceValue(func() *grammar.Table {
		t, err := grammar.Compile(grammar.Program{Names: []string{name}, Spec: spec})
		if err != nil {
			return nil
		}
		return t
	})
}

// delegate reads words by a table, for a Whole function that has read what the table can't express.
func delegate(m *grammar.Match, table *grammar.Table, words []grammar.Word) {
	if table == nil {
		m.Deny(".table", "its table is malformed")
		return
	}
	got := table.Parse(words)
	got.Uses = append(m.Uses, got.Uses...)
	got.Refused = append(m.Refused, got.Refused...)
	got.Needs = append(m.Needs, got.Needs...)
	*m = *got
}
