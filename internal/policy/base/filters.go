package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// filterPrograms are those whose first operand is a program in a language of their own.
func filterPrograms() []grammar.Program {
	return []grammar.Program{
		judged("sed gsed", grammar.Inspect, `-n,--quiet,--silent -e,--expression=data ~-f,--file -E,-r,--regexp-extended -i,--in-place?=data
			-s,--separate -u,--unbuffered -z,--null-data -l,--line-length=number --debug --posix --sandbox ~--follow-symlinks -b,--binary`, "data*",
			sed),
		{Names: []string{"awk", "gawk", "mawk", "nawk", "original-awk", "goawk"}, Spec: grammar.Spec{Class: grammar.Inspect, Style: grammar.Posix,
			Args: "data*", Judge: awk,
			Opts: `-F,--field-separator=data -v,--assign=data -b,--characters-as-bytes -c,--traditional -n,--non-decimal-data
				-r,--re-interval -S,--sandbox -P,--posix -O,--optimize -s,--no-optimize -k,--csv -M,--bignum -N,--use-lc-numeric
				~-f,--file ~-E,--exec ~-e,--source ~-i,--include ~-l,--load ~-o ~-p ~-d ~-D ~-W` + std}},
		whole("jq gojq jaq", grammar.Inspect, jq),
		judged("yq", grammar.Inspect, `-i,--inplace,--in-place -P,--prettyPrint -r,--unwrapScalar?=data -o,--output-format=data
			-p,--input-format=data -C,--colors -M,--no-colors -n,--null-input -j,--tojson -I,--indent=number -N,--no-doc -e,--exit-status
			--expression=data -v,--verbose -y,--yaml-output -Y,--yaml-roundtrip -c,--compact-output ~-s,--slurp,--split-exp -S,--sort-keys
			--header-preprocess?=data --front-matter=data -0,--nul-output --raw-output -w,--width=number ~--from-file -V`, "data*", yq),
		judged("xmllint", grammar.Inspect, `--noout --format --xpath=data --schema=read --dtdvalid=read --relaxng=read --valid --nonet --huge
			--recover --html --nowarning --quiet --pretty=number --output=write --c14n --encode=data --noblanks !--shell ~--noent ~--catalogs
			~--load-trace ~--path`, "read*", noRemote),
		asked("its language is not known well enough; use jq", "xq tomlq dasel mlr htmlq pup gron fx"),
		judged("toml2json yaml2json json2yaml", grammar.Inspect, "-p,--pretty", "read*", nil),
	}
}

// sed judges the script of sed, and assigns kinds to the other operands.
func sed(m *grammar.Match) {
	inPlace := m.Has("-i")
	if suffix := m.Flags["-i"]; inPlace && len(suffix.Parts) > 0 {
		if text, ok := suffix.Text(); !ok || strings.ContainsAny(text, "/*") {
			m.Ask(".suffix", "this suffix puts the old file elsewhere; use one like .bak, or none")
			return
		}
	}
	var pieces []string
	given := m.Has("-e")
	for _, u := range m.Uses {
		if u.Via == "-e" || u.Via == "--expression" {
			pieces = append(pieces, sedText(m, u.Word))
		}
	}
	for n, i := range m.Operands() {
		u := &m.Uses[i]
		switch {
		case n == 0 && !given:
			pieces = append(pieces, sedText(m, u.Word))
		case inPlace:
			u.Kind = grammar.Write
		default:
			u.Kind = grammar.Read
		}
	}
	if inPlace {
		m.Class = grammar.Change
	}
	if len(m.Refused) > 0 {
		return
	}
	script := strings.Join(pieces, "\n")
	verdict := scanSed(script, true)
	if other := scanSed(script, false); other.refuse == grammar.Deny {
		verdict = other // another sed would read a bracket differently
	}
	switch verdict.refuse {
	case grammar.Deny:
		m.Deny(".script", verdict.why)
	case grammar.Ask:
		m.Ask(".script", verdict.why)
	}
	for _, name := range verdict.reads {
		m.Use(grammar.Read, grammar.Lit(name), "r")
	}
}

// sedText returns the text of a script.
func sedText(m *grammar.Match, w grammar.Word) string {
	text, ok := constant(w)
	if !ok {
		m.Ask(".script", "the script contains unknown text; write it out, or use the Edit tool")
	}
	return text
}

// awk judges the program text of awk; the other operands are files and assignments.
func awk(m *grammar.Match) {
	at := m.Operands()
	if len(at) == 0 {
		m.Ask(".operand", "awk needs a program text")
		return
	}
	for _, i := range at[1:] {
		m.Uses[i].Kind = grammar.Read
	}
	text, ok := constant(m.Uses[at[0]].Word)
	if !ok {
		m.Ask(".script", "the program contains unknown text; pass it with -v NAME=value")
		return
	}
	if class, why := scanAwk(text); class == grammar.Deny {
		m.Deny(".script", why)
	} else if class == grammar.Ask {
		m.Ask(".script", why)
	}
}

// yq judges both programs of that name: the one with a language of its own, and the one on top of jq.
func yq(m *grammar.Match) {
	inPlace := m.Has("-i")
	if inPlace {
		m.Class = grammar.Change
	}
	files := grammar.Read
	if inPlace {
		files = grammar.Write
	}
	at := m.Operands()
	if len(at) > 0 {
		for _, name := range []string{"eval", "e", "eval-all", "ea"} {
			if m.Uses[at[0]].Word.Is(name) {
				at = at[1:]
				break
			}
		}
	}
	for _, u := range m.Uses {
		if u.Via == "--expression" {
			filter(m, u.Word)
		}
	}
	for n, i := range at {
		m.Uses[i].Kind = files
		if n == 0 && !m.Has("--expression") {
			m.Uses[i].Kind = grammar.Data
			filter(m, m.Uses[i].Word)
			text, ok := m.Uses[i].Word.Text()
			file := strings.HasSuffix(text, ".yml") || strings.HasSuffix(text, ".yaml") || strings.Contains(text, "/")
			if ok && file && !strings.ContainsAny(text, "[]|() ") {
				m.Uses[i].Kind = files // "yq file.yml" prints the file
			}
		}
	}
}

// noRemote asks about an address in the place of a file: the program would fetch it.
func noRemote(m *grammar.Match) {
	for _, i := range m.Operands() {
		if strings.Contains(m.Uses[i].Word.String(), "://") {
			m.Ask(".address", "an address is fetched; name a file of the repository")
		}
	}
}
