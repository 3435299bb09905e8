package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// The profiles.
const (
	node   = "node"
	bun    = "bun"
	python = "python"
	ruby   = "ruby"
	golang = "go"
	rust   = "rust"
	php    = "php"
	jvm    = "jvm"
	dotnet = "dotnet"
	cpp    = "cpp"
)

// Reasons of many programs. Each says what to do instead.
const (
	whyInline   = "code on the command line can't be reviewed beforehand; write it to a file in the tree and run that file"
	whyPublish  = "publishing and accounts of package registries are for people, not for a task; leave it out"
	whyAdd      = "this adds a package that the project does not declare; name it in the manifest and say why, or ask"
	whyFetch    = "this fetches and runs a package that the project does not declare; add it to the manifest, or do without"
	whyGlobal   = "this changes settings or tools outside the tree; keep such settings in the project's own files"
	whySettings = "this changes what later runs of the tool load or run; edit the project's own file instead, where a reviewer sees it"
	whyServe    = "this listens on the network; test against a server on the loopback from a test instead"
	whyWatch    = "this does not end by itself, or waits for a person; run it once without watching"
	whyExec     = "this option runs another program; run that program by itself instead"
	whyDebug    = "a debugger takes commands that can't be reviewed beforehand; write a test or print instead"
)

type subs = map[string]grammar.Spec

// row is a line of a table of sub-commands: the names of a command, and its spec.
type row struct {
	names string
	spec  grammar.Spec
}

func table(rows ...row) subs {
	t := subs{}
	for _, r := range rows {
		for n := range strings.FieldsSeq(r.names) {
			t[n] = r.spec
		}
	}
	return t
}

func program(profile, names string, s grammar.Spec) grammar.Program {
	return grammar.Program{Names: strings.Fields(names), Profile: profile, Spec: s}
}

// under adds the paths inside the tree where a package manager installs a tool of these names.
func under(names string, folders ...string) string {
	all := names
	for n := range strings.FieldsSeq(names) {
		for _, f := range folders {
			all += " " + f + "/" + n
		}
	}
	return all
}

func asked(why string) grammar.Spec { return grammar.Spec{Class: grammar.Ask, Why: why} }

func denied(why string) grammar.Spec { return grammar.Spec{Class: grammar.Deny, Why: why} }

// with returns the spec with a judge that runs after its own.
func with(s grammar.Spec, judges ...func(m *grammar.Match)) grammar.Spec {
	own := s.Judge
	s.Judge = func(m *grammar.Match) {
		if own != nil {
			own(m)
		}
		for _, j := range judges {
			j(m)
		}
	}
	return s
}

// adopt merges the match of another table for a part of the words into m.
func adopt(m, part *grammar.Match) {
	m.Class, m.Why = part.Class, part.Why
	m.Rule += "." + part.Rule
	m.Yields = part.Yields
	m.Needs = append(m.Needs, part.Needs...)
	m.Uses = append(m.Uses, part.Uses...)
	m.Refused = append(m.Refused, part.Refused...)
	m.Stdin = m.Stdin || part.Stdin
	m.StdinCode = m.StdinCode || part.StdinCode
	for k, v := range part.Flags {
		if m.Flags == nil {
			m.Flags = map[string]grammar.Word{}
		}
		m.Flags[k] = v
	}
}

// command delegates the rest of the line to the table of another program.
func command(m *grammar.Match, name string, rest []grammar.Word, via string) {
	m.Uses = append(m.Uses, grammar.Use{Kind: grammar.Command, Word: grammar.Lit(name), Via: via, Rest: rest})
}
