package lang

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// odd are words that judges see seldom: unknown text, globs, empty words, half options.
func odd() []grammar.Word {
	part := func(s grammar.Source, text string) grammar.Part { return grammar.Part{Source: s, Text: text} }
	out := []grammar.Word{{}, {Many: true, Parts: []grammar.Part{part(grammar.Any, "")}}, {Parts: []grammar.Part{part(grammar.Any, "")}},
		{Parts: []grammar.Part{part(grammar.Literal, "-"), part(grammar.Any, "")}}, {Parts: []grammar.Part{part(grammar.Literal, "--x="), part(grammar.Plain, "")}},
		{Glob: true, Many: true, Parts: []grammar.Part{part(grammar.Tree, "*.go")}}, {Tilde: true, Parts: []grammar.Part{part(grammar.Literal, "~/x")}},
		{Parts: []grammar.Part{part(grammar.Digits, "")}}}
	for _, t := range []string{"", "-", "--", "---", "=", "-=", "--=", "-p", "-p=", "-m", "-c", "-C", "-o", "-D", "-Dx", "-W", "-X", "-l", "+", "@", "@x", ":", "::", "/", "//", ".", "..", "...", "./...", "/...", "x...", "a=", "=a", "a:b",
		"'", "\"", "-ldflags", "-ldflags='", "-gcflags=\"", "all=", "[", "x[", "]", "run", "test", "install", "exec", "-args", "file:", "npm:", "x.py", "a.go", "x\x00y", "é", "-é", strings.Repeat("a", 300)} {
		out = append(out, grammar.Lit(t))
	}
	return out
}

// TestJudgesTakeAnyPair returns every sub-command every pair of odd words.
func TestJudgesTakeAnyPair(t *testing.T) {
	all := odd()
	for _, p := range Programs() {
		table, err := grammar.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		heads := [][]grammar.Word{nil}
		for name, sub := range p.Subs {
			heads = append(heads, []grammar.Word{grammar.Lit(name)})
			for below := range sub.Subs {
				heads = append(heads, []grammar.Word{grammar.Lit(name), grammar.Lit(below)})
			}
		}
		for _, head := range heads {
			for i, a := range all {
				noPanic(t, table, append(head[:len(head):len(head)], a))
				for _, b := range []grammar.Word{all[(i*7+3)%len(all)], all[(i*11+5)%len(all)], all[(i*13+1)%len(all)]} {
					noPanic(t, table, append(head[:len(head):len(head)], a, b))
				}
			}
			noPanic(t, table, head)
		}
	}
}

func noPanic(t *testing.T, table *grammar.Table, ws []grammar.Word) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s with %v: %v", table.Program.Names[0], ws, r)
		}
	}()
	table.Parse(ws)
}

// FuzzJudges returns any program of the table any words; a word that begins with a control byte is one that is not known.
func FuzzJudges(f *testing.F) {
	var tables []*grammar.Table
	for _, p := range Programs() {
		table, err := grammar.Compile(p)
		if err != nil {
			f.Fatal(err)
		}
		tables = append(tables, table)
	}
	for i, p := range Programs() {
		f.Add(uint16(i), "-v")
		for name := range p.Subs {
			f.Add(uint16(i), name)
			f.Add(uint16(i), name+"\n-x=\n\x01")
		}
	}
	f.Add(uint16(0), "test\n-ldflags\n-X 'a=b\n-args\n--")
	f.Fuzz(func(t *testing.T, which uint16, text string) {
		var ws []grammar.Word
		for line := range strings.SplitSeq(text, "\n") {
			switch {
			case strings.HasPrefix(line, "\x01"):
				ws = append(ws, grammar.Word{Parts: []grammar.Part{{Source: grammar.Literal, Text: line[1:]}, {Source: grammar.Any}}})
			case strings.HasPrefix(line, "\x02"):
				ws = append(ws, grammar.Word{Many: true, Glob: true, Parts: []grammar.Part{{Source: grammar.Tree, Text: line[1:]}}})
			default:
				ws = append(ws, grammar.Lit(line))
			}
		}
		noPanic(t, tables[int(which)%len(tables)], ws)
	})
}
