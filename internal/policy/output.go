package policy

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// filters print lines of their input unchanged.
var filters = grammar.Set("head tail sort uniq cat tac shuf grep egrep fgrep rg sponge")

// printed returns what a program prints, which may become part of another command.
func printed(p *Policy, m *grammar.Match, st *state) out {
	if p.c.Boxed && m.Rule == "cat" && len(m.Words) == 0 && st.in.text != nil {
		return out{some: true, text: st.in.text.Parts}
	}
	if st.in.kind == pipeInput && filters[m.Rule] && passesLines(m) {
		if picksSecrets(m) {
			return out{some: true, src: grammar.Any}
		}
		return out{some: true, src: st.in.src, narrow: st.in.narrow || len(m.Words) > 0 && strings.HasSuffix(m.Rule, "grep")}
	}
	switch {
	case m.Rule == "pwd" && len(m.Words) == 0 && len(st.cwd) == 1 && !st.cwd[0].below:
		return out{some: true, text: []grammar.Part{{Text: st.cwd[0].path}}}
	case m.Rule == "git.rev-parse" && len(m.Words) == 1 && m.Words[0].Is("--show-toplevel"):
		return out{some: true, text: []grammar.Part{{Text: p.c.Root}}}
	case m.Rule == "mktemp":
		return out{some: true, src: grammar.Literal, text: []grammar.Part{{Text: "/tmp/"}, {Source: grammar.Plain}}}
	case m.Rule == "wc" && len(m.Uses) == 0, m.Rule == "nproc", m.Rule == "date" && len(m.Words) == 1 && m.Words[0].Is("+%s"):
		return out{some: true, src: grammar.Digits}
	case m.Rule == "echo":
		return echoed(m)
	case m.Rule == "true" || m.Rule == "false" || m.Rule == ":" || m.Rule == "test" || m.Rule == "[" || m.Rule == "sleep":
		return out{}
	case m.Yields == grammar.YieldsPlain:
		return out{some: true, src: grammar.Plain}
	case m.Yields == grammar.YieldsTree && !picksSecrets(m) && staysInside(p, m, st):
		return out{some: true, src: grammar.Tree, narrow: narrow(m)}
	}
	return out{some: true, src: grammar.Any}
}

var secretWords = regexp.MustCompile(`(?i)(^|[^a-z])(\.?env|secrets?|credentials?|id_[a-z0-9]+|pem|key|netrc|npmrc|pypirc|password` +
	`|passwd|token|ssh|aws|kube)($|[^a-z])`)

// picksSecrets reports whether a listing searches for names that secrets are likely to have.
func picksSecrets(m *grammar.Match) bool {
	for _, u := range m.Uses {
		if u.Kind != grammar.Data {
			continue
		}
		if text, ok := u.Word.Text(); ok && secretWords.MatchString(text) && !exampleEnv(strings.ToLower(text)) && u.Via != "-not" {
			return true
		}
	}
	return false
}

// narrow reports whether a listing names only some files, chosen by a name or a text.
func narrow(m *grammar.Match) bool {
	switch m.Rule {
	case "find":
		return m.Has("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex")
	case "ls":
		return false
	}
	return len(m.Uses) > 0
}

// passesLines reports whether a filter reads only its input and prints whole lines.
func passesLines(m *grammar.Match) bool {
	for _, u := range m.Uses {
		if u.Kind == grammar.Read || u.Kind == grammar.Write || u.Kind == grammar.Code {
			return false
		}
	}
	return !m.Has("-o", "--only-matching", "-n", "--line-number", "-c", "--count", "-b", "-H", "-A", "-B", "-C", "-r", "-R", "--replace",
		"-v", "-e", "-E", "-T", "-s", "--squeeze", "-b") || m.Rule != "cat" && !m.Has("-o", "--only-matching", "-c", "--count", "-b", "--replace")
}

// echoed returns the text that echo prints, when that is known.
func echoed(m *grammar.Match) out {
	var parts []grammar.Part
	for i, w := range m.Words {
		text, ok := w.Text()
		if i == 0 && (!ok || strings.HasPrefix(text, "-")) || w.Many || w.Glob || w.Tilde {
			return out{some: true, src: grammar.Any}
		}
		if i > 0 {
			parts = append(parts, grammar.Part{Text: " "})
		}
		parts = append(parts, w.Parts...)
	}
	if parts == nil {
		parts = []grammar.Part{{}}
	}
	return out{some: true, text: parts}
}

// staysInside reports whether everything that a listing reads lies in the tree, by paths relative to the folder it runs in.
func staysInside(p *Policy, m *grammar.Match, st *state) bool {
	if len(st.cwd) == 0 {
		return false
	}
	for _, u := range m.Uses {
		switch u.Kind {
		case grammar.Read, grammar.List, grammar.Dir:
			text, ok := pathText(u.Word)
			if !ok || leadsUp(text) {
				return false
			}
			for _, at := range st.resolve(u.Word) {
				if !p.within(at.path) || p.guarded(strings.TrimPrefix(at.path[len(p.c.Root):], "/"), Write) != nil {
					return false
				}
			}
		}
	}
	for _, at := range st.cwd {
		if !p.within(at.path) {
			return false
		}
	}
	return true
}

// printedText returns the text that a program prints, as input of the next one.
func printedText(boxed bool, o out) *grammar.Word {
	if !o.some || o.src != grammar.Literal || len(o.text) == 0 {
		return nil
	}
	return inputText(boxed, grammar.Word{Parts: o.text})
}

// inputText returns the text on standard input where it is searched: in the sandbox.
func inputText(boxed bool, w grammar.Word) *grammar.Word {
	if !boxed {
		return nil
	}
	return &w
}
