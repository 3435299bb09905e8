package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// jqFlags are the options of jq that take no value.
var jqFlags = grammar.Set(`--null-input --raw-output --join-output --ascii-output --compact-output --color-output
	--monochrome-output --sort-keys --exit-status --slurp --raw-input --tab --unbuffered --stream --stream-errors --seq --raw-output0
	--help --version --yaml-input --yaml-output`)

// jqPairs are the options of jq with two values, and what the second one is.
var jqPairs = map[string]grammar.Kind{
	"--arg": grammar.Data, "--argjson": grammar.Data, "--slurpfile": grammar.Read, "--rawfile": grammar.Read, "--argfile": grammar.Read,
}

// jq reads the words of jq: its filter, its files, and options with two values.
func jq(m *grammar.Match) {
	rest, ended, filtered, data := m.Words, false, false, false
	for len(rest) > 0 && len(m.Refused) == 0 {
		w := rest[0]
		rest = rest[1:]
		text, literal := w.Text()
		switch {
		case !ended && w.Is("--"):
			ended = true
		case !ended && strings.HasPrefix(w.Prefix(), "-"):
			switch kind, pair := jqPairs[text]; {
			case !literal:
				m.Ask(".unknown", "an option of jq contains unknown text; write it out")
			case pair && len(rest) >= 2 && !rest[0].Many && !rest[1].Many:
				m.Use(kind, rest[1], text)
				rest = rest[2:]
			case text == "--args" || text == "--jsonargs":
				data = true
			case text == "--indent" && len(rest) > 0:
				m.Use(grammar.Number, rest[0], text)
				rest = rest[1:]
			case jqFlags[text], !strings.HasPrefix(text, "--") && strings.Trim(text[1:], "nrjaCcMSesRhV0") == "" && len(text) > 1:
			default:
				m.Ask(".option", "option "+text+" of jq is not among those that may be used unattended")
			}
		case !filtered:
			filtered = true
			filter(m, w)
		case data:
			m.Use(grammar.Data, w, "")
		default:
			m.Use(grammar.Read, w, "")
		}
	}
}

// filter judges a program of jq or yq.
func filter(m *grammar.Match, w grammar.Word) {
	text, ok := constant(w)
	if !ok {
		m.Ask(".filter", "the filter contains unknown text; pass it with --arg")
		return
	}
	if word := scanFilter(text); word != "" {
		m.Deny(".filter", word+" of this filter reads the environment, files or code; pass what it needs with --arg")
	}
}
