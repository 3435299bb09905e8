package base

import (
	"path"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// tables are the programs by name, compiled once.
var tables = func() map[string]*grammar.Table {
	all := map[string]*grammar.Table{}
	for _, p := range Programs() {
		t, err := grammar.Compile(p)
		if err != nil {
			panic(err)
		}
		for _, n := range p.Names {
			all[n] = t
		}
	}
	return all
}()

// split cuts a command of one program into words: quotes and backslashes as a shell reads them, $# for a number, $? for text
// that is not known, unquoted * for a glob.
func split(t testing.TB, line string) []grammar.Word {
	t.Helper()
	var words []grammar.Word
	var w grammar.Word
	open := false
	add := func(s string, src grammar.Source) {
		open = true
		if n := len(w.Parts); n > 0 && src == grammar.Literal && w.Parts[n-1].Source == src {
			w.Parts[n-1].Text += s
			return
		}
		w.Parts = append(w.Parts, grammar.Part{Text: s, Source: src})
	}
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
			add(string(c), grammar.Literal)
		case c == '\\' && i+1 < len(line) && (quote == 0 || strings.IndexByte(`"$\`, line[i+1]) >= 0):
			i++
			add(string(line[i]), grammar.Literal)
		case c == '$' && i+1 < len(line) && line[i+1] == '#':
			i++
			add("", grammar.Digits)
		case c == '$' && i+1 < len(line) && line[i+1] == '?':
			i++
			add("", grammar.Any)
			w.Many = w.Many || quote == 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
			add("", grammar.Literal)
		case quote == 0 && c == ' ':
			if open {
				words = append(words, w)
			}
			w, open = grammar.Word{}, false
		case quote == 0 && c == '*':
			add("*", grammar.Tree)
			w.Glob, w.Many = true, true
		case quote == 0 && c == '~' && !open:
			w.Tilde = true
			add("~", grammar.Literal)
		default:
			add(string(c), grammar.Literal)
		}
	}
	if quote != 0 {
		t.Fatalf("unclosed quote in %s", line)
	}
	if open {
		words = append(words, w)
	}
	return words
}

// verdict is what a command amounts to here: the class, or ask or deny, and the first reason.
type verdict struct {
	class grammar.Class
	why   string
	needs string
}

var ranks = map[grammar.Class]int{grammar.Inspect: 0, grammar.Change: 1, grammar.Run: 2, grammar.Install: 3, grammar.Ask: 4, grammar.Deny: 5}

func (v *verdict) worse(c grammar.Class, why string) {
	if ranks[c] > ranks[v.class] {
		v.class, v.why = c, why
	}
}

// judge stands in for the engine: it knows paths by their text only, no links, one folder.
func judge(t testing.TB, words []grammar.Word) verdict {
	name, _ := words[0].Text()
	table := tables[name]
	if table == nil {
		return verdict{class: grammar.Ask, why: "unknown program " + name}
	}
	m := table.Parse(words[1:])
	v := verdict{class: m.Class, why: m.Why}
	for _, n := range m.Needs {
		v.needs += string(n) + " "
	}
	if m.StdinCode {
		v.worse(grammar.Ask, "code on standard input")
	}
	for _, r := range m.Refused {
		v.worse(r.Class, r.Reason)
	}
	for _, u := range m.Uses {
		if misfit := u.Word.Fits(u.Kind); misfit != "" {
			v.worse(grammar.Ask, u.Word.String()+" "+misfit)
			continue
		}
		text := u.Word.Prefix()
		switch u.Kind {
		case grammar.Read, grammar.List, grammar.Write, grammar.Remove, grammar.Code, grammar.Dir:
			clean := path.Clean(text)
			switch {
			case text == "-" && u.Kind != grammar.Code, text == "/dev/null", text == "/tmp" || strings.HasPrefix(clean, "/tmp/"):
			case strings.HasPrefix(clean, "/"), clean == "..", strings.HasPrefix(clean, "../"):
				v.worse(grammar.Deny, text+" leads out")
			case strings.Contains("/"+strings.ToLower(clean)+"/", "/.git/"), strings.Contains(clean, ".github/workflows"), clean == ".env":
				v.worse(grammar.Deny, text+" is protected")
			}
		case grammar.Shell:
			v.worse(grammar.Ask, "shell text")
		case grammar.Command:
			rest := append([]grammar.Word{u.Word}, u.Rest...)
			if m.Rule == "xargs" { // what standard input adds
				rest = append(rest, grammar.Word{Parts: []grammar.Part{{Source: grammar.Tree}}, Many: true})
			}
			inner := judge(t, rest)
			v.worse(inner.class, inner.why)
			v.needs += inner.needs
		}
	}
	return v
}

// expect runs a table: one command a line, ⏎ for a line break in it. A line that begins with "#" is a comment.
func expect(t *testing.T, want string, lines string) {
	t.Helper()
	for _, line := range strings.Split(lines, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		v := judge(t, split(t, strings.ReplaceAll(line, "⏎", "\n")))
		got := "allow"
		if v.class == grammar.Ask || v.class == grammar.Deny {
			got = string(v.class)
		}
		ok := got == want || want == "refuse" && got != "allow" || string(v.class) == want
		if !ok {
			t.Errorf("%s\n\tgot %s (%s) %q, want %s", line, got, v.class, v.why, want)
		}
	}
}
