package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const fdOpts = `-H,--hidden -I,--no-ignore -u,--unrestricted --no-ignore-vcs --no-ignore-parent --no-global-ignore-file -s,--case-sensitive
	-i,--ignore-case -g,--glob --regex -F,--fixed-strings -a,--absolute-path -l,--list-details -L,--follow -p,--full-path
	-d,--max-depth=number --min-depth=number --exact-depth=number -E,--exclude=data --prune -t,--type=data -e,--extension=data
	-S,--size=data --changed-within=data --newer=data --changed-before=data --older=data -o,--owner=data --format=data
	--batch-size=number -c,--color=data -j,--threads=number --max-results=number -1 -q,--quiet --show-errors ~-C,--base-directory
	--path-separator=data --search-path=list --strip-cwd-prefix?=data --one-file-system --ignore-file=read -0,--print0 --and=data -h -V`

var fdTable = inner("fd", grammar.Spec{Class: grammar.Inspect, Opts: fdOpts + std, Args: "data? list*", Yields: grammar.YieldsTree})

// fd reads the words of fd. A command after -x or -X has all words up to its end.
func fd(m *grammar.Match) {
	words := m.Words
	for i, w := range words {
		text, ok := w.Text()
		if !ok || text != "-x" && text != "-X" && text != "--exec" && text != "--exec-batch" {
			continue
		}
		end := len(words)
		for j := i + 1; j < len(words); j++ {
			if words[j].Is(";") {
				end = j
				break
			}
		}
		run := words[i+1 : end]
		rest := append(append([]grammar.Word(nil), words[:i]...), words[min(end+1, len(words)):]...)
		delegate(m, fdTable(), rest)
		fdExec(m, run, text)
		return
	}
	delegate(m, fdTable(), words)
	if m.Has("-l", "--format") {
		m.Yields = ""
	}
}

// fdExec judges the command that fd runs on what it finds.
func fdExec(m *grammar.Match, run []grammar.Word, via string) {
	m.Yields = ""
	if len(run) == 0 {
		m.Ask(".exec", via+" of fd needs a command")
		return
	}
	src := grammar.Tree
	for _, u := range m.Uses {
		if u.Kind == grammar.List && leadsOut(u.Word) {
			src = grammar.Any
		}
	}
	if m.Has("-L", "-a") {
		src = grammar.Any
	}
	var words []grammar.Word
	marked := false
	for _, w := range run {
		for _, mark := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
			was := len(w.Parts)
			w = found(w, mark, src, strings.HasPrefix(via, "-X") || via == "--exec-batch")
			marked = marked || len(w.Parts) != was || w.Source() != grammar.Literal
		}
		words = append(words, w)
	}
	if !marked {
		words = append(words, grammar.Word{Parts: []grammar.Part{{Source: src}}, Many: true})
	}
	shellInside(m, words)
	if name, _ := words[0].Text(); removes(name) {
		m.Ask(".delete", "fd would remove everything that it finds; list it first, then remove by name")
	}
	m.Uses = append(m.Uses, grammar.Use{Kind: grammar.Command, Word: words[0], Via: via, Rest: words[1:]})
}
