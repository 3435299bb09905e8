// Package lang is the table of the tool chains of languages, one profile each: node, bun, python, ruby, go, rust, php, jvm,
// dotnet, cpp. It is data and small judges on words; it decides on no path and no role.
package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Programs gives the table.
func Programs() []grammar.Program {
	var all []grammar.Program
	for _, part := range []func() []grammar.Program{goPrograms, rustPrograms, pythonPrograms, nodePrograms, bunPrograms, rubyPrograms, phpPrograms,
		jvmPrograms, dotnetPrograms, cppPrograms} {
		all = append(all, part()...)
	}
	for i := range all {
		all[i].Spec = guarded(all[i].Spec)
	}
	return all
}

// guarded adds to a table and all below it what holds for every tool here: an address is no path. Tools that take one where a
// file may stand would fetch it, and what they fetch is often code.
func guarded(s grammar.Spec) grammar.Spec {
	if whole := s.Whole; whole != nil {
		s.Whole = func(m *grammar.Match) {
			whole(m)
			noAddresses(m)
		}
	} else if s.Class != grammar.Ask && s.Class != grammar.Deny {
		s = with(s, noAddresses)
	}
	if s.SubElse != nil {
		s.SubElse = ptr(guarded(*s.SubElse))
	}
	if s.Subs != nil {
		below := make(subs, len(s.Subs))
		for name, sub := range s.Subs {
			below[name] = guarded(sub)
		}
		s.Subs = below
	}
	return s
}

func noAddresses(m *grammar.Match) {
	for _, u := range m.Uses {
		switch u.Kind {
		case grammar.Read, grammar.Code, grammar.Write, grammar.Dir, grammar.List:
			if strings.Contains(u.Word.String(), "://") {
				m.Ask(".address", u.Word.String()+" is an address where a file of the tree is meant; use a file")
			}
		}
	}
}
