// Package lang declares the tables of tool chains, one profile for each language: node, bun, python, ruby, go, rust, php, jvm,
// dotnet, cpp. It has data and small judges of words, and does not decide on paths or roles.
package lang

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Programs returns the tables.
func Programs() []grammar.Program {
	all := programs()
	for i := range all {
		all[i].Spec = guarded(all[i].Spec)
	}
	return all
}

func programs() []grammar.Program {
	var all []grammar.Program
	for _, part := range []func() []grammar.Program{goPrograms, rustPrograms, pythonPrograms, nodePrograms, bunPrograms, rubyPrograms,
		phpPrograms,
		jvmPrograms, dotnetPrograms, cppPrograms} {
		all = append(all, part()...)
	}
	return all
}

// guarded adds to a table and its sub-commands what applies to every tool here: an address is no path. Tools that accept one
// instead of a file would fetch it, and it is often code.
func guarded(s grammar.Spec) grammar.Spec {
	if whole := s.Whole; whole != nil {
		s.Whole = func(m *grammar.Match) {
			whole(m)
			noAddresses(m)
			noWayOut(m)
		}
	} else if s.Class != grammar.Ask && s.Class != grammar.Deny {
		s = with(s, noAddresses, noWayOut)
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

var (
	// hiddenPath matches a value in which a tool finds a path outside after a colon or an equals sign: "html:/etc/x".
	hiddenPath = regexp.MustCompile(`^[\w.-]+[:=](/|~|\.\./)`)
	placeName  = regexp.MustCompile(`(?i)(dir|file|path|root|project|packages|config|cwd|output|report)`)
	searchName = regexp.MustCompile(`(?i)(pattern|ignore|exclude|include|filter|match|grep|regex|name|prefix|url|route)`)
	// settingsName are options that name a file of settings.
	settingsName = regexp.MustCompile(`(?i)^(-c|--sp|--ini|--.*(config|settings|rcfile|conf|style).*)$`)
	// argumentFiles are the tools that read more arguments from a file after "@".
	argumentFiles = grammar.Set(`tsc pytest mypy dmypy ruff black pylint javac java kotlinc scalac rustc swiftc vbc csc gcc g++ clang clang++
		cc c++ ld as`)
	// interpreterOptions name the interpreter that a tool starts.
	interpreterOptions = grammar.Set(`--python-executable --pythonpath --discover --extra-python --extra-pythons --force-python
		--force-pythons -P --default-interpreter`)
	interpreterTools = grammar.Set("mypy dmypy pyright basedpyright tox nox")
)

// noWayOut asks about paths that are plain text to tables: after a colon, in a file of arguments, as an interpreter.
func noWayOut(m *grammar.Match) {
	tool, _, _ := strings.Cut(m.Rule, ".")
	for i, u := range m.Uses {
		t := u.Word.Prefix()
		if u.Kind == grammar.Read && strings.HasPrefix(t, "/") && settingsName.MatchString(u.Via) {
			m.Uses[i].Kind = grammar.Code // settings say what is loaded and run
		}
		switch {
		case u.Via == "" && strings.HasPrefix(t, "@") && !strings.Contains(t, "/") && argumentFiles[tool]:
			m.Ask(".arguments", t+" reads arguments from a file, which can't be checked here; write them out")
		case u.Via == "":
		case interpreterOptions[u.Via] && interpreterTools[tool] && strings.Contains(t, "/") && !strings.Contains(t, "venv/"):
			m.Ask(".interpreter", t+" would be started as an interpreter; use the one of the project")
		case u.Kind == grammar.Name && hiddenPath.MatchString(t):
			m.Ask(".value", "the value of "+u.Via+" leads out of the tree; write below the tree")
		case u.Kind == grammar.Data && tool == "cargo" && u.Via == "--target" && (strings.Contains(t, "/") || strings.HasSuffix(t, ".json")):
			m.Ask(".target", "a file that describes a target chooses the linker; use a target that the tool chain knows")
		case u.Kind != grammar.Data:
		case hiddenPath.MatchString(t), grammar.LeadsOut(t) && placeName.MatchString(u.Via) && !searchName.MatchString(u.Via):
			m.Ask(".value", "the value of "+u.Via+" leads out of the tree; write below the tree")
		}
	}
}

func noAddresses(m *grammar.Match) {
	for _, u := range m.Uses {
		switch u.Kind {
		case grammar.Read, grammar.Code, grammar.Write, grammar.Dir, grammar.List:
			if strings.Contains(u.Word.String(), "://") {
				m.Ask(".address", u.Word.String()+" is an address instead of a file of the tree; use a file")
			}
		}
	}
}
